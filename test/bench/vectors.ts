/** Blocks of columns in memory, as a decoded part would hand them out: what kernels and encodings are timed over. */
import type { BlockReader, PartReader } from '../../storage/index.ts'
import { bytesOfValues } from '../../storage/part/chunk-cache.ts'
import { pickRows } from '../../storage/pick.ts'
import { DateTime } from '../../storage/value.ts'
import type { Dictionary, TextVector, Vector } from '../../storage/vector.ts'
import { createRandom, createZipf } from './random.ts'

export const BLOCK_ROWS = 65_536
export const BLOCKS = 8
const START_MICROS = Date.UTC(2026, 4, 31) * 1000

export type Columns = ReadonlyMap<string, Vector>

/** One block of each kind of column. The dictionaries are the same objects in every block, as they are in a part. */
export function createBlocks(): readonly Columns[] {
  const random = createRandom(1)
  const levels: Dictionary = { values: ['info', 'debug', 'warn', 'error', 'fatal'] }
  const hosts: Dictionary = { values: Array.from({ length: 200 }, (_, index) => `node-${index}`) }
  const paths: Dictionary = { values: Array.from({ length: 1000 }, (_, index) => `/v1/items/${index}`) }
  const level = createZipf(random, 5, 1.2)
  const host = createZipf(random, 200, 0.6)
  const path = createZipf(random, 1000, 1.05)
  const words = ['connection', 'reset', 'by', 'peer', 'timeout', 'after', 'queue', 'worker', 'accepted', 'request']
  return Array.from({ length: BLOCKS }, (_, block): Columns => {
    const rows = Array.from({ length: BLOCK_ROWS }, (_, row) => row)
    const texts = rows.map(() => Array.from({ length: 10 }, () => words[random.below(10)]!).join(' '))
    return new Map<string, Vector>([
      [
        '_time',
        time(Float64Array.from(rows, row => START_MICROS + (block * BLOCK_ROWS + row) * 20_000 + random.below(9))),
      ],
      ['status', number(Int32Array.from(rows, () => (random.below(20) === 0 ? 500 : 200) + random.below(5)))],
      ['bytes', number(Int32Array.from(rows, () => Math.floor(Math.exp(7 + 1.5 * random.normal()))))],
      [
        'duration_ms',
        number(Float64Array.from(rows, () => Math.round(Math.exp(3 + 1.3 * random.normal()) * 1e3) / 1e3)),
      ],
      ['ratio', number(Float64Array.from(rows, () => random.unit()))],
      ['level', dict(Uint8Array.from(rows, level), levels)],
      ['host', dict(Uint8Array.from(rows, host), hosts)],
      ['path', dict(Uint16Array.from(rows, path), paths)],
      ['message', text(texts)],
    ])
  })
}

/** A part that has everything decoded and knows nothing of its columns: no block is skipped, the kernels do all the work. */
export function partOf(blocks: readonly Columns[]): PartReader {
  const minTime = new DateTime(START_MICROS)
  const maxTime = new DateTime(START_MICROS + 86_400_000_000)
  const readers = blocks.map(
    (columns): BlockReader => ({
      rowCount: BLOCK_ROWS,
      minTime,
      maxTime,
      timeSorted: false,
      verdict: () => 'some',
      verdictTime: () => 'all',
      column: field => columns.get(field) ?? null,
      rows: (field, rows) => (columns.has(field) ? pickRows(columns.get(field)!, rows) : null),
      madeOf: () => null,
      statistics: () => null,
      columnBytes: () => 0,
    }),
  )
  return {
    path: null,
    id: 'bench',
    index: 'main',
    rowCount: BLOCK_ROWS * blocks.length,
    blockCount: blocks.length,
    firstSequence: 0,
    lastSequence: 0,
    minTime,
    maxTime,
    sizeBytes: 0,
    fields: [...blocks[0]!.keys()].map(name => ({ name, type: 'any', presentCount: BLOCK_ROWS * blocks.length })),
    block: index => readers[index]!,
  }
}

/** What the column takes in memory. */
export function bytesOf(vector: Vector): number {
  switch (vector.kind) {
    case 'dict':
      return vector.codes.byteLength
    case 'number':
      return vector.values.byteLength
    case 'time':
      return vector.micros.byteLength
    case 'text':
      return vector.bytes.byteLength + vector.offsets.byteLength
    case 'bool':
    case 'duration':
      return vector.values.byteLength
    case 'any':
      return bytesOfValues(vector.values)
    case 'const':
      return 0
  }
}

function number(values: Float64Array | Int32Array): Vector {
  return { kind: 'number', rowCount: values.length, values, presence: null }
}

function time(micros: Float64Array): Vector {
  return { kind: 'time', rowCount: micros.length, micros, nanos: null, presence: null }
}

function dict(codes: Uint8Array | Uint16Array, dictionary: Dictionary): Vector {
  return { kind: 'dict', rowCount: codes.length, codes, dictionary }
}

export function text(values: readonly string[]): TextVector {
  const bytes = Buffer.from(values.join(''), 'utf8')
  const offsets = new Uint32Array(values.length + 1)
  for (const [row, value] of values.entries()) offsets[row + 1] = offsets[row]! + Buffer.byteLength(value)
  return { kind: 'text', rowCount: values.length, bytes: new Uint8Array(bytes), offsets, presence: null }
}
