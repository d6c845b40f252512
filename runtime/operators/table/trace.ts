/** trace: rows become trees, trees become rows again, depth first, with what only the tree knows beside them. */
import { Duration, type Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { withNames } from '../../column-batch.ts'
import { TRACE_COLUMNS } from '../../table.ts'
import { inletOf, type Operator } from '../operator.ts'
import { criticalTimes } from './critical-path.ts'
import { readSpans, SPAN_BYTES } from './spans.ts'
import { CollectedRows, counted, type TableRun } from './table.ts'
import { plantTrees, type TreeNode } from './trees.ts'

export class TraceOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'trace'>
  readonly #collected: CollectedRows

  constructor(run: TableRun<'trace'>) {
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'trace')
  }

  push(batch: Batch): void {
    this.#run.context.memory.charge(batch.selectedCount * SPAN_BYTES, 'trace')
    this.#collected.add(batch)
  }

  finish(): void {
    const { context, inputs, next } = this.#run
    const { roots, left, lost } = plantTrees(readSpans(this.#collected, inputs))
    if (left > 0 && inputs.trace_id !== undefined) {
      context.count(`note:${counted(left, 'row')} left out: in no trace`)
    }
    if (lost > 0)
      context.count(`note:${counted(lost, 'span')} with a parent that is not among the rows begin trees of their own`)
    const rows = this.#collected.rows.length
    const columns = TRACE_COLUMNS.map(() => new Array<Value>(rows).fill(null))
    const order: number[] = []
    const texts = new Texts(bytes => context.memory.charge(bytes, 'trace'))
    for (const root of roots) {
      const critical = criticalTimes(root)
      // Children are put on the stack last first, so that the first is walked first.
      const open = [root]
      while (open.length > 0) {
        const node = open.pop()!
        const values = describe(node, root, critical.get(node), texts)
        for (const [index, value] of values.entries()) columns[index]![node.span.row] = value
        order.push(node.span.row)
        for (let n = node.children.length - 1; n >= 0; n--) open.push(node.children[n]!)
      }
    }
    const added = TRACE_COLUMNS.map((name, index) => [name, columns[index]!] as const)
    this.#collected.emit(columnsFirst(next, TRACE_COLUMNS), order, new Map(added))
    next.finish()
  }
}

/** Paths of deep trees grow with the square of their depth, so they are charged. */
class Texts {
  readonly #charge: (bytes: number) => void

  constructor(charge: (bytes: number) => void) {
    this.#charge = charge
  }

  made(text: string): string {
    this.#charge(text.length * 2)
    return text
  }
}

function describe(node: TreeNode, root: TreeNode, criticalNs: number | undefined, texts: Texts): Value[] {
  const { span, depth } = node
  return [
    texts.made('  '.repeat(depth) + node.label),
    depth,
    texts.made(node.parent === null ? node.name : `${node.parent.path} > ${node.name}`),
    node.startNs === null ? null : new Duration(node.startNs - root.traceStartNs),
    span.tookNs === null ? null : new Duration(span.tookNs),
    span.tookNs === null ? null : new Duration(ownTime(node, span.tookNs)),
    criticalNs !== undefined,
    criticalNs === undefined ? null : new Duration(criticalNs),
    span.failed,
  ]
}

/** What is left of a span without the times at which any of its calls was running. */
function ownTime({ startNs, children }: TreeNode, tookNs: number): number {
  if (startNs === null) return tookNs
  const end = startNs + tookNs
  let covered = 0
  let until = startNs
  // Children are in order of their start.
  for (const child of children) {
    if (child.startNs === null || child.span.tookNs === null) continue
    const from = Math.max(until, child.startNs)
    const to = Math.min(end, child.startNs + child.span.tookNs)
    if (to <= from) continue
    covered += to - from
    until = to
  }
  return tookNs - covered
}

/** Passes batches on with some columns before the others. */
function columnsFirst(next: Operator, first: readonly string[]): Operator {
  const isFirst = new Set(first)
  return inletOf(next, batch => {
    const names = [...first, ...batch.names.filter(name => !isFirst.has(name))]
    next.push(withNames(batch, names))
  })
}
