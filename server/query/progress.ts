/** How far a query has come, from what its scan counts as it goes. */
import type { Profile } from '../../runtime/profile.ts'
import type { TaskState } from './query-task.ts'

export interface Progress {
  readonly phase: 'queued' | 'scanning' | 'finishing' | 'ended'
  readonly parts_total: number
  readonly parts_done: number
  readonly rows_scanned: number
  readonly bytes_scanned: number
  readonly percent: number
  readonly elapsed_ms: number
  readonly eta_ms?: number
}

export function progressOf(profile: Profile, state: TaskState, isQueued: boolean, elapsedMs: number): Progress {
  const { scan } = profile
  const skipped =
    scan.blocksSkippedByTime +
    scan.blocksSkippedByZoneMap +
    scan.blocksSkippedByTokenFilter +
    scan.blocksSkippedBySortBoundary +
    scan.blocksSkippedByLimit
  const isDone = state === 'done'
  const blocks = Math.min(scan.blocksTotal, scan.blocksRead + skipped + scan.blocksAnswered)
  const share = isDone ? 1 : scan.blocksTotal === 0 ? 0 : blocks / scan.blocksTotal
  const partsDone = scan.partsRead + scan.partsSkippedByTime + scan.partsSkippedByIndex + scan.partsSkippedByPlan
  const phase =
    state !== 'running' ? 'ended' : isQueued ? 'queued' : share === 1 && scan.blocksTotal > 0 ? 'finishing' : 'scanning'
  const isGoing = state === 'running' && share > 0.01 && share < 1
  return {
    phase,
    parts_total: scan.partsTotal,
    parts_done: isDone ? scan.partsTotal : Math.min(scan.partsTotal, partsDone),
    rows_scanned: scan.rows,
    bytes_scanned: scan.bytes,
    percent: Math.round(share * 1000) / 10,
    elapsed_ms: Math.round(elapsedMs),
    ...(isGoing && { eta_ms: Math.round((elapsedMs * (1 - share)) / share) }),
  }
}
