import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import type { Filesystem } from '../../storage/filesystem.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { openPartFile } from '../../storage/part/open-file.ts'
import { openPart } from '../../storage/part/read.ts'
import { ReadAhead } from '../../storage/part/read-ahead.ts'
import { anyVector, blockOf, partOf, valuesOf } from './part-support.ts'

/** What was asked for of blocks 0 … count - 1 while these were read. */
function askedFor(count: number, blocks: readonly number[]): number[] {
  const asked: number[] = []
  const ahead = new ReadAhead((_, block) => block >= 0 && block < count && asked.push(block) > 0)
  for (const block of blocks) ahead.note('f', block, true)
  return asked
}

describe('reading ahead', () => {
  it('follows whoever reads on, forwards, backwards and in steps', () => {
    assert.deepEqual(askedFor(100, [4]), [], 'one block is no scan')
    assert.deepEqual(askedFor(100, [4, 5]), [6, 7])
    assert.deepEqual(askedFor(100, [4, 5, 6]), [6, 7, 8, 9, 10])
    assert.deepEqual(askedFor(100, [9, 7, 5]), [5, 3, 1])
    assert.deepEqual(askedFor(100, [4, 50]), [], 'so far apart is no step')
    assert.deepEqual(askedFor(100, [4, 5, 5]), [6, 7])
    assert.deepEqual(askedFor(7, [4, 5, 6]), [6], 'there is an end')
  })

  it('goes by the first block where a scan has said how it reads', () => {
    const asked: number[] = []
    const ahead = new ReadAhead((_, block) => block >= 0 && asked.push(block) > 0)
    ahead.expect(2)
    ahead.note('f', 3, true)
    assert.deepEqual(asked.splice(0), [5, 7])
    ahead.note('g', 3, false)
    assert.deepEqual(asked, [], 'it is there')
    ahead.note('f', 5, true)
    assert.deepEqual(asked.splice(0), [9, 11, 13])
    ahead.expect(-1)
    ahead.note('f', 13, true)
    assert.deepEqual(asked.splice(0), [12, 11], 'another scan')
    ahead.expect(0)
    ahead.note('f', 13, true)
    ahead.expect(9)
    ahead.note('f', 13, true)
    assert.deepEqual(asked, [], 'nobody knows, and so far apart is no step')
  })

  it('asks for nothing until reading waited for the disk, and goes on once it did', () => {
    const asked: number[] = []
    const ahead = new ReadAhead((_, block) => asked.push(block) > 0)
    for (const [block, isSlow] of [
      [1, false],
      [2, false],
      [3, true],
      [4, false],
    ] as const) {
      ahead.note('f', block, isSlow)
      assert.equal(asked.length > 0, block > 2)
    }
    assert.deepEqual(asked, [4, 5, 6, 7, 8])
  })

  it('asks for each block of a scan once, before it is read, and for none it does not come to but the last few', () => {
    const scan = fc.record({
      count: fc.integer({ min: 1, max: 60 }),
      step: fc.integer({ min: -8, max: 8 }).filter(step => step !== 0),
      length: fc.integer({ min: 2, max: 60 }),
    })
    fc.assert(
      fc.property(scan, ({ count, step, length }) => {
        const from = step > 0 ? 0 : count - 1
        const all = Array.from({ length }, (_, n) => from + n * step).filter(block => block >= 0 && block < count)
        const asked = askedFor(count, all)
        assert.equal(new Set(asked).size, asked.length)
        const beyond = asked.filter(block => !all.includes(block))
        assert.ok(beyond.length <= 8)
        for (const [n, block] of all.entries())
          if (n > 1) assert.ok(askedFor(count, all.slice(0, n)).includes(block), `block ${block} was asked for`)
      }),
    )
  })
})

describe('a part that is read', () => {
  const rowCount = 40
  const block = (at: number) =>
    blockOf(rowCount, { f: anyVector(Array.from({ length: rowCount }, (_, row) => `${at}:${row * row}`)) })
  const blocks = Array.from({ length: 6 }, (_, at) => block(at))
  /** As one that waits for the disk. */
  const slow = <Files extends Filesystem>(files: Files): Files => ({
    ...files,
    read: (...place: Parameters<Filesystem['read']>) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
      return files.read(...place)
    },
  })
  const aheadIn = (log: readonly string[]): number[] =>
    log.filter(line => line.startsWith('ahead')).map(line => Number(line.split(' ')[2]))

  it('has the system fetch the same column of the blocks that follow, unless they are in the cache', () => {
    const { filesystem, path } = partOf(...blocks)
    const part = openPart(slow(filesystem), path, createChunkCache(1 << 24))
    for (const at of [4, 0, 1]) part.block(at).column('f')
    const first = aheadIn(filesystem.log)
    assert.equal(first.length, 2, 'of blocks 2 and 3')
    part.block(2).column('f')
    part.block(3).column('f')
    assert.equal(aheadIn(filesystem.log).length, 3, 'block 4 is there already, of 5 it was asked for once')
    assert.deepEqual(
      first,
      [...first].sort((a, b) => a - b),
    )
    part.close()
  })

  it('is not damaged by what nobody asked for yet', () => {
    const { filesystem, path, bytes } = partOf(...blocks)
    const { index } = openPartFile(filesystem, path).footer.blocks[2]!
    const damaged = bytes.slice()
    damaged[index.offset + index.length - 1]! ^= 1
    filesystem.files.set(path, damaged)
    const part = openPart(slow(filesystem), path, createChunkCache(1 << 24))
    for (const at of [0, 1]) assert.deepEqual(valuesOf(part.block(at).column('f'), 1), [`${at}:0`])
    assert.deepEqual(aheadIn(filesystem.log), [])
    assert.throws(() => part.block(2).column('f'), /the index of block 2: the checksum/)
    part.close()
  })

  it('keeps its file open until the system has done with it', () => {
    const { filesystem, path } = partOf(...blocks)
    const pending: (() => void)[] = []
    const holding = {
      ...slow(filesystem),
      readAhead: (_fd: number, _position: number, _length: number, done: () => void) => void pending.push(done),
    }
    const part = openPart(holding, path, createChunkCache(1 << 24))
    for (const at of [0, 1]) part.block(at).column('f')
    const before = filesystem.log.length
    part.close()
    assert.equal(pending.length, 2)
    assert.deepEqual(filesystem.log.slice(before), [])
    for (const done of pending) done()
    assert.deepEqual(filesystem.log.slice(before), [`close ${path}`])
  })
})
