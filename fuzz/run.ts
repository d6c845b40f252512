/** Runs one target over consecutive seeds until its time, its count or its patience with failures is over. */
import type { Target } from './targets.ts'

export interface FuzzOptions {
  readonly firstSeed: number
  readonly count: number
  readonly seconds: number
  readonly maxFailures: number
}

export interface FuzzReport {
  readonly runs: number
  readonly skipped: number
  readonly failures: readonly { readonly seed: number; readonly error: Error }[]
}

export async function runTarget(target: Target, options: FuzzOptions): Promise<FuzzReport> {
  const end = performance.now() + options.seconds * 1000
  const failures: { seed: number; error: Error }[] = []
  let runs = 0
  let skipped = 0
  while (runs < options.count && failures.length < options.maxFailures && performance.now() < end) {
    const seed = options.firstSeed + runs
    runs++
    try {
      if ((await target.run(seed)) === 'skipped') skipped++
    } catch (error) {
      failures.push({ seed, error: error instanceof Error ? error : new Error(String(error)) })
    }
  }
  return { runs, skipped, failures }
}
