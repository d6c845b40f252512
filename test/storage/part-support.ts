/** What the tests of part files share: a filesystem in memory, vectors of every kind, and arbitrary columns of awkward values. */
import * as fc from 'fast-check'
import type { Filesystem } from '../../storage/filesystem.ts'
import type { BlockReader } from '../../storage/index.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import type { BlockColumns } from '../../storage/part/columns.ts'
import { openPart } from '../../storage/part/read.ts'
import { writePart } from '../../storage/part/write.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { NULL, PRESENT, type TextVector, type Vector } from '../../storage/vector.ts'

export interface MemoryFilesystem extends Filesystem {
  readonly files: Map<string, Uint8Array>
  /** What was done, in order, reads left out. */
  readonly log: string[]
}

/** Some rows, out of order: what is asked of a block whose other rows nobody wants. */
export function someRows(rowCount: number): Uint32Array {
  return Uint32Array.from({ length: rowCount }, (_, row) => row)
    .filter(row => row % 3 !== 1)
    .reverse()
}

export function memoryFilesystem(): MemoryFilesystem {
  const files = new Map<string, Uint8Array>()
  const log: string[] = []
  const paths: string[] = []
  const contents = (path: string): Uint8Array => {
    const bytes = files.get(path)
    if (bytes === undefined) throw new Error(`ENOENT: ${path}`)
    return bytes
  }
  return {
    files,
    log,
    mkdir: () => undefined,
    readdir: path =>
      [...files.keys()].filter(name => name.startsWith(`${path}/`)).map(name => name.slice(path.length + 1)),
    exists: path => files.has(path),
    sizeOf: path => contents(path).length,
    open(path, flags) {
      if (flags === 'w') {
        files.set(path, new Uint8Array(0))
        log.push(`create ${path}`)
      } else contents(path)
      return paths.push(path) - 1
    },
    read(fd, into, offset, length, position) {
      const part = contents(paths[fd]!).subarray(position, position + length)
      into.set(part, offset)
      return part.length
    },
    readAhead(fd, position, length, done) {
      log.push(`ahead ${paths[fd]} ${position} ${length}`)
      done()
    },
    write(fd, from, offset, length, position) {
      const held = contents(paths[fd]!)
      // Short writes happen: the writer has to go on where one ended.
      const count = Math.min(length, 100_000)
      const grown = new Uint8Array(Math.max(held.length, position + count))
      grown.set(held)
      grown.set(from.subarray(offset, offset + count), position)
      files.set(paths[fd]!, grown)
      return count
    },
    fsync: fd => void log.push(`fsync ${paths[fd]}`),
    fsyncDirectory: path => void log.push(`fsync ${path}/`),
    close: fd => void log.push(`close ${paths[fd]}`),
    rename(from, to) {
      files.set(to, contents(from))
      files.delete(from)
      log.push(`rename ${from} ${to}`)
    },
    unlink(path) {
      files.delete(path)
      log.push(`unlink ${path}`)
    },
  }
}

/** The values of a column, row by row; null stands for a column the block does not have. */
export function valuesOf(vector: Vector | null, rowCount: number): Value[] {
  return Array.from({ length: rowCount }, (_, row) => (vector === null ? undefined : valueAt(vector, row)))
}

export function valueAt(vector: Vector, row: number): Value {
  switch (vector.kind) {
    case 'const':
      return vector.value
    case 'dict':
      return vector.dictionary.values[vector.codes[row]!]
    case 'any':
      return vector.values[row]
    default: {
      const state = vector.presence === null ? PRESENT : vector.presence[row]
      if (state !== PRESENT) return state === NULL ? null : undefined
    }
  }
  switch (vector.kind) {
    case 'number':
      return vector.values[row]
    case 'bool':
      return vector.values[row] === 1
    case 'time':
      return new DateTime(vector.micros[row]!, vector.nanos?.[row] ?? 0)
    case 'duration':
      return new Duration(vector.values[row]!)
    case 'text':
      return Buffer.from(vector.bytes.slice(vector.offsets[row], vector.offsets[row + 1])).toString('utf8')
  }
}

export const anyVector = (values: readonly Value[]): Vector => ({ kind: 'any', rowCount: values.length, values })

export function textVector(values: readonly (string | null | undefined)[]): TextVector {
  const parts = values.map(value => Buffer.from(value ?? '', 'utf8'))
  const offsets = new Uint32Array(values.length + 1)
  parts.forEach((part, row) => {
    offsets[row + 1] = offsets[row]! + part.length
  })
  const presence = Uint8Array.from(values, value => (value === undefined ? 0 : value === null ? NULL : PRESENT))
  return { kind: 'text', rowCount: values.length, bytes: Buffer.concat(parts), offsets, presence }
}

export function dictVector(values: readonly Value[]): Vector {
  const distinct = values.filter((value, row) => values.findIndex(other => Object.is(other, value)) === row)
  const codes = Uint32Array.from(values, value => distinct.findIndex(other => Object.is(other, value)))
  return { kind: 'dict', rowCount: values.length, codes, dictionary: { values: distinct } }
}

export function timeVector(micros: readonly number[], nanos: readonly number[] | null = null): Vector {
  return {
    kind: 'time',
    rowCount: micros.length,
    micros: Float64Array.from(micros),
    nanos: nanos === null ? null : Uint16Array.from(nanos),
    presence: null,
  }
}

/** A block of these columns and an event time of a second per row, unless `columns` has its own. */
export function blockOf(rowCount: number, columns: Readonly<Record<string, Vector>>): BlockColumns {
  const times = timeVector(Array.from({ length: rowCount }, (_, row) => 1_700_000_000_000_000 + row * 1_000_000))
  return { rowCount, columns: new Map(Object.entries({ _time: times, ...columns })) }
}

/** Writes these blocks to a part in memory and opens it. */
export function partOf(...blocks: readonly BlockColumns[]) {
  const filesystem = memoryFilesystem()
  const description = writePart(filesystem, '/data', { id: 'p1', index: 'web', blocks, fsync: false })
  const path = '/data/p1.part'
  const part = openPart(filesystem, path, createChunkCache(1 << 24))
  return { filesystem, description, path, part, bytes: filesystem.files.get(path)! }
}

/** The one block of a part of one column named `f`. */
export function blockWith(values: readonly Value[], vector: Vector = anyVector(values)): BlockReader {
  return partOf(blockOf(values.length, { f: vector })).part.block(0)
}

const WORDS = [
  'alpha',
  'Beta',
  'ÉCOLE',
  'x_y',
  '10.0.0.1',
  '007',
  '12',
  '3.50',
  'true',
  '',
  ' ',
  'İstanbul',
  '日本',
  '😀 ok',
]

export const numberArbitrary: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -100_000, max: 100_000 }).map(value => value / 100),
  fc.constantFrom(-0, 0, 2 ** 53, -(2 ** 53), 2 ** 53 - 1, 2 ** 31, -(2 ** 31), 5e-324, 1.7976931348623157e308),
)

export const bigintArbitrary: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
)

export const timeArbitrary: fc.Arbitrary<DateTime> = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -(2 ** 51), max: 2 ** 51 })),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999 })),
  )
  .map(([micros, nanos]) => new DateTime(micros, nanos))

export const durationArbitrary: fc.Arbitrary<Duration> = fc
  .oneof(fc.integer({ min: -5, max: 5 }), fc.maxSafeInteger(), fc.constantFrom(2 ** 60, -(2 ** 60)))
  .map(ns => new Duration(ns))

/** Lone surrogates included. */
export const stringArbitrary: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 }).map(units => String.fromCharCode(...units)),
)

export const scalarArbitrary = fc.oneof(
  numberArbitrary,
  bigintArbitrary,
  stringArbitrary,
  fc.boolean(),
  timeArbitrary,
  durationArbitrary,
)

const nestedArbitrary: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    scalarArbitrary,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(stringArbitrary, fc.constant('__proto__')), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value

export const valueArbitrary: fc.Arbitrary<Value> = fc.oneof(fc.constant(undefined), fc.constant(null), nestedArbitrary)

const ABSENT = fc.constantFrom(undefined, null)

/** Columns as logs have them: of one class or mixed, all present or with holes, distinct or repeating, dense or rare. */
export const columnArbitrary: fc.Arbitrary<Value[]> = fc
  .tuple(
    fc.constantFrom<fc.Arbitrary<Value>>(
      numberArbitrary,
      fc.integer({ min: 0, max: 3 }),
      bigintArbitrary,
      fc.boolean(),
      timeArbitrary,
      durationArbitrary,
      stringArbitrary,
      fc.constantFrom(...WORDS),
      scalarArbitrary,
      valueArbitrary,
    ),
    fc.constantFrom('full', 'holes', 'repeating', 'rare'),
  )
  .chain(([value, form]) => {
    if (form === 'full') return fc.array(value, { minLength: 1, maxLength: 30 })
    if (form === 'holes') {
      return fc.array(fc.oneof(value, ABSENT), { minLength: 1, maxLength: 30 })
    }
    if (form === 'rare') {
      return fc.tuple(value, value, fc.integer({ min: 64, max: 200 })).map(([first, second, rowCount]) => {
        const values: Value[] = new Array(rowCount).fill(undefined)
        values[3] = first
        values[rowCount - 1] = second
        return values
      })
    }
    return fc
      .tuple(fc.array(value, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(3), { minLength: 1, maxLength: 60 }))
      .map(([few, picks]) => picks.map(pick => few[pick % few.length]))
  })
