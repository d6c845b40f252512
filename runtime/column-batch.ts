/** Batches: columns by name, decoded or computed when first asked for, so that what nobody reads costs nothing. */
import { withOwnValues } from '../storage/dictionary.ts'
import { pick, pickRows } from '../storage/pick.ts'
import type { Value } from '../storage/value.ts'
import { DateTime } from '../storage/value.ts'
import { showing, type Vector } from '../storage/vector.ts'
import type { Batch } from './batch.ts'
import { derivedColumn, isMember, memberOf, overlay, pathWithin } from './object-fields.ts'
import { pickValues } from './pick.ts'

export type ColumnSource = (name: string) => Vector | null

/** A source of the columns of these rows alone; null: there is none that is cheaper than all rows. */
export type NarrowedSource = (rows: Uint32Array) => ColumnSource | null

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
  readonly #narrowed: NarrowedSource
  readonly #columns = new Map<string, Vector>()

  constructor(rows: Selected, names: readonly string[], source: ColumnSource, narrowed: NarrowedSource = () => null) {
    this.rowCount = rows.rowCount
    this.selection = rows.selection
    this.selectedCount = rows.selectedCount
    this.rowOrderBase = rows.rowOrderBase
    this.pinnedBytes = rows.pinnedBytes ?? 0
    this.names = names
    this.#source = source
    this.#narrowed = narrowed
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

  at(rows: Uint32Array): Batch {
    const { rowOrderBase, pinnedBytes } = this
    const size = { rowCount: rows.length, selection: null, selectedCount: rows.length, rowOrderBase, pinnedBytes }
    const narrowed = this.#narrowed(rows)
    return new ColumnBatch(size, this.names, name => {
      const whole = narrowed === null ? this.column(name) : this.#columns.get(name)
      return whole === undefined ? narrowed!(name) : pickRows(whole, rows)
    })
  }
}

/** The same columns, fewer rows. */
export function withSelection(batch: Batch, selection: Uint32Array | null, selectedCount: number): Batch {
  const { rowCount, rowOrderBase, pinnedBytes = 0 } = batch
  const size = { rowCount, selection, selectedCount, rowOrderBase, pinnedBytes }
  const same =
    (from: Batch): ColumnSource =>
    name =>
      from.column(name)
  return new ColumnBatch(size, batch.names, same(batch), rows => same(batch.at(rows)))
}

/**
 * Other columns over the same rows; null for a name means: the batch does not have it.
 *
 * @param source  of columns made of those of `from`, which is the batch or some of its rows
 */
export function withColumns(batch: Batch, names: readonly string[], source: (from: Batch) => ColumnSource): Batch {
  return new ColumnBatch(batch, names, source(batch), rows => source(batch.at(rows)))
}

/** The same batch with fewer names to show. */
export function withNames(batch: Batch, names: readonly string[]): Batch {
  return withColumns(batch, names, from => name => from.column(name))
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
  const source =
    (from: Batch, made: (name: string) => Vector): ColumnSource =>
    name => {
      if (isAdded.has(name)) return made(name)
      const base = from.column(name)
      const members = added.filter(field => isMember(name, field))
      if (members.length > 0) {
        const columns = members.map(field => ({ path: pathWithin(name, field), vector: made(field) }))
        return overlay(base, columns, from.rowCount)
      }
      const outer = added.find(field => isMember(field, name))
      if (outer === undefined) return base
      const member = memberOf(made(outer), pathWithin(outer, name), base)
      // Read, it is a member of what was made; shown is what rows have under the very name.
      return base !== null && member.kind === 'any' && known.has(name) ? showing(member, shownOf(base)) : member
    }
  return new ColumnBatch(batch, names, source(batch, compute), rows =>
    source(batch.at(rows), name => pickRows(compute(name), rows)),
  )
}

export function batchOf(columns: ReadonlyMap<string, Vector>, rowCount: number, rowOrderBase = 0): Batch {
  const rows = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase }
  const names = [...columns.keys()]
  const own = (name: string): Vector => columns.get(name)!
  return new ColumnBatch(rows, names, name => columns.get(name) ?? derivedColumn(name, names, own, rowCount))
}

/** One row somewhere in a batch; what sort, tail and top-k hold on to until they know what survives. */
export interface RowRef {
  readonly batch: Batch
  readonly row: number
}

/** Of a batch of which at most one row in so many is wanted, the others are not decoded. */
const FEW = 16

/** The batch without rows that are not selected, if nearly all of it is not: what it is read for is not decoded for the others. */
export function fewOf(batch: Batch): Batch {
  const { selection, selectedCount, rowCount } = batch
  return selection === null || selectedCount * FEW > rowCount ? batch : batch.at(selection.subarray(0, selectedCount))
}

/** The same rows, for whoever knows all that will be read: of batches of which few rows are wanted, those alone are held on to. */
export function narrowed(refs: readonly RowRef[]): readonly RowRef[] {
  const wanted = new Map<Batch, number[]>()
  for (const { batch, row } of refs) {
    const rows = wanted.get(batch)
    if (rows === undefined) wanted.set(batch, [row])
    else rows.push(row)
  }
  const cut = new Map<Batch, { readonly batch: Batch; next: number }>()
  for (const [batch, rows] of wanted) {
    if (rows.length * FEW <= batch.rowCount) cut.set(batch, { batch: batch.at(Uint32Array.from(rows)), next: 0 })
  }
  return refs.map(ref => {
    const few = cut.get(ref.batch)
    return few === undefined ? ref : { batch: few.batch, row: few.next++ }
  })
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
  const picked = (vectors: readonly Vector[]): Vector => {
    const rows = pick(vectors, picks)
    return rows === null ? vectorOf(pickValues(vectors, picks)) : withOwnValues(rows)
  }
  return new ColumnBatch(size, [...names], name => {
    const vectors = batches.map(batch => batch.column(name))
    // What one batch has as a field, another may put together from members, which then are its fields.
    const isWhole = vectors.every((vector, index) => namesOf[index]!.has(name) && shownOf(vector) === vector)
    if (isWhole || !names.has(name)) return picked(vectors)
    const shown = vectors.map((vector, index) => shownAs(vector, namesOf[index]!.has(name)))
    return { kind: 'any', rowCount: rows.length, values: pickValues(vectors, picks), shown: picked(shown) }
  })
}

/** What a whole event shows of a column: without the objects whose members stand beside it. */
export function shownOf(vector: Vector): Vector {
  return vector.kind === 'any' && vector.shown !== undefined ? vector.shown : vector
}

/** The same of what may be no field of the batch, but an object put together from members: of that nothing is shown. */
export function shownAs(vector: Vector, isField: boolean): Vector {
  return isField ? shownOf(vector) : { kind: 'const', rowCount: vector.rowCount, value: undefined }
}

export function isNowhere(vector: Vector): boolean {
  return vector.kind === 'const' && vector.value === undefined
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
    // `Float64Array.from` takes ten times as long.
    const lane = new Float64Array(rowCount)
    for (let row = 0; row < rowCount; row++) lane[row] = values[row] as number
    return { kind: 'number', rowCount, values: lane, presence: null }
  }
  if (rowCount > 0 && times === rowCount) {
    const micros = new Float64Array(rowCount)
    for (let row = 0; row < rowCount; row++) micros[row] = (values[row] as DateTime).micros
    return { kind: 'time', rowCount, micros, nanos: null, presence: null }
  }
  return { kind: 'any', rowCount, values }
}
