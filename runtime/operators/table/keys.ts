/** Which group each collected row is in, by the columns after `by`; without any all rows are one group. */
import type { Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { compareValues } from '../../helpers/compare.ts'
import type { Memory } from '../../memory.ts'
import { GroupTable } from '../group-table.ts'
import { Ints } from './growable.ts'

/** Rough cost of one group: its values and its places in tables. */
const GROUP_BYTES = 120

export class Keys {
  readonly #columns: readonly string[]
  readonly #table: GroupTable
  readonly #groups = new Ints()
  readonly #memory: Memory
  readonly #stage: string

  constructor(columns: readonly string[], memory: Memory, stage: string) {
    this.#columns = columns
    this.#table = new GroupTable(columns.map(field => ({ field, binMicros: null })))
    this.#memory = memory
    this.#stage = stage
  }

  get count(): number {
    return this.#columns.length === 0 ? Math.min(1, this.#groups.length) : this.#table.count
  }

  add(batch: Batch): void {
    const before = this.count
    this.#groups.reserve(batch.selectedCount)
    if (this.#columns.length > 0) {
      this.#table.prepare(batch)
      const assigned = new Uint32Array(batch.selectedCount)
      this.#table.assign(batch, assigned)
      this.#groups.values.set(assigned, this.#groups.length)
    } else this.#groups.values.fill(0, this.#groups.length, this.#groups.length + batch.selectedCount)
    this.#groups.length += batch.selectedCount
    this.#memory.charge((this.count - before) * GROUP_BYTES + batch.selectedCount * 4, this.#stage)
  }

  /** The group of a row. */
  of(position: number): number {
    return this.#groups.values[position]!
  }

  value(group: number, key: number): Value {
    return this.#table.valueOf(key, group)
  }

  /** There are keys, and the group has none of them. */
  isKeyless(group: number): boolean {
    return this.#columns.length > 0 && this.#columns.every((_, key) => this.value(group, key) == null)
  }

  /** The order of groups by their keys: the same, whichever was seen first. */
  compare(a: number, b: number): number {
    for (let key = 0; key < this.#columns.length; key++) {
      const order = compareValues(this.value(a, key), this.value(b, key))
      if (order !== 0) return order
    }
    return 0
  }

  /** All groups, by their keys. */
  inOrder(): number[] {
    return Array.from({ length: this.count }, (_, group) => group).sort((a, b) => this.compare(a, b))
  }
}

/** The inputs `by0`, `by1`, … of a stage. */
export function keyColumns(inputs: Readonly<Record<string, string>>): string[] {
  const columns: string[] = []
  for (let column = inputs.by0, n = 1; column !== undefined; column = inputs[`by${n++}`]) columns.push(column)
  return columns
}
