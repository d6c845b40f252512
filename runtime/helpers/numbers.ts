/** Where text and bigints become the numbers of the language: one reading of a numeric string, one rule for exactness. */
import type { Value } from '../../storage/value.ts'

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER)

/** A numeric string is what JSON or a person would write: no blanks inside, no `Infinity`, no bare dot. */
const NUMERIC = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const WHOLE = /^[+-]?\d+$/
const HEX = /^0[xX][0-9a-fA-F]+$/

/** The number a string writes, exact when it is an int beyond 2^53; null when it writes none. Surrounding blanks are ignored. */
export function parseNumber(text: string): number | bigint | null {
  // Most strings asked about are not numbers, and most say so in their first character.
  const first = text.charCodeAt(0)
  if (!(first <= 57)) return null
  const trimmed = text.trim()
  if (!NUMERIC.test(trimmed)) return HEX.test(trimmed) ? normalInt(BigInt(trimmed)) : null
  const number = Number(trimmed)
  if (!Number.isFinite(number)) return null
  if (!Number.isSafeInteger(number) && WHOLE.test(trimmed)) {
    return normalInt(BigInt(trimmed.charCodeAt(0) === 43 ? trimmed.slice(1) : trimmed))
  }
  return number === 0 ? 0 : number
}

/** A whole number in its one form: number within ±(2^53-1), bigint within int64, float beyond. */
export function normalInt(value: bigint): number | bigint | null {
  if (value >= -SAFE_MAX && value <= SAFE_MAX) return Number(value)
  if (value >= INT64_MIN && value <= INT64_MAX) return value
  return normalFloat(Number(value))
}

/** NaN and the infinities are not values; minus zero is zero. */
export function normalFloat(value: number): number | null {
  return Number.isFinite(value) ? (value === 0 ? 0 : value) : null
}

/** A value as an operand of arithmetic: numbers as they are, numeric strings as the number they write, the rest null. */
export function toNumeric(value: Value): number | bigint | null {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return typeof value === 'string' ? parseNumber(value) : null
}

/** As toNumeric, as a double: for functions where exact digits beyond 2^53 have no meaning (`sqrt`, `sin`). */
export function toDouble(value: Value): number | null {
  if (typeof value === 'number') return value
  const numeric = toNumeric(value)
  return numeric === null ? null : Number(numeric)
}

/** A whole number argument (a position, a count): truncated towards zero; null when it is not a number. */
export function toIndex(value: Value): number | null {
  const double = toDouble(value)
  return double === null ? null : Math.trunc(double)
}
