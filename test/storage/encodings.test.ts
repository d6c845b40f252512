import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import { crc32, crc32ByTable } from '../../storage/part/checksum.ts'
import { compressBlock, decompressBlock, loadCodecs } from '../../storage/part/codec.ts'
import { dedupeText } from '../../storage/part/dedupe.ts'
import { decodeDictionary, encodeDictionary } from '../../storage/part/encodings/dictionary.ts'
import * as encodings from '../../storage/part/encodings/index.ts'
import { readIntegers, writeIntegers } from '../../storage/part/encodings/lane.ts'
import { readPresence, writePresence } from '../../storage/part/encodings/presence.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import type { Dictionary, TextVector, Vector } from '../../storage/vector.ts'
import { createRandom } from '../bench/random.ts'
import {
  anyVector,
  numberArbitrary,
  someRows,
  textVector,
  timeVector,
  valueArbitrary,
  valuesOf,
} from './part-support.ts'

const dictionary: Dictionary = {
  values: ['a', 2, null, undefined, ...Array.from({ length: 70_000 }, (_, code) => code)],
}

/** Encodes and decodes; everything that was written must have been read. */
function through(vector: Vector): { encoding: number; decoded: Vector; bytes: number } {
  const sink = new ByteSink()
  const encoding = encodings.encodeColumn(sink, vector, () => 7)
  const source = new ByteSource(sink.finish().slice())
  const decoded = encodings.decodeColumn(
    encoding,
    source,
    vector.rowCount,
    number => {
      assert.equal(number, 7)
      return dictionary
    },
    () => null,
  )
  assert.equal(source.remaining, 0)
  const rows = someRows(vector.rowCount)
  const few = encodings.decodeRows(
    encoding,
    new ByteSource(sink.finish().slice()),
    vector.rowCount,
    rows,
    () => dictionary,
    () => null,
  )
  const values = valuesOf(decoded, vector.rowCount)
  assert.deepEqual(
    valuesOf(few, rows.length),
    Array.from(rows, row => values[row]),
  )
  return { encoding, decoded, bytes: sink.length }
}

function assertSame(vector: Vector, encoding: number): Vector {
  const result = through(vector)
  const listed = valuesOf(vector, vector.rowCount).some(value => value !== undefined)
  assert.equal(result.encoding, listed || vector.kind === 'const' ? encoding : encodings.SPARSE)
  assert.equal(result.decoded.kind, vector.kind)
  assert.deepEqual(valuesOf(result.decoded, vector.rowCount), valuesOf(vector, vector.rowCount))
  return result.decoded
}

const presenceArbitrary = (rowCount: number) =>
  fc.option(
    fc.oneof(
      fc.uint8Array({ min: 0, max: 2, minLength: rowCount, maxLength: rowCount }),
      fc.uint8Array({ min: 1, max: 2, minLength: rowCount, maxLength: rowCount }),
    ),
  )

/** Lanes of `value` with presence; values under absent rows are 0, as vectors promise. */
function laneArbitrary(value: fc.Arbitrary<number>): fc.Arbitrary<{ values: number[]; presence: Uint8Array | null }> {
  return fc.array(value, { minLength: 1, maxLength: 40 }).chain(values =>
    presenceArbitrary(values.length).map(presence => ({
      values: values.map((each, row) => (presence === null || presence[row] === 2 ? each : 0)),
      presence,
    })),
  )
}

test('lanes of whole numbers come back whatever their range and order', () => {
  const steps = fc
    .tuple(fc.maxSafeInteger(), fc.array(fc.integer({ min: -300, max: 300 }), { maxLength: 30 }))
    .map(([start, deltas]) =>
      deltas.map((_, row) => Math.trunc(start / 2) + deltas.slice(0, row).reduce((a, b) => a + b, 0)),
    )
  const spans = fc
    .constantFrom(8, 16, 24, 31, 32, 33, 40, 41, 48, 49, 52)
    .chain(bits =>
      fc
        .tuple(fc.integer({ min: -1000, max: 1000 }), fc.array(fc.integer({ min: 0, max: 2 ** bits - 1 })))
        .map(([base, values]) => values.map(value => value + base)),
    )
  const multiples = fc
    .tuple(
      fc.constantFrom(2, 10, 1000, 1_000_000),
      fc.array(fc.integer({ min: -50_000, max: 50_000 }), { minLength: 20 }),
    )
    .map(([factor, values]) => values.map(value => value * factor + 7))
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.maxSafeInteger()), fc.array(fc.integer()), steps, spans, multiples), values => {
      const sink = new ByteSink()
      writeIntegers(sink, Float64Array.from(values))
      const bytes = sink.finish().slice()
      assert.deepEqual([...readIntegers(new ByteSource(bytes), values.length)], values)
      assert.deepEqual([...readIntegers(new ByteSource(bytes), values.length, true)], values)
    }),
    { numRuns: 500 },
  )
})

test('long lanes come back from every width and scheme, as whole numbers of 32 bits and as doubles', () => {
  const random = createRandom(5)
  const ranges = [1, 2 ** 8, 2 ** 16, 2 ** 24, 2 ** 32, 2 ** 40, 2 ** 48]
  for (const count of [63, 64, 8192, 20_011]) {
    for (const range of ranges) {
      const any = () => Math.floor(random.unit() * range)
      let sum = -(2 ** 31)
      const lanes: Record<string, Float64Array> = {
        'as they are': Float64Array.from({ length: count }, () => any() - 100),
        'in steps': Float64Array.from({ length: count }, () => (sum += Math.floor(any() / count))),
        'in whole steps': Float64Array.from({ length: count }, (_, row) => 1.7e15 + 1000 * (row * 7 + (any() % 50))),
        'in steps that grow': Float64Array.from({ length: count }, (_, row) => row * row + (any() % 3)),
      }
      for (const [name, values] of Object.entries(lanes)) {
        const sink = new ByteSink()
        writeIntegers(sink, values)
        const source = () => new ByteSource(sink.finish())
        assert.deepEqual(Float64Array.from(readIntegers(source(), count)), values, `${count} ${name} up to ${range}`)
        assert.deepEqual(readIntegers(source(), count, true), values, `${count} doubles ${name} up to ${range}`)
      }
    }
  }
})

test('extremes next to each other neither overflow a difference nor an Int32Array', () => {
  for (const values of [
    [-(2 ** 31), 2 ** 31 - 1, -(2 ** 31), 2 ** 31 - 1],
    [2 ** 53 - 1, -(2 ** 53 - 1), 0],
    [0, 2 ** 31],
    [-(2 ** 31) - 1, 0],
  ]) {
    const vector = {
      kind: 'number',
      rowCount: values.length,
      values: Float64Array.from(values),
      presence: null,
    } as const
    assertSame(vector, encodings.INTEGERS)
  }
})

test('times of whole milliseconds take the bytes of their milliseconds', () => {
  const micros = Array.from({ length: 4096 }, (_, row) => 1_700_000_000_000_000 + ((row * 7919) % 251) * 1000)
  assert.ok(through(timeVector(micros)).bytes < 4096 + 64)
})

test('evenly spaced times take next to no space', () => {
  const micros = Array.from({ length: 10_000 }, (_, row) => 1_700_000_000_000_000 + row * 15_000)
  assert.ok(through(timeVector(micros)).bytes < 64)
  const jittered = micros.map((value, row) => value + ((row * 7919) % 200))
  assert.ok(through(timeVector(jittered)).bytes < 2.1 * 10_000)
})

test('presence takes no bits, one or two', () => {
  const sizeOf = (states: number[]) => {
    const sink = new ByteSink()
    writePresence(sink, Uint8Array.from(states))
    const read = readPresence(new ByteSource(sink.finish()), states.length)
    assert.deepEqual(read === null ? states.map(() => 2) : [...read], states)
    return sink.length
  }
  const of = (...states: number[]) => Array.from({ length: 80 }, (_, row) => states[row % states.length]!)
  assert.deepEqual([of(2), of(2, 0), of(2, 1), of(2, 1, 0), of(0, 1)].map(sizeOf), [1, 11, 11, 21, 21])
})

test('whole numbers come back as integers', () => {
  fc.assert(
    fc.property(laneArbitrary(fc.oneof(fc.integer(), fc.maxSafeInteger())), ({ values, presence }) => {
      const lane = Float64Array.from(values)
      const decoded = assertSame({ kind: 'number', rowCount: lane.length, values: lane, presence }, encodings.INTEGERS)
      assert.ok(decoded.kind === 'number')
      assert.deepEqual([...decoded.values], values)
      const present = values.filter((_, row) => presence === null || presence[row] === 2)
      if (present.every(value => value === (value | 0))) assert.ok(decoded.values instanceof Int32Array)
    }),
  )
})

test('decimals come back exactly', () => {
  const decimal = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(6)).map(([n, k]) => (n === 0 ? 0 : n) / 10 ** k)
  fc.assert(
    fc.property(laneArbitrary(decimal), ({ values, presence }) => {
      const vector: Vector = {
        kind: 'number',
        rowCount: values.length,
        values: Float64Array.from([...values, 0.5]),
        presence: null,
      }
      const { encoding, decoded } = through({ ...vector, rowCount: values.length + 1 })
      assert.equal(encoding, encodings.DECIMALS)
      assert.deepEqual(valuesOf(decoded, values.length), values)
      const holed: Vector = { kind: 'number', rowCount: values.length, values: Float64Array.from(values), presence }
      assert.deepEqual(valuesOf(through(holed).decoded, values.length), valuesOf(holed, values.length))
    }),
  )
})

test('any float comes back, -0 too', () => {
  fc.assert(
    fc.property(laneArbitrary(numberArbitrary), ({ values, presence }) => {
      const vector: Vector = { kind: 'number', rowCount: values.length, values: Float64Array.from(values), presence }
      assert.deepEqual(valuesOf(through(vector).decoded, values.length), valuesOf(vector, values.length))
    }),
    { numRuns: 500 },
  )
  assertSame({ kind: 'number', rowCount: 2, values: Float64Array.of(-0, 1), presence: null }, encodings.FLOATS)
})

test('booleans, times and durations come back', () => {
  fc.assert(
    fc.property(laneArbitrary(fc.nat(1)), ({ values, presence }) => {
      assertSame(
        { kind: 'bool', rowCount: values.length, values: Uint8Array.from(values), presence },
        encodings.BOOLEANS,
      )
    }),
  )
  fc.assert(
    fc.property(laneArbitrary(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2 ** 60, -0))), ({ values, presence }) => {
      const lane = Float64Array.from(values)
      assertSame({ kind: 'duration', rowCount: lane.length, values: lane, presence }, encodings.DURATIONS)
    }),
  )
  fc.assert(
    fc.property(laneArbitrary(fc.integer()), fc.boolean(), ({ values, presence }, hasNanos) => {
      const micros = Float64Array.from(values, value => value * 1_000_000)
      const nanos = hasNanos ? Uint16Array.from(values, value => Math.abs(value) % 1000) : null
      assertSame({ kind: 'time', rowCount: values.length, micros, nanos, presence }, encodings.TIMES)
    }),
  )
})

test('text comes back, empty texts and absent rows told apart', () => {
  const value = fc.oneof(fc.constantFrom('', null, undefined), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), values => {
      assertSame(textVector(values), encodings.TEXT)
    }),
  )
})

test('any value comes back: nested, huge, without UTF-8, or named __proto__', () => {
  fc.assert(
    fc.property(fc.array(valueArbitrary, { minLength: 1, maxLength: 20 }), values => {
      assertSame(anyVector(values), encodings.ANY)
    }),
    { numRuns: 500 },
  )
  const odd: Value[] = [
    '\ud800',
    2n ** 63n - 1n,
    -(2n ** 63n),
    { '\udfff': [new DateTime(1, 2)] },
    JSON.parse('{"__proto__":1}'),
  ]
  assertSame(anyVector(odd), encodings.ANY)
})

test('constants and codes come back, codes as narrow as they can be', () => {
  fc.assert(
    fc.property(valueArbitrary, value => {
      assertSame({ kind: 'const', rowCount: 3, value }, encodings.CONSTANT)
    }),
  )
  for (const [max, element] of [
    [255, Uint8Array],
    [256, Uint16Array],
    [65_536, Uint32Array],
  ] as const) {
    const codes = Uint32Array.of(0, 1, 2, 3, max)
    const decoded = assertSame({ kind: 'dict', rowCount: 5, codes, dictionary }, encodings.DICTIONARY)
    assert.ok(decoded.kind === 'dict' && decoded.codes instanceof element && decoded.dictionary === dictionary)
  }
})

test('a code beyond its dictionary is not read', () => {
  const sink = new ByteSink()
  const codes = Uint32Array.of(0, 80_000)
  encodings.encodeColumn(sink, { kind: 'dict', rowCount: 2, codes, dictionary }, () => 0)
  assert.throws(
    () =>
      encodings.decodeColumn(
        encodings.DICTIONARY,
        new ByteSource(sink.finish()),
        2,
        () => dictionary,
        () => null,
      ),
    RangeError,
  )
})

test('codes and lanes come back wherever in memory their chunk lies', () => {
  const size = fc.constantFrom(1, 3, 127, 128, 129, 255, 256, 257, 32_768, 32_769, 65_536, 70_000)
  const place = fc.record({
    size,
    rows: fc.integer({ min: 0, max: 40 }),
    at: fc.nat(7),
    seed: fc.nat(),
    beyond: fc.boolean(),
  })
  fc.assert(
    fc.property(place, ({ size, rows, at, seed, beyond }) => {
      const codes = Uint32Array.from({ length: rows }, (_, row) => (Math.imul(seed + row, 0x9e3779b1) >>> 0) % size)
      if (beyond && rows > 0) codes[seed % rows] = size
      const sink = new ByteSink()
      encodeDictionary(sink, codes, 7)
      const wide = Float64Array.from(codes, (code, row) => row * 100 + code * 256)
      writeIntegers(sink, wide)
      const held = new Uint8Array(at + sink.length)
      held.set(sink.finish(), at)
      const source = new ByteSource(held.subarray(at))
      const values = Array.from({ length: size }, (_, code) => code)
      if (beyond && rows > 0)
        assert.throws(() => decodeDictionary(source, rows, () => ({ values })), /codes of more than/)
      else {
        assert.deepEqual([...decodeDictionary(source, rows, () => ({ values })).codes], [...codes])
        assert.deepEqual([...readIntegers(source, rows)], [...wide])
      }
    }),
    { numRuns: 1000 },
  )
})

test('rare fields of every kind are sparse and come back', () => {
  const rowCount = 200
  const presence = new Uint8Array(rowCount)
  presence[5] = 2
  presence[6] = 1
  presence[199] = 2
  const lane = new Float64Array(rowCount)
  lane[5] = 1.5
  lane[199] = -0
  const offsets = Uint32Array.from({ length: rowCount + 1 }, (_, row) => (row <= 5 ? 0 : row < 200 ? 2 : 5))
  const vectors: Vector[] = [
    { kind: 'number', rowCount, values: lane, presence },
    { kind: 'number', rowCount, values: Int32Array.from(lane), presence },
    { kind: 'bool', rowCount, values: Uint8Array.from(lane, value => (value === 0 ? 0 : 1)), presence },
    { kind: 'duration', rowCount, values: lane, presence },
    { kind: 'time', rowCount, micros: Float64Array.from(lane, Math.ceil), nanos: null, presence },
    {
      kind: 'time',
      rowCount,
      micros: Float64Array.from(lane, Math.ceil),
      nanos: Uint16Array.from(lane, Math.ceil),
      presence,
    },
    { kind: 'text', rowCount, bytes: Buffer.from('hiyou'), offsets, presence },
    anyVector(Array.from(presence, (state, row) => (state === 0 ? undefined : state === 1 ? null : [row]))),
  ]
  for (const vector of vectors) {
    if (vector.kind === 'time') vector.micros[199] = 0
    assertSame(vector, encodings.SPARSE)
    assert.ok(through(vector).bytes < 100)
  }
})

test('bytes that are no column end in a RangeError', () => {
  const none = () => dictionary
  fc.assert(
    fc.property(fc.nat(15), fc.nat(50), fc.uint8Array({ maxLength: 60 }), (encoding, rowCount, bytes) => {
      try {
        const vector = encodings.decodeColumn(encoding, new ByteSource(bytes), rowCount, none, () => null)
        assert.equal(vector.rowCount, rowCount)
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error))
      }
    }),
    { numRuns: 3000 },
  )
})

test('what was compressed decompresses to itself, with every codec that loads here', () => {
  const text = Buffer.from('the same words over and over, '.repeat(100))
  const framed = compressBlock(text)
  assert.ok(framed !== null && framed.length < 200)
  assert.deepEqual(Buffer.from(decompressBlock(framed)), text)
  const codecs = loadCodecs()
  for (const writer of codecs) {
    for (const reader of codecs) {
      const block = Buffer.from(writer.compress(text))
      assert.equal(block.readUInt32LE(0), text.length)
      assert.deepEqual(Buffer.from(reader.decompress(block)), text)
    }
  }
})

test('what does not shrink is not compressed', () => {
  let state = 1
  const noise = Uint8Array.from({ length: 5000 }, () => {
    state = Math.imul(state, 1103515245) + 12345
    return state >>> 16
  })
  assert.equal(compressBlock(noise), null)
  assert.equal(compressBlock(new Uint8Array(8)), null)
})

test('compressed random data either comes back or was left alone', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300, max: 3 }), bytes => {
      const framed = compressBlock(bytes)
      if (framed !== null) assert.deepEqual([...decompressBlock(framed)], [...bytes])
    }),
  )
})

test('a compressed block that was cut or changed throws or has the promised length', () => {
  const framed = Buffer.from(compressBlock(Buffer.from('abcabcabc'.repeat(30)))!)
  fc.assert(
    fc.property(fc.nat(framed.length - 5), fc.nat(255), (at, byte) => {
      const changed = Buffer.from(framed)
      changed[4 + at] = byte
      try {
        assert.equal(decompressBlock(changed).length, 270)
      } catch (error) {
        assert.ok(error instanceof Error)
      }
    }),
  )
  assert.throws(() => decompressBlock(framed.subarray(0, framed.length - 3)))
})

test('both checksums agree', () => {
  assert.equal(crc32ByTable(Buffer.from('123456789')), 0xcbf43926)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), bytes => assert.equal(crc32ByTable(bytes), crc32(bytes))))
})

test('text that repeats is codes though its first rows are all different', () => {
  const values = Array.from({ length: 6000 }, (_, row) => (row < 1500 ? `only ${row}` : `value ${row % 300}`))
  const found = dedupeText(textVector(values) as TextVector, (values.length * 3) / 4)
  assert.equal(found?.firstRows.length, 1800)
  // Of ids a few rows tell, wherever they are.
  const ids = textVector(values.map((_, row) => `id ${row}`)) as TextVector
  assert.equal(dedupeText(ids, values.length - 1), null)
})
