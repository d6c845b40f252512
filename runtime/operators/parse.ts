/**
 * parse: text becomes fields. A dictionary column is parsed once per distinct text. A field that holds something is never
 * overwritten; what could not be parsed is data too (`_error`, `_error_detail`), unless the query says otherwise.
 */
import type { CastType } from '../../grammar/ast.ts'
import type { Value } from '../../storage/value.ts'
import type { Dictionary, Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { vectorOf, withAdded, withSelection } from '../column-batch.ts'
import { NO_REGEX_MATCH } from '../formats/captures.ts'
import type { Extractor } from '../formats/extractor.ts'
import { captureExtractor } from '../formats/index.ts'
import { CONVERSION_HELPERS } from '../helpers/conversion.ts'
import { toText } from '../helpers/format-value.ts'
import { rowsWithLiteral } from '../helpers/text-search.ts'
import { valueAt } from '../helpers/vectors.ts'
import type { ParseSpec } from '../program.ts'
import type { Operator, RunContext } from './operator.ts'

/** `on_error strict`: the query fails with the first text that cannot be parsed. */
export class StrictParseError extends Error {
  constructor(format: string, detail: string) {
    super(`parse ${format}: ${detail}`)
    this.name = 'StrictParseError'
  }
}

type Parsed = { readonly fields: readonly (readonly [name: string, value: Value])[] } | { readonly problem: string }

const NO_MATCH: Parsed = { problem: NO_REGEX_MATCH }

const CASTS: Readonly<Record<CastType, (value: Value) => Value>> = {
  int: value => CONVERSION_HELPERS.toInt(value),
  float: value => CONVERSION_HELPERS.toFloat(value),
  string: value => toText(value),
  bool: value => CONVERSION_HELPERS.toBool(value),
  datetime: value => CONVERSION_HELPERS.toDatetime(value),
  duration: value => CONVERSION_HELPERS.toDuration(value),
}

export class ParseOperator implements Operator {
  readonly #spec: ParseSpec
  readonly #context: RunContext
  readonly #next: Operator
  readonly #extractor: Extractor
  readonly #byDictionary = new WeakMap<Dictionary, Map<number, Parsed | null>>()
  /** Output name and cast by extracted name; null: not wanted. */
  readonly #targets = new Map<string, { readonly name: string; readonly cast: CastType | null } | null>()
  readonly #wanted: ReadonlySet<string> | null

  constructor(spec: ParseSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#next = next
    this.#extractor = captureExtractor(spec)
    this.#wanted = spec.demanded === null ? null : new Set(spec.demanded)
  }

  get isDone(): boolean {
    return this.#next.isDone
  }

  push(batch: Batch): void {
    const { from, onError, format } = this.#spec
    const source = batch.column(from)
    const columns = new Map<string, Value[]>()
    const set = (name: string, row: number, value: Value): void => {
      let column = columns.get(name)
      if (column === undefined) columns.set(name, (column = new Array(batch.rowCount)))
      column[row] = value
    }
    let dropped: Set<number> | null = null
    const candidates = this.#candidates(source, batch)
    const tellsErrors = this.#wanted === null || this.#wanted.has('_error') || this.#wanted.has('_error_detail')
    let failedCount = 0
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      const parsed = candidates !== null && candidates[row] === 0 ? NO_MATCH : this.#parse(source, row)
      if (parsed === null) continue
      if ('fields' in parsed) {
        for (const [name, value] of parsed.fields) set(name, row, value)
        continue
      }
      failedCount++
      if (onError === 'strict') throw new StrictParseError(format, parsed.problem)
      if (onError === 'drop') (dropped ??= new Set()).add(row)
      else if (onError === 'null') for (const output of this.#nullOutputs()) set(output, row, null)
      else if (tellsErrors) {
        set('_error', row, 'parse_failed')
        set('_error_detail', row, parsed.problem)
      }
    }
    if (failedCount > 0) this.#context.count(`parse:${format}`, failedCount)
    const kept = dropped === null ? batch : without(batch, dropped)
    if (kept === null) return
    const added = new Map<string, Vector>()
    // Columns that texts of other batches may set exist in every batch, so that the order of fields does not depend on parts.
    for (const name of this.#knownNames()) if (!columns.has(name)) columns.set(name, new Array(batch.rowCount))
    const present = new Set(batch.names)
    for (const [name, values] of columns) {
      const isError = name === '_error' || name === '_error_detail'
      added.set(name, vectorOf(isError ? withErrors(batch, name, values) : this.#merged(batch, name, values, present)))
    }
    this.#next.push(withAdded(kept, added))
  }

  finish(): void {
    this.#next.finish()
  }

  /** Rows of a text column that may match at all: the literal of the pattern is looked for in the whole block at once. */
  #candidates(source: Vector, batch: Batch): Uint8Array | null {
    const { format, pattern } = this.#spec
    if (format !== 'regex' || pattern === null || source.kind !== 'text') return null
    return rowsWithLiteral(source, pattern, batch.selection, batch.selectedCount)
  }

  #nullOutputs(): readonly string[] {
    return (this.#spec.outputs ?? []).map(output => this.#spec.prefix + output.name)
  }

  #knownNames(): readonly string[] {
    const names = this.#spec.outputs?.map(output => output.name) ?? this.#extractor.names ?? []
    return names.flatMap(name => {
      const target = this.#target(name)
      return target === null ? [] : [target.name]
    })
  }

  /** What was there wins over what was parsed, unless it is null or missing. */
  #merged(batch: Batch, name: string, values: Value[], present: ReadonlySet<string>): Value[] {
    const existing = batch.column(name)
    if (!present.has(name) && existing.kind === 'const' && existing.value == null) return values
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      const old = valueAt(existing, row)
      if (old !== null && old !== undefined) {
        if (values[row] !== undefined) this.#context.count(`kept:${name}`)
        values[row] = old
      } else if (values[row] === undefined) values[row] = old
    }
    return values
  }

  #parse(source: Vector, row: number): Parsed | null {
    if (source.kind !== 'dict') return this.#parseValue(valueAt(source, row))
    let known = this.#byDictionary.get(source.dictionary)
    if (known === undefined) this.#byDictionary.set(source.dictionary, (known = new Map()))
    const code = source.codes[row]!
    let parsed = known.get(code)
    if (parsed === undefined) known.set(code, (parsed = this.#parseValue(source.dictionary.values[code])))
    return parsed
  }

  #parseValue(value: Value): Parsed | null {
    // Text that is not there has nothing to parse and nothing to fail.
    if (value === null || value === undefined) return null
    if (typeof value !== 'string') return { problem: 'not text' }
    const { names } = this.#extractor
    const out: Value[] = names === null ? [] : new Array(names.length)
    const fields: (readonly [string, Value])[] = []
    const add = (name: string, found: Value): void => {
      const target = this.#target(name)
      if (target === null || found === undefined) return
      fields.push([target.name, target.cast === null || found === null ? found : CASTS[target.cast](found)])
    }
    const problem = this.#extractor.extract(value, out, add)
    if (problem !== null) return { problem }
    for (const [index, name] of (names ?? []).entries()) add(name, out[index])
    return { fields }
  }

  #target(name: string): { readonly name: string; readonly cast: CastType | null } | null {
    let target = this.#targets.get(name)
    if (target === undefined) {
      const { outputs, prefix } = this.#spec
      const chosen = outputs === null ? { name, cast: null } : (outputs.find(output => output.name === name) ?? null)
      const full = prefix + name
      target = chosen === null || this.#wanted?.has(full) === false ? null : { name: full, cast: chosen.cast }
      this.#targets.set(name, target)
    }
    return target
  }
}

function without(batch: Batch, dropped: ReadonlySet<number>): Batch | null {
  const kept = new Uint32Array(batch.selectedCount)
  let count = 0
  for (let n = 0; n < batch.selectedCount; n++) {
    const row = batch.selection === null ? n : batch.selection[n]!
    if (!dropped.has(row)) kept[count++] = row
  }
  return count === 0 ? null : withSelection(batch, kept, count)
}

/** The latest failure of a row is what `_error` tells; rows that parsed keep what an earlier parse said. */
function withErrors(batch: Batch, name: string, values: Value[]): Value[] {
  const earlier = batch.column(name)
  if (earlier.kind === 'const' && earlier.value === undefined) return values
  for (let row = 0; row < batch.rowCount; row++) if (values[row] === undefined) values[row] = valueAt(earlier, row)
  return values
}
