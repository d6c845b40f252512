/** Parts written by earlier versions of the writer must read as they did on their day, for ever. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { ENCODING_NAMES } from '../../storage/part/encodings/index.ts'
import { CODEC_NAMES } from '../../storage/part/format.ts'
import { openPart } from '../../storage/part/read.ts'
import { inspectPart } from '../../storage/tools/inspect.ts'
import { encodingBenches } from '../bench/encodings.ts'
import { createBlocks } from '../bench/vectors.ts'
import { GOLDEN_DIRECTORY, goldenFile, textOfPart } from './golden-blocks.ts'
import { memoryFilesystem } from './part-support.ts'

const NAMES = readdirSync(GOLDEN_DIRECTORY)
  .filter(name => name.endsWith('.part'))
  .map(name => name.slice(0, -'.part'.length))

function filesystemWith(name: string): {
  readonly path: string
  readonly filesystem: ReturnType<typeof memoryFilesystem>
} {
  const filesystem = memoryFilesystem()
  const path = `/golden/${name}.part`
  filesystem.files.set(path, new Uint8Array(goldenFile(`${name}.part`)))
  return { path, filesystem }
}

for (const name of NAMES) {
  test(`the golden part ${name} reads as it did when it was written`, () => {
    const { filesystem, path } = filesystemWith(name)
    const part = openPart(filesystem, path, createChunkCache(1 << 24))
    assert.equal(textOfPart(part), goldenFile(`${name}.txt`).toString('utf8'))
    part.close()
  })
}

test('every encoding and codec of the format is in some golden part', () => {
  const [encodings, codecs] = [new Set<string>(), new Set<string>()]
  for (const name of NAMES) {
    const { filesystem, path } = filesystemWith(name)
    for (const column of inspectPart(filesystem, path).columns) {
      for (const encoding of Object.keys(column.encodings)) encodings.add(encoding)
      for (const codec of Object.keys(column.codecs)) codecs.add(codec)
    }
  }
  assert.deepEqual([...encodings].sort(), Object.values(ENCODING_NAMES).sort())
  assert.deepEqual([...codecs].sort(), Object.values(CODEC_NAMES).sort())
})

test('every encoding of the format has a micro-benchmark', () => {
  const names = encodingBenches(createBlocks()[0]!).map(({ name }) => name)
  assert.deepEqual(names.sort(), Object.values(ENCODING_NAMES).sort())
})
