/** dedup: the first N rows of each key, in order. Null and missing are one key. */
import type { Batch } from '../batch.ts'
import { withSelection } from '../column-batch.ts'
import type { DedupSpec } from '../program.ts'
import { GroupTable } from './group-table.ts'
import type { Operator, RunContext } from './operator.ts'

/** Rough cost of one remembered key. */
const GROUP_BYTES = 96

export class DedupOperator implements Operator {
  readonly #spec: DedupSpec
  readonly #context: RunContext
  readonly #next: Operator
  readonly #groups: GroupTable
  #seen = new Uint32Array(1024)

  constructor(spec: DedupSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#next = next
    this.#groups = new GroupTable(spec.fields.map(field => ({ field, binMicros: null })))
  }

  get isDone(): boolean {
    return this.#next.isDone
  }

  push(batch: Batch): void {
    const before = this.#groups.count
    this.#groups.prepare(batch)
    const assigned = new Uint32Array(batch.selectedCount)
    this.#groups.assign(batch, assigned)
    this.#context.memory.charge((this.#groups.count - before) * GROUP_BYTES, 'dedup')
    if (this.#seen.length < this.#groups.count) {
      const seen = new Uint32Array(Math.max(this.#groups.count, this.#seen.length * 2))
      seen.set(this.#seen)
      this.#seen = seen
    }
    const kept = new Uint32Array(batch.selectedCount)
    let count = 0
    for (let n = 0; n < batch.selectedCount; n++) {
      const group = assigned[n]!
      if (this.#seen[group]! >= this.#spec.count) continue
      this.#seen[group]!++
      kept[count++] = batch.selection === null ? n : batch.selection[n]!
    }
    if (count > 0) this.#next.push(withSelection(batch, kept, count))
  }

  finish(): void {
    this.#next.finish()
  }
}
