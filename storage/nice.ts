/**
 * Threads that step back: Linux knows threads as processes, each with a priority of its own. Whoever answers a network needs the processor
 * for a moment and at once, whoever computes needs it for long and at some time.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'

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
