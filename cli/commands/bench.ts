/** `quern bench`: how long one query takes over files that have been loaded, compiled cold and warm. */

import { CommandError, EXIT } from '../exit-codes.ts'
import { createMemoryEngine } from '../memory-engine.ts'

export interface BenchOptions {
  readonly file: readonly string[]
  readonly runs: string
  readonly timeField?: string
}

export async function bench(text: string, options: BenchOptions): Promise<void> {
  const runs = Number(options.runs)
  if (!Number.isInteger(runs) || runs < 1)
    throw new CommandError(EXIT.usage, `--runs takes a whole number above 0, not '${options.runs}'`)
  const loadedAt = process.hrtime.bigint()
  const engine = await createMemoryEngine(options.file, options)
  const { eventCount } = engine.status()
  report('load', msSince(loadedAt), eventCount)
  const timesMs: number[] = []
  for (let run = 0; run <= runs; run++) {
    const startedAt = process.hrtime.bigint()
    const { total } = await engine.query(text).collect({ limit: 0 })
    const ms = msSince(startedAt)
    if (run === 0) report(`first run (${total} rows)`, ms, eventCount)
    else timesMs.push(ms)
  }
  timesMs.sort((a, b) => a - b)
  report(`median of ${runs}`, timesMs[Math.floor(runs / 2)]!, eventCount)
  report('fastest', timesMs[0]!, eventCount)
  await engine.close()
}

function msSince(startedAt: bigint): number {
  return Number(process.hrtime.bigint() - startedAt) / 1e6
}

function report(what: string, ms: number, events: number): void {
  const rate = (events / ms / 1000).toFixed(2)
  process.stdout.write(`${what.padEnd(24)} ${ms.toFixed(2).padStart(10)} ms  ${rate.padStart(9)} M events/s\n`)
}
