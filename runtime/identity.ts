/**
 * What an answer depends on, as a short text: the query, its variables, and for each scan the events it may look at. Parts are immutable
 * and the buffer only grows, so a part and how many rows of it lie in the time range say which events those are; and a part that is
 * written to disk keeps its id, so writing it changes nothing.
 */
import { createHash } from 'node:crypto'
import type { PartReader } from '../storage/index.ts'
import type { TimeRange } from '../storage/predicate.ts'
import type { DateTime, Value } from '../storage/value.ts'
import { valueToJson } from './helpers/format-value.ts'
import type { OperatorSpec, Program, ScanSpec } from './program.ts'

/** Null: the range moves with the clock, so no other run would have the same, or the program reads what this does not know. */
export function queryIdentity(
  program: Program,
  variables: Readonly<Record<string, Value>> | undefined,
  parts: readonly PartReader[],
  now: DateTime,
): string | null {
  const scan = onlyScan(program.root)
  if (scan === null || moves(scan.time, now)) return null
  const hash = createHash('sha256').update(program.query)
  for (const [name, value] of Object.entries(variables ?? {})) hash.update(`\n$${name}=${valueToJson(value)}`)
  const { fromMicros, toMicros } = scan.time
  hash.update(`\n${JSON.stringify(scan.indexes)} ${fromMicros} ${toMicros}`)
  for (const part of parts) {
    if (!scan.indexes.includes(part.index)) continue
    const rows = rowsWithin(part, scan.time)
    if (rows > 0) hash.update(`\n${part.id} ${rows}`)
  }
  return hash.digest('base64url')
}

/** Operators with one input that read nothing but their rows. */
const PLAIN: ReadonlySet<string> = new Set<OperatorSpec['op']>([
  'filter',
  'extend',
  'keep',
  'drop',
  'rename',
  'parse',
  'head',
  'tail',
  'sort',
  'dedup',
  'aggregate',
  'eventstats',
  'streamstats',
  'describe',
])

function onlyScan(root: OperatorSpec): ScanSpec | null {
  let spec = root
  while (spec.op !== 'scan') {
    if (!PLAIN.has(spec.op)) return null
    spec = spec.input
  }
  return spec
}

/** A bound that is as far from now as somebody wrote, and so has the odd fraction of a second that now has. */
function moves({ fromMicros, toMicros }: TimeRange, now: DateTime): boolean {
  return [fromMicros, toMicros].some(
    bound => bound !== null && bound % 1e6 !== 0 && Math.abs(now.micros - bound) % 1e6 === 0,
  )
}

/** Rows of the blocks that the range touches. */
function rowsWithin(part: PartReader, time: TimeRange): number {
  if (isWhole(part, time)) return part.rowCount
  let rows = 0
  for (let index = 0; index < part.blockCount; index++) {
    const block = part.block(index)
    if (block.verdictTime(time) !== 'none') rows += block.rowCount
  }
  return rows
}

function isWhole({ minTime, maxTime }: PartReader, { fromMicros, toMicros }: TimeRange): boolean {
  return (fromMicros === null || minTime.micros >= fromMicros) && (toMicros === null || maxTime.micros < toMicros)
}
