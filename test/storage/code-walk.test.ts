import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import { writePresence } from '../../storage/part/encodings/presence.ts'
import { LITERAL, ROW_END, ROWS_APART } from '../../storage/part/woven/code.ts'
import { type CodeWalk, skipRows, walkCodes } from '../../storage/part/woven/code-walk.ts'
import { Neighbours } from '../../storage/part/woven/neighbours.ts'
import { readTold, writeTold } from '../../storage/part/woven/told.ts'
import { WovenText } from '../../storage/part/woven/unweave.ts'

const SHORT_CODES = 200

/** One step of a row: its codes, and the bytes of literal text it takes. */
const stepArbitrary = fc.oneof(
  fc.integer({ min: 1, max: SHORT_CODES }).map(code => ({ codes: [code], literal: 0 })),
  fc
    .tuple(fc.integer({ min: SHORT_CODES + 1, max: LITERAL - 1 }), fc.integer({ min: 0, max: 255 }))
    .map(codes => ({ codes: [...codes], literal: 0 })),
  fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 ** 21 })).map(literal => ({
    codes: [LITERAL, ...varint(literal)],
    literal,
  })),
)
const rowsArbitrary = fc.array(fc.array(stepArbitrary, { maxLength: 12 }), { maxLength: 30 })

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

function sameNeighbours(walk: CodeWalk, codes: Uint8Array): void {
  const expected = Neighbours.of(codes, SHORT_CODES)
  const found = Neighbours.found(walk)
  assert.equal(found.isLocal, expected.isLocal)
  assert.deepEqual(walk.counts, expected.counts)
  for (let code = 0; code < 256; code++)
    for (let next = 0; next < 256; next++)
      if (found.has(code, next) !== expected.has(code, next)) assert.fail(`${next} behind ${code}`)
}

/** A chunk of such codes and nothing else. */
function chunkOf(codes: Uint8Array, literalBytes: number, told: Uint8Array = new Uint8Array(0)): Uint8Array {
  const sink = new ByteSink()
  writePresence(sink, null)
  sink.varint(0)
  sink.varint(0)
  sink.u8(SHORT_CODES)
  for (const bytes of [codes, new Uint8Array(literalBytes)]) {
    sink.varint(bytes.length)
    sink.bytes(bytes)
  }
  sink.bytes(told)
  return sink.finish()
}

function toldBytes(codes: Uint8Array, rowCount: number, literalBytes: number): Uint8Array {
  const sink = new ByteSink()
  writeTold(sink, rowCount, { codes, shortCodes: SHORT_CODES, literals: new Uint8Array(literalBytes) })
  return sink.finish()
}

function toldOf(codes: Uint8Array, rowCount: number, literalBytes: number) {
  return readTold(new ByteSource(toldBytes(codes, rowCount, literalBytes)), rowCount, codes.length, literalBytes)
}

test('what is told is laid out as it was when it was first written', () => {
  const codes = Uint8Array.of(1, 2, ROW_END, 2, LITERAL, 3, ROW_END, 1, 1, ROW_END, ROW_END, 2, ROW_END)
  const bytes = toldBytes(codes, 5, 3)
  const set = [...bytes.entries()].filter(([, byte]) => byte !== 0).map(([at, byte]) => `${at}:${byte}`)
  // It is local; what stands behind 0, 1, 2 and a literal; how often each is there; 4 rows apart, 11 and 2 bytes of codes, 3 and 0 of literals.
  const neighbours = '0:1 1:7 33:7 65:1 96:128 8161:1'
  const counts = '8193:16 8194:1 8203:5 8204:3 8205:3 8458:1'
  const places = '8459:4 8460:16 8461:1 8469:64 8470:9 8472:16 8473:1 8482:3'
  assert.equal(set.join(' '), `${neighbours} ${counts} ${places}`)
})

test('a chunk that says it all gives the same rows as one that is walked, and damaged no others without a word', () => {
  const rowCount = 37
  const codes = Uint8Array.from({ length: rowCount * 3 }, (_, at) => (at % 3 === 2 ? ROW_END : 1 + (at % SHORT_CODES)))
  const told = toldBytes(codes, rowCount, 0)
  const places = (bytes: Uint8Array) => new WovenText(new ByteSource(bytes), rowCount).places()
  assert.deepEqual(places(chunkOf(codes, 0, told)), places(chunkOf(codes, 0)))
  fc.assert(
    fc.property(fc.nat(told.length - 1), fc.nat(255), fc.nat(3), (at, to, cut) => {
      const damaged = told.slice(0, told.length - cut)
      damaged[at % damaged.length] = to
      try {
        const { codes: found } = places(chunkOf(codes, 0, damaged))
        assert.equal(found.at(-1), codes.length)
        assert.ok(found.every((place, n) => n === 0 || place >= found[n - 1]!))
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error))
      }
    }),
  )
})

test('one walk finds what stands behind what, how often, and where rows begin', () => {
  fc.assert(
    fc.property(rowsArbitrary, rows => {
      const codes: number[] = []
      const places: number[] = []
      let literals = 0
      for (const [row, steps] of rows.entries()) {
        for (const step of steps) {
          codes.push(...step.codes)
          literals += step.literal
        }
        codes.push(ROW_END)
        if (row % ROWS_APART === ROWS_APART - 1) places.push(codes.length, literals)
      }
      places.push(codes.length, literals)
      const bytes = Uint8Array.from(codes)
      const walk = walkCodes(bytes, SHORT_CODES, rows.length, literals)
      assert.ok(walk !== null)
      assert.deepEqual([...(walk.places ?? [])], places)
      sameNeighbours(walk, bytes)
      const told = toldOf(bytes, rows.length, literals)
      assert.deepEqual(told.neighbours, Neighbours.found(walk))
      assert.deepEqual(told.places, new WovenText(new ByteSource(chunkOf(bytes, literals)), rows.length).places())
      for (const [rowCount, literalBytes] of [
        [rows.length + 1, literals],
        [rows.length + ROWS_APART, literals],
        [Math.max(0, rows.length - 1), literals + 1],
        [rows.length, literals + 1],
      ] as const)
        assert.equal(walkCodes(bytes, SHORT_CODES, rowCount, literalBytes)?.places ?? null, null)
    }),
    { numRuns: 200 },
  )
})

test('of codes that make no sense it says the same as the slow walk, or nothing', () => {
  const codesArbitrary = fc.array(
    fc.oneof(fc.constantFrom(ROW_END, LITERAL, 0x80, SHORT_CODES, SHORT_CODES + 1), fc.integer({ min: 0, max: 255 })),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(codesArbitrary, fc.integer({ min: 0, max: 30 }), (codes, rowCount) => {
      const bytes = Uint8Array.from(codes)
      const walk = walkCodes(bytes, SHORT_CODES, rowCount, 0)
      if (walk !== null) sameNeighbours(walk, bytes)
    }),
    { numRuns: 400 },
  )
})

test('rows are skipped as one by one, however many and wherever a window ends', () => {
  fc.assert(
    fc.property(
      rowsArbitrary,
      fc.integer({ min: 1, max: 3000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (rows, times, share) => {
        const codes: number[] = []
        const ends = [0]
        const literals = [0]
        // No chunk has 4 GB of literals.
        for (let time = 0; time < times && codes.length < 200_000 && literals.at(-1)! < 2 ** 30; time++)
          for (const steps of rows) {
            for (const step of steps) codes.push(...step.codes)
            codes.push(ROW_END)
            ends.push(codes.length)
            literals.push(literals.at(-1)! + steps.reduce((sum, step) => sum + step.literal, 0))
          }
        const from = Math.floor(share * (ends.length - 1))
        const bytes = Uint8Array.from(codes)
        for (const to of [from, Math.ceil((from + ends.length - 1) / 2), ends.length - 1]) {
          const expected = { next: ends[to]!, literals: literals[to]! - literals[from]! }
          assert.deepEqual(skipRows(bytes, ends[from]!, SHORT_CODES, to - from), expected)
        }
        assert.equal(skipRows(bytes, ends[from]!, SHORT_CODES, ends.length - from), null)
      },
    ),
    { numRuns: 60 },
  )
})
