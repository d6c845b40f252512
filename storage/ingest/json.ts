/**
 * JSON with exact integers. `JSON.parse` is the fast path; a text that turns out to hold a number beyond 2^53 is parsed once more, and
 * its whole numbers of that size become bigints (within int64; larger ones are floats, as everywhere).
 */
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/** Marks a big integer that travels through `JSON.parse` as a string. Random, so that no document can contain it by intent. */
const MARK = `\u{10FFFD}${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs
const BIG_INTEGER = /^-?\d{16,}$/
const BIG_VALUE = /([:[,]\s*)(-?\d{16,})(?=\s*[,\]}])/g

/** Half of a surrogate pair can be written in JSON, but not in UTF-8: it becomes U+FFFD here, once, and not later in some places. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/
const LONE_SURROGATE = /[\ud800-\udfff]/gu

/** As `JSON.parse`, but for lone surrogates. @throws {SyntaxError} */
export function parseJson(text: string): unknown {
  return mended(text, JSON.parse(text))
}

/** The same for a text that `JSON.parse` takes, with every digit of its integers. */
export function parseExactJson(text: string): unknown {
  return mended(text, mapStrings(parseMarked(text), exactInteger))
}

/**
 * Big integers marked where they seem to stand as values. If one stood inside a string after all, its mark ended that string and the
 * text is no JSON any more: then every string is walked over to be sure. The guess costs a third of the walk.
 */
function parseMarked(text: string): unknown {
  try {
    return JSON.parse(
      text.replace(BIG_VALUE, (all, before: string, digits: string) =>
        isSafe(digits) ? all : `${before}"${MARK}${digits}"`,
      ),
    )
  } catch {
    // Guessed wrong, or not JSON at all: the careful way tells.
    return JSON.parse(
      text.replace(STRING_OR_NUMBER, token =>
        BIG_INTEGER.test(token) && !isSafe(token) ? `"${MARK}${token}"` : token,
      ),
    )
  }
}

function isSafe(digits: string): boolean {
  return Number.isSafeInteger(Number(digits))
}

function mended(text: string, value: unknown): unknown {
  return text.includes('\\u') && SURROGATE_ESCAPE.test(text) ? mapStrings(value, wellFormed) : value
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
    if (after === before) continue
    // By definition where the key is `__proto__`; everywhere else assignment, which keeps the object fast.
    if (key === '__proto__') Object.defineProperty(object, key, { value: after, enumerable: true })
    else object[key] = after
  }
  return object
}
