/**
 * Which parts to merge next. Parts of one index and day are kept in tiers of size, each eight times the one below: eight of one tier
 * make one of the next, so an event is rewritten at most once a tier and a day has a few dozen parts, however often it was written
 * to. A day nobody writes to any more is tidied once: what is small goes into what is not much larger.
 */
import type { PartDescription } from '../part/columns.ts'

export type MergeCandidate = Pick<
  PartDescription,
  'id' | 'index' | 'minMicros' | 'sizeBytes' | 'firstSequence' | 'lastSequence'
>

export interface MergeRules {
  /** Parts on both sides of such a sequence number are not merged: someone has read up to it. */
  readonly cuts: readonly number[]
  /** True for a day that is written to no more, judged by the newest of its parts. */
  readonly isQuiet: (newest: MergeCandidate) => boolean
  /** Somebody asks for as few parts as may be, and waits for it: what is small goes into what is large, too. */
  readonly isForced?: boolean
}

/** As many parts of one tier are merged. */
const FAN = 8
/** More are merged at once when they wait; they are all open then. */
const INPUTS_MAX = 64
const FIRST_TIER_BYTES = 1024 * 1024
/** Larger parts are not made: a merge needs that much disk, and a query thread a part's blocks to share. */
export const MERGED_BYTES_MAX = 512 * 1024 * 1024
const DAY_MICROS = 86_400_000_000

/** Null when everything is as it should be. `parts` are in order of creation, those that a merge is reading left out. */
export function chooseMerge<Part extends MergeCandidate>(
  parts: readonly Part[],
  rules: MergeRules,
): readonly Part[] | null {
  let best: readonly Part[] | null = null
  for (const group of groupsOf(parts, rules.cuts)) {
    if (group.length < 2) continue
    const chosen =
      rules.isForced === true
        ? allOf(group)
        : (fullTier(group) ?? (rules.isQuiet(group.at(-1)!) ? tidied(group) : null))
    // The smallest first: it is soonest done, and most relieves queries per byte.
    if (chosen !== null && (best === null || bytesOf(chosen) < bytesOf(best))) best = chosen
  }
  return best
}

/** Parts that may be merged with each other. */
function groupsOf<Part extends MergeCandidate>(parts: readonly Part[], cuts: readonly number[]): Iterable<Part[]> {
  const groups = new Map<string, Part[]>()
  for (const part of parts) {
    let side = 0
    let isCut = false
    for (const cut of cuts) {
      if (part.firstSequence >= cut) side++
      else if (part.lastSequence >= cut) isCut = true
    }
    if (isCut || part.sizeBytes >= MERGED_BYTES_MAX) continue
    const key = `${Math.floor(part.minMicros / DAY_MICROS)} ${side} ${part.index}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [part])
    else group.push(part)
  }
  return groups.values()
}

/** 0 up to 1 MiB, 1 up to 8 MiB, and so on. */
function tierOf({ sizeBytes }: MergeCandidate): number {
  return sizeBytes < FIRST_TIER_BYTES ? 0 : 1 + Math.floor(Math.log(sizeBytes / FIRST_TIER_BYTES) / Math.log(FAN))
}

function fullTier<Part extends MergeCandidate>(group: readonly Part[]): readonly Part[] | null {
  const tiers: Part[][] = []
  for (const part of group) {
    const tier = tierOf(part)
    tiers[tier] ??= []
    tiers[tier].push(part)
  }
  for (const tier of tiers) {
    if (tier === undefined || tier.length < FAN) continue
    const chosen = withinLimits(tier)
    if (chosen.length >= 2) return chosen
  }
  return null
}

/** The smallest that fit one part, in order of creation; null when there are not two. */
function allOf<Part extends MergeCandidate>(group: readonly Part[]): readonly Part[] | null {
  const chosen = withinLimits(bySize(group))
  return chosen.length < 2 ? null : group.filter(part => chosen.includes(part))
}

/** The smallest parts that are each no more than eight times what is before them; null when there are not two. */
function tidied<Part extends MergeCandidate>(group: readonly Part[]): readonly Part[] | null {
  const chosen: Part[] = []
  let bytes = 0
  for (const part of withinLimits(bySize(group))) {
    if (chosen.length > 0 && part.sizeBytes > Math.max(FIRST_TIER_BYTES, bytes * FAN)) {
      if (chosen.length > 1) break
      // One that is too small for all others does not keep them apart.
      chosen.length = 0
      bytes = 0
    }
    chosen.push(part)
    bytes += part.sizeBytes
  }
  if (chosen.length < 2) return null
  // Back in order of creation.
  return group.filter(part => chosen.includes(part))
}

function withinLimits<Part extends MergeCandidate>(parts: readonly Part[]): readonly Part[] {
  const chosen: Part[] = []
  let bytes = 0
  for (const part of parts.slice(0, INPUTS_MAX)) {
    bytes += part.sizeBytes
    if (bytes > MERGED_BYTES_MAX) break
    chosen.push(part)
  }
  return chosen
}

function bySize<Part extends MergeCandidate>(parts: readonly Part[]): Part[] {
  return [...parts].sort((a, b) => a.sizeBytes - b.sizeBytes)
}

function bytesOf(parts: readonly MergeCandidate[]): number {
  return parts.reduce((sum, part) => sum + part.sizeBytes, 0)
}
