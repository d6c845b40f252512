/**
 * parse: text becomes fields. A dictionary column is parsed once per distinct text. A field that holds something is never
 * overwritten; what could not be parsed is data too (`_error`, `_error_detail`), unless the query says otherwise.
 */
import type { Dictionary, DictVector, Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { withAdded, withSelection } from '../column-batch.ts'
import { type Extractor, NO_MATCH } from '../formats/extractor.ts'
import { createExtractor } from '../formats/index.ts'
import { rowsWithLiteral } from '../helpers/text-search.ts'
import { valueAt } from '../helpers/vectors.ts'
import type { ParseSpec } from '../program.ts'
import type { Operator, RunContext } from './operator.ts'
import { ParseTargets } from './parse-targets.ts'
import { columnOf, merged, ParsedTexts } from './parsed-texts.ts'

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
    const parsed = isDictionary ? this.#parseDictionary(source, batch) : this.#parseRows(source, batch)
    const { failedRows, columns } = parsed
    if (failedRows.length > 0) this.#context.count(`parse:${this.#spec.format}`, failedRows.length)
    const kept = this.#spec.onError === 'drop' ? without(batch, failedRows) : batch
    if (kept === null) return
    const added = new Map<string, Vector>()
    for (const [name, vector] of columns) added.set(name, merged(batch, name, vector, this.#context))
    this.#next.push(withAdded(kept, added))
  }

  finish(): void {
    this.#next.finish()
  }

  #parseRows(source: Vector, batch: Batch): Parsed {
    const texts = new ParsedTexts(batch.rowCount, this.#extractor, this.#targets)
    const { selection, selectedCount } = batch
    const candidates = this.#candidates(source, batch)
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
    const columns = texts.columns().map(([name, values]) => [name, columnOf(values)] as const)
    return { failedRows, columns }
  }

  /** Rows of a text column that may match at all: the literal of the pattern is looked for in the whole block at once. */
  #candidates(source: Vector, batch: Batch): Uint8Array | null {
    const { pattern } = this.#extractor
    if (pattern === undefined || source.kind !== 'text') return null
    return rowsWithLiteral(source, pattern, batch.selection, batch.selectedCount)
  }

  #parseDictionary(source: DictVector, batch: Batch): Parsed {
    const { dictionary, codes, rowCount } = source
    const { selection, selectedCount } = batch
    let texts = this.#byDictionary.get(dictionary)
    if (texts === undefined) {
      texts = new ParsedTexts(dictionary.values.length, this.#extractor, this.#targets)
      this.#byDictionary.set(dictionary, texts)
    }
    // All at once while that is no more than the rows ask for: then one dictionary serves every block.
    if (dictionary.values.length <= selectedCount) texts.parseAll(dictionary.values)
    const failedRows: number[] = []
    for (let n = 0; n < selectedCount; n++) {
      const row = selection === null ? n : selection[n]!
      const code = codes[row]!
      const problem = texts.parseOnce(code, dictionary.values[code])
      if (problem === null) continue
      this.#refuse(problem)
      failedRows.push(row)
    }
    // The results have the codes of the texts.
    const columns = texts
      .columns()
      .map(([name, values]): readonly [string, Vector] => [
        name,
        { kind: 'dict', rowCount, codes, dictionary: texts.dictionaryOf(name, values) },
      ])
    return { failedRows, columns }
  }

  #refuse(problem: string): void {
    if (this.#spec.onError === 'strict') throw new StrictParseError(this.#spec.format, problem)
  }
}

interface Parsed {
  readonly failedRows: readonly number[]
  readonly columns: readonly (readonly [name: string, vector: Vector])[]
}

/** Null when no row is left. Failed rows are in the order of the selection. */
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
