/**
 * What parts say of a field's values without decoding any: a few blocks spread over the parts stand for all. It decides what is done first,
 * never what comes out.
 */
import { CorruptPartError } from '../storage/errors.ts'
import type { BlockReader, BlockStatistics, PartReader } from '../storage/index.ts'

export interface FieldStatistics {
  readonly present: number
  readonly distinct: number | null
  readonly min: number | null
  readonly max: number | null
}

/** Blocks looked at: their indexes are read from disk where they are not held yet. */
const SAMPLE = 16

/** Null when no part has the field, or it is put together from others. */
export function fieldStatistics(parts: readonly PartReader[], field: string): FieldStatistics | null {
  let rows = 0
  let present = 0
  let isKnown = false
  for (const part of parts) {
    rows += part.rowCount
    const summary = part.fields.find(({ name }) => name === field)
    if (summary === undefined) continue
    isKnown = true
    present += summary.presentCount
  }
  if (!isKnown || rows === 0) return null
  let distinct: number | null = 0
  let min: number | null = null
  let max: number | null = null
  for (const block of sampled(parts)) {
    const statistics = statisticsOf(block, field)
    if (statistics === null) continue
    distinct = distinct === null || statistics.distinctMax === null ? null : Math.max(distinct, statistics.distinctMax)
    if (statistics.min !== null) min = min === null ? statistics.min : Math.min(min, statistics.min)
    if (statistics.max !== null) max = max === null ? statistics.max : Math.max(max, statistics.max)
  }
  return { present: present / rows, distinct: distinct === 0 ? null : distinct, min, max }
}

/** What is damaged is told by whoever needs it, and this is no need. */
function statisticsOf(block: BlockReader, field: string): BlockStatistics | null {
  try {
    return block.statistics(field)
  } catch (error) {
    if (error instanceof CorruptPartError) return null
    throw error
  }
}

function* sampled(parts: readonly PartReader[]): Generator<BlockReader> {
  const step = Math.max(1, Math.ceil(parts.length / SAMPLE))
  for (let at = parts.length - 1; at >= 0; at -= step) {
    const part = parts[at]!
    if (part.blockCount > 0) yield part.block(part.blockCount >> 1)
  }
}
