/**
 * parse: text becomes fields. A dictionary column is parsed once per distinct text. A field that holds something is never
 * overwritten; what could not be parsed is data too (`_error`, `_error_detail`), unless the query says otherwise.
 */
import type { Dictionary, DictVector, TextVector, Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { withComputed, withSelection } from '../column-batch.ts'
import { type Extractor, NO_MATCH } from '../formats/extractor.ts'
import { createExtractor } from '../formats/index.ts'
import { rowsWithLiteral } from '../helpers/text-search.ts'
import { valueAt } from '../helpers/vectors.ts'
import type { ParseSpec } from '../program.ts'
import type { Operator, RunContext } from './operator.ts'
import { ParseTargets } from './parse-targets.ts'
import { isOccupied, merged, ParsedTexts } from './parsed-texts.ts'

/** `on_error strict`: the query fails with the first text that cannot be parsed. */
export class StrictParseError extends Error {
  constructor(format: string, detail: string) {
    super(`parse ${format}: ${detail}`)
    this.name = 'StrictParseError'
  }
}

export class ParseOperator implements Operator {
  readonly #spec: ParseSpec
  readonly #context: RunContext
  readonly #next: Operator
  readonly #extractor: Extractor
  readonly #targets: ParseTargets
  readonly #byDictionary = new WeakMap<Dictionary, ParsedTexts>()

  constructor(spec: ParseSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#next = next
    this.#extractor = createExtractor(spec)
    this.#targets = new ParseTargets(spec, this.#extractor.names)
  }

  get isDone(): boolean {
    return this.#next.isDone
  }

  push(batch: Batch): void {
    const source = batch.column(this.#spec.from)
    // A few rows of a large dictionary are quicker on their own.
    const isDictionary = source.kind === 'dict' && source.dictionary.values.length <= batch.selectedCount * 4
    const { failedRows, names, vector } = isDictionary
      ? this.#parseDictionary(source, batch)
      : this.#parseRows(source, batch)
    if (failedRows.length > 0) this.#context.count(`parse:${this.#spec.format}`, failedRows.length)
    const kept = this.#spec.onError === 'drop' ? without(batch, failedRows) : batch
    if (kept === null) return
    // Where the event has a field already, what was kept is counted now; everything else is made when it is read.
    const occupied = new Map<string, Vector>()
    const given: string[] = []
    for (const name of names) {
      const column = isOccupied(batch, name) ? merged(batch, name, vector(name), this.#context) : undefined
      if (column === null) continue
      if (column !== undefined) occupied.set(name, column)
      given.push(name)
    }
    this.#next.push(withComputed(kept, given, name => occupied.get(name) ?? vector(name)))
  }

  finish(): void {
    this.#next.finish()
  }

  #parseRows(source: Vector, batch: Batch): Parsed {
    const column = source.kind === 'text' ? source : null
    const texts = new ParsedTexts(batch.rowCount, this.#extractor, this.#targets, column)
    const { selection, selectedCount } = batch
    const candidates = this.#candidates(column, batch)
    const failedRows: number[] = []
    for (let n = 0; n < selectedCount; n++) {
      const row = selection === null ? n : selection[n]!
      const problem =
        candidates !== null && candidates[row] === 0
          ? texts.fail(row, NO_MATCH)
          : texts.parse(row, valueAt(source, row))
      if (problem === null) continue
      this.#refuse(problem)
      failedRows.push(row)
    }
    return { failedRows, names: texts.names(), vector: name => texts.vector(name) }
  }

  /** Rows of a text column that may match at all: the literal of the pattern is looked for in the whole block at once. */
  #candidates(source: TextVector | null, batch: Batch): Uint8Array | null {
    const { pattern } = this.#extractor
    if (pattern === undefined || source === null) return null
    return rowsWithLiteral(source, pattern, batch.selection, batch.selectedCount)
  }

  /** The results have the codes of the texts. */
  #parseDictionary({ dictionary, codes, rowCount }: DictVector, batch: Batch): Parsed {
    const { selection, selectedCount } = batch
    let texts = this.#byDictionary.get(dictionary)
    if (texts === undefined) {
      texts = new ParsedTexts(dictionary.values.length, this.#extractor, this.#targets, null)
      this.#byDictionary.set(dictionary, texts)
    }
    const known = texts
    // All at once while that is no more than the rows ask for: then one dictionary serves every block.
    if (dictionary.values.length <= selectedCount) known.parseAll(dictionary.values)
    const failedRows: number[] = []
    for (let n = 0; n < selectedCount; n++) {
      const row = selection === null ? n : selection[n]!
      const code = codes[row]!
      const problem = known.parseOnce(code, dictionary.values[code])
      if (problem === null) continue
      this.#refuse(problem)
      failedRows.push(row)
    }
    const vector = (name: string): Vector => ({ kind: 'dict', rowCount, codes, dictionary: known.dictionaryOf(name) })
    return { failedRows, names: known.names(), vector }
  }

  #refuse(problem: string): void {
    if (this.#spec.onError === 'strict') throw new StrictParseError(this.#spec.format, problem)
  }
}

interface Parsed {
  /** In the order of the selection. */
  readonly failedRows: readonly number[]
  readonly names: readonly string[]
  vector(name: string): Vector
}

/** Null when no row is left. */
function without(batch: Batch, failedRows: readonly number[]): Batch | null {
  if (failedRows.length === 0) return batch
  const kept = new Uint32Array(batch.selectedCount)
  let count = 0
  let failed = 0
  for (let n = 0; n < batch.selectedCount; n++) {
    const row = batch.selection === null ? n : batch.selection[n]!
    if (failedRows[failed] === row) failed++
    else kept[count++] = row
  }
  return count === 0 ? null : withSelection(batch, kept, count)
}
