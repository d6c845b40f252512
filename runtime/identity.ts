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
import { inputsOf, type OperatorSpec, type Program, scansOf } from './program.ts'

/** What compiling found out about a query. */
interface Asked {
  readonly program: Program
  /** What names in it stand for, saved queries for one. */
  readonly rewrites: readonly { readonly before: string; readonly after: string }[]
  readonly readsClock: boolean
}

/** Null: the answer moves with the clock, so no other run would have the same, or it rests on more than events. */
export function queryIdentity(
  { program, rewrites, readsClock }: Asked,
  variables: Readonly<Record<string, Value>> | undefined,
  parts: readonly PartReader[],
  now: DateTime,
): string | null {
  const scans = scansOf(program.root)
  if (readsClock || hasOwnInput(program.root)) return null
  const hash = createHash('sha256').update(program.query).update(JSON.stringify(rewrites))
  for (const [name, value] of Object.entries(variables ?? {})) hash.update(`\n$${name}=${valueToJson(value)}`)
  for (const { indexes, lookup, time } of scans) {
    // A lookup table is a file that anyone may change.
    if (lookup !== null || moves(time, now)) return null
    hash.update(`\n${JSON.stringify(indexes)} ${time.fromMicros} ${time.toMicros}`)
    for (const part of parts) {
      if (!indexes.includes(part.index)) continue
      const rows = rowsWithin(part, time)
      if (rows > 0) hash.update(`\n${part.id} ${rows}`)
    }
  }
  return hash.digest('base64url')
}

/** A stage with an operator of its own may read or do what this does not know of. */
function hasOwnInput(spec: OperatorSpec): boolean {
  return spec.op === 'table' || inputsOf(spec).some(hasOwnInput)
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
