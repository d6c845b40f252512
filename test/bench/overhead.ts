/** `npm run bench -- --overhead`: the same queries with and without a profile being taken, by turns; a profile must cost less than 3 %. */
import type { Catalog } from '../../compiler/catalog.ts'
import { compile } from '../../compiler/index.ts'
import { execute } from '../../runtime/execute.ts'
import { DateTime } from '../../storage/value.ts'
import { createBlocks, partOf } from './vectors.ts'

const QUERIES: readonly string[] = [
  'where status >= 500 | stats count() as n',
  'where level == "error" and duration_ms > 100 | extend x = duration_ms * 2 | stats avg(x) as m by host',
  'stats count() as n by path',
  'stats p95(duration_ms) as p by host',
  'where contains(message, "reset by peer") | stats count() as n by level',
  'sort -duration_ms | head 100 | keep duration_ms, host',
]
const NO_CATALOG: Catalog = { indexes: ['main'], sources: [], fields: () => null, lookups: [], lookup: () => null }
const NOW = new DateTime(Date.UTC(2026, 5, 1) * 1000)
const OVERHEAD_MAX = 0.03
const ROUNDS = 40
const WARM_UPS = 5

export async function runOverhead(say: (text: string) => void): Promise<boolean> {
  // Made once: making them takes a thousand times as long as a query.
  const part = partOf(createBlocks())
  const source = { parts: () => [[part]], release: () => {} }
  let plain = 0
  let measured = 0
  say(`${'query'.padEnd(104)}${'plain ms'.padStart(10)}${'measured'.padStart(10)}${'more'.padStart(8)}`)
  for (const query of QUERIES) {
    const { program } = compile(`from main | ${query}`, { catalog: NO_CATALOG, now: NOW })
    const times = { plain: [] as number[], measured: [] as number[] }
    const once = async (measures: boolean): Promise<number> => {
      const start = performance.now()
      await execute(program, source, { nowMicros: NOW.micros, measures }).drain()
      return performance.now() - start
    }
    for (let round = 0; round < WARM_UPS; round++) await once(round % 2 === 0)
    for (let round = 0; round < ROUNDS; round++) {
      // By turns, and who is first by turns too: whatever else the machine does happens to both.
      for (const measures of round % 2 === 0 ? [false, true] : [true, false]) {
        times[measures ? 'measured' : 'plain'].push(await once(measures))
      }
    }
    const [a, b] = [leastHalf(times.plain), leastHalf(times.measured)]
    plain += a
    measured += b
    say(`${query.padEnd(104)}${a.toFixed(2).padStart(10)}${b.toFixed(2).padStart(10)}${more(a, b).padStart(8)}`)
  }
  const isFine = measured / plain - 1 < OVERHEAD_MAX
  say(
    `a profile costs ${more(plain, measured)} of all of them; below ${OVERHEAD_MAX * 100} %: ${isFine ? 'yes' : 'NO'}`,
  )
  return isFine
}

function more(a: number, b: number): string {
  return `${((b / a - 1) * 100).toFixed(1)} %`
}

/** The mean of the faster half: what disturbed the others is not what is measured. */
function leastHalf(times: readonly number[]): number {
  const half = times.toSorted((a, b) => a - b).slice(0, times.length >> 1)
  return half.reduce((sum, time) => sum + time, 0) / half.length
}
