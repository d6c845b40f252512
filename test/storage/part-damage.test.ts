/** Damage: every byte flipped, every length cut. A part answers as before or throws CorruptPartError; there is no third way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CorruptPartError } from '../../storage/errors.ts'
import { readBlockIndex } from '../../storage/part/block-index.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { KIND_INDEX } from '../../storage/part/format.ts'
import { openPartFile } from '../../storage/part/open-file.ts'
import { describePart, openPart } from '../../storage/part/read.ts'
import type { ScanPredicate } from '../../storage/predicate.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { anyVector, blockOf, type MemoryFilesystem, partOf, textVector, valuesOf } from './part-support.ts'

const ROWS = Array.from({ length: 24 }, (_, row) => row)

/** Every encoding is in it, and every kind of chunk. */
function samplePart() {
  const rare: Value[] = new Array(24 * 4).fill(undefined)
  rare[70] = 'here'
  const wide = Array.from({ length: 24 * 4 }, (_, row) => row)
  return partOf(
    blockOf(24, {
      _raw: textVector(ROWS.map(row => `line ${row} of the log`)),
      host: anyVector(ROWS.map(row => `host-${row % 3}`)),
      mixed: anyVector(ROWS.map(row => [1, 'a', null, 2n ** 60n][row % 4]!)),
      n: anyVector(ROWS.map(row => row * 1000)),
      price: anyVector(ROWS.map(row => row / 4)),
      ratio: anyVector(ROWS.map(row => Math.sqrt(row + 1))),
      ok: anyVector(ROWS.map(row => row % 2 === 0)),
      took: anyVector(ROWS.map(row => new Duration(row))),
      when: anyVector(ROWS.map(row => new DateTime(row, row))),
      tags: anyVector(ROWS.map(row => [`t${row}`])),
      same: anyVector(ROWS.map(() => 'same')),
    }),
    blockOf(96, { rare: anyVector(rare), n: anyVector(wide), host: anyVector(wide.map(row => `host-${row % 5}`)) }),
  )
}

const PREDICATES: readonly ScanPredicate[] = [
  { kind: 'tokens', field: '_raw', tokens: ['7'] },
  { kind: 'tokens', field: '_raw', tokens: ['absent'] },
  { kind: 'compare', field: 'host', operator: '==', value: 'host-4' },
  { kind: 'compare', field: 'n', operator: '>', value: 50_000 },
  { kind: 'tokens', field: 'rare', tokens: ['here'] },
]

function answersOf(filesystem: MemoryFilesystem, path: string): unknown {
  const part = openPart(filesystem, path, createChunkCache(1 << 20))
  try {
    const blocks = Array.from({ length: part.blockCount }, (_, number) => {
      const block = part.block(number)
      return {
        columns: part.fields.map(({ name }) => valuesOf(block.column(name), block.rowCount)),
        statistics: part.fields.map(({ name }) => block.statistics(name)),
        verdicts: PREDICATES.map(predicate => block.verdict(predicate)),
        bounds: [block.rowCount, block.minTime, block.maxTime, block.timeSorted],
      }
    })
    const { id, index, rowCount, minTime, maxTime, fields } = part
    return { id, index, rowCount, minTime, maxTime, fields, blocks, description: describePart(filesystem, path) }
  } finally {
    part.close()
  }
}

test('whichever byte of a part is flipped, it answers as before or says that it is damaged', () => {
  const { filesystem, path, bytes } = samplePart()
  const expected = answersOf(filesystem, path)
  let noticed = 0
  for (let at = 0; at < bytes.length; at++) {
    const damaged = bytes.slice()
    damaged[at]! ^= 1 << (at % 8)
    filesystem.files.set(path, damaged)
    try {
      assert.deepEqual(answersOf(filesystem, path), expected, `byte ${at}`)
    } catch (error) {
      if (!(error instanceof CorruptPartError)) throw new Error(`byte ${at}`, { cause: error })
      assert.equal(error.part, 'p1')
      assert.ok(error.offset >= 0 && error.offset <= bytes.length)
      noticed++
    }
  }
  assert.equal(noticed, bytes.length)
})

test('at whichever length a part is cut, it says that it is damaged', () => {
  const { filesystem, path, bytes } = samplePart()
  for (let length = 0; length < bytes.length; length++) {
    filesystem.files.set(path, bytes.slice(0, length))
    assert.throws(() => openPart(filesystem, path, createChunkCache(1 << 20)), CorruptPartError, `cut at ${length}`)
    assert.throws(() => describePart(filesystem, path), CorruptPartError)
  }
})

test('bytes after the end of a part are damage too', () => {
  const { filesystem, path, bytes } = samplePart()
  filesystem.files.set(path, Uint8Array.of(...bytes, 0))
  assert.throws(() => openPart(filesystem, path, createChunkCache(1 << 20)), CorruptPartError)
})

test('damage in one column leaves the others readable, and is named', () => {
  const { filesystem, path, bytes } = samplePart()
  const file = openPartFile(filesystem, path)
  const entries = file.decode(file.footer.blocks[0]!.index, KIND_INDEX, 'index', readBlockIndex)
  const raw = file.footer.fields.findIndex(({ name }) => name === '_raw')
  const at = entries.find(({ field }) => field === raw)!.chunk.offset + 20
  file.close()
  const damaged = bytes.slice()
  damaged[at]! ^= 1
  filesystem.files.set(path, damaged)
  const reopened = openPart(filesystem, path, createChunkCache(1 << 20))
  assert.throws(() => reopened.block(0).column('_raw'), /part p1 is damaged at byte \d+: _raw in block 0: the checksum/)
  assert.deepEqual(
    valuesOf(reopened.block(0).column('n'), 24),
    ROWS.map(row => row * 1000),
  )
})

test('descriptors are closed when a part cannot be opened', () => {
  const { filesystem, path, bytes } = samplePart()
  filesystem.files.set(path, bytes.slice(0, 50))
  filesystem.log.length = 0
  assert.throws(() => openPart(filesystem, path, createChunkCache(1 << 20)), CorruptPartError)
  assert.deepEqual(filesystem.log, [`close ${path}`])
})

test('a version of the format that is not known is said to be one', () => {
  const { filesystem, path, bytes } = samplePart()
  const newer = bytes.slice()
  newer[7] = 9
  filesystem.files.set(path, newer)
  assert.throws(() => describePart(filesystem, path), /format version 9 is not known/)
})
