/**
 * What the groups of an aggregation and their states weigh, charged to the query. Rows that only change numbers cost nothing more; where states
 * keep objects, each row may have added a value, and what there really is is measured when there might be no room for that.
 */
import type { Memory } from '../memory.ts'
import { emptyBytesOf } from '../parallel/state.ts'
import type { AggregationSpec } from '../program.ts'

/** Rough cost of a group: its places in tables; and of each of its keys: the value, and where it is looked up. */
const GROUP_BYTES = 32
const KEY_BYTES = 112
/** Of a state column, per group. */
const SLOT_BYTES = 8
/** What a row may add to a state of objects. */
const VALUE_BYTES = 24
/** More groups than this are not measured only to tell what they held. */
const MEASURED_MAX = 100_000
/** Measured to take more of the budget than this, it is too much: else it would be measured again after every block. */
const FULL = 3 / 4

export class StateAccount {
  readonly #memory: Memory
  readonly #groupBytes: number
  readonly #objectColumns: number
  /** What the objects weighed when last measured, and what may have come since. */
  #measured = 0
  #unmeasured = 0
  #groups = 0
  readonly #emptyBytes: number
  bytes = 0

  constructor({ keys, state }: Pick<AggregationSpec, 'keys' | 'state'>, memory: Memory) {
    this.#memory = memory
    this.#groupBytes = GROUP_BYTES + keys.length * KEY_BYTES + state.length * SLOT_BYTES
    this.#objectColumns = state.filter(column => column.type === 'object').length
    this.#emptyBytes = emptyBytesOf(state)
  }

  /** Whether the query may hold so many groups, after `rows` more; `measure` weighs the objects in their states. */
  fits(groups: number, rows: number, measure: () => number): boolean {
    if (this.#objectColumns === 0 && groups === this.#groups) return true
    this.#unmeasured += (groups - this.#groups) * this.#emptyBytes + rows * this.#objectColumns * VALUE_BYTES
    this.#groups = groups
    if (!this.#charge()) return this.#unmeasured > 0 && this.#weigh(measure)
    return this.#memory.hasRoom(this.#unmeasured) || this.#weigh(measure)
  }

  /** Charges for what the objects weigh by now, for the profile. */
  settle(measure: () => number): void {
    if (this.#unmeasured > 0 && this.#groups <= MEASURED_MAX) this.#weigh(measure)
  }

  #weigh(measure: () => number): boolean {
    this.#measured = measure()
    this.#unmeasured = 0
    return this.#charge() && this.#measured <= this.#memory.budgetBytes * FULL
  }

  /** Might so many groups be held? Nothing is charged. */
  hasRoom(groups: number): boolean {
    return this.#memory.hasRoom((groups - this.#groups) * this.#groupBytes)
  }

  #charge(): boolean {
    const bytes = this.#groups * this.#groupBytes + this.#measured
    const more = bytes - this.bytes
    this.bytes = bytes
    return this.#memory.hold(more)
  }

  /** Nothing is held any more. */
  clear(): void {
    this.#memory.release(this.bytes)
    this.bytes = 0
    this.#measured = 0
    this.#unmeasured = 0
    this.#groups = 0
  }
}
