/**
 * Whose turn it is on this thread. Work that takes long (queries, requests being read, parts being written, answers being rendered) does a few
 * milliseconds of it and then waits here; one of those who wait goes on each time the event loop comes round. With `setImmediate` alone all
 * of them would go on in the same round, and whoever asks for something small meanwhile would wait for the sum: with ten queries at work, a
 * tenth of a second.
 */

/** How long a piece of work may keep the thread to itself. */
export const TURN_MS = 5

const waiting: (() => void)[] = []
let isScheduled = false
let isServing = false

/** This thread answers a network: somebody may ask at any moment, though nobody waits for a turn yet. */
export function serveOthers(): void {
  isServing = true
}

/** Is long work to be cut into what a turn may take? Cutting costs: what nobody watches is done whole. */
export function mustGiveWay(): boolean {
  return isServing || waiting.length > 0
}

/** Settles when it is the caller's turn again: at the earliest after what has come in by then was looked at. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (!isScheduled) schedule()
  })
}

function schedule(): void {
  isScheduled = true
  setImmediate(() => {
    // What it goes on with runs before the event loop does.
    waiting.shift()?.()
    isScheduled = waiting.length > 0
    if (isScheduled) schedule()
  })
}

/** Does anybody wait for a turn? */
export function isAnyoneWaiting(): boolean {
  return waiting.length > 0
}

/** Asked again and again in the midst of long work. */
export class Turn {
  readonly #ms: number
  #end: number

  /** @param ms  how long it may last, where not all of the work is done while it is asked about */
  constructor(ms: number = TURN_MS) {
    this.#ms = ms
    this.#end = performance.now() + ms
  }

  /** Has it been the caller's turn for long enough? Then it owes `await turn.next()`. */
  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#end = performance.now() + this.#ms
  }
}
