/**
 * Threads that step back: Linux knows threads as processes, each with a priority of its own. Whoever answers a network needs the processor
 * for a moment and at once, whoever computes needs it for long and at some time.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Lowers the priority of the calling thread alone. False where that would slow the whole process instead, and is not done. */
export function stepBack(niceness: number): boolean {
  try {
    const thread = Number(fs.readlinkSync('/proc/thread-self').split('/').at(-1))
    os.setPriority(thread, niceness)
    return true
  } catch {
    return false
  }
}

/**
 * How the collector clears away what is young, for a process that answers a network while events pass through it.
 *
 * Objects from places in the code whose objects have lived long are made among the old at once, by V8's reckoning: while a few large requests
 * are read, those are the arrays of events. Then what they point to is kept, whether or not anyone still has them, and half of all that was
 * ever read is copied twice before a collection of everything finds that it is garbage: 5 MB and 8 to 20 ms every 35 ms. Without, 1 ms.
 *
 * On few cores, all of them at work, it is also better off without helpers, as it waits for the slowest of them to be given one.
 *
 * `/health` beside ingest and ten heavy queries on two cores, p99, medians of runs: 20 ms as V8 has it (12 to 23 in seven), 16 with both
 * (14 to 19 in six), and a quarter as many pauses of more than 10 ms.
 */
export function collectForPassing(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  if (os.availableParallelism() <= FEW_CORES) setFlagsFromString('--no-parallel-scavenge')
}

const FEW_CORES = 4

/**
 * Collects all garbage of the calling thread. V8 hands its collector only to contexts that are made after it was told to; it stays
 * told, as what one thread took back another may be about to rely on.
 */
export function collectAll(): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as () => void
  }
  collector()
}

let collector: (() => void) | null = null

/**
 * As `collectAll`, of a thread that will do nothing for a while: objects move together, so that pages of the heap become free, and machine code
 * goes of functions that did not run in the last collections, with what it was made from. 31 to 35 ms where the other takes 20 to 25; of a server
 * that took two million events it leaves 23 MiB of heap instead of 32.
 */
export function collectForRest(): void {
  for (const flag of AT_REST) setFlagsFromString(`--${flag}`)
  try {
    collectAll()
  } finally {
    for (const flag of AT_REST) setFlagsFromString(`--no-${flag}`)
  }
}

const AT_REST = ['compact-on-every-full-gc', 'flush-baseline-code'] as const
