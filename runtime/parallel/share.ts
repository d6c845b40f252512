/**
 * Deals the blocks of a scan out to other threads and takes in what they found. The caller works through the places it is handed: its
 * own share first, then whatever another thread could not do.
 */

import type { AggregateOperator } from '../operators/aggregate.ts'
import type { Place } from '../operators/scan.ts'
import type { OperatorProfile, Profile } from '../profile.ts'
import type { Program, SplitPlan } from '../program.ts'
import type { LaneResult, Lanes, LaneTask } from './lanes.ts'
import { addProfile } from './profile.ts'

export interface SharedWork extends AsyncIterable<readonly Place[]> {
  /** The run has ended, one way or another: threads still at work may stop. */
  stop(): void
}

export interface ShareOptions {
  readonly lanes: Lanes
  readonly split: SplitPlan
  readonly aggregate: AggregateOperator
  readonly profile: Profile
  /** The aggregation's own part of it. */
  readonly operator: OperatorProfile
  readonly nowMicros: number
  readonly memoryBytes: number
  readonly isCanceled: () => boolean
}

/** Null when the work is better done by one. */
export function shareWork(program: Program, places: readonly Place[], options: ShareOptions): SharedWork | null {
  const { lanes, split, aggregate, profile } = options
  const total = places.reduce((sum, place) => sum + place.block.rowCount, 0)
  if (total < lanes.rowsMin) return null
  const threads = lanes.ready()
  if (threads === 0) return null
  const dealt = deal(places, threads + 1)
  const mine = dealt.pop()!
  const runs = dealt.map((theirs, lane) => ({
    theirs,
    ...(theirs.length === 0 ? NOTHING : lanes.run(lane, taskOf(theirs), aggregate.interner)),
  }))

  function taskOf(theirs: readonly Place[]): LaneTask {
    return {
      plan: split.text(),
      query: program.query,
      hash: program.hash,
      places: theirs.map(({ part, number, rowOrderBase }) => ({ path: part.path!, block: number, rowOrderBase })),
      nowMicros: options.nowMicros,
      memoryBytes: options.memoryBytes,
    }
  }

  function take({ partial, ids, profile: theirs }: LaneResult): void {
    aggregate.absorb(partial, { ids, interner: aggregate.interner })
    addProfile(profile, options.operator, theirs)
  }

  return {
    async *[Symbol.asyncIterator]() {
      yield mine
      for (const { theirs, result } of runs) {
        const found = await result
        if (found !== null) take(found)
        else if (theirs.length > 0 && !options.isCanceled()) yield theirs
      }
    },
    stop() {
      for (const run of runs) run.cancel()
    },
  }
}

const NOTHING = { result: Promise.resolve(null), cancel: (): void => {} }

/**
 * By place, the last share for the caller. The same block always goes to the same share, so that every thread's cache holds what it will
 * be asked for again; parts in this thread's memory stay with the caller.
 */
function deal(places: readonly Place[], shares: number): Place[][] {
  const dealt: Place[][] = Array.from({ length: shares }, () => [])
  for (const place of places) {
    const share = place.part.path === null ? shares - 1 : (place.partNumber + place.number) % shares
    dealt[share]!.push(place)
  }
  return dealt
}
