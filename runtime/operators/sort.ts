/**
 * sort and top-k. Both hold references to rows and read other columns only of the rows that survive. Top-k keeps a bounded set of
 * candidates and a boundary: a row, or by time a whole block, that cannot beat the k-th candidate is not looked at again.
 */
import { DateTime, type Value } from '../../storage/value.ts'
import { PRESENT, type Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { gather, narrowed, type RowRef, withNames } from '../column-batch.ts'
import { compareValues } from '../helpers/compare.ts'
import { valueAt } from '../helpers/vectors.ts'
import type { SortSpec } from '../program.ts'
import type { Operator, RunContext } from './operator.ts'

const OUTPUT_ROWS = 8192
/** Rough cost of one held row: its reference, its keys. */
const ROW_BYTES = 48

interface Candidate extends RowRef {
  readonly order: number
  readonly keys: readonly Value[]
}

export class SortOperator implements Operator {
  readonly #spec: SortSpec
  readonly #context: RunContext
  readonly #next: Operator
  #candidates: Candidate[] = []
  /** First key of the k-th candidate, when it is a plain number or time: what a row must beat. */
  #boundary: number | null = null
  readonly isDone = false

  constructor(spec: SortSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#next = next
  }

  /** Rows whose `_time` is below this many microseconds cannot be among the newest `limit`; null: cannot say. */
  get newestBoundary(): number | null {
    const [first] = this.#spec.keys
    return first?.field === '_time' && first.descending ? this.#boundary : null
  }

  push(batch: Batch): void {
    const { keys, limit } = this.#spec
    const vectors = keys.map(key => batch.column(key.field))
    const first = vectors[0]!
    let isOut = limit === null ? null : outsideTest(first, keys[0]!.descending, this.#boundary)
    const before = this.#candidates.length
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      if (isOut?.(row) === true) continue
      const values = vectors.map(vector => valueAt(vector, row))
      this.#candidates.push({ batch, row, order: batch.rowOrderBase + row, keys: values })
      if (limit !== null && this.#candidates.length >= pruneAt(limit)) {
        this.#prune(limit)
        isOut = outsideTest(first, keys[0]!.descending, this.#boundary)
      }
    }
    if (limit === null) this.#context.memory.charge((this.#candidates.length - before) * ROW_BYTES, 'sort')
    else if (this.#candidates.length > limit) this.#prune(limit)
  }

  #prune(limit: number): void {
    this.#candidates.sort(this.#compare)
    if (this.#candidates.length > limit) this.#candidates.length = limit
    if (this.#candidates.length === limit) this.#boundary = plainNumber(this.#candidates.at(-1)?.keys[0])
  }

  readonly #compare = (a: Candidate, b: Candidate): number => {
    const { keys } = this.#spec
    for (let index = 0; index < keys.length; index++) {
      const order = compareKeys(a.keys[index], b.keys[index], keys[index]!.descending)
      if (order !== 0) return order
    }
    return a.order - b.order
  }

  /** The largest were asked for, and rows without a value came first: seldom what was meant. */
  #tellOfNulls(): void {
    const { keys, limit, temporary } = this.#spec
    const first = keys[0]!
    if (limit === null || !first.descending || temporary.includes(first.field)) return
    const nulls = countOf(this.#candidates, null)
    const missing = countOf(this.#candidates, undefined)
    if (nulls > 0) this.#context.count(`null-first:${first.field}`, nulls)
    if (missing > 0) this.#context.count(`missing-first:${first.field}`, missing)
  }

  finish(): void {
    const { limit, temporary } = this.#spec
    this.#candidates.sort(this.#compare)
    if (limit !== null && this.#candidates.length > limit) this.#candidates.length = limit
    this.#tellOfNulls()
    const hidden = new Set(temporary)
    const rows = narrowed(this.#candidates)
    for (let start = 0; start < rows.length && !this.#next.isDone; start += OUTPUT_ROWS) {
      const batch = gather(rows.slice(start, start + OUTPUT_ROWS), start)
      const names = batch.names.filter(name => !hidden.has(name))
      this.#next.push(withNames(batch, names))
    }
    this.#candidates = []
    this.#next.finish()
  }
}

function countOf(candidates: readonly Candidate[], value: Value): number {
  return candidates.reduce((count, { keys }) => count + Number(keys[0] === value), 0)
}

function pruneAt(limit: number): number {
  return Math.max(2 * limit, 4096)
}

/** Nulls and missing last ascending, first descending. */
function compareKeys(a: Value, b: Value, descending: boolean): number {
  if (typeof a === 'number' && typeof b === 'number') return descending ? b - a : a - b
  return descending ? compareValues(b, a) : compareValues(a, b)
}

function plainNumber(value: Value): number | null {
  if (typeof value === 'number') return value
  return value instanceof DateTime ? value.micros : null
}

/**
 * Whether a row cannot come before the boundary by its first key alone. Ties go on: later keys and input order decide them.
 * Absent values ascending come last, so they are out; descending they come first, so they stay.
 */
function outsideTest(vector: Vector, descending: boolean, boundary: number | null): ((row: number) => boolean) | null {
  if (boundary === null || (vector.kind !== 'number' && vector.kind !== 'time')) return null
  const values = vector.kind === 'number' ? vector.values : vector.micros
  const { presence } = vector
  if (descending) return row => (presence === null || presence[row] === PRESENT) && values[row]! < boundary
  return row => (presence !== null && presence[row] !== PRESENT) || values[row]! > boundary
}
