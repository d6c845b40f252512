/** Text that is held as pieces answers every search as the same text does whole. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytePattern } from '../../../runtime/helpers/byte-pattern.ts'
import { needleOf } from '../../../runtime/helpers/byte-search.ts'
import { pieceNeedle } from '../../../runtime/helpers/piece-needle.ts'
import { PieceSearch } from '../../../runtime/helpers/piece-search.ts'
import { TEXT_CAPTURE_HELPERS } from '../../../runtime/helpers/text-captures.ts'
import { markTexts, TEXT_SEARCH_HELPERS } from '../../../runtime/helpers/text-search.ts'
import { ByteSink, ByteSource } from '../../../storage/part/bytes.ts'
import { WovenVector } from '../../../storage/part/woven/lazy.ts'
import { WovenText } from '../../../storage/part/woven/unweave.ts'
import { encodeWoven, weave } from '../../../storage/part/woven/woven.ts'
import type { Value } from '../../../storage/value.ts'
import {
  type DictVector,
  MISSING,
  NULL,
  PRESENT,
  type ReferredValues,
  type TextVector,
  type Vector,
} from '../../../storage/vector.ts'

function textOf(rows: readonly (string | null | undefined)[]): TextVector {
  const bytes = Buffer.from(rows.map(row => row ?? '').join(''))
  const offsets = new Uint32Array(rows.length + 1)
  for (const [at, row] of rows.entries()) offsets[at + 1] = offsets[at]! + Buffer.byteLength(row ?? '')
  const presence = rows.every(row => typeof row === 'string')
    ? null
    : Uint8Array.from(rows, row => (row === undefined ? MISSING : row === null ? NULL : PRESENT))
  return { kind: 'text', rowCount: rows.length, bytes: new Uint8Array(bytes), offsets, presence }
}

function dictOf(values: readonly string[]): Vector {
  const distinct = [...new Set(values)]
  return {
    kind: 'dict',
    rowCount: values.length,
    codes: Uint32Array.from(values, value => distinct.indexOf(value)),
    dictionary: { values: distinct },
  }
}

const unread = { isRead: false }

/** Null: it is not worth weaving. */
function wovenOf(text: TextVector, others: ReadonlyMap<string, Vector>): WovenVector | null {
  const woven = weave(text, others)
  if (woven === null) return null
  const sink = new ByteSink()
  encodeWoven(sink, woven)
  const valuesOf = (field: string): ReferredValues => {
    const column = others.get(field)
    if (column?.kind === 'dict') return { values: column.dictionary.values, madeOf: null }
    return { values: null, madeOf: column?.kind === 'number' ? 'numbers' : field === 'id' ? 'hex digits' : null }
  }
  unread.isRead = false
  return new WovenVector(new WovenText(new ByteSource(sink.finish().slice()), text.rowCount), {
    columnOf: field => others.get(field) ?? null,
    valuesOf,
    held: () => null,
    keep: () => {
      unread.isRead = true
    },
    hasRoomFor: () => false,
    block: 0,
    checked: make => make(),
  })
}

const WORDS = [
  'user',
  'logged',
  'in',
  'from',
  'GET',
  'error',
  '-',
  'Kelvin',
  'on',
  'a',
  'conn',
  'connection',
  'reset',
  '7',
  'x9',
]
const BEYOND = ['É', '\u212a', 'ſ', '日本']

/** Messages of few words, ids of their own, and values of other columns. */
const messages = fc
  .record({
    shapes: fc.array(
      fc.array(fc.constantFrom(...WORDS, '\0user', '\0path', '\0count', '\0id'), { minLength: 1, maxLength: 7 }),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
    users: fc.array(fc.constantFrom('alice', 'bob', 'u1', 'u12', 'connect', 'reset', 'in'), {
      minLength: 60,
      maxLength: 60,
    }),
    paths: fc.array(fc.constantFrom('/a/b', '/user/logged', '/conn', 'ection/re'), { minLength: 60, maxLength: 60 }),
    glue: fc.constantFrom(' ', '', '/', ': '),
    odd: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant('') },
        { weight: 2, arbitrary: fc.string({ maxLength: 6 }) },
        { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
      ),
      { minLength: 60, maxLength: 60 },
    ),
    beyond: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...BEYOND) }),
  })
  .map(({ shapes, users, paths, glue, odd, beyond }) => {
    const ids = users.map((_, row) => ((row * 2654435761) >>> 0).toString(16).padStart(8, '0'))
    const rows = users.map((user, row) => {
      if (odd[row] === null || odd[row] === undefined) return odd[row]
      const values: Record<string, string> = {
        '\0user': user,
        '\0path': paths[row]!,
        '\0count': String(row * 37),
        '\0id': ids[row]!,
      }
      return (
        shapes[row % shapes.length]!.map(piece => values[piece] ?? piece).join(glue) +
        odd[row] +
        (row % 9 === 0 ? beyond : '')
      )
    })
    const counts: Vector = {
      kind: 'number',
      rowCount: rows.length,
      values: Float64Array.from(rows, (_, row) => row * 37),
      presence: null,
    }
    const others = new Map<string, Vector>([
      ['user', dictOf(users)],
      ['path', dictOf(paths)],
      ['count', counts],
      ['id', textOf(ids)],
    ])
    return { rows, others }
  })

const needles = fc.oneof(
  fc.constantFrom(
    'connection reset',
    'conn',
    'logged in',
    'user',
    'USER',
    'u1',
    'in',
    'reset',
    'ection/re',
    '7',
    ' ',
    'kelvin',
    'on a',
  ),
  fc.array(fc.constantFrom(...WORDS, ' ', '/'), { minLength: 1, maxLength: 9 }).map(words => words.join('')),
  fc.string({ maxLength: 4 }),
  fc.constantFrom('É', 'a'.repeat(40), 'connection reset connection reset connection'),
)

const patterns = ['user (u\\d+)', '(?i)logged (in|on)', 'conn(\\w+)', '(\\d+)', 'reset', '^user', 'in$', '(?i)KELVIN']

function same(whole: Uint8Array, pieces: Uint8Array, asked: readonly number[]): void {
  assert.deepEqual(
    asked.map(row => pieces[row]),
    asked.map(row => whole[row]),
  )
}

/** Some that stand in a row, and the same with an end that may not. */
function partsOf(rows: readonly (string | null | undefined)[]): readonly string[] {
  const texts = rows.filter(row => typeof row === 'string' && row.length > 3) as string[]
  return texts.slice(0, 3).flatMap((text, at) => {
    const part = text.slice(at, at + 4 + at * 9)
    return [part, `${part}e`, `${part} `]
  })
}

test('every search of pieces finds what it finds in the text', () => {
  let wovenCount = 0
  let unreadCount = 0
  fc.assert(
    fc.property(
      messages,
      needles,
      fc.constantFrom(...patterns),
      fc.constantFrom(1, 2, 5, 40),
      (given, needle, pattern, every) => {
        const text = textOf(given.rows)
        const woven = wovenOf(text, given.others)
        if (woven === null) return
        wovenCount++
        const all = given.rows.map((_, row) => row)
        const rows = all.filter(row => row % every === 0)
        const selection = every === 1 ? null : Uint32Array.from(rows)
        for (const search of ['textContains', 'textContainsCs', 'textHas'] as const) {
          const asked = [needle, selection, rows.length] as const
          same(TEXT_SEARCH_HELPERS[search](text, ...asked), TEXT_SEARCH_HELPERS[search](woven, ...asked), rows)
        }
        const matched = [pattern, selection, rows.length] as const
        same(
          TEXT_SEARCH_HELPERS.textMatches(text, ...matched),
          TEXT_SEARCH_HELPERS.textMatches(woven, ...matched),
          rows,
        )
        for (const search of ['textContainsCs', 'textHas'] as const) {
          for (const part of partsOf(given.rows)) {
            const asked = [part, selection, rows.length] as const
            same(TEXT_SEARCH_HELPERS[search](text, ...asked), TEXT_SEARCH_HELPERS[search](woven, ...asked), rows)
          }
        }
        for (const ignoreCase of needle === '' ? [] : [true, false]) {
          const marks = [new Uint8Array(all.length), new Uint8Array(all.length)] as const
          markTexts(text, needle, ignoreCase, marks[0])
          markTexts(woven, needle, ignoreCase, marks[1])
          same(marks[0], marks[1], all)
        }
        if (!unread.isRead) unreadCount++
      },
    ),
    { numRuns: 600 },
  )
  assert.ok(wovenCount > 200, `only ${wovenCount} were woven`)
  assert.ok(unreadCount > 50, `only ${unreadCount} were not put together`)
})

const capturing = [
  'user (u\\d+)',
  'user(?:/|: )(\\w+)',
  'conn(\\w+)',
  'conn([a-z]*) ',
  '(\\d+)',
  '^(\\w+)',
  'logged ?(\\S*)',
  'logged (\\S+)$',
  'Kelvin(\\D?)u',
  '(er)ror',
  '- ([a-z]{2,5})',
  'G([A-Z]+)',
  'in(.*)',
  'x(9?\\D{0})',
  'set()',
  '/us(er/)',
  'from /(\\w)/',
]

test('captures of pieces are those of the text', () => {
  let unreadCount = 0
  fc.assert(
    fc.property(
      messages,
      fc.constantFrom(...capturing.filter(pattern => bytePattern(pattern) !== null)),
      fc.constantFrom(1, 3, 40),
      (given, pattern, every) => {
        const text = textOf(given.rows)
        const woven = wovenOf(text, given.others)
        if (woven === null) return
        const rows = given.rows.map((_, row) => row).filter(row => row % every === 0)
        const asked = [pattern, null, every === 1 ? null : Uint32Array.from(rows), rows.length] as const
        const [whole, pieces] = [text, woven].map(vector => TEXT_CAPTURE_HELPERS.textExtract(vector, ...asked))
        for (const row of rows)
          assert.equal(captureAt(pieces!, row), captureAt(whole!, row), `${pattern} in ${given.rows[row]}`)
        if (!unread.isRead) unreadCount++
      },
    ),
    { numRuns: 1500 },
  )
  assert.ok(unreadCount > 200, `only ${unreadCount} were not put together`)
})

/** Captures that are values of a field; `others` has by row what stands there instead. */
function capturesOfField(
  values: readonly Value[],
  others: (row: number) => string | null,
  pattern = 'login of ([^, ]+), ok',
): TextVector | DictVector {
  const count = 900
  const codes = Uint32Array.from({ length: count }, (_, row) => (row * 7919) % values.length)
  const field: DictVector = { kind: 'dict', rowCount: count, codes, dictionary: { values } }
  const rows = Array.from(codes, (code, row) =>
    row % 3 === 0 || values[code] === null
      ? `nothing to see here, request ${row % 5} is done`
      : `login of ${others(row) ?? String(values[code])}, ok after ${row % 4} attempts`,
  )
  const text = textOf(rows)
  const woven = wovenOf(text, new Map([['user', field]]))
  assert.ok(woven?.pieces.fields.includes('user'), 'it refers to the field')
  const asked = [pattern, 1, null, count] as const
  const captures = TEXT_CAPTURE_HELPERS.textExtract(woven!, ...asked)
  const expected = TEXT_CAPTURE_HELPERS.textExtract(text, ...asked)
  for (let row = 0; row < count; row++) assert.equal(captureAt(captures, row), captureAt(expected, row), rows[row])
  assert.equal(unread.isRead, false)
  return captures
}

const users = Array.from({ length: 251 }, (_, n) => `user-${((n * 2654435761) >>> 0).toString(36)}`)
const asValue = (): null => null

test('captures that are values of a field are its codes', () => {
  const { kind } = capturesOfField(users, asValue)
  assert.equal(kind, 'dict')
  // Texts that no piece stands for whole, but that are values.
  assert.equal(capturesOfField(users, row => (row % 5 === 1 ? users[row % 251]! : null)).kind, 'dict')
  assert.equal(capturesOfField([...users, null], asValue).kind, 'dict')
  assert.equal(capturesOfField(['é', 'ü·ö', ...users], asValue).kind, 'dict')
})

test('captures of which one is no value of the field are texts', () => {
  assert.equal(capturesOfField(users, row => (row === 700 ? 'somebody-else' : null)).kind, 'text')
  // The text of a number is no number.
  assert.equal(capturesOfField([...users, 12, 3.5], asValue).kind, 'text')
  // A part of a value, and more than one.
  assert.equal(capturesOfField(users, asValue, 'login of user-(\\w+)').kind, 'text')
  assert.equal(capturesOfField(users, asValue, 'login (of [^,]+)').kind, 'text')
})

function captureAt(captures: TextVector | DictVector, row: number): Value {
  if (captures.kind === 'dict') return captures.dictionary.values[captures.codes[row]!]
  const { bytes, offsets, presence } = captures
  return presence?.[row] === NULL ? null : Buffer.from(bytes).toString('utf8', offsets[row], offsets[row + 1])
}

const SYLLABLES = ['con', 'nec', 'tion', 're', 'set', 'er', 'ro', 'tio']

/** More pieces than have codes of one byte, and pieces that stand once, some of them long. */
function manyPieces(seed: number): readonly string[] {
  let state = seed >>> 0
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const word = (number: number): string => [...number.toString(8)].map(digit => SYLLABLES[+digit]).join('')
  return Array.from({ length: 2500 }, () => {
    const words = Array.from({ length: 1 + next(6) }, () =>
      next(12) === 0 ? String(next(10 ** 8)) : word(next(next(2) === 0 ? 20 : 300)),
    )
    if (next(40) === 0) words.push(word(next(8 ** 6)).repeat(1 + next(20)))
    return words.join(next(10) === 0 ? '=' : ' ')
  })
}

test('codes of two bytes and literals lead a search that does not listen to them nowhere else', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(fc.tuple(fc.nat(2499), fc.nat(30), fc.integer({ min: 1, max: 40 })), { minLength: 12, maxLength: 12 }),
      (seed, cuts) => {
        const given = manyPieces(seed)
        const text = textOf(given)
        const woven = wovenOf(text, new Map())
        assert.ok(woven !== null && woven.pieces.fields.length > 254, 'pieces of two bytes')
        const all = given.map((_, row) => row)
        const needles = cuts.map(([row, from, length]) => given[row]!.slice(from, from + length))
        for (const needle of [...needles.filter(({ length }) => length > 0), 'zq', 'n t', '=7', 'tiotion']) {
          for (const search of ['textContains', 'textHas'] as const) {
            const asked = [needle, null, given.length] as const
            same(TEXT_SEARCH_HELPERS[search](text, ...asked), TEXT_SEARCH_HELPERS[search](woven, ...asked), all)
          }
        }
        for (const begin of [...needles.map(needle => needle.slice(0, 5)), '=', '77', ' connec', 'tiotion ', '9 ']) {
          for (const rest of ['(\\d+)', '([a-z]+)', '(\\S*) \\d', '(\\w+)$', '([a-z]{1,3}ecti)']) {
            const pattern = begin.replaceAll(/\W/g, '\\$&') + rest
            if (bytePattern(pattern) === null) continue
            const asked = [pattern, 1, null, given.length] as const
            const whole = TEXT_CAPTURE_HELPERS.textExtract(text, ...asked)
            const inPieces = TEXT_CAPTURE_HELPERS.textExtract(woven, ...asked)
            for (const row of all) assert.equal(captureAt(inPieces, row), captureAt(whole, row), pattern)
          }
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('a needle that no pieces make together stands nowhere', () => {
  const rows = Array.from({ length: 400 }, (_, row) => `request ${row % 7} from host${row % 5} took ${row} ms`)
  const { pieces } = wovenOf(textOf(rows), new Map())!
  const search = (needle: string): PieceSearch =>
    PieceSearch.of(pieces, pieceNeedle(needleOf(needle, false), false, { before: null, after: null }))!
  for (const needle of ['timeout', 'took from', 'host from', 'request from', 'ms ', 'msr'])
    assert.equal(search(needle).isNowhere, true, needle)
  for (const needle of ['took', 'host1 took', ' from host4', '7 ms', 't'])
    assert.equal(search(needle).isNowhere, false, needle)
})

test('what stands on either side of a literal stands apart', () => {
  const rows = Array.from(
    { length: 600 },
    (_, row) => `passengers of flight take${row % 2 === 0 ? '' : 100_000 + row * 37}-off`,
  )
  const text = textOf(rows)
  const woven = wovenOf(text, new Map())!
  for (let time = 0; time < 3; time++) {
    const found = TEXT_SEARCH_HELPERS.textContainsCs(woven, 'take-off', null, rows.length)
    assert.deepEqual(found, TEXT_SEARCH_HELPERS.textContainsCs(text, 'take-off', null, rows.length))
  }
})
