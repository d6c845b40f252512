import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { NO_LINEAGE } from '../../storage/part/columns.ts'
import { describePart, openPart } from '../../storage/part/read.ts'
import { writePart } from '../../storage/part/write.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import {
  anyVector,
  blockOf,
  blockWith,
  columnArbitrary,
  dictVector,
  memoryFilesystem,
  partOf,
  textVector,
  timeVector,
  valuesOf,
} from './part-support.ts'

function roundTrip(values: readonly Value[], vector: Vector = anyVector(values)): Vector | null {
  return blockWith(values, vector).column('f')
}

test('a column of any values comes back as it was', () => {
  fc.assert(
    fc.property(columnArbitrary, values => {
      assert.deepEqual(valuesOf(roundTrip(values), values.length), values)
    }),
    { numRuns: 400 },
  )
})

test('a dictionary column comes back as it was, missing and null included', () => {
  fc.assert(
    fc.property(columnArbitrary, values => {
      assert.deepEqual(valuesOf(roundTrip(values, dictVector(values)), values.length), values)
    }),
    { numRuns: 300 },
  )
})

test('text comes back byte for byte even when it is not UTF-8', () => {
  const bytes = Uint8Array.from([0x61, 0xff, 0xfe, 0x61, 0xff, 0xfe, 0x62])
  const vector: Vector = { kind: 'text', rowCount: 3, bytes, offsets: Uint32Array.of(0, 3, 6, 7), presence: null }
  const column = roundTrip(['', '', ''], vector)
  assert.ok(column?.kind === 'text')
  assert.equal(column.bytes.constructor, Uint8Array)
  assert.deepEqual([...column.bytes], [...bytes])
  assert.deepEqual([...column.offsets], [0, 3, 6, 7])
})

test('columns are written as the narrowest kind that holds them', () => {
  const many = Array.from({ length: 100 }, (_, row) => row)
  const kinds = {
    constant: roundTrip(many.map(() => 'same')),
    numbers: roundTrip(many.map(row => row % 3)),
    numberCodes: roundTrip(many, dictVector(many.map(row => row % 3))),
    words: roundTrip(many.map(row => `word ${row % 3}`)),
    ids: roundTrip(many.map(row => `id ${row}`)),
    mixed: roundTrip(many.map(row => (row % 2 ? 'odd' : row % 4))),
    flags: roundTrip(many.map(row => row % 2 === 0)),
    times: roundTrip(many.map(row => new DateTime(row))),
    durations: roundTrip(many.map(row => new Duration(row))),
    arrays: roundTrip(many.map(row => [row])),
    missing: roundTrip(many.map(() => undefined)),
    text: roundTrip(many.map(String), textVector(many.map(row => `t${row % 5}`))),
  }
  assert.deepEqual(Object.fromEntries(Object.entries(kinds).map(([name, vector]) => [name, vector?.kind ?? null])), {
    constant: 'const',
    numbers: 'number',
    numberCodes: 'number',
    words: 'dict',
    ids: 'text',
    mixed: 'dict',
    flags: 'bool',
    times: 'time',
    durations: 'duration',
    arrays: 'any',
    missing: null,
    text: 'dict',
  })
  assert.ok(kinds.numbers?.kind === 'number' && kinds.numbers.values instanceof Int32Array)
})

test('blocks of a part share one dictionary object, whichever dictionaries they came with', () => {
  const hosts = Array.from({ length: 40 }, (_, row) => `host-${row % 4}`)
  const more = Array.from({ length: 40 }, (_, row) => `host-${row % 6}`)
  const { part } = partOf(
    blockOf(40, { host: dictVector(hosts) }),
    blockOf(40, { host: anyVector(more) }),
    blockOf(40, { host: textVector(hosts) }),
  )
  const vectors = [0, 1, 2].map(number => part.block(number).column('host'))
  const dictionaries = new Set(vectors.map(vector => (vector?.kind === 'dict' ? vector.dictionary : null)))
  assert.equal(dictionaries.size, 1)
  assert.deepEqual([...dictionaries][0]?.values, ['host-0', 'host-1', 'host-2', 'host-3', 'host-4', 'host-5'])
  assert.deepEqual(valuesOf(vectors[1]!, 40), more)
})

test('a block of many values is codes when the part knows most of them, whether its blocks share a dictionary or not', () => {
  const rowCount = 100
  const codesOf = [
    (row: number) => row % 60,
    // Nearly every row says something else: known, and new.
    (row: number) => (row < 80 ? row % 80 : 100 + row),
    (row: number) => 200 + row,
  ]
  const values = Array.from({ length: 300 }, (_, code) => `value ${code}`)
  const dictionary = { values, isDistinct: true } as const
  for (const isShared of [true, false]) {
    const blocks = codesOf.map(codeOf => {
      const codes = Uint32Array.from({ length: rowCount }, (_, row) => codeOf(row))
      const own: Vector = { kind: 'dict', rowCount, codes, dictionary }
      return blockOf(rowCount, { f: isShared ? own : dictVector(valuesOf(own, rowCount)) })
    })
    const { part } = partOf(...blocks)
    const columns = codesOf.map((_, number) => part.block(number).column('f')!)
    assert.deepEqual(
      columns.map(({ kind }) => kind),
      ['dict', 'dict', 'text'],
    )
    for (const [number, codeOf] of codesOf.entries())
      assert.deepEqual(
        valuesOf(columns[number]!, rowCount),
        Array.from({ length: rowCount }, (_, row) => values[codeOf(row)]),
      )
  }
})

test('_raw stays text however often it repeats', () => {
  const lines = Array.from({ length: 64 }, (_, row) => `line ${row % 2}`)
  const { part, description } = partOf(blockOf(64, { _raw: textVector(lines) }))
  assert.equal(part.block(0).column('_raw')?.kind, 'text')
  assert.equal(description.rawBytes, 64 * 6)
})

test('a part tells of itself what was written', () => {
  const first = blockOf(2, { a: anyVector([1, 2.5]), 'b.c': anyVector(['x', null]) })
  const second = blockOf(3, {
    _time: timeVector([5, 4, 9], [0, 0, 7]),
    a: anyVector([1, undefined, null]),
    d: anyVector([1, 'x', true]),
  })
  const { part, description, filesystem, path, bytes } = partOf(first, second)
  assert.deepEqual(description, {
    id: 'p1',
    index: 'web',
    rowCount: 5,
    blockCount: 2,
    minMicros: 4,
    maxMicros: 1_700_000_001_000_000,
    sizeBytes: bytes.length,
    rawBytes: 0,
    ...NO_LINEAGE,
  })
  assert.deepEqual(describePart(filesystem, path), description)
  assert.deepEqual(part.fields, [
    { name: '_time', type: 'datetime', presentCount: 5 },
    { name: 'a', type: 'number', presentCount: 3 },
    { name: 'b.c', type: 'string', presentCount: 1 },
    { name: 'd', type: 'any', presentCount: 3 },
  ])
  const block = part.block(1)
  assert.deepEqual([block.rowCount, block.timeSorted, part.block(0).timeSorted], [3, false, true])
  assert.deepEqual([block.minTime, block.maxTime], [new DateTime(4), new DateTime(9, 7)])
  assert.equal(block.column('b.c'), null)
  assert.equal(block.statistics('b.c'), null)
  assert.equal(block.columnBytes('b.c'), 0)
  assert.ok(block.columnBytes('d') > 0)
})

test('statistics count what is there, and bound numbers and times only where all are of that class', () => {
  const block = partOf(
    blockOf(4, {
      n: anyVector([3, null, undefined, -1.5]),
      t: anyVector([new DateTime(7), new DateTime(3), null, null]),
      nanos: anyVector([new DateTime(7, 1), new DateTime(3), null, null]),
      big: anyVector([1, 2n ** 60n, 3, 4]),
      s: anyVector(['a', 'b', null, undefined]),
    }),
  ).part.block(0)
  const of = (field: string): unknown => {
    const { presentCount, nullCount, min, max, bounds } = block.statistics(field)!
    return { presentCount, nullCount, min, max, bounds }
  }
  assert.deepEqual(of('n'), { presentCount: 2, nullCount: 1, min: -1.5, max: 3, bounds: 'number' })
  assert.deepEqual(of('t'), { presentCount: 2, nullCount: 2, min: 3, max: 7, bounds: 'time' })
  assert.deepEqual(of('nanos'), { presentCount: 2, nullCount: 2, min: null, max: null, bounds: null })
  assert.deepEqual(of('big'), { presentCount: 4, nullCount: 0, min: null, max: null, bounds: null })
  assert.deepEqual(of('s'), { presentCount: 2, nullCount: 1, min: null, max: null, bounds: null })
})

test('values of a column of few are kept with how often each occurs', () => {
  const levels = Array.from({ length: 100 }, (_, row) => (row === 7 ? null : row % 10 === 0 ? 'error' : 'info'))
  const users = Array.from({ length: 100 }, (_, row) => `user ${row >> 1}`)
  const block = partOf(
    blockOf(100, { level: anyVector(levels), app: anyVector(new Array(100).fill('web')), user: anyVector(users) }),
  ).part.block(0)
  const level = block.statistics('level')!
  const counts = new Map(level.values!.map((value, index) => [value, level.counts![index]]))
  assert.deepEqual([...counts].sort(), [
    ['error', 10],
    ['info', 89],
  ])
  const app = block.statistics('app')!
  assert.deepEqual([app.values, app.counts, app.distinctMax], [['web'], [100], 1])
  const user = block.statistics('user')!
  assert.deepEqual([user.values, user.counts, user.distinctMax], [null, null, 50])
})

test('a part of a thousand rare fields costs by its values', () => {
  const columns: Record<string, Vector> = {}
  for (let field = 0; field < 1000; field++) {
    const values: Value[] = new Array(4096).fill(undefined)
    values[field] = `value ${field}`
    columns[`field_${field}`] = anyVector(values)
  }
  const { part, bytes } = partOf(blockOf(4096, columns))
  assert.equal(valuesOf(part.block(0).column('field_7'), 4096)[7], 'value 7')
  assert.equal(part.block(0).verdict({ kind: 'tokens', field: 'field_7', tokens: ['8'] }), 'none')
  assert.ok(bytes.length < 1000 * 130, `${bytes.length} bytes`)
})

test('a part is synced, then named, then its directory is synced', () => {
  const filesystem = memoryFilesystem()
  writePart(filesystem, '/data', { id: 'p9', index: 'web', blocks: [blockOf(1, {})], fsync: true })
  assert.deepEqual(filesystem.log, [
    'create /data/tmp_p9.part',
    'fsync /data/tmp_p9.part',
    'close /data/tmp_p9.part',
    'rename /data/tmp_p9.part /data/p9.part',
    'fsync /data/',
  ])
})

test('a write that fails leaves no file behind and throws what the disk said', () => {
  const filesystem = memoryFilesystem()
  const full = { ...filesystem, write: () => assert.fail('ENOSPC') }
  assert.throws(
    () => writePart(full, '/data', { id: 'p', index: 'web', blocks: [blockOf(1, {})], fsync: true }),
    /ENOSPC/,
  )
  assert.deepEqual([...filesystem.files.keys()], [])
})

test('a block without event time is refused', () => {
  const block = { rowCount: 1, columns: new Map([['a', anyVector([1])]]) }
  assert.throws(() => partOf(block), /_time is not there/)
})

test('a part without rows is a part', () => {
  const { part } = partOf()
  assert.deepEqual([part.rowCount, part.blockCount, part.fields], [0, 0, []])
})

test('columns are decoded once while the cache has room, and closing forgets them', () => {
  const { filesystem, path } = partOf(blockOf(3, { a: anyVector(['x', 'y', 'y']) }))
  const cache = createChunkCache(1 << 20)
  const part = openPart(filesystem, path, cache)
  const column = part.block(0).column('a')
  assert.equal(part.block(0).column('a'), column)
  assert.ok(cache.bytes > 0)
  part.close()
  assert.equal(cache.bytes, 0)
  assert.throws(() => part.block(0).column('_time'), /closed/)
})

test('the cache drops what was used least recently and stays within its bytes', () => {
  const cache = createChunkCache(100)
  const [a, b, c] = [{}, {}, {}]
  cache.set('p', 0, 'a', a, 40)
  cache.set('p', 0, 'b', b, 40)
  assert.equal(cache.get('p', 0, 'a'), a)
  cache.set('q', 0, 'c', c, 40)
  assert.deepEqual([cache.get('p', 0, 'a'), cache.get('p', 0, 'b'), cache.get('q', 0, 'c')], [a, undefined, c])
  cache.set('p', 0, 'huge', {}, 101)
  assert.equal(cache.get('p', 0, 'huge'), undefined)
  assert.equal(cache.bytes, 80)
  cache.drop('p')
  assert.equal(cache.bytes, 40)
})
