/** The data directory of a command that asks: one that is there, and what of it cannot be served is said before the answer. */
import { type Engine, type EngineOptions, open, requireDataDirectory } from '../engine.ts'
import type { Quarantined } from '../storage/index.ts'

/** @throws {NoDataDirectoryError} a mistyped name would be made an empty directory, and asked */
export async function openData(directory: string, options: EngineOptions = {}): Promise<Engine> {
  requireDataDirectory(directory)
  const engine = await open(directory, options)
  for (const damaged of engine.status().quarantined) process.stderr.write(`${setAside(damaged)}\n`)
  return engine
}

export function setAside({ part, reason }: Quarantined): string {
  return `damaged part ${part} is set aside (${reason}); everything else is served`
}
