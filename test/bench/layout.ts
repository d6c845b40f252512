/**
 * `npm run bench -- --layout`: the same parts merged in several ways, and what each gives: bytes of every kind of column, processor time of
 * the merge (which reads its work back), and of reading all of it once. Why `storage/compaction/layout.ts` says what it says.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { open } from '../../engine.ts'
import { type MergeLayout, TIME_LAYOUT } from '../../storage/compaction/layout.ts'
import { MERGE_CACHE_BYTES, mergeParts } from '../../storage/compaction/merge.ts'
import { NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import type { BlockColumns } from '../../storage/part/columns.ts'
import { NO_LINEAGE } from '../../storage/part/columns.ts'
import { openPart } from '../../storage/part/read.ts'
import { inspectPart } from '../../storage/tools/index.ts'
import { benchDirectory, eventsOf } from './generate.ts'
import { batchesOf } from './load.ts'

interface Way {
  readonly name: string
  readonly layout: MergeLayout
}

const codec = (name: 'zstd' | 'lz4' | 'none', level: number): MergeLayout => ({
  ...TIME_LAYOUT,
  compression: { codec: name, level },
})

const WAYS: readonly Way[] = [
  { name: 'by time, zstd 9', layout: TIME_LAYOUT },
  { name: 'by time, lz4', layout: codec('lz4', 1) },
  { name: 'by time, zstd 1', layout: codec('zstd', 1) },
  { name: 'by time, zstd 3', layout: codec('zstd', 3) },
  { name: 'by time, zstd 15', layout: codec('zstd', 15) },
  { name: 'by time, zstd 19', layout: codec('zstd', 19) },
  { name: 'by 1 column, zstd 9', layout: { ...TIME_LAYOUT, order: block => byFewestValues(block, 1) } },
  { name: 'by 2 columns, zstd 9', layout: { ...TIME_LAYOUT, order: block => byFewestValues(block, 2) } },
  { name: 'by 4 columns, zstd 9', layout: { ...TIME_LAYOUT, order: block => byFewestValues(block, 4) } },
]

/** Rows of a block by the codes of the columns of fewest values, then by time: runs of equal values, and times that jump. */
function byFewestValues(block: BlockColumns, count: number): Uint32Array {
  const keys: { readonly codes: ArrayLike<number>; readonly distinct: number }[] = []
  for (const [, vector] of block.columns) {
    if (vector.kind !== 'dict') continue
    const distinct = new Set(vector.codes).size
    if (distinct > 1 && distinct <= 4096) keys.push({ codes: vector.codes, distinct })
  }
  const chosen = keys.sort((a, b) => a.distinct - b.distinct).slice(0, count)
  return Uint32Array.from({ length: block.rowCount }, (_, row) => row).sort((a, b) => {
    for (const { codes } of chosen) if (codes[a] !== codes[b]) return codes[a]! - codes[b]!
    return a - b
  })
}

export async function runLayout(
  options: { readonly seed: number; readonly rows: number; readonly only: string },
  say: (text: string) => void,
): Promise<void> {
  const files: { readonly name: string; readonly file: string }[] = []
  const windows = join(benchDirectory(), 'windows-events.ndjson')
  if ('windows-events'.includes(options.only)) files.push({ name: 'windows-events', file: windows })
  if ('seeded'.includes(options.only)) {
    const { file, rows } = await eventsOf(options.seed, options.rows)
    files.push({ name: `seeded ${rows}`, file })
  }
  for (const { name, file } of files) {
    say(
      `${name}`.padEnd(22) +
        ['MB', 'texts', 'codes', 'others', 'indexes', 'merge s', 'read s'].map(title => title.padStart(9)).join(''),
    )
    const parts = await loadedInParts(file)
    for (const way of WAYS) say(lineOf(way, parts))
  }
}

/** As they come from the buffer, unmerged; those of one day, which is what a merge has. */
async function loadedInParts(file: string): Promise<readonly string[]> {
  const directory = `${file}.layout.quern`
  rmSync(directory, { recursive: true, force: true })
  const engine = await open(directory, { compactionWorkers: 0, flushAgeMs: 1e9, flushRows: 50_000 })
  for await (const batch of batchesOf(file)) {
    engine.ingestBatch(batch)
    if (engine.status().bufferedCount >= 50_000) await engine.flush()
  }
  await engine.flush()
  await engine.close()
  return readdirSync(`${directory}/parts`)
    .sort()
    .map(name => `${directory}/parts/${name}`)
}

function lineOf({ name, layout }: Way, paths: readonly string[]): string {
  const directory = join(benchDirectory(), 'layout')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const byDay = new Map<number, string[]>()
  for (const path of paths) {
    const day = Math.floor(inspectPart(NODE_FILESYSTEM, path).part.minMicros / 86_400_000_000)
    byDay.set(day, [...(byDay.get(day) ?? []), path])
  }
  const total = { bytes: 0, texts: 0, codes: 0, others: 0, indexes: 0 }
  let mergeSeconds = 0
  let readSeconds = 0
  for (const [day, inputs] of byDay) {
    const id = `day${day}`
    const cache = createChunkCache(MERGE_CACHE_BYTES)
    const open = inputs.map(path => openPart(NODE_FILESYSTEM, path, cache))
    const merging = mergeParts(NODE_FILESYSTEM, directory, {
      id,
      inputs: open,
      lineage: NO_LINEAGE,
      layout,
      fsync: false,
    })
    mergeSeconds += processorSeconds(() => void [...merging])
    for (const part of open) part.close()
    const path = `${directory}/${id}.part`
    const inspected = inspectPart(NODE_FILESYSTEM, path)
    total.bytes += inspected.part.sizeBytes
    total.indexes += inspected.filterBytes + inspected.indexBytes + inspected.frameBytes
    for (const { encodings, totalBytes, filterBytes } of inspected.columns) {
      const kind =
        'dictionary' in encodings ? 'codes' : 'woven' in encodings || 'text' in encodings ? 'texts' : 'others'
      total[kind] += totalBytes - filterBytes
    }
    readSeconds += processorSeconds(() => {
      const part = openPart(NODE_FILESYSTEM, path, createChunkCache(MERGE_CACHE_BYTES))
      for (let at = 0; at < part.blockCount; at++)
        for (const { name } of part.fields) if (name !== '_raw') part.block(at).column(name)
      part.close()
    })
  }
  rmSync(directory, { recursive: true, force: true })
  const { bytes, texts, codes, others, indexes } = total
  const megabytes = [bytes, texts, codes, others, indexes].map(each => (each / 1e6).toFixed(2).padStart(9))
  return `  ${name.padEnd(20)}${megabytes.join('')}${mergeSeconds.toFixed(1).padStart(9)}${readSeconds.toFixed(1).padStart(9)}`
}

function processorSeconds(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
