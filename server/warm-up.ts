/**
 * The first query would pay for code that has never run: 50 ms in which nobody else is answered, and as much again for the tables of the
 * pattern engine. A server that has nothing to do yet pays it instead, in turns.
 */
import type { Engine } from '../engine.ts'
import { nextTurn } from '../storage/turns.ts'

const QUERIES = [
  'stats count() as n, avg(len(_raw)), p95(a), dc(b) by host, bin(_time, 5m) | where n > 1 | sort -n | head 10',
  'level=error "timed out" | where matches(_raw, "(?i)[a-f]+[0-9]{2,}.*é") or status >= 500 | extend b = upper(substr(host, 0, 3)) | head 20',
  'parse regex "user=(?<user>\\\\w+)" | dedup user | top 5 user',
  'where a in [1, 2.5] and b == "x" | eventstats sum(a) as s by b | keep _time, s',
] as const
/** The compiler of the machine has seen enough by then. */
const ROUNDS = 3

/** Compiles queries and runs none. */
export async function warmUp(engine: Engine): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const text of QUERIES) {
      await nextTurn()
      // A text of its own each round: one that was asked before is not compiled again.
      engine.query(`${text} /* ${round} */`).cancel()
    }
  }
}
