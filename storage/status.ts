/** What there is of each index, added up. */
import type { IndexSettings } from './catalog/index-settings.ts'
import type { IndexStatus, PartReader } from './index.ts'

/** By name; indexes that only have settings included. */
export function indexStatuses(parts: readonly PartReader[], settings: IndexSettings | null): IndexStatus[] {
  const statuses = new Map<string, IndexStatus>()
  const empty = (name: string): IndexStatus => {
    const retentionMs = settings?.retentionOf(name) ?? null
    return { name, retentionMs, eventCount: 0, storageBytes: 0, minMicros: null, maxMicros: null }
  }
  for (const name of settings?.names ?? []) statuses.set(name, empty(name))
  for (const part of parts) {
    const before = statuses.get(part.index) ?? empty(part.index)
    const [min, max] = [part.minTime.micros, part.maxTime.micros]
    statuses.set(part.index, {
      ...before,
      eventCount: before.eventCount + part.rowCount,
      // What is still in memory takes no room on disk yet.
      storageBytes: before.storageBytes + (part.path === null ? 0 : part.sizeBytes),
      minMicros: before.minMicros === null ? min : Math.min(before.minMicros, min),
      maxMicros: before.maxMicros === null ? max : Math.max(before.maxMicros, max),
    })
  }
  return [...statuses.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
