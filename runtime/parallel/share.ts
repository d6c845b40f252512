/**
 * Deals the blocks of a scan out to other threads and takes in what they found. The caller works through the places it is handed: its
 * own share and what others have not come to, then whatever another thread could not do.
 */
import { isAnyoneWaiting } from '../../storage/turns.ts'
import type { SharedAggregation } from '../connect.ts'
import { fieldStatistics } from '../field-statistics.ts'
import type { Place } from '../operators/scan.ts'
import type { Profile } from '../profile.ts'
import type { AggregateKey, AggregationSpec, Program } from '../program.ts'
import { Claims, orderFor } from './claims.ts'
import { type LaneResult, type LaneRun, type Lanes, type LaneTask, NOT_RUN } from './lanes.ts'
import { addProfile } from './profile.ts'

/** Blocks to go through, of which those count that `takes`, asked by place in the list. */
export interface Share {
  readonly places: readonly Place[]
  readonly takes: (at: number) => boolean
}

export interface SharedWork extends AsyncIterable<Share> {
  /** The run has ended, one way or another: threads still at work may stop. */
  stop(): void
}

export interface ShareOptions {
  readonly lanes: Lanes
  readonly of: SharedAggregation
  readonly profile: Profile
  readonly nowMicros: number
  readonly memoryBytes: number
  readonly isCanceled: () => boolean
}

/** With fewer rows a group, merging what two threads found takes as long as finding it: 2 M rows by 96 k users, 40 ms alone, 71 shared. */
const ROWS_PER_GROUP_MIN = 100

/**
 * By what storage knows of the keys, and of the times of blocks; of keys that are computed nothing is known. Minutes by services, 28,800 groups of 2 M rows:
 * 7.6 ms alone, 8 to 18 in the runs in which sharing it was tried.
 */
export function hasManyGroups(
  keys: readonly Pick<AggregateKey, 'field' | 'binMicros'>[],
  places: readonly Place[],
  rows: number,
): boolean {
  const parts = [...new Set(places.map(place => place.part))]
  let groups = 1
  for (const { field, binMicros } of keys) {
    const known = binMicros === null ? fieldStatistics(parts, field) : { distinct: binsOf(places, binMicros) }
    if (known !== null) groups *= known.distinct ?? rows
  }
  return groups * ROWS_PER_GROUP_MIN > rows
}

/** Bins of time from the first to the last. */
function binsOf(places: readonly Place[], binMicros: number): number {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const { block } of places) {
    low = Math.min(low, block.minTime.micros)
    high = Math.max(high, block.maxTime.micros)
  }
  return low > high ? 1 : Math.floor(high / binMicros) - Math.floor(low / binMicros) + 1
}

/** Does it gather values, of which storage knows that there are many? Distinct users by service of 2 M rows, 100 k users: 4.0 ms alone, 7.9 shared; just read, 26 and 127. */
export function gathersManyValues(
  { state, steps }: Pick<AggregationSpec, 'state' | 'steps'>,
  places: readonly Place[],
  rows: number,
): boolean {
  if (!state.some(column => column.type === 'object' && column.ofValues === true)) return false
  const parts = [...new Set(places.map(place => place.part))]
  const fields = new Set(steps.flatMap(step => step.fields))
  return [...fields].some(field => (fieldStatistics(parts, field)?.distinct ?? 0) * ROWS_PER_GROUP_MIN > rows)
}

function isWorthSharing({ lanes, of: { split } }: ShareOptions, places: readonly Place[], rows: number): boolean {
  // From 0 rows on: whatever it costs, as tests want it.
  if (lanes.rowsMin === 0) return true
  if (hasManyGroups(split.aggregate.keys, places, rows)) return false
  if (gathersManyValues(split.aggregate, places, rows)) return false
  const isMuch = rows >= lanes.rowsMin
  return lanes.work?.isShared(split.text(), rows, isMuch) ?? isMuch
}

/** All of it by the caller, which is worth knowing the time of. */
function aloneWork(options: ShareOptions, places: readonly Place[], rows: number): SharedWork {
  return { [Symbol.asyncIterator]: () => alone(options, places, rows), stop() {} }
}

async function* alone(
  { lanes, of: { split } }: ShareOptions,
  places: readonly Place[],
  rows: number,
): AsyncGenerator<Share> {
  const startedAt = performance.now()
  yield { places, takes: () => true }
  lanes.work?.note(split.text(), rows, 'alone', performance.now() - startedAt)
}

/**
 * Blocks for every thread there is, or all of them for the caller where that is as soon. A thread that is only starting takes what is left when it comes; nobody
 * waits for one that came too late for any.
 */
export function shareWork(program: Program, places: readonly Place[], options: ShareOptions): SharedWork {
  const { lanes } = options
  const rows = places.reduce((sum, place) => sum + place.block.rowCount, 0)
  const threads = isWorthSharing(options, places, rows) ? lanes.expected() : 0
  return threads === 0 ? aloneWork(options, places, rows) : new DealtWork(program, places, rows, threads, options)
}

interface DealtRun {
  readonly lane: number
  readonly run: LaneRun
}

class DealtWork implements SharedWork {
  readonly #places: readonly Place[]
  readonly #rows: number
  readonly #options: ShareOptions
  readonly #dealt: readonly (readonly number[])[]
  readonly #memory: SharedArrayBuffer
  readonly #claims: Claims
  /** Of them all, those at the front whose threads have started. */
  readonly #ready: number
  readonly #runs: readonly DealtRun[]

  constructor(
    { query, hash }: Program,
    places: readonly Place[],
    rows: number,
    threads: number,
    options: ShareOptions,
  ) {
    const { lanes, of } = options
    this.#places = places
    this.#rows = rows
    this.#options = options
    this.#ready = lanes.ready()
    const dealt = deal(places, threads + 1)
    this.#dealt = dealt
    this.#memory = Claims.memoryFor(places.length)
    this.#claims = new Claims(this.#memory)
    const common = dealt.map(numbers => numbers.filter(number => !this.#isMineAlone(number)))
    const plan = of.split.text()
    this.#runs = dealt.slice(0, threads).map((theirs, lane) => {
      if (theirs.length === 0) return { lane, run: NOT_RUN }
      const task: LaneTask = {
        plan,
        query,
        hash,
        places: orderFor(common, lane).map(number => {
          const { part, number: block, rowOrderBase } = places[number]!
          return { path: part.path!, block, rowOrderBase, number }
        }),
        ownCount: theirs.length,
        share: lane,
        claims: this.#memory,
        nowMicros: options.nowMicros,
        memoryBytes: options.memoryBytes,
      }
      return { lane, run: lanes.run(lane, task, of.aggregate.interner) }
    })
  }

  /** What is in this thread's memory no other can read. */
  #isMineAlone(number: number): boolean {
    return this.#places[number]!.part.path === null
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Share> {
    const places = this.#places
    const claims = this.#claims
    const runs = this.#runs
    const ready = this.#ready
    const { isCanceled, lanes, of } = this.#options
    const threads = runs.length
    // With nobody there yet it goes through them as they lie in their files: to go and come back is to wait for the disk twice.
    const order = ready === 0 ? [...places.keys()] : orderFor(this.#dealt, threads)
    const startedAt = performance.now()
    yield {
      places: order.map(number => places[number]!),
      // What others can do is theirs while somebody waits for this thread.
      takes: at =>
        (this.#isMineAlone(order[at]!) || ready === 0 || !isAnyoneWaiting()) && claims.take(order[at]!, threads),
    }
    for (const dealt of runs.slice(0, ready)) yield* this.#finished(dealt)
    // Blocks left to threads that failed before they came to them, or have not come yet.
    if (!isCanceled()) yield { places, takes: at => claims.take(at, threads) }
    let late = 0
    for (const dealt of runs.slice(ready)) {
      if (!places.some((_, number) => claims.isOf(number, dealt.lane))) dealt.run.cancel()
      else {
        late++
        yield* this.#finished(dealt)
      }
    }
    // What one did that came in the midst of it tells of neither way.
    if (ready === threads || (ready === 0 && late === 0))
      lanes.work?.note(of.split.text(), this.#rows, ready === 0 ? 'alone' : 'shared', performance.now() - startedAt)
  }

  /** What a thread found, or what it was to do. */
  async *#finished({ lane, run }: DealtRun): AsyncGenerator<Share> {
    const found = await run.result
    if (found !== null) this.#take(found)
    else if (!this.#options.isCanceled()) {
      yield { places: this.#places.filter((_, number) => this.#claims.isOf(number, lane)), takes: () => true }
    }
  }

  #take({ partial, ids, profile: theirs }: LaneResult): void {
    const { profile, of } = this.#options
    of.aggregate.absorb(partial, { ids, interner: of.aggregate.interner })
    addProfile(profile, of.operator, theirs)
  }

  stop(): void {
    for (const { run } of this.#runs) run.cancel()
  }
}

/** A share may have so much more than the mean. */
const UNEVEN = 1.25

/**
 * Numbers of places by share, the last one for the caller. The same block always goes to the same share, so that every thread's cache holds
 * what it will be asked for again; parts in this thread's memory stay with the caller. Where that leaves one with much more than the others
 * (few blocks, of few rows and of many), the largest are dealt first, each to the share that has the least.
 */
function deal(places: readonly Place[], shares: number): number[][] {
  const mine = shares - 1
  const shareOf = ({ part, partNumber, number }: Place): number =>
    part.path === null ? mine : (partNumber + number) % shares
  const rowsOf = (number: number): number => places[number]!.block.rowCount
  const dealt = dealtBy(places.map(shareOf), shares)
  const rows = dealt.map(numbers => numbers.reduce((sum, number) => sum + rowsOf(number), 0))
  const mean = rows.reduce((sum, each) => sum + each, 0) / shares
  if (Math.max(...rows) <= UNEVEN * mean) return dealt
  const chosen = new Array<number>(places.length).fill(mine)
  const load = new Array<number>(shares).fill(0)
  for (const number of [...places.keys()].sort((a, b) => rowsOf(b) - rowsOf(a))) {
    if (places[number]!.part.path !== null) chosen[number] = load.indexOf(Math.min(...load))
    load[chosen[number]!]! += rowsOf(number)
  }
  return dealtBy(chosen, shares)
}

function dealtBy(shareOf: readonly number[], shares: number): number[][] {
  const dealt: number[][] = Array.from({ length: shares }, () => [])
  for (const [number, share] of shareOf.entries()) dealt[share]!.push(number)
  return dealt
}
