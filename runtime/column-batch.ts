/** Batches: columns by name, decoded or computed when first asked for, so that what nobody reads costs nothing. */
import type { Value } from '../storage/value.ts'
import { DateTime } from '../storage/value.ts'
import type { Vector } from '../storage/vector.ts'
import type { Batch } from './batch.ts'
import { isMember, memberOf, overlay, pathWithin } from './object-fields.ts'
import { pick, pickValues } from './pick.ts'

export type ColumnSource = (name: string) => Vector | null

interface Selected {
  readonly rowCount: number
  readonly selection: Uint32Array | null
  readonly selectedCount: number
  readonly rowOrderBase: number
  readonly pinnedBytes?: number
}

export class ColumnBatch implements Batch {
  readonly rowCount: number
  readonly selection: Uint32Array | null
  readonly selectedCount: number
  readonly rowOrderBase: number
  readonly names: readonly string[]
  readonly pinnedBytes: number
  readonly #source: ColumnSource
  readonly #columns = new Map<string, Vector>()

  constructor(rows: Selected, names: readonly string[], source: ColumnSource) {
    this.rowCount = rows.rowCount
    this.selection = rows.selection
    this.selectedCount = rows.selectedCount
    this.rowOrderBase = rows.rowOrderBase
    this.pinnedBytes = rows.pinnedBytes ?? 0
    this.names = names
    this.#source = source
  }

  column(name: string): Vector {
    let vector = this.#columns.get(name)
    if (vector === undefined) {
      vector = this.#source(name) ?? { kind: 'const', rowCount: this.rowCount, value: undefined }
      this.#columns.set(name, vector)
    }
    return vector
  }

  /** Columns somebody has asked for: what holding on to the batch keeps in memory. */
  held(): Iterable<Vector> {
    return this.#columns.values()
  }
}

/** The same columns, fewer rows. */
export function withSelection(batch: Batch, selection: Uint32Array | null, selectedCount: number): Batch {
  const { rowCount, rowOrderBase, pinnedBytes = 0 } = batch
  const rows = { rowCount, selection, selectedCount, rowOrderBase, pinnedBytes }
  return new ColumnBatch(rows, batch.names, name => batch.column(name))
}

/** Other columns over the same rows; `source` null for a name means: the batch does not have it. */
export function withColumns(batch: Batch, names: readonly string[], source: ColumnSource): Batch {
  return new ColumnBatch(batch, names, source)
}

/** Some columns replaced or added; new names follow the old ones. */
export function withAdded(batch: Batch, added: ReadonlyMap<string, Vector>): Batch {
  return withComputed(batch, [...added.keys()], name => added.get(name)!)
}

/** As `withAdded`, with columns that are computed when they are asked for. */
export function withComputed(batch: Batch, added: readonly string[], compute: (name: string) => Vector): Batch {
  const known = new Set(batch.names)
  const names = [...batch.names, ...added.filter(name => !known.has(name))]
  const isAdded = new Set(added)
  return new ColumnBatch(batch, names, name => {
    if (isAdded.has(name)) return compute(name)
    const base = batch.column(name)
    const members = added.filter(field => isMember(name, field))
    if (members.length > 0) {
      const columns = members.map(field => ({ path: pathWithin(name, field), vector: compute(field) }))
      return overlay(base, columns, batch.rowCount)
    }
    const outer = added.find(field => isMember(field, name))
    return outer === undefined ? base : memberOf(compute(outer), pathWithin(outer, name), base)
  })
}

export function batchOf(columns: ReadonlyMap<string, Vector>, rowCount: number, rowOrderBase = 0): Batch {
  const rows = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase }
  return new ColumnBatch(rows, [...columns.keys()], name => columns.get(name) ?? null)
}

/** One row somewhere in a batch; what sort, tail and top-k hold on to until they know what survives. */
export interface RowRef {
  readonly batch: Batch
  readonly row: number
}

/** Rows of several batches as one batch; a column's values are gathered when somebody reads it. */
export function gather(rows: readonly RowRef[], rowOrderBase: number): Batch {
  const numbers = new Map<Batch, number>()
  const picks = { of: new Uint32Array(rows.length), rows: new Uint32Array(rows.length) }
  let last: Batch | null = null
  let number = 0
  for (let n = 0; n < rows.length; n++) {
    const { batch, row } = rows[n]!
    if (batch !== last) {
      last = batch
      number = numbers.get(batch) ?? numbers.size
      numbers.set(batch, number)
    }
    picks.of[n] = number
    picks.rows[n] = row
  }
  const batches = [...numbers.keys()]
  const namesOf = batches.map(batch => new Set(batch.names))
  const names = new Set(batches.flatMap(batch => batch.names))
  const size = { rowCount: rows.length, selection: null, selectedCount: rows.length, rowOrderBase }
  const picked = (vectors: readonly Vector[]): Vector => pick(vectors, picks) ?? vectorOf(pickValues(vectors, picks))
  return new ColumnBatch(size, [...names], name => {
    const vectors = batches.map(batch => batch.column(name))
    // What one batch has as a field, another may put together from members, which then are its fields.
    const isWhole = vectors.every((vector, index) => namesOf[index]!.has(name) && shownOf(vector) === vector)
    if (isWhole || !names.has(name)) return picked(vectors)
    const shown = vectors.map((vector, index): Vector => {
      if (namesOf[index]!.has(name)) return shownOf(vector)
      return { kind: 'const', rowCount: vector.rowCount, value: undefined }
    })
    return { kind: 'any', rowCount: rows.length, values: pickValues(vectors, picks), shown: picked(shown) }
  })
}

/** What a whole event shows of a column: without the objects whose members stand beside it. */
export function shownOf(vector: Vector): Vector {
  return vector.kind === 'any' && vector.shown !== undefined ? vector.shown : vector
}

/** The column as it is read, to be shown so: its members do not stand beside it any more. */
export function wholeOf(vector: Vector): Vector {
  if (vector.kind !== 'any' || vector.shown === undefined) return vector
  const { kind, rowCount, values } = vector
  return { kind, rowCount, values }
}

/** The plainest vector that holds these values. Holes count as missing. */
export function vectorOf(values: readonly Value[]): Vector {
  const rowCount = values.length
  let numbers = 0
  let times = 0
  // By index: `every` would pass over holes.
  for (let row = 0; row < rowCount; row++) {
    const value = values[row]
    if (typeof value === 'number') numbers++
    else if (value instanceof DateTime && value.nanos === 0) times++
    else break
  }
  if (rowCount > 0 && numbers === rowCount) {
    return { kind: 'number', rowCount, values: Float64Array.from(values as readonly number[]), presence: null }
  }
  if (rowCount > 0 && times === rowCount) {
    const micros = Float64Array.from(values, value => (value as DateTime).micros)
    return { kind: 'time', rowCount, micros, nanos: null, presence: null }
  }
  return { kind: 'any', rowCount, values }
}
