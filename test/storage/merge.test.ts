import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TIME_LAYOUT } from '../../storage/compaction/layout.ts'
import { mergeParts } from '../../storage/compaction/merge.ts'
import { CorruptPartError } from '../../storage/errors.ts'
import type { PartReader } from '../../storage/index.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { type BlockColumns, NO_LINEAGE, type PartLineage } from '../../storage/part/columns.ts'
import { describePart, openPart } from '../../storage/part/read.ts'
import { textVectorOf } from '../../storage/part/shape.ts'
import { writePart } from '../../storage/part/write.ts'
import type { Value } from '../../storage/value.ts'
import { anyVector, columnArbitrary, memoryFilesystem, timeVector, valuesOf } from './part-support.ts'
import { range } from './store-support.ts'

const LINEAGE: PartLineage = { firstSequence: 3, lastSequence: 90, level: 1, replaces: ['a', 'b'] }

type Files = ReturnType<typeof memoryFilesystem>

function write(files: Files, id: string, blocks: readonly BlockColumns[]): PartReader {
  writePart(files, '/data', { id, index: 'web', blocks, fsync: true })
  return openPart(files, `/data/${id}.part`, createChunkCache(1 << 20))
}

function merge(files: Files, inputs: readonly PartReader[], { layout = TIME_LAYOUT, id = 'merged' } = {}): PartReader {
  const steps = mergeParts(files, '/data', { id, inputs, layout, lineage: LINEAGE, fsync: true })
  for (let step = steps.next(); !step.done; step = steps.next());
  return openPart(files, `/data/${id}.part`, createChunkCache(1 << 20))
}

interface Row {
  readonly [field: string]: Value
}

/** Rows by their number, so that order is no matter. */
function rowsOf(parts: readonly PartReader[]): Map<Value, Row> {
  const rows = new Map<Value, Row>()
  for (const part of parts) {
    for (let number = 0; number < part.blockCount; number++) {
      const block = part.block(number)
      const columns = part.fields.map(({ name }) => [name, valuesOf(block.column(name), block.rowCount)] as const)
      for (let row = 0; row < block.rowCount; row++) {
        const values = columns.flatMap(([name, column]) => (column[row] === undefined ? [] : [[name, column[row]]]))
        const { n, ...others } = Object.fromEntries(values) as Record<string, Value>
        assert.ok(!rows.has(n), `row ${n} twice`)
        rows.set(n, others)
      }
    }
  }
  return rows
}

/** Blocks of parts: of each block its times, and columns that may be longer or shorter than it. */
const partsArbitrary = fc.array(
  fc.array(
    fc.record({
      times: fc.array(fc.tuple(fc.nat(20), fc.constantFrom(0, 0, 0, 1, 999)), { minLength: 1, maxLength: 40 }),
      f: columnArbitrary,
      g: fc.option(columnArbitrary),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  { minLength: 1, maxLength: 4 },
)

test('a merged part holds every row of its inputs once, whatever types and shapes they have, in order of time', () => {
  fc.assert(
    fc.property(partsArbitrary, fc.constantFrom(1, 7, 1000), (parts, blockRows) => {
      const files = memoryFilesystem()
      let next = 0
      const inputs = parts.map((blocks, number) =>
        write(
          files,
          `p${number}`,
          blocks.map(({ times, f, g }) => {
            const rowCount = times.length
            const fit = (values: readonly Value[]) => anyVector(range(0, rowCount).map(row => values[row]))
            const columns = {
              _time: timeVector(
                times.map(([micros]) => micros),
                times.map(([, nanos]) => nanos),
              ),
              n: anyVector(range(0, rowCount).map(() => next++)),
              f: fit(f),
              ...(g !== null && { g: fit(g) }),
            }
            return { rowCount, columns: new Map(Object.entries(columns)) }
          }),
        ),
      )
      const layout = { ...TIME_LAYOUT, blockRows }
      const merged = merge(files, inputs, { layout })
      const expected = rowsOf(inputs)
      assert.equal(merged.rowCount, next)
      assert.deepStrictEqual(rowsOf([merged]), expected)
      for (let number = 0; number < merged.blockCount; number++) assert.ok(merged.block(number).timeSorted)
      // What is merged can be merged again.
      const again = merge(files, [merged], { layout: { ...layout, order: reversed }, id: 'again' })
      assert.deepStrictEqual(rowsOf([again]), expected)
    }),
    { numRuns: 50 },
  )
})

const reversed = ({ rowCount }: BlockColumns) => Uint32Array.from(range(0, rowCount).reverse())

function numbered(from: number, to: number, timeOf: (n: number) => number): BlockColumns {
  const numbers = range(from, to)
  const columns = { _time: timeVector(numbers.map(timeOf)), n: anyVector(numbers) }
  return { rowCount: numbers.length, columns: new Map(Object.entries(columns)) }
}

test('many more blocks of one time than may be open at once are merged all the same', () => {
  const files = memoryFilesystem()
  const blocks = range(0, 300).map(block => numbered(block * 10, block * 10 + 10, n => (n * 7919) % 1000))
  const merged = merge(files, [write(files, 'p', blocks)])
  assert.deepEqual(
    [...rowsOf([merged]).keys()].map(Number).sort((a, b) => a - b),
    range(0, 3000),
  )
})

test('numbers that were codes in every input are codes in the merged part', () => {
  const files = memoryFilesystem()
  const statuses = [200, 404, 503]
  const inputs = [0, 1].map(part => {
    const rows = range(0, 2000)
    const columns = {
      _time: timeVector(rows.map(row => part * 5000 + row)),
      n: anyVector(rows.map(row => part * 5000 + row)),
      status: anyVector(rows.map(row => statuses[(row + part) % 3]!)),
    }
    return write(files, `p${part}`, [{ rowCount: rows.length, columns: new Map(Object.entries(columns)) }])
  })
  const merged = merge(files, inputs)
  for (const part of [...inputs, merged]) assert.equal(part.block(0).column('status')?.kind, 'dict')
  assert.deepStrictEqual(rowsOf([merged]), rowsOf(inputs))
})

test('a block whose texts the dictionary of the part knows is codes, however many of them are distinct', () => {
  const files = memoryFilesystem()
  const blockOf = (from: number, texts: readonly string[]): BlockColumns => {
    const columns = { _time: timeVector(texts.map((_, row) => from + row)), user: textVectorOf(texts) }
    return { rowCount: texts.length, columns: new Map(Object.entries(columns)) }
  }
  const few = range(0, 4000).map(row => `user-${(row >> 1) % 1500}`)
  const allDistinct = range(0, 1500).map(row => `user-${row}`)
  const unknown = range(0, 1500).map(row => `other-${row}`)
  const part = write(files, 'p', [blockOf(0, few), blockOf(5000, allDistinct), blockOf(9000, unknown)])
  const kinds = range(0, 3).map(number => part.block(number).column('user')?.kind)
  assert.deepEqual(kinds, ['dict', 'dict', 'text'])
  assert.deepEqual(valuesOf(part.block(1).column('user'), 1500), allDistinct)
})

test('a merged part says where it comes from', () => {
  const files = memoryFilesystem()
  merge(files, [write(files, 'a', [numbered(0, 5, n => n)]), write(files, 'b', [numbered(5, 9, n => n)])])
  const { firstSequence, lastSequence, level, replaces } = describePart(files, '/data/merged.part')
  assert.deepEqual({ firstSequence, lastSequence, level, replaces }, LINEAGE)
  const { replaces: none } = describePart(files, '/data/a.part')
  assert.deepEqual(none, NO_LINEAGE.replaces)
})

test('a merge given up, one of a damaged part and one that reads wrongly leave no file', () => {
  const files = memoryFilesystem()
  const input = write(files, 'a', [numbered(0, 500, n => n * n)])
  const request = { id: 'm', inputs: [input], layout: TIME_LAYOUT, lineage: LINEAGE, fsync: true }
  const steps = mergeParts(files, '/data', request)
  steps.next()
  assert.ok(files.exists('/data/tmp_m.part'))
  steps.return({} as never)
  assert.deepEqual([...files.files.keys()], ['/data/a.part'])

  const bytes = files.files.get('/data/a.part')!
  bytes[30]! ^= 255
  const drain = (on: Files) => () => {
    const all = mergeParts(on, '/data', { ...request, inputs: [openPart(on, '/data/a.part', createChunkCache(0))] })
    for (let step = all.next(); !step.done; step = all.next());
  }
  assert.throws(drain(files), CorruptPartError)
  bytes[30]! ^= 255
  const flipping: Files = {
    ...files,
    write: (fd, from, offset, length, position) => {
      const flipped = from.slice(offset, offset + length)
      flipped[flipped.length >> 1]! ^= 1
      return files.write(fd, flipped, 0, length, position)
    },
  }
  assert.throws(drain(flipping), CorruptPartError)
  assert.deepEqual([...files.files.keys()], ['/data/a.part'])
})

test('an order that is no permutation fails the merge', () => {
  const files = memoryFilesystem()
  const input = write(files, 'a', [numbered(0, 5, n => n)])
  const layout = { ...TIME_LAYOUT, order: ({ rowCount }: BlockColumns) => new Uint32Array(rowCount) }
  assert.throws(() => merge(files, [input], { layout }), /twice in the order/)
})
