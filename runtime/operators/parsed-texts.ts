/** What came out of texts, by their number: a row of a block, or a code of a dictionary. */
import type { Value } from '../../storage/value.ts'
import { type Dictionary, MISSING, NULL, PRESENT, type TextVector, type Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { vectorOf } from '../column-batch.ts'
import type { Extractor, FieldSink } from '../formats/extractor.ts'
import { keyOf } from '../helpers/compare.ts'
import { valueAt } from '../helpers/vectors.ts'
import type { RunContext } from './operator.ts'
import type { ParseTargets } from './parse-targets.ts'
import { ByteOffsets, StretchColumn } from './stretch-column.ts'

const WELL = 1
const FAILED = 2

export class ParsedTexts implements FieldSink {
  readonly #count: number
  readonly #extractor: Extractor
  readonly #targets: ParseTargets
  readonly #columns = new Map<string, Value[]>()
  /** Columns of the placed targets, in their order; null for those that are kept as stretches. */
  readonly #placed: readonly (Value[] | null)[]
  readonly #source: TextVector | null
  readonly #bytes = new ByteOffsets()
  readonly #stretches = new Map<string, StretchColumn>()
  /** In the order of the placed targets. */
  readonly #stretched: readonly (StretchColumn | null)[]
  readonly #dictionaries = new Map<string, { readonly dictionary: Dictionary; readonly parsed: number }>()
  #states: Uint8Array | null = null
  #problems = new Map<number, string>()
  #parsed = 0
  #number = 0

  /** `source`: the column of the texts, when their numbers are its rows and it is worth keeping offsets into it. */
  constructor(count: number, extractor: Extractor, targets: ParseTargets, source: TextVector | null) {
    this.#count = count
    this.#extractor = extractor
    this.#targets = targets
    this.#source = source
    const { layout } = extractor
    const placed = targets.placed ?? []
    this.#stretched = placed.map(({ name, index, cast }) => {
      const stretch = layout?.stretches[index] ?? null
      if (source === null || stretch === null || cast !== null) return null
      const column = new StretchColumn(source, stretch)
      this.#stretches.set(name, column)
      return column
    })
    for (const name of targets.known) if (!this.#stretches.has(name)) this.#column(name)
    this.#placed = placed.map(({ name }) => (this.#stretches.has(name) ? null : this.#column(name)))
  }

  /** What is wrong with the text, or null. Text that is not there has nothing to parse and nothing to fail. */
  parse(number: number, text: Value): string | null {
    if (text === null || text === undefined) return null
    if (typeof text !== 'string') return this.fail(number, 'not text')
    const problem = this.#extractor.read(text)
    if (problem !== null) return this.fail(number, problem)
    const { placed } = this.#targets
    if (placed === null) {
      this.#number = number
      this.#extractor.emit(this)
      return null
    }
    if (this.#stretches.size > 0) this.#setStretches(number, text)
    for (let i = 0; i < placed.length; i++) {
      const { index, cast } = placed[i]!
      const column = this.#placed[i]!
      if (column === null) continue
      const value = this.#extractor.value(index)
      if (value !== undefined) column[number] = cast === null || value === null ? value : cast(value)
    }
    return null
  }

  #setStretches(row: number, text: string): void {
    const { offsets } = this.#source!
    const { spans } = this.#extractor.layout!
    this.#bytes.read(text, offsets[row + 1]! - offsets[row]!)
    const placed = this.#targets.placed!
    for (let i = 0; i < placed.length; i++) {
      const at = placed[i]!.index * 2
      this.#stretched[i]?.set(row, this.#bytes.of(spans[at]!), this.#bytes.of(spans[at + 1]!))
    }
  }

  /** As `parse`, remembering what has been parsed before. */
  parseOnce(code: number, text: Value): string | null {
    this.#states ??= new Uint8Array(this.#count)
    const state = this.#states[code]
    if (state === WELL) return null
    if (state === FAILED) return this.#problems.get(code)!
    const problem = this.parse(code, text)
    this.#states[code] = problem === null ? WELL : FAILED
    if (problem !== null) this.#problems.set(code, problem)
    this.#parsed++
    return problem
  }

  parseAll(texts: readonly Value[]): void {
    if (this.#parsed === this.#count) return
    for (let code = 0; code < texts.length; code++) this.parseOnce(code, texts[code])
  }

  fail(number: number, problem: string): string {
    const { tellsErrors, nulls } = this.#targets
    for (const name of nulls) {
      const stretch = this.#stretches.get(name)
      if (stretch === undefined) this.#column(name)[number] = null
      else stretch.setNull(number)
    }
    if (tellsErrors) {
      this.#column('_error')[number] = 'parse_failed'
      this.#column('_error_detail')[number] = problem
    }
    return problem
  }

  wants(name: string): boolean {
    return this.#targets.of(name) !== null
  }

  add(name: string, value: Value): void {
    const target = this.#targets.of(name)
    if (target === null) return
    this.#column(target.name)[this.#number] = target.cast === null || value === null ? value : target.cast(value)
  }

  /** Names in the order of the known fields, others as they were met. */
  names(): readonly string[] {
    return [...new Set([...this.#targets.known, ...this.#columns.keys()])]
  }

  /** By row. */
  vector(name: string): Vector {
    return this.#stretches.get(name)?.vector() ?? columnOf(this.#column(name))
  }

  /** The same object until more has been parsed: what was computed from it holds as long. Values of codes that were handed out stay. */
  dictionaryOf(name: string): Dictionary {
    const values = this.#column(name)
    const known = this.#dictionaries.get(name)
    if (known?.parsed === this.#parsed) return known.dictionary
    const dictionary: Dictionary = { values, repeats: true }
    this.#dictionaries.set(name, { dictionary, parsed: this.#parsed })
    return dictionary
  }

  #column(name: string): Value[] {
    let column = this.#columns.get(name)
    if (column === undefined) this.#columns.set(name, (column = new Array<Value>(this.#count).fill(undefined)))
    return column
  }
}

/** As `vectorOf`; numbers with gaps are numbers too. */
export function columnOf(values: readonly Value[]): Vector {
  const rowCount = values.length
  const numbers = new Float64Array(rowCount)
  const presence = new Uint8Array(rowCount)
  let present = 0
  for (let row = 0; row < rowCount; row++) {
    const value = values[row]
    if (typeof value === 'number') {
      numbers[row] = value
      presence[row] = PRESENT
      present++
    } else if (value === undefined) presence[row] = MISSING
    else if (value === null) presence[row] = NULL
    else return vectorOf(values)
  }
  if (present === 0) return values.includes(null) ? vectorOf(values) : { kind: 'const', rowCount, value: undefined }
  return { kind: 'number', rowCount, values: numbers, presence: present === rowCount ? null : presence }
}

/** Does the batch have values of its own under the name? */
export function isOccupied(batch: Batch, name: string): boolean {
  const existing = batch.column(name)
  if (existing.kind !== 'const') return true
  return existing.value !== undefined && (existing.value !== null || batch.names.includes(name))
}

/**
 * What was there wins over what was parsed, unless it is null or missing. Of errors the latest is told. Null: it is what was there, in every row; a member of
 * an object that nothing was added to is no field beside it.
 */
export function merged(batch: Batch, name: string, parsed: Vector, context: RunContext): Vector | null {
  const existing = batch.column(name)
  const isError = name === '_error' || name === '_error_detail'
  const values: Value[] = new Array<Value>(batch.rowCount).fill(undefined)
  let kept = 0
  let added = 0
  for (let n = 0; n < batch.selectedCount; n++) {
    const row = batch.selection === null ? n : batch.selection[n]!
    const old = valueAt(existing, row)
    const found = valueAt(parsed, row)
    const oldWins = isError ? found === undefined : old !== null && old !== undefined
    if (oldWins && !isError && found !== undefined && keyOf(found) !== keyOf(old)) kept++
    const isOld = oldWins || found === undefined
    values[row] = isOld ? old : found
    if (!isOld) added++
  }
  if (kept > 0) context.count(`kept:${name}`, kept)
  return added === 0 ? null : columnOf(values)
}
