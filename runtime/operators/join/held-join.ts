/**
 * The right side of a join in memory, and what rows of the left side become beside it. Whoever has the rows says where they go: at once
 * to the next operator, or with others to a file.
 */
import type { Batch } from '../../batch.ts'
import { ColumnBatch, wholeOf, withComputed, withNames, withSelection } from '../../column-batch.ts'
import { isMember } from '../../object-fields.ts'
import type { JoinSpec } from '../../program.ts'
import { takeRows } from '../../take-rows.ts'
import type { RunContext } from '../operator.ts'
import { joinedBatch, type RightNames } from './joined-batch.ts'
import { MatchTable } from './match-table.ts'
import { bytesOfBatch, bytesOfHeld, heldBatch, RightRows } from './right-rows.ts'

const OUTPUT_ROWS = 8192

/** False: no more are wanted. `taken[n]` is the row of the left batch that became row n; null: each stayed where it was. */
export type Emit = (output: Batch, taken: Uint32Array | null) => boolean

export class HeldJoin {
  readonly table: MatchTable
  readonly #spec: JoinSpec
  readonly #context: RunContext
  readonly #rows = new RightRows()
  readonly #rightFields: readonly string[]
  readonly #leftFields: readonly string[]
  /** Output names of the right side's fields, known once it has been read. */
  #names: RightNames = new Map()
  /** `outer`: by row of the right side, has it been matched? */
  #matched = new Uint8Array(0)
  #heldBytes = 0

  constructor(spec: JoinSpec, context: RunContext) {
    this.#spec = spec
    this.#context = context
    this.#leftFields = spec.keys.map(key => key.left)
    this.#rightFields = spec.keys.map(key => key.right)
    // Rows of the right side without a key are seen only by an outer join.
    const keeps = isFilter(spec) ? 'keys' : spec.type === 'outer' ? 'all' : 'keyed'
    this.table = new MatchTable(spec.keys.length, { keeps, matchesNull: spec.matchesNull })
  }

  /** False: this is more than the query may hold. */
  add(batch: Batch): boolean {
    const before = this.table.sizeBytes
    const kept = new Uint32Array(batch.selectedCount)
    const count = this.table.add(batch, this.#rightFields, kept)
    let bytes = this.table.sizeBytes - before
    if (count > 0) {
      const held = this.#heldOf(batch, kept.subarray(0, count))
      this.#rows.add(held)
      bytes += isFilter(this.#spec) ? bytesOfBatch(held) : bytesOfHeld(held)
    }
    this.#heldBytes += bytes
    return this.#context.memory.hold(bytes)
  }

  /** Of a join that only asks for matches the keys, in case they have to go to disk after all. */
  #heldOf(batch: Batch, kept: Uint32Array): Batch {
    const wanted = isFilter(this.#spec) ? withNames(batch, [...new Set(this.#rightFields)]) : batch
    return heldBatch(kept.length === batch.selectedCount ? wanted : withSelection(wanted, kept, kept.length))
  }

  /** What was added, as it is held: rows, or where only matches are asked for, a row for each key. */
  get batches(): readonly Batch[] {
    return this.#rows.batches
  }

  release(): void {
    this.#context.memory.release(this.#heldBytes)
    this.#heldBytes = 0
  }

  /** The right side is whole. */
  close(): void {
    this.table.close()
    const { keys, prefix, type } = this.#spec
    const shared = keys.filter(key => key.left === key.right).map(key => key.right)
    const isShared = (name: string): boolean => shared.some(key => name === key || isMember(key, name))
    this.#names = new Map(
      this.#rows.names.filter(name => !isShared(name)).map(name => [`${prefix}${name}`, name] as const),
    )
    if (type === 'outer') this.#matched = new Uint8Array(this.table.rowCount + 1)
  }

  /** In the order of the left rows, the matches of one in the order of the right side. */
  match(batch: Batch, emit: Emit): void {
    const first = this.table.find(batch, this.#leftFields)
    if (isFilter(this.#spec)) this.#select(batch, first, emit)
    else if (this.table.hasRepeats && this.#hasSeveral(first, batch.selectedCount))
      this.#emitSeveral(batch, first, emit)
    else this.#emitSingle(batch, first, emit)
  }

  #select(batch: Batch, first: Uint32Array, emit: Emit): void {
    const isMatch = this.#spec.type === 'semi'
    const kept = new Uint32Array(batch.selectedCount)
    let count = 0
    for (let n = 0; n < batch.selectedCount; n++) {
      if ((first[n] !== 0) === isMatch) kept[count++] = batch.selection === null ? n : batch.selection[n]!
    }
    if (count > 0) emit(count === batch.selectedCount ? batch : withSelection(batch, kept, count), null)
  }

  #hasSeveral(first: Uint32Array, count: number): boolean {
    for (let n = 0; n < count; n++) if (first[n] !== 0 && this.table.nextOf(first[n]!) !== 0) return true
    return false
  }

  /** No row has more than one match: the columns of the left side go on as they are. */
  #emitSingle(batch: Batch, first: Uint32Array, emit: Emit): void {
    const keepsAll = this.#spec.type !== 'inner'
    const rows = new Uint32Array(batch.rowCount)
    const kept = new Uint32Array(batch.selectedCount)
    let count = 0
    for (let n = 0; n < batch.selectedCount; n++) {
      const match = first[n]!
      if (match === 0 && !keepsAll) continue
      const row = batch.selection === null ? n : batch.selection[n]!
      rows[row] = match
      kept[count++] = row
    }
    if (count === 0) return
    this.#mark(rows)
    const left = count === batch.selectedCount ? batch : withSelection(batch, kept, count)
    emit(joinedBatch(left, this.#rows, rows, this.#names), null)
  }

  /** Every row once for each of its matches. */
  #emitSeveral(batch: Batch, first: Uint32Array, emit: Emit): void {
    const keepsAll = this.#spec.type !== 'inner'
    let taken = new Uint32Array(OUTPUT_ROWS)
    let rows = new Uint32Array(OUTPUT_ROWS)
    let count = 0
    const flush = (): boolean => {
      const isWanted = count === 0 || this.#emitTaken(batch, taken.subarray(0, count), rows.subarray(0, count), emit)
      taken = new Uint32Array(OUTPUT_ROWS)
      rows = new Uint32Array(OUTPUT_ROWS)
      count = 0
      return isWanted
    }
    for (let n = 0; n < batch.selectedCount; n++) {
      let match = first[n]!
      if (match === 0 && !keepsAll) continue
      const row = batch.selection === null ? n : batch.selection[n]!
      do {
        taken[count] = row
        rows[count++] = match
        if (count === OUTPUT_ROWS && !flush()) return
        match = match === 0 ? 0 : this.table.nextOf(match)
      } while (match !== 0)
    }
    flush()
  }

  #emitTaken(batch: Batch, taken: Uint32Array, rows: Uint32Array, emit: Emit): boolean {
    this.#mark(rows)
    const rowCount = taken.length
    const size = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase: batch.rowOrderBase }
    const left = new ColumnBatch(size, batch.names, name => takeRows(batch.column(name), taken))
    return emit(joinedBatch(left, this.#rows, rows, this.#names), taken)
  }

  #mark(rows: Uint32Array): void {
    if (this.#spec.type !== 'outer') return
    for (let n = 0; n < rows.length; n++) this.#matched[rows[n]!] = 1
  }

  /**
   * `outer`: the rows of the right side that nothing matched, and their numbers, from 0. Keys that both sides have under one name are there
   * as well: rows are told apart by them.
   */
  *unmatched(): Generator<{ readonly batch: Batch; readonly rows: Uint32Array }> {
    if (this.#spec.type !== 'outer') return
    const unmatched: number[] = []
    for (let row = 1; row <= this.table.rowCount; row++) if (this.#matched[row] !== 1) unmatched.push(row)
    const fields = new Map<string, string>()
    for (const { left, right } of this.#spec.keys) if (left === right) fields.set(left, right)
    const keys = [...fields.keys()]
    for (const [name, field] of this.#names) fields.set(name, field)
    // A key that is an object stands there as it is, unless its members do: those of an alias have names of their own.
    const names = [...fields.keys()]
    const whole = keys.filter(key => !names.some(name => isMember(key, name)))
    for (let start = 0; start < unmatched.length; start += OUTPUT_ROWS) {
      const rows = Uint32Array.from(unmatched.slice(start, start + OUTPUT_ROWS))
      const size = { rowCount: rows.length, selection: null, selectedCount: rows.length, rowOrderBase: start }
      const nothing = new ColumnBatch(size, [], () => null)
      const joined = joinedBatch(nothing, this.#rows, rows, fields)
      const batch = withComputed(joined, whole, name => wholeOf(joined.column(name)))
      yield { batch, rows: rows.map(row => row - 1) }
    }
  }
}

/** Only asks whether there is a match: no row of the right side is held, nor shown. */
export function isFilter({ type }: JoinSpec): boolean {
  return type === 'semi' || type === 'anti'
}
