/** Text woven from its pieces and from what other columns say: it comes back byte for byte, whatever it is and whatever they hold. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { CorruptPartError } from '../../storage/errors.ts'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { openPart } from '../../storage/part/read.ts'
import { WovenText } from '../../storage/part/woven/unweave.ts'
import { encodeWoven, weave } from '../../storage/part/woven/woven.ts'
import { pickRows } from '../../storage/pick.ts'
import { inspectPart } from '../../storage/tools/inspect.ts'
import type { Value } from '../../storage/value.ts'
import type { TextVector, Vector } from '../../storage/vector.ts'
import { anyVector, blockOf, dictVector, partOf, stringArbitrary, textVector, valuesOf } from './part-support.ts'

function textOf(values: readonly (string | null | undefined)[]): TextVector {
  const vector = textVector(values) as TextVector
  return values.every(value => typeof value === 'string') ? { ...vector, presence: null } : vector
}

/** The bytes it takes, or null when it is not woven. */
function throughWeave(text: TextVector, others: ReadonlyMap<string, Vector>): number | null {
  const woven = weave(text, others)
  if (woven === null) return null
  const sink = new ByteSink()
  encodeWoven(sink, woven)
  const source = new ByteSource(sink.finish().slice())
  const unwoven = new WovenText(source, text.rowCount)
  const decoded = unwoven.all(name => others.get(name) ?? null)
  assert.equal(source.remaining, 0)
  assert.deepEqual([...decoded.offsets], [...text.offsets])
  assert.deepEqual(Buffer.from(decoded.bytes), Buffer.from(text.bytes))
  assert.deepEqual(decoded.presence, text.presence)
  const few = Uint32Array.from([0, 7, text.rowCount - 1, 8].filter(at => at < text.rowCount))
  const all = valuesOf(text, text.rowCount)
  for (const first of [few, few.slice().sort()]) {
    const again = new WovenText(new ByteSource(sink.finish().slice()), text.rowCount)
    // The second reader finds what the first has left.
    for (const rows of [first, first.slice().reverse()]) {
      const picked = again.some(rows, name => pickRows(others.get(name)!, rows))
      assert.deepEqual(
        valuesOf(picked, rows.length),
        [...rows].map(at => all[at]),
      )
    }
  }
  return sink.length
}

const WORDS = [
  'user',
  'logged in',
  'from',
  '10.0.0.1',
  'ÉCOLE',
  '…',
  ' - ',
  '\r\nKey: ',
  '',
  '=',
  '日本',
  'x'.repeat(100),
]

/** Rows made of few words, of the values of other columns, and of anything at all. */
const wovenRows = fc
  .record({
    users: fc.array(fc.oneof(stringArbitrary, fc.integer().map(String), fc.constant('alice-7')), {
      minLength: 40,
      maxLength: 90,
    }),
    numbers: fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })), {
      minLength: 90,
      maxLength: 90,
    }),
    shape: fc.array(fc.oneof(fc.constantFrom(...WORDS), fc.constantFrom('\0user', '\0number', '\0text')), {
      minLength: 1,
      maxLength: 12,
    }),
    odd: fc.array(
      fc.oneof({ weight: 6, arbitrary: fc.constant('') }, stringArbitrary, fc.constantFrom(null, undefined)),
      {
        minLength: 90,
        maxLength: 90,
      },
    ),
  })
  .map(({ users, numbers, shape, odd }) => {
    const texts = users.map((_, row) => `id-${row % 13}`)
    const rows = users.map((user, row) => {
      const extra = odd[row]
      if (extra === null || extra === undefined) return extra
      const values: Record<string, string> = { '\0user': user, '\0number': String(numbers[row]), '\0text': texts[row]! }
      return shape.map(piece => values[piece] ?? piece).join(' ') + extra
    })
    const others = new Map<string, Vector>([
      ['user', row(users)],
      ['number', numberVector(numbers.slice(0, users.length))],
      ['mixed', anyVector(users.map((user, at) => (at % 3 === 0 ? undefined : at % 3 === 1 ? user : numbers[at])))],
      ['text', textOf(texts)],
    ])
    return { rows, others }
  })

function row(values: readonly Value[]): Vector {
  return dictVector(values)
}

function numberVector(values: readonly number[]): Vector {
  return { kind: 'number', rowCount: values.length, values: Float64Array.from(values), presence: null }
}

test('woven text comes back byte for byte', () => {
  let woven = 0
  fc.assert(
    fc.property(wovenRows, ({ rows, others }) => {
      if (throughWeave(textOf(rows), others) !== null) woven++
    }),
    { numRuns: 300 },
  )
  assert.ok(woven > 100, `only ${woven} of 300 were woven`)
})

test('bytes that are no UTF-8 are woven like any others', () => {
  const line = Buffer.from([0xff, 0xfe, 32, 65, 66, 67, 32, 0xc3, 10, 0, 1, 2, 250, 251, 252, 253, 254, 255])
  const text: TextVector = {
    kind: 'text',
    rowCount: 64,
    bytes: Buffer.concat(Array.from({ length: 64 }, () => line)),
    offsets: Uint32Array.from({ length: 65 }, (_, index) => index * line.length),
    presence: null,
  }
  assert.ok(throughWeave(text, new Map())! < 64 * 8)
})

test('more distinct pieces than one byte can tell apart take two', () => {
  const rows = Array.from(
    { length: 6000 },
    (_, at) => `alpha${String.fromCharCode(97 + (at % 26), 97 + ((at * 7) % 23))} beta`,
  )
  const bytes = throughWeave(textOf(rows), new Map())
  assert.ok(bytes !== null && bytes < 6000 * 8, `${bytes} bytes`)
})

test('what a message repeats of its fields costs a byte', () => {
  const ids = Array.from({ length: 2000 }, (_, at) =>
    Math.imul(at + 1, 0x9e3779b1)
      .toString(36)
      .padStart(9, '0'),
  )
  const rows = ids.map((id, at) => `session ${id} of tenant ${at * 1009} was closed`)
  const others = new Map<string, Vector>([
    ['session', textOf(ids)],
    ['tenant', numberVector(ids.map((_, at) => at * 1009))],
  ])
  assert.ok(throughWeave(textOf(rows), others)! < 2000 * 11)
})

test('text of noise stays text', () => {
  const rows = Array.from({ length: 500 }, (_, at) =>
    Math.sin(at + 1)
      .toString()
      .slice(3),
  )
  assert.equal(throughWeave(textOf(rows), new Map()), null)
})

function wovenPart() {
  const rows = Array.from({ length: 200 }, (_, at) => at)
  return partOf(
    blockOf(200, {
      user: textVector(rows.map(at => `user-${at * 7}-of-the-house`)),
      message: textVector(rows.map(at => `user-${at * 7}-of-the-house logged in from host ${at % 5} at the office`)),
      _raw: textVector(
        rows.map(at => `user-${at * 7}-of-the-house logged in from host ${at % 5} at the office, again`),
      ),
    }),
  )
}

test('the writer weaves, and a part reads the same whichever column is asked for first', () => {
  const { filesystem, path, part } = wovenPart()
  const encodings = inspectPart(filesystem, path).columns.map(
    ({ field, encodings: used }) => `${field} ${Object.keys(used)}`,
  )
  assert.ok(encodings.includes('message woven') && encodings.includes('_raw woven'), encodings.join())
  const expected = ['_raw', 'message', 'user'].map(name => valuesOf(part.block(0).column(name), 200))
  const again = openPart(filesystem, path, createChunkCache(0))
  assert.deepEqual(
    ['user', 'message', '_raw'].map(name => valuesOf(again.block(0).column(name), 200)).reverse(),
    expected,
  )
  assert.equal(expected[1]![3], 'user-21-of-the-house logged in from host 3 at the office')
})

test('codes that make no sense are refused, never followed past the end', () => {
  const text = textOf(Array.from({ length: 64 }, (_, at) => `user ${at % 4} logged in from the office, attempt ${at}`))
  const sink = new ByteSink()
  encodeWoven(sink, weave(text, new Map())!)
  const sound = sink.finish().slice()
  let refused = 0
  for (let at = 0; at < sound.length; at++) {
    for (const flip of [1, 0x80, 0xff]) {
      const damaged = sound.slice()
      damaged[at]! ^= flip
      try {
        const decoded = new WovenText(new ByteSource(damaged), 64).all(() => null)
        assert.equal(decoded.offsets.length, 65)
      } catch (error) {
        // The reader turns this into a CorruptPartError that names the part.
        assert.ok(error instanceof RangeError && !(error instanceof CorruptPartError), String(error))
        refused++
      }
    }
  }
  assert.ok(refused > sound.length)
})
