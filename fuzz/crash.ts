/** Targets that stop a store in the middle of things: on a simulated disk, thousands of times an hour; and as a process that is killed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../storage/store.ts'
import { type CrashCounts, noCounts, runCrashScenario } from '../test/storage/crash-scenario.ts'
import { ingestUntilKilled } from '../test/storage/kill.ts'
import type { Fault } from '../test/storage/simulated-disk.ts'
import { numbersIn } from '../test/storage/store-support.ts'
import { createRandom } from './generate/random.ts'
import type { Outcome } from './targets.ts'

const counts = noCounts()

/** What happened so far, for the end of a run. */
export function crashCounts(): string {
  return Object.entries(counts satisfies CrashCounts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}

const LIVES = 5

export async function crashRandomly(seed: number): Promise<Outcome> {
  await runCrashScenario(createRandom(seed), { lives: LIVES }, counts)
  return 'agreed'
}

const FAULTS: readonly Fault[] = ['crash before', 'crash after', 'EIO', 'ENOSPC']
/** A life does some hundreds of operations: any 2,000 seeds in a row make each of the first 500 fail in each way. */
const OPERATIONS = 500

/** One operation after the other fails, in each way, in the second life of a store. */
export async function crashInTurn(seed: number): Promise<Outcome> {
  const fault = FAULTS[seed % FAULTS.length]!
  const at = Math.floor(seed / FAULTS.length) % OPERATIONS
  const planOf = (life: number) => (life === 1 ? { at, count: 1, fault } : null)
  await runCrashScenario(createRandom(Math.floor(seed / (OPERATIONS * FAULTS.length))), { lives: 2, planOf }, counts)
  return 'agreed'
}

const ROUNDS = 3

/** A process that ingests and hears of publications is killed with SIGKILL, several times over one directory. */
export async function killRandomly(seed: number): Promise<Outcome> {
  const random = createRandom(seed)
  const directory = mkdtempSync(join(tmpdir(), 'quern-kill-'))
  try {
    const acknowledged = new Set<number>()
    for (let round = 0; round < ROUNDS; round++) {
      const first = round * 1_000_000
      for (const [from, to] of await ingestUntilKilled(directory, first, random.int(0, 400))) {
        for (let n = from; n < to; n++) acknowledged.add(n)
      }
      counts.crashes++
      const store = await openStore({ directory, flushAgeMs: 1e9 })
      counts.opens++
      const found = numbersIn(store)
      const { quarantined } = store.status()
      if (random.chance(0.5)) await store.compact()
      counts.merges += store.compactions().length
      await store.close()
      const present = new Set(found)
      const lost = [...acknowledged].filter(n => !present.has(n))
      if (present.size < found.length) throw new Error(`${found.length - present.size} events are there twice`)
      if (lost.length > 0)
        throw new Error(`${lost.length} acknowledged events are lost: ${lost.slice(0, 10).join(' ')}`)
      if (quarantined.length > 0) throw new Error(`set aside: ${JSON.stringify(quarantined)}`)
    }
    counts.acknowledged += acknowledged.size
    return 'agreed'
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
