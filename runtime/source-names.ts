/** Which sources there are, as far as a look at some blocks tells. */
import type { Snapshot } from '../storage/index.ts'

/** Names of sources, for one hint only: read from the first blocks, where they are nearly always all to be found. */
export function sourcesOf(snapshot: Snapshot): readonly string[] {
  const sources = new Set<string>()
  for (const part of snapshot.parts.slice(-16)) {
    if (part.blockCount === 0) continue
    const vector = part.block(0).column('_source')
    if (vector?.kind === 'const' && typeof vector.value === 'string') sources.add(vector.value)
    if (vector?.kind === 'dict')
      for (const value of vector.dictionary.values) if (typeof value === 'string') sources.add(value)
  }
  return [...sources]
}
