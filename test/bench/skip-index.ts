/**
 * `npm run bench -- --skip-index`: what the skip indexes cost, how often they are wrong, and how much of the data a search for one trace id
 * still reads. Blocks are those of the loaded events.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { openPart } from '../../storage/part/read.ts'
import { inspectPart } from '../../storage/tools/inspect.ts'
import { eventsOf } from './generate.ts'
import { loadedQuern, quernDirectory } from './load.ts'
import { createRandom } from './random.ts'

const ABSENT_IDS = 200

export async function runSkipIndex(
  options: { readonly seed: number; readonly rows: number; readonly fresh: boolean },
  say: (text: string) => void,
): Promise<void> {
  const events = await eventsOf(options.seed, options.rows)
  await loadedQuern(events, options.fresh)
  const directory = join(quernDirectory(events), 'parts')
  const files = readdirSync(directory).filter(name => name.endsWith('.part'))
  const random = createRandom(options.seed + 1)
  const hex = (): string => random.uint32().toString(16).padStart(8, '0')
  const absent = Array.from({ length: ABSENT_IDS }, () => hex() + hex() + hex() + hex())
  const total = { bytes: 0, rawBytes: 0, filters: 0, indexes: 0, frames: 0, blocks: 0, wrong: 0, needleBlocks: 0 }
  const cache = createChunkCache(1 << 20)
  for (const name of files) {
    const path = join(directory, name)
    const inspected = inspectPart(NODE_FILESYSTEM, path)
    total.bytes += inspected.part.sizeBytes
    total.rawBytes += inspected.part.rawBytes
    total.filters += inspected.filterBytes
    total.indexes += inspected.indexBytes
    total.frames += inspected.frameBytes
    const part = openPart(NODE_FILESYSTEM, path, cache)
    for (let number = 0; number < part.blockCount; number++) {
      const block = part.block(number)
      const may = (id: string): boolean => block.verdict({ kind: 'tokens', field: '_raw', tokens: [id] }) !== 'none'
      total.blocks++
      if (may(events.needle)) total.needleBlocks++
      for (const id of absent) if (may(id)) total.wrong++
    }
    part.close()
  }
  const share = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(2)} %`
  const rate = total.wrong / (ABSENT_IDS * total.blocks)
  say(
    `${events.rows} events in ${files.length} parts, ${total.blocks} blocks, ${(total.bytes / 1e6).toFixed(1)} MB for ${(total.rawBytes / 1e6).toFixed(1)} MB of text`,
  )
  say(
    `token filters        ${(total.filters / 1e6).toFixed(2)} MB: ${share(total.filters, total.bytes)} of the parts, ${share(total.filters, total.rawBytes)} of the text, ` +
      `${((total.filters * 8) / events.rows).toFixed(1)} bits an event`,
  )
  say(`zone maps and lists  ${(total.indexes / 1e6).toFixed(2)} MB: ${share(total.indexes, total.bytes)} of the parts`)
  say(
    `wrong                ${(rate * 100).toFixed(3)} % of blocks, of ${ABSENT_IDS} ids that are nowhere (${total.wrong} of ${ABSENT_IDS * total.blocks})`,
  )
  say(`one trace id         ${total.needleBlocks} of ${total.blocks} blocks may have it`)
  say(
    `                     among N blocks that is 1 + N × ${(rate * 100).toFixed(3)} %: ${0.01 > rate ? 'under' : 'OVER'} 1 % from ${Math.ceil(1 / Math.max(1e-9, 0.01 - rate))} blocks on`,
  )
}
