/** The answer to "why slow", below the plan: what was read, which kernels ran and at what speed, and where most of the time went. */
import type { KernelProfile, Profile } from '../../runtime/profile.ts'
import { type Analysis, tablesOf } from './analysis.ts'
import { byteCount, count, counted, nanoseconds, percent } from './figures.ts'

export function analysisLines(analysis: Analysis): readonly string[] {
  const { profile } = analysis
  return [
    ...skippedLines(profile),
    ...orderLines(profile),
    ...columnLines(profile),
    ...kernelLines(profile),
    ...tableLines(profile),
    ...counterLines(profile),
    totalLine(analysis),
    mostLine(analysis),
  ]
}

function skippedLines({ scan }: Profile): readonly string[] {
  const reasons = [
    [scan.partsSkippedByIndex, 'part of another index', 'parts of other indexes'],
    [scan.partsSkippedByTime, 'part outside the time range', 'parts outside the time range'],
    [scan.partsSkippedByPlan, 'part in which nothing can pass', 'parts in which nothing can pass'],
    [scan.blocksSkippedByTime, 'block outside the time range', 'blocks outside the time range'],
    [scan.blocksSkippedByZoneMap, 'block by min/max and values', 'blocks by min/max and values'],
    [scan.blocksSkippedByTokenFilter, 'block by token filter', 'blocks by token filter'],
    [scan.blocksSkippedByJoin, 'block without a key of the join', 'blocks without a key of the join'],
    [scan.blocksSkippedBySortBoundary, 'block beyond the last row of the top', 'blocks beyond the last row of the top'],
    [scan.blocksSkippedByLimit, 'block after enough rows', 'blocks after enough rows'],
  ] as const
  const skipped = reasons.filter(([n]) => n > 0).map(([n, one, many]) => counted(n, one, many))
  const read =
    `read ${count(scan.partsRead)} of ${counted(scan.partsTotal, 'part')}, ` +
    `${count(scan.blocksRead)} of ${counted(scan.blocksTotal, 'block')}`
  const lines = [skipped.length === 0 ? read : `${read}; skipped ${skipped.join(', ')}`]
  if (scan.blocksAnswered > 0) {
    lines.push(
      `${counted(scan.blocksAnswered, 'block')} of ${counted(scan.rowsAnswered, 'row')} answered by statistics, without being read`,
    )
  }
  if (scan.predicatesSkipped > 0) {
    lines.push(
      `${counted(scan.predicatesSkipped, 'time')} a condition held for a whole block and was not asked of its rows`,
    )
  }
  return lines
}

function orderLines({ conditionOrders }: Profile): readonly string[] {
  return conditionOrders.map(order => `conditions asked as measuring taught: ${order.join(', then ')}`)
}

function columnLines({ scan }: Profile): readonly string[] {
  if (scan.columnsDecoded + scan.columnsCached === 0) return []
  const decoded =
    `${count(scan.columnsDecoded)} decoded (${byteCount(scan.bytesRead)} read, ${byteCount(scan.bytesDecoded)} in memory, ` +
    `${nanoseconds(scan.decodeNs)})`
  return [`columns of blocks: ${decoded}, ${count(scan.columnsCached)} from the cache`]
}

function kernelLines({ kernels, compile }: Profile): readonly string[] {
  if (kernels.length === 0) return []
  const compiled = compile.kernels - compile.cached
  const head = `kernels: ${count(compile.cached)} from the cache, ${count(compiled)} compiled, ${nanoseconds(compile.durationNs)}`
  const ran = kernels.filter(kernel => kernel.calls > 0).sort((a, b) => b.durationNs - a.durationNs)
  const cells = ran.map(kernel => [
    kernel.name,
    counted(kernel.calls, 'call'),
    counted(kernel.rows, 'row'),
    kernel.rows === 0 ? '' : `${(kernel.durationNs / kernel.rows).toFixed(1)} ns/row`,
    nanoseconds(kernel.durationNs),
    notesOf(kernel),
  ])
  return [head, ...aligned(cells).map(line => `  ${line}`)]
}

function notesOf(kernel: KernelProfile): string {
  const gaveUp =
    kernel.gaveUp > 0 ? `; gave up ${counted(kernel.gaveUp, 'time')}: integers beyond 2^53, computed again exactly` : ''
  return `${kernel.shapes || 'no columns'}${gaveUp}`
}

function tableLines(profile: Profile): readonly string[] {
  return tablesOf(profile).map(
    ({ expression, field, values }) => `once per value: ${expression}, for ${counted(values, 'value')} of ${field}`,
  )
}

function counterLines({ counters }: Profile): readonly string[] {
  // What was written to disk stands beside the operator that wrote it.
  const shown = [...counters].filter(([name]) => !name.startsWith('spilled:'))
  if (shown.length === 0) return []
  return [`counted: ${shown.map(([name, n]) => `${name} ${count(n)}`).join(', ')}`]
}

function totalLine({ totalNs, compileNs, profile }: Analysis): string {
  const memory = profile.memoryBytes > 0 ? `, ${byteCount(profile.memoryBytes)} held at most` : ''
  const written = profile.spilledBytes > 0 ? `, ${byteCount(profile.spilledBytes)} written to temporary files` : ''
  return `${nanoseconds(totalNs)} in all${memory}${written}; the plan${profile.plan?.cached === true ? ', from the cache,' : ''} took ${nanoseconds(compileNs)} before that`
}

/** What one has to make faster: the largest shares, until they are most of it. */
function mostLine({ shares, totalNs }: Analysis): string {
  const named: string[] = []
  let sum = 0
  for (const { what, ns } of shares) {
    named.push(`${percent(ns / totalNs)} ${shortened(what)} (${nanoseconds(ns)})`)
    sum += ns
    if (sum * 2 > totalNs || named.length === 3) break
  }
  return `most of the time: ${named.join('; ') || 'nothing took any'}`
}

const LABEL_MAX = 120

export function shortened(text: string): string {
  return text.length <= LABEL_MAX ? text : `${text.slice(0, LABEL_MAX - 1)}…`
}

/** Columns under each other; the second to the last but one are figures and end at one edge. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]!.length))) ?? []
  return rows.map(row =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  )
}
