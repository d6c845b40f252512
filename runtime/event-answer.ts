/**
 * Events as they are answered: what came into one says its index. Stages read it when they name it; here it is shown beside the fields, unless
 * the query chose its fields, dropped it, or has rows that no longer are of one index.
 */
import type { Batch } from './batch.ts'
import { isNowhere, withNames } from './column-batch.ts'
import type { ResultShape } from './program.ts'

const BESIDE = 'index'

export function withIndexShown(batch: Batch, { kind, kept }: ResultShape): Batch {
  if (kind !== 'events' || kept !== undefined || batch.names.includes(BESIDE)) return batch
  const index = batch.column(BESIDE)
  if (isNowhere(index)) return batch
  return withNames(batch, [...batch.names, BESIDE])
}
