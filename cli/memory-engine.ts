/** An engine in memory, filled from files or stdin: for explain and bench, which look at the data more than once. */
import { type Engine, open } from '../engine.ts'
import { createTally, type LocalReading, localEvents } from './local-events.ts'
import { startProgress } from './progress.ts'

export interface MemoryEngineOptions extends LocalReading {
  readonly lookups?: Readonly<Record<string, string>>
}

export async function createMemoryEngine(
  files: readonly (string | null)[],
  options: MemoryEngineOptions = {},
): Promise<Engine> {
  const engine = await open(null, { lookups: options.lookups ?? {} })
  const progress = startProgress()
  const tally = createTally()
  for await (const events of localEvents(
    files.map(file => ({ file })),
    tally,
    progress,
    options,
  ))
    engine.ingest(events)
  progress.end()
  return engine
}
