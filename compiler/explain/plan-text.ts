/** The plan as people read it: the last op on top, what feeds it below, what each did beside it when the query was run. */
import type { OperatorProfile } from '../../runtime/profile.ts'
import type { Compiled, PlanNode } from '../types.ts'
import type { Analysis } from './analysis.ts'
import { analysisLines, shortened } from './analysis-text.ts'
import { byteCount, count, counted, nanoseconds, percent } from './figures.ts'
import type { ScanEstimate } from './index.ts'

interface Row {
  readonly tree: string
  readonly cells: readonly string[]
}

const TREE_MAX = 84

export function planText(compiled: Compiled, estimate: ScanEstimate, analysis: Analysis | null): string {
  const rows: Row[] = []
  /** `branch` is drawn before the node, `below` before everything under it. */
  const visit = (node: PlanNode, actual: OperatorProfile | null, branch: string, below: string): void => {
    const kernels = node.kernels.map(kernel => kernel.name).join(', ')
    rows.push({
      tree: `${branch}${shortened(node.label)}`,
      cells: [kernels, ...(actual === null || analysis === null ? [] : measured(actual, analysis))],
    })
    const last = node.children.length - 1
    for (const [key, value] of node.details) {
      if (key !== 'kernel') rows.push({ tree: `${below}${last > 0 ? '│' : ' '}    ${key} ${value}`, cells: [] })
    }
    for (const [index, child] of node.children.entries()) {
      const [here, under] = index === last ? ['└─ ', '   '] : ['├─ ', '│  ']
      visit(child, actual?.children[index] ?? null, below + here, below + under)
    }
  }
  visit(compiled.plan, analysis?.profile.root ?? null, '', '')
  return [...laidOut(rows), '', ...(analysis === null ? [estimateLine(estimate)] : analysisLines(analysis))].join('\n')
}

function measured(actual: OperatorProfile, { totalNs }: Analysis): readonly string[] {
  return [
    actual.op === 'scan' || actual.rowsIn !== actual.rowsOut
      ? `${count(actual.rowsIn)} → ${counted(actual.rowsOut, 'row')}`
      : counted(actual.rowsOut, 'row'),
    nanoseconds(actual.durationNs),
    totalNs === 0 ? '' : percent(actual.durationNs / totalNs),
    actual.memoryBytes > 0 ? byteCount(actual.memoryBytes) : '',
    actual.spilledFiles > 0
      ? `${byteCount(actual.spilledBytes)} in ${counted(actual.spilledFiles, 'temporary file')}`
      : '',
  ]
}

function laidOut(rows: readonly Row[]): readonly string[] {
  const noted = rows.filter(row => row.cells.some(cell => cell !== ''))
  const width = Math.min(TREE_MAX, Math.max(...noted.map(row => row.tree.length), 20))
  const widths = [0, 1, 2, 3, 4, 5].map(column => Math.max(0, ...noted.map(row => row.cells[column]?.length ?? 0)))
  return rows.map(({ tree, cells }) => {
    const [kernels = '', ...figures] = cells
    const columns = [kernels.padEnd(widths[0]!), ...figures.map((cell, column) => cell.padStart(widths[column + 1]!))]
    return `${tree.padEnd(cells.some(cell => cell !== '') ? width : 0)}  ${columns.join('  ')}`.trimEnd()
  })
}

/** What would be read, from statistics alone. */
function estimateLine(estimate: ScanEstimate): string {
  const skipped = [
    [estimate.partsByTime, 'parts outside the time range'],
    [estimate.partsByIndex, 'parts of other indexes'],
    [estimate.partsByPlan, 'parts because nothing in them can pass'],
    [estimate.blocksByTime, 'blocks outside the time range'],
    [estimate.blocksByZoneMap, 'blocks by min/max'],
    [estimate.blocksByTokenFilter, 'blocks by token filter'],
    [estimate.blocksAnswered, 'blocks that statistics answer for'],
  ] as const
  const reasons = skipped.filter(([n]) => n > 0).map(([n, reason]) => `${n} ${reason}`)
  const reads = `reads ${estimate.partsRead} of ${estimate.partsTotal} parts, ${estimate.blocksRead} of ${estimate.blocksTotal} blocks`
  return reasons.length > 0 ? `${reads}; skips ${reasons.join(', ')}` : reads
}
