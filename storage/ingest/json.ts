/**
 * JSON with exact integers. `JSON.parse` is the fast path; only a text that holds a run of sixteen digits is looked at again, and only
 * a whole number beyond 2^53 in it becomes a bigint (within int64; larger ones are floats, as everywhere).
 */
const MANY_DIGITS = /\d{16}/
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/** Marks a big integer that travels through `JSON.parse` as a string. Random, so that no document can contain it by intent. */
const MARK = `\u{10FFFD}${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs
const BIG_INTEGER = /^-?\d{16,}$/

/** Half of a surrogate pair can be written in JSON, but not in UTF-8: it becomes U+FFFD here, once, and not later in some places. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/
const LONE_SURROGATE = /[\ud800-\udfff]/gu

/** @throws {SyntaxError} as `JSON.parse` does. */
export function parseJson(text: string): unknown {
  const value = parseExact(text)
  return SURROGATE_ESCAPE.test(text) ? mapStrings(value, wellFormed) : value
}

function parseExact(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text)
  // A text that is not JSON must be refused as it stands, before anything is put into it.
  const plain: unknown = JSON.parse(text)
  let found = false
  const marked = text.replace(STRING_OR_NUMBER, token => {
    if (!BIG_INTEGER.test(token) || Number.isSafeInteger(Number(token))) return token
    found = true
    return `"${MARK}${token}"`
  })
  return found ? mapStrings(JSON.parse(marked), exactInteger) : plain
}

/** The value of an integer's digits under the language's rules: number, bigint within int64, else float. */
export function integerOf(digits: string): number | bigint {
  const approximate = Number(digits)
  if (Number.isSafeInteger(approximate)) return approximate
  const exact = BigInt(digits)
  return exact >= INT64_MIN && exact <= INT64_MAX ? exact : approximate
}

/** A bigint from anywhere under the same rules. */
export function normalBigint(value: bigint): number | bigint {
  if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value)
  return value >= INT64_MIN && value <= INT64_MAX ? value : Number(value)
}

function exactInteger(text: string): unknown {
  return text.startsWith(MARK) ? integerOf(text.slice(MARK.length)) : text
}

function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd')
}

/** `value` with every string in it replaced, in place. */
function mapStrings(value: unknown, replace: (text: string) => unknown): unknown {
  if (typeof value === 'string') return replace(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(element => mapStrings(element, replace))
  const object = value as Record<string, unknown>
  for (const key of Object.keys(object)) {
    const before = object[key]
    const after = mapStrings(before, replace)
    // By definition, not by assignment: a key may be `__proto__`.
    if (after !== before) Object.defineProperty(object, key, { value: after, enumerable: true })
  }
  return object
}
