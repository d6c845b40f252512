/**
 * States by slot: while the keys of an aggregation have few combinations of codes, the combination itself is the group. A row then looks
 * nothing up and finds nothing new; what was met becomes groups, by the merge kernel, when codes change their meaning (for a dictionary once
 * a part). 2 M rows by 2,600 pairs, a mean and a sum: 28 ms with the look-up and exact addition of every row, 19 by slot.
 */
import { settleAdded } from '../helpers/add-by-slot.ts'
import type { Interner } from '../helpers/interner.ts'
import { bytesOfState, type StateArray } from '../parallel/state.ts'
import type { StateColumnSpec } from '../program.ts'
import { allocate, fill, grow } from './state-columns.ts'

/** More slots than this do not stay in the cache, which is what they are for. */
const SLOTS_MAX = 1 << 16
/** Each slot has its objects, met or not, and each of them is merged. */
const OBJECT_SLOTS_MAX = 256
/** Rows that states by slot take at most: whole numbers of 32 bits add up exactly that far (`StepContext.isShort`). */
export const SHORT_ROWS = 2 ** 22

export class SlotStates {
  readonly #columns: readonly StateColumnSpec[]
  readonly #slotsMax: number
  state: StateArray[] = []
  #capacity = 0
  /** Slots in use, all of which may have been met; 0: none. */
  slotCount = 0
  rows = 0

  /** Null where states hold objects that are made before the first row and cost too much to have one for each slot. */
  static of(columns: readonly StateColumnSpec[]): SlotStates | null {
    const isCheap = columns.every(column => !holdsObjects(column) || column.bySlot === true)
    return isCheap && columns.length > 0 ? new SlotStates(columns) : null
  }

  constructor(columns: readonly StateColumnSpec[]) {
    this.#columns = columns
    this.#slotsMax = columns.some(holdsObjects) ? OBJECT_SLOTS_MAX : SLOTS_MAX
  }

  /** Worth it for so many rows: clearing and merging a slot takes about as long as eight look-ups. */
  suits(slotCount: number, rows: number): boolean {
    return slotCount <= this.#slotsMax && (slotCount <= 8 * rows || slotCount <= this.slotCount)
  }

  /** Room for so many slots, before rows are added. */
  prepare(slotCount: number, rows: number, interner: Interner): void {
    if (slotCount > this.#capacity) {
      this.settle()
      const capacity = Math.max(slotCount, 2 * this.#capacity)
      this.state = this.#columns.map((column, index) => {
        const old = this.state[index]
        return old === undefined ? allocate(column, capacity) : grow(old, column, capacity)
      })
      this.#capacity = capacity
    }
    for (const [index, column] of this.#columns.entries())
      fill(this.state[index]!, column, this.slotCount, slotCount, interner)
    this.slotCount = Math.max(this.slotCount, slotCount)
    this.rows += rows
  }

  /** All that was added is in the states: to be called before they are looked at. */
  settle(): void {
    for (const [index, column] of this.#columns.entries())
      if (holdsObjects(column) && this.state[index] !== undefined) settleAdded(this.state[index])
  }

  bytesOfObjects(): number {
    return this.#slotsMax === OBJECT_SLOTS_MAX ? bytesOfState(this.#columns, this.state, this.slotCount) : 0
  }

  /** Empty again; `met` as well. */
  clear(met: Uint8Array): void {
    for (const [index, column] of this.#columns.entries()) {
      const values = this.state[index] as unknown[] & Float64Array
      values.fill((holdsObjects(column) ? null : column.init) as never, 0, this.slotCount)
    }
    met.fill(0, 0, this.slotCount)
    this.slotCount = 0
    this.rows = 0
  }
}

/** Of a kind that has to be made, such as a sketch. */
function holdsObjects(column: StateColumnSpec): column is StateColumnSpec & { readonly type: 'object' } {
  return column.type === 'object' && column.init !== null
}
