/**
 * Text that says the event's own time: the field the time was read from. When every row is `_time` in one of the forms programs write,
 * the form is all there is to store.
 */
import { PRESENT, type TextVector, type TimeVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { presenceAt, readPresence, writePresence } from './presence.ts'
import { sayTimes, type TimeForm } from './time-loop.ts'

/** Digits of the second behind the point, and what stands for UTC. The numbers are part of the format: never another meaning for one. */
const FORMS = [
  { digits: 3, zone: 'Z' },
  { digits: 0, zone: 'Z' },
  { digits: 6, zone: 'Z' },
  { digits: 9, zone: 'Z' },
  { digits: 3, zone: '+00:00' },
  { digits: 0, zone: '+00:00' },
  { digits: 6, zone: '+00:00' },
  { digits: 9, zone: '+00:00' },
] as const

const LOOP_FORMS: readonly TimeForm[] = FORMS.map(({ digits, zone }) => ({
  digits,
  zone: new TextEncoder().encode(zone),
}))

const SECOND = 1_000_000
const MINUTE = 60 * SECOND
/** Of a text, up to the minute. */
const MINUTE_BYTES = 16
const ENCODER = new TextEncoder()
const YEARS_MIN = Date.UTC(0, 0, 1) * 1000
const YEARS_MAX = Date.UTC(10_000, 0, 1) * 1000

const DAY_SECONDS = 86_400

function putTwoDigits(value: number, out: Uint8Array, at: number): void {
  const tens = Math.floor(value / 10)
  out[at] = 48 + tens
  out[at + 1] = 48 + value - tens * 10
}

/**
 * Writes times in one form; a clock that goes on by small steps is formatted once a second, and its date once a day. (Formatting all of it for
 * each second was a fifth of the time of a merge: events come a second apart.)
 */
class TimeTexts {
  readonly length: number
  readonly #digits: number
  /** Nanoseconds of the last of them. */
  readonly #unit: number
  readonly #zone: Uint8Array
  #second = Number.NaN
  #day = Number.NaN
  #date: Uint8Array = new Uint8Array(19)
  /** Where the date and the clock were put last, and those of which second. */
  #into: Uint8Array | null = null
  #at = 0
  #put = Number.NaN

  constructor(form: number) {
    const { digits, zone } = FORMS[form]!
    this.#digits = digits
    this.#unit = 10 ** (9 - digits)
    this.#zone = ENCODER.encode(zone)
    this.length = 19 + (digits === 0 ? 0 : digits + 1) + zone.length
  }

  /** False when the year has not four digits, or the form has too few for the time. */
  write(micros: number, nanos: number, out: Uint8Array, at: number): boolean {
    if (!(micros >= YEARS_MIN && micros < YEARS_MAX)) return false
    const second = Math.floor(micros / SECOND)
    if (second !== this.#second) this.#goTo(second)
    // Below 2^31, and told so: as floats, to divide it took most of the time (270 → 90 ns for a time that is compared).
    const nanosOfSecond = ((micros - second * SECOND) * 1000 + nanos) | 0
    let fraction = (nanosOfSecond / this.#unit) | 0
    if (fraction * this.#unit !== nanosOfSecond) return false
    // By hand: a call into the engine costs more than so few bytes. What was put there last need not be put there again.
    if (out !== this.#into || at !== this.#at || second !== this.#put) {
      const date = this.#date
      for (let index = 0; index < 19; index++) out[at + index] = date[index]!
      this.#into = out
      this.#at = at
      this.#put = second
    }
    let to = at + 19
    if (this.#digits > 0) {
      out[to] = 46
      for (let digit = this.#digits; digit > 0; digit--) {
        const rest = (fraction / 10) | 0
        out[to + digit] = 48 + fraction - rest * 10
        fraction = rest
      }
      to += this.#digits + 1
    }
    const zone = this.#zone
    for (let index = 0; index < zone.length; index++) out[to + index] = zone[index]!
    return true
  }

  /** Of a text of this form, `out[at … at + length)`, the nanoseconds since its minute began; NaN: there is no such form behind that. */
  nanosAt(out: Uint8Array, at: number): number {
    const tens = out[at + 17]! - 48
    const ones = out[at + 18]! - 48
    // A leap second is said as the minute that follows.
    if (out[at + 16] !== 58 || !(tens >= 0 && tens <= 5 && ones >= 0 && ones <= 9)) return Number.NaN
    let fraction = 0
    let to = at + 19
    if (this.#digits > 0) {
      if (out[to++] !== 46) return Number.NaN
      for (const end = to + this.#digits; to < end; to++) {
        const digit = out[to]! - 48
        if (!(digit >= 0 && digit <= 9)) return Number.NaN
        fraction = fraction * 10 + digit
      }
    }
    const zone = this.#zone
    for (let index = 0; index < zone.length; index++) if (out[to + index] !== zone[index]) return Number.NaN
    return (tens * 10 + ones) * 1e9 + fraction * this.#unit
  }

  #goTo(second: number): void {
    this.#second = second
    const day = Math.floor(second / DAY_SECONDS)
    if (day !== this.#day) {
      this.#day = day
      this.#date = ENCODER.encode(new Date(second * 1000).toISOString().slice(0, 19))
      return
    }
    const rest = second - day * DAY_SECONDS
    const minutes = Math.floor(rest / 60)
    const hours = Math.floor(minutes / 60)
    putTwoDigits(hours, this.#date, 11)
    putTwoDigits(minutes - hours * 60, this.#date, 14)
    putTwoDigits(rest - minutes * 60, this.#date, 17)
  }
}

/** The form in which every present row says its `_time`; null when none does. */
export function timeFormOf(text: TextVector, times: TimeVector | null): number | null {
  if (times === null || text.rowCount === 0) return null
  for (let form = 0; form < FORMS.length; form++) if (saysTime(text, times, form)) return form
  return null
}

/** Digits of the second that whole microseconds have at most. */
const MICROS_DIGITS = 6

function saysTime(text: TextVector, times: TimeVector, form: number): boolean {
  const { rowCount, offsets, presence } = text
  if (presence !== null || times.nanos !== null || FORMS[form]!.digits > MICROS_DIGITS)
    return eachSaysTime(text, times, form)
  const texts = new TimeTexts(form)
  if (offsets[rowCount]! - offsets[0]! !== rowCount * texts.length) return false
  const expected = new Uint8Array(texts.length)
  const prefix = expected.subarray(0, MINUTE_BYTES)
  const { bytes } = text
  const micros = times.micros.subarray(0, rowCount)
  const says = sayTimes(bytes, offsets, micros, LOOP_FORMS[form]!, row => {
    const start = offsets[row]!
    if (offsets[row + 1]! - start !== texts.length || !texts.write(micros[row]!, 0, expected, 0)) return null
    for (let at = 0; at < texts.length; at++) if (bytes[start + at] !== expected[at]) return null
    return { prefix, micros: Math.floor(micros[row]! / MINUTE) * MINUTE }
  })
  return says ?? eachSaysTime(text, times, form)
}

/** A row after the other: where some have none or nanoseconds, where there is no WebAssembly, and what the loop is held against. */
export function eachSaysTime(
  { rowCount, bytes, offsets, presence }: TextVector,
  times: TimeVector,
  form: number,
): boolean {
  const texts = new TimeTexts(form)
  const { length } = texts
  const expected = new Uint8Array(length + 3)
  // Four bytes at a time: most of it is the same from row to row, and not what takes time.
  const [words, expectedWords] = [
    new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
    new DataView(expected.buffer),
  ]
  let minuteMicros = Number.NaN
  let seen = false
  for (let row = 0; row < rowCount; row++) {
    if (presence !== null && presence[row] !== PRESENT) continue
    const start = offsets[row]!
    if (offsets[row + 1]! - start !== length) return false
    const micros = times.micros[row]!
    const nanos = times.nanos?.[row] ?? 0
    seen = true
    // In the minute of the one before only what follows that is read: 75 → 20 ns.
    if (
      isSame(words, start, expectedWords, MINUTE_BYTES) &&
      texts.nanosAt(bytes, start) === (micros - minuteMicros) * 1000 + nanos
    )
      continue
    if (!texts.write(micros, nanos, expected, 0) || !isSame(words, start, expectedWords, length)) return false
    minuteMicros = Math.floor(micros / MINUTE) * MINUTE
  }
  return seen
}

/** @param other  from its beginning, `length` bytes */
function isSame(words: DataView, start: number, other: DataView, length: number): boolean {
  let at = 0
  for (; at + 4 <= length; at += 4) if (words.getInt32(start + at) !== other.getInt32(at)) return false
  for (; at < length; at++) if (words.getUint8(start + at) !== other.getUint8(at)) return false
  return true
}

export function encodeTimeText(sink: ByteSink, text: TextVector, form: number): void {
  writePresence(sink, text.presence)
  sink.u8(form)
}

/** @param rows  if only these are wanted; then `times` are theirs */
export function decodeTimeText(
  source: ByteSource,
  blockRows: number,
  times: TimeVector,
  rows: Uint32Array | null = null,
): TextVector {
  const every = readPresence(source, blockRows)
  const presence = rows === null ? every : presenceAt(every, rows)
  const rowCount = rows === null ? blockRows : rows.length
  const form = source.u8()
  if (FORMS[form] === undefined) throw new RangeError(`form ${form} of time is not known`)
  const texts = new TimeTexts(form)
  const bytes = new Uint8Array(rowCount * texts.length)
  const offsets = new Uint32Array(rowCount + 1)
  let at = 0
  for (let row = 0; row < rowCount; row++) {
    if (presence === null || presence[row] === PRESENT) {
      if (!texts.write(times.micros[row]!, times.nanos?.[row] ?? 0, bytes, at))
        throw new RangeError('a time its form cannot say')
      at += texts.length
    }
    offsets[row + 1] = at
  }
  return { kind: 'text', rowCount, bytes: bytes.subarray(0, at), offsets, presence }
}
