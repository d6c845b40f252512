/** context: rows of each source in order of time, of which those near a match come out, run by run. */
import type { Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { CONTEXT_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { Ints } from './growable.ts'
import { Keys, keyColumns } from './keys.ts'
import { CollectedRows, counted, type TableRun } from './table.ts'
import { Times } from './times.ts'

/** Neighbours of one source: rows from the first to the last of a run of contexts that touch. */
interface Block {
  readonly rows: readonly number[]
  readonly group: number
}

const ROW_BYTES = 28

export class ContextOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'context'>
  readonly #collected: CollectedRows
  readonly #keys: Keys
  readonly #times = new Times()
  readonly #isMatch = new Ints()

  constructor(run: TableRun<'context'>) {
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'context')
    this.#keys = new Keys(keyColumns(run.inputs), run.context.memory, 'context')
  }

  push(batch: Batch): void {
    const { context, inputs } = this.#run
    context.memory.charge(batch.selectedCount * ROW_BYTES, 'context')
    this.#collected.add(batch)
    this.#keys.add(batch)
    this.#times.add(batch, inputs.time)
    const matches = batch.column(inputs.match as string)
    for (let n = 0; n < batch.selectedCount; n++) {
      this.#isMatch.push(valueAt(matches, batch.selection === null ? n : batch.selection[n]!) === true ? 1 : 0)
    }
  }

  finish(): void {
    const { context, next } = this.#run
    const order = this.#times.order()
    const rows = this.#collected.rows.length
    if (order.length < rows) context.count(`note:${counted(rows - order.length, 'row')} without a time left out`)
    const kinds = new Array<Value>(rows).fill(null)
    const blocks = this.#groups(order).flatMap((members, group) => this.#blocksOf(members, group, kinds))
    blocks.sort(
      (a, b) =>
        this.#times.between(b.rows[0]!, a.rows[0]!) || this.#keys.compare(a.group, b.group) || a.rows[0]! - b.rows[0]!,
    )
    const numbers = new Array<Value>(rows).fill(null)
    for (const [index, block] of blocks.entries()) for (const row of block.rows) numbers[row] = index + 1
    const [kind, number] = CONTEXT_COLUMNS
    const added = new Map([
      [kind, kinds],
      [number, numbers],
    ])
    this.#collected.emit(
      next,
      blocks.flatMap(block => block.rows),
      added,
    )
    next.finish()
  }

  #groups(order: Uint32Array): number[][] {
    const groups: number[][] = Array.from({ length: this.#keys.count }, () => [])
    for (const row of order) groups[this.#keys.of(row)]!.push(row)
    return groups
  }

  #blocksOf(members: readonly number[], group: number, kinds: Value[]): Block[] {
    const { before, after } = this.#run.options
    const blocks: { rows: number[]; group: number }[] = []
    let lastMatch = Number.NEGATIVE_INFINITY
    let lastTaken = Number.NEGATIVE_INFINITY
    const nextMatches = this.#nextMatches(members)
    for (const [at, row] of members.entries()) {
      const nextMatch = nextMatches[at]!
      if (nextMatch === at) lastMatch = at
      if (at - lastMatch > after && nextMatch - at > before) continue
      // Of two matches the nearer one; of two as near, the earlier, which may have led here.
      kinds[row] = at === lastMatch ? 'match' : isAfter(at, lastMatch, nextMatch, before, after) ? 'after' : 'before'
      if (lastTaken !== at - 1) blocks.push({ rows: [], group })
      blocks.at(-1)!.rows.push(row)
      lastTaken = at
    }
    return blocks
  }

  /** For each place the next match from there on. */
  #nextMatches(members: readonly number[]): Float64Array {
    const next = new Float64Array(members.length)
    let match = Number.POSITIVE_INFINITY
    for (let at = members.length - 1; at >= 0; at--) {
      if (this.#isMatch.values[members[at]!] === 1) match = at
      next[at] = match
    }
    return next
  }
}

function isAfter(at: number, lastMatch: number, nextMatch: number, before: number, after: number): boolean {
  const isInAfter = at - lastMatch <= after
  const isInBefore = nextMatch - at <= before
  return isInAfter && (!isInBefore || at - lastMatch <= nextMatch - at)
}
