/** Numbers in as many bits as they need: by the loops and one by one the same, back again, and never by what is damaged. */
import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import * as fc from 'fast-check'
import { CorruptPartError } from '../../storage/errors.ts'
import { ByteSink, ByteSource, type LanePlace } from '../../storage/part/bytes.ts'
import { crc32 } from '../../storage/part/checksum.ts'
import {
  type Compression,
  FAST_COMPRESSION,
  frameChunk,
  headOf,
  openChunk,
  THOROUGH_COMPRESSION,
} from '../../storage/part/chunk.ts'
import { DICTIONARY, decodeColumn, encodeColumn, INTEGERS } from '../../storage/part/encodings/index.ts'
import { CHUNK_HEADER_BYTES, CODEC_NONE, CODEC_PACKED, CODEC_ZSTD, KIND_COLUMN } from '../../storage/part/format.ts'
import {
  type LaneWidth,
  packEach,
  packedBytes,
  packLane,
  unpackEach,
  unpackLane,
} from '../../storage/part/pack-loop.ts'
import { pack, packingOf, unpack } from '../../storage/part/packed.ts'
import '../../storage/part/zstd-ready.ts'
import type { DictVector } from '../../storage/vector.ts'
import { createRandom } from '../bench/random.ts'

interface Lane {
  readonly width: LaneWidth
  readonly bits: number
  readonly numbers: readonly number[]
}

const laneOf = (width: LaneWidth, lengthMax: number): fc.Arbitrary<Lane> =>
  fc.nat(8 * width - 1).chain(bits =>
    fc.record({
      width: fc.constant(width),
      bits: fc.constant(bits),
      numbers: fc.array(fc.oneof(fc.nat(2 ** bits - 1), fc.constant(2 ** bits - 1)), {
        maxLength: lengthMax,
        size: 'max',
      }),
    }),
  )
const lanes = (lengthMax: number): fc.Arbitrary<Lane> =>
  fc.constantFrom<LaneWidth>(1, 2, 4).chain(width => laneOf(width, lengthMax))

const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const

function bytesOf({ width, numbers }: Lane): Uint8Array {
  const array = ARRAYS[width].from(numbers)
  return new Uint8Array(array.buffer)
}

const greatestOf = (numbers: readonly number[]): number => numbers.reduce((most, each) => Math.max(most, each), 0)

describe('a lane', () => {
  it('is packed by the loop as one by one, and comes back from either', () => {
    fc.assert(
      fc.property(lanes(700), lane => {
        const plain = bytesOf(lane)
        const { width, bits, numbers } = lane
        const length = packedBytes(numbers.length, bits)
        const [byLoop, byEach] = [new Uint8Array(length).fill(85), new Uint8Array(length).fill(85)]
        packLane(plain, width, bits, byLoop)
        packEach(plain, width, bits, byEach)
        assert.deepEqual(byLoop, byEach)
        for (const back of [unpackLane, unpackEach]) {
          const again = new Uint8Array(plain.length).fill(85)
          assert.equal(back(byLoop, width, bits, again), greatestOf(numbers))
          assert.deepEqual(again, plain)
        }
      }),
    )
  })

  it('may be longer than what the loop takes at once', () => {
    const random = createRandom(7)
    for (const width of [1, 2, 4] as const) {
      for (const count of [65_536 / width, 65_536 / width + 1, 200_003]) {
        const bits = 8 * width - 3
        const numbers = ARRAYS[width].from(Array.from({ length: count }, () => random.below(2 ** bits)))
        const plain = new Uint8Array(numbers.buffer)
        const packed = new Uint8Array(packedBytes(count, bits))
        packLane(plain, width, bits, packed)
        const again = new Uint8Array(plain.length)
        assert.equal(unpackLane(packed, width, bits, again), greatestOf([...numbers]))
        assert.ok(Buffer.from(again).equals(plain), `${count} of ${width} bytes`)
      }
    }
  })
})

/** Lanes with other bytes between them, and where they lie. */
const pieces = fc.array(
  fc.record({ bytes: fc.uint8Array({ maxLength: 20 }), lane: fc.option(lanes(300), { nil: null }) }),
  { maxLength: 4 },
)

function sinkOf(parts: readonly { readonly bytes: Uint8Array; readonly lane: Lane | null }[]): ByteSink {
  const sink = new ByteSink()
  for (const { bytes, lane } of parts) {
    sink.bytes(bytes)
    if (lane !== null) sink.lane(Uint32Array.from(lane.numbers), lane.width, greatestOf(lane.numbers))
  }
  return sink
}

describe('a payload', () => {
  it('comes back with the greatest number of each of its packed lanes', () => {
    fc.assert(
      fc.property(pieces, parts => {
        const sink = sinkOf(parts)
        const raw = sink.finish()
        const packing = packingOf(raw, sink.lanes)
        const packed = pack(raw, packing)
        assert.equal(packed.length, packing.byteLength)
        const again = new Uint8Array(raw.length).fill(85)
        const known = unpack(packed, again)
        assert.deepEqual(again, new Uint8Array(raw))
        const isKnown = ({ at }: LanePlace): boolean => packing.lanes.some(lane => lane.at === at)
        assert.deepEqual(known, sink.lanes.filter(isKnown))
      }),
    )
  })

  it('that is damaged, or of another length, is refused or something else of that length', () => {
    const damage = fc.record({ parts: pieces, at: fc.nat(), to: fc.nat(255), cut: fc.nat(3), longer: fc.nat(3) })
    fc.assert(
      fc.property(damage, ({ parts, at, to, cut, longer }) => {
        const sink = sinkOf(parts)
        const packed = pack(sink.finish(), packingOf(sink.finish(), sink.lanes)).slice()
        packed[at % packed.length] = to
        const raw = new Uint8Array(sink.length + longer)
        try {
          unpack(packed.subarray(0, Math.max(0, packed.length - cut)), raw)
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error))
        }
      }),
    )
  })
})

const ROWS = 65_536
const random = createRandom(11)
const WAYS: readonly (readonly [string, Compression])[] = [
  ['where events wait', FAST_COMPRESSION],
  ['told by a sample', { ...FAST_COMPRESSION, isSampled: true }],
  ['where nobody does', THOROUGH_COMPRESSION],
  ['with LZ4', { ...FAST_COMPRESSION, codec: 'lz4' }],
]

function chunkOf(codes: DictVector['codes'], compression: Compression): Buffer {
  const sink = new ByteSink()
  encodeColumn(sink, { kind: 'dict', rowCount: codes.length, codes, dictionary: { values: [] } }, () => 0)
  return Buffer.from(frameChunk(KIND_COLUMN, DICTIONARY, sink.finish(), compression, sink.lanes))
}

describe('a chunk', () => {
  for (const [name, compression] of WAYS) {
    it(`of codes without order is packed, of runs compressed, of text as ever (${name})`, () => {
      const codecOf = (codes: DictVector['codes']): number => headOf(chunkOf(codes, compression)).codec
      assert.equal(codecOf(Uint8Array.from({ length: ROWS }, () => random.below(9))), CODEC_PACKED)
      assert.equal(codecOf(Uint32Array.from({ length: ROWS }, () => random.below(100_000))), CODEC_PACKED)
      assert.equal(codecOf(Uint8Array.from({ length: ROWS }, () => random.below(256))), CODEC_NONE)
      const compressed = codecOf(Uint16Array.from({ length: ROWS }, (_, row) => row >>> 7))
      assert.equal(compressed, compression.codec === 'lz4' ? 1 : CODEC_ZSTD)
      const text = Buffer.from('a word and another '.repeat(2000))
      const sink = new ByteSink()
      sink.lane(
        Uint8Array.from({ length: 900 }, () => random.below(3)),
        1,
        2,
      )
      sink.bytes(text)
      const framed = Buffer.from(frameChunk(KIND_COLUMN, DICTIONARY, sink.finish(), compression, sink.lanes))
      assert.notEqual(headOf(framed).codec, CODEC_PACKED)
    })
  }

  test('of bytes as good as random is stored as it is', () => {
    const bytes = Uint8Array.from({ length: 200_000 }, () => random.below(256))
    const framed = Buffer.from(frameChunk(KIND_COLUMN, DICTIONARY, bytes, { ...FAST_COMPRESSION, isSampled: true }))
    assert.equal(headOf(framed).codec, CODEC_NONE)
    const { raw } = openChunk(framed, KIND_COLUMN, 'p', { offset: 0, length: 0 }, 'it')
    assert.deepEqual(raw, bytes)
  })

  test('codes beyond the dictionary are refused, packed as well', () => {
    const codes = Uint8Array.from({ length: 5000 }, () => random.below(9))
    const framed = chunkOf(codes, THOROUGH_COMPRESSION)
    assert.equal(headOf(framed).codec, CODEC_PACKED)
    const { raw, lanes, encoding } = openChunk(framed, KIND_COLUMN, 'p', { offset: 0, length: 0 }, 'it')
    const decode = (size: number, known: readonly LanePlace[]) =>
      decodeColumn(
        encoding,
        new ByteSource(raw, known),
        codes.length,
        () => ({ values: Array.from({ length: size }, (_, value) => `${value}`) }),
        () => null,
      )
    for (const known of [lanes, []]) {
      assert.deepEqual((decode(9, known) as DictVector).codes, codes)
      assert.throws(() => decode(8, known), /codes of more than 8 values/)
    }
  })

  test('a number lane of any width comes back from a packed chunk', () => {
    for (const range of [2, 200, 60_000, 2 ** 23, 2 ** 30, 2 ** 38, 2 ** 45]) {
      const values = Float64Array.from(
        { length: 4099 },
        () => 7 + Math.floor((random.below(2 ** 30) / 2 ** 30) * range),
      )
      const sink = new ByteSink()
      const vector = { kind: 'number' as const, rowCount: values.length, values, presence: null }
      const encoding = encodeColumn(sink, vector, () => 0)
      assert.equal(encoding, INTEGERS)
      const framed = Buffer.from(frameChunk(KIND_COLUMN, encoding, sink.finish(), THOROUGH_COMPRESSION, sink.lanes))
      const { raw, lanes } = openChunk(framed, KIND_COLUMN, 'p', { offset: 0, length: 0 }, 'it')
      const none = (): never => assert.fail('it needs no dictionary')
      const back = decodeColumn(encoding, new ByteSource(raw, lanes), values.length, none, () => null)
      assert.deepEqual(back.kind === 'number' && Float64Array.from(back.values), values)
    }
  })

  test('says what is wrong with a packed lane', () => {
    const framed = chunkOf(
      Uint8Array.from({ length: 5000 }, () => random.below(9)),
      THOROUGH_COMPRESSION,
    )
    const says = (expected: RegExp): void => {
      const open = () => openChunk(framed, KIND_COLUMN, 'p', { offset: 0, length: 0 }, 'it')
      assert.throws(open, (error: unknown) => error instanceof CorruptPartError && expected.test(error.message))
    }
    const sealed = (): void => void framed.writeUInt32LE(crc32(framed.subarray(4)), 0)
    // How many lanes, what is before it, its width, its bits.
    framed[CHUNK_HEADER_BYTES + 3] = 9
    says(/the checksum/)
    sealed()
    says(/9 bits of 1 bytes/)
    framed[CHUNK_HEADER_BYTES + 2] = 3
    sealed()
    says(/numbers of 3 bytes are not packed/)
    framed[4] = 4
    sealed()
    says(/codec 4 is not known/)
  })
})
