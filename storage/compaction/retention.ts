/** Which parts are past their time. Whole parts only: the newest event decides, so nothing goes before it is due. */
import type { PublishedPart } from '../catalog/published-part.ts'

/** `retentionOf` answers in milliseconds, null for ever; `now` is milliseconds since the epoch. */
export function expiredParts(
  parts: readonly PublishedPart[],
  retentionOf: (index: string) => number | null,
  now: number,
): PublishedPart[] {
  return parts.filter(({ index, description: { maxMicros } }) => {
    const retention = retentionOf(index)
    return retention !== null && maxMicros < (now - retention) * 1000
  })
}
