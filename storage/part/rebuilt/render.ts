/**
 * Values as they stand in JSON text. One writer makes the bytes when a part is written (to see whether they are those that were sent)
 * and when it is read (to send them back), so the two cannot differ.
 */
import { sizeOf, valueIn } from '../../dictionary.ts'
import { SHORT_ESCAPES } from '../../short-escapes.ts'
import { DateTime, Duration, type Value } from '../../value.ts'
import { type DictVector, NULL, PRESENT, type TextVector, type Vector } from '../../vector.ts'
import { jsonStringOf } from '../ascii.ts'
import { placesAmong, type ThinColumn } from '../thin.ts'

/** Writes the value of a row into `out` from `at` on and returns where it ends; -1: no JSON says this value. Never writes beyond `out`. */
export type Renderer = (row: number, out: Uint8Array, at: number) => number

const QUOTE = 34
const BACKSLASH = 92
const NULL_TEXT = Buffer.from('null')

/** A result that means: make `out` longer and ask again. */
export const NO_ROOM = -2
export const NOT_JSON = -1

export function rendererOf(column: Vector | ThinColumn): Renderer {
  return 'kind' in column ? rendererOfRows(column) : rendererOfFew(column)
}

function rendererOfFew({ rows, values }: ThinColumn): Renderer {
  const placeOf = placesAmong(rows)
  const render = rendererOfRows(values)
  return (row, out, at) => {
    const place = placeOf(row)
    return place === -1 ? NOT_JSON : render(place, out, at)
  }
}

function rendererOfRows(vector: Vector): Renderer {
  switch (vector.kind) {
    case 'const': {
      const bytes = jsonBytesOf(vector.value)
      return (_, out, at) => put(bytes, out, at)
    }
    case 'dict': {
      const { codes, dictionary } = vector
      const bytesOfCode = perCode(vector, code => jsonBytesOf(valueIn(dictionary, code)))
      return (row, out, at) => put(bytesOfCode(codes[row]!), out, at)
    }
    case 'text':
      return textRenderer(vector)
    case 'number': {
      const { values, presence } = vector
      return (row, out, at) => {
        const state = presence === null ? PRESENT : presence[row]!
        if (state !== PRESENT) return state === NULL ? put(NULL_TEXT, out, at) : NOT_JSON
        return putNumber(values[row]!, out, at)
      }
    }
    case 'bool': {
      const { values, presence } = vector
      const texts = [Buffer.from('false'), Buffer.from('true')]
      return (row, out, at) => {
        const state = presence === null ? PRESENT : presence[row]!
        if (state !== PRESENT) return state === NULL ? put(NULL_TEXT, out, at) : NOT_JSON
        return put(texts[values[row]!]!, out, at)
      }
    }
    case 'any':
      return (row, out, at) => put(jsonBytesOf(vector.values[row]), out, at)
    case 'time':
    case 'duration':
      // JSON has neither; fields that are text stay text.
      return () => NOT_JSON
  }
}

/**
 * `make`, asked once for each code. Few rows of a column have not a place for every value of the part: making those took a third of the time
 * of a hundred whole events.
 */
export function perCode<Made>(
  { rowCount, dictionary }: DictVector,
  make: (code: number) => Made,
): (code: number) => Made {
  const length = sizeOf(dictionary)
  if (rowCount < length) {
    const few = new Map<number, Made>()
    return code => {
      let made = few.get(code)
      if (made === undefined) few.set(code, (made = make(code)))
      return made
    }
  }
  const all = new Array<Made | undefined>(length)
  return code => {
    let made = all[code]
    if (made === undefined) made = all[code] = make(code)
    return made
  }
}

function textRenderer({ bytes, offsets, presence }: TextVector): Renderer {
  return (row, out, at) => {
    const state = presence === null ? PRESENT : presence[row]!
    if (state !== PRESENT) return state === NULL ? put(NULL_TEXT, out, at) : NOT_JSON
    const start = offsets[row]!
    const end = offsets[row + 1]!
    if (at + end - start + 2 > out.length) return NO_ROOM
    let to = at
    let seen = 0
    let isEscaped = false
    out[to++] = QUOTE
    for (let from = start; from < end; from++) {
      const byte = bytes[from]!
      seen |= byte
      const letter = ESCAPE[byte]!
      if (letter === 0) {
        out[to++] = byte
        continue
      }
      if (letter === NO_SHORT) return escaped(bytes, start, end, out, at)
      // As many bytes as are left, one more here, and the quote.
      if (to + end - from + 2 > out.length) return NO_ROOM
      isEscaped = true
      out[to++] = BACKSLASH
      out[to++] = letter
    }
    // What is no UTF-8 becomes other bytes there.
    if (isEscaped && seen > 127) return escaped(bytes, start, end, out, at)
    out[to++] = QUOTE
    return to
  }
}

const NO_SHORT = 1
/** By a character's byte what stands behind the backslash, `NO_SHORT`, or 0: it stands there as it is. */
const ESCAPE = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 32 ? NO_SHORT : 0))
for (const [letter, byte] of SHORT_ESCAPES) ESCAPE[byte] = letter

/** Does a text stand in a line in other bytes than its own? */
export function needsEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (ESCAPE[bytes[at]!] !== 0) return true
  return false
}

function escaped(bytes: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  return put(
    Buffer.from(JSON.stringify(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8'))),
    out,
    at,
  )
}

function put(bytes: Uint8Array | null, out: Uint8Array, at: number): number {
  if (bytes === null) return NOT_JSON
  const { length } = bytes
  if (at + length > out.length) return NO_ROOM
  // Short copies by hand: a call into the engine costs more than the bytes.
  if (length < 48) for (let index = 0; index < length; index++) out[at + index] = bytes[index]!
  else out.set(bytes, at)
  return at + length
}

const ZERO = 48
const MINUS = 45
const POINT = 46

/** Decimals of no more digits are taken apart as whole numbers, so many times as large. */
export const DECIMALS = 6
export const SCALE = 10 ** DECIMALS
/** What is smaller than a millionth is written with an exponent, and so large a number times `SCALE` is still exact. */
export const PLAIN_MIN = 1e-6
export const PLAIN_MAX = 2 ** 31

/** As `String` writes it; beyond 32 bytes there is nothing to write. */
export function putNumber(value: number, out: Uint8Array, at: number): number {
  if (at + 32 > out.length) return NO_ROOM
  const size = Math.abs(value)
  if ((value | 0) !== value || Object.is(value, -0)) {
    // Two decimals of so few digits are never the same double, so what gives the value back is how `String` writes it (180 → 30 ns).
    const scaled = Math.round(size * SCALE)
    if (!(size >= PLAIN_MIN && size < PLAIN_MAX) || scaled / SCALE !== size) return putText(String(value), out, at)
    const whole = Math.floor(scaled / SCALE)
    let to = putWhole(whole, out, putSign(value, out, at))
    let fraction = (scaled - whole * SCALE) | 0
    let digits = DECIMALS
    for (let rest = (fraction / 10) | 0; rest * 10 === fraction; rest = (fraction / 10) | 0) {
      fraction = rest
      digits--
    }
    out[to++] = POINT
    for (let index = to + digits - 1; index >= to; index--) {
      const rest = (fraction / 10) | 0
      out[index] = ZERO + fraction - rest * 10
      fraction = rest
    }
    return to + digits
  }
  return putWhole(size, out, putSign(value, out, at))
}

function putSign(value: number, out: Uint8Array, at: number): number {
  if (value >= 0) return at
  out[at] = MINUS
  return at + 1
}

/** @param value  up to 2^31 */
function putWhole(value: number, out: Uint8Array, at: number): number {
  let digits = 1
  for (let bound = 10; value >= bound && digits < 10; bound *= 10) digits++
  let rest = value
  for (let index = at + digits - 1; index >= at; index--) {
    const next = Math.floor(rest / 10)
    out[index] = ZERO + rest - next * 10
    rest = next
  }
  return at + digits
}

function putText(text: string, out: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index++) out[at + index] = text.charCodeAt(index)
  return at + text.length
}

/** A value as JSON; null: no JSON says it. */
export function jsonBytesOf(value: Value): Uint8Array | null {
  if (typeof value === 'string') return jsonStringOf(value)
  const text = textOf(value)
  return text === null ? null : Buffer.from(text)
}

/** Compact JSON with every digit of its integers. */
function textOf(value: Value): string | null {
  switch (typeof value) {
    case 'undefined':
      return null
    case 'string':
      return JSON.stringify(value)
    case 'bigint':
      return String(value)
    case 'number':
    case 'boolean':
      return String(value)
    default:
      break
  }
  if (value === null) return 'null'
  if (value instanceof DateTime || value instanceof Duration) return null
  const members = Array.isArray(value)
    ? value.map(textOf)
    : Object.entries(value).map(([name, member]) => {
        const text = textOf(member as Value)
        return text === null ? null : `${JSON.stringify(name)}:${text}`
      })
  if (members.includes(null)) return null
  return Array.isArray(value) ? `[${members.join(',')}]` : `{${members.join(',')}}`
}
