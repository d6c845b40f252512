/**
 * A request body cut into the documents it holds, without parsing it: bytes in, spans out. Each document can then fail alone, and
 * keeps its exact text. Works on bytes, because everything JSON cuts at is ASCII and no byte of a longer UTF-8 character is.
 */

export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** `array`: the elements of one array. `lines`: one document a line. `values`: documents one after another, however laid out. */
export type Layout = 'array' | 'lines' | 'values'

/** How the body is laid out, or null when it is none of them. */
export function layoutOf(body: Buffer): Layout | null {
  const start = skipSpace(body, startOf(body))
  if (start === body.length) return null
  if (body[start] === OPEN_BRACKET) return 'array'
  if (body[start] !== OPEN_BRACE) return null
  const end = endOfValue(body, start)
  // A first line that never closes is one damaged line, not a reason to refuse the others.
  if (end === -1) return 'lines'
  const lineEnd = endOfLine(body, start)
  return end <= lineEnd && skipBlanks(body, end) >= lineEnd ? 'lines' : 'values'
}

/**
 * Elements of the array at the start of the body, or null when it does not end properly: then nothing of it can be trusted. An element at
 * a time: a large body takes long.
 */
export function* arrayElements(body: Buffer): Generator<void, ByteSpan[] | null> {
  const elements: ByteSpan[] = []
  let at = skipSpace(body, skipSpace(body, startOf(body)) + 1)
  if (body[at] === CLOSE_BRACKET) return skipSpace(body, at + 1) === body.length ? elements : null
  while (at < body.length) {
    const end = endOfValue(body, at)
    if (end === -1) return null
    elements.push({ start: at, end: trimEnd(body, at, end) })
    at = skipSpace(body, end)
    if (body[at] === CLOSE_BRACKET) return skipSpace(body, at + 1) === body.length ? elements : null
    if (body[at] !== COMMA) return null
    at = skipSpace(body, at + 1)
    yield
  }
  return null
}

/** Documents one after another; the last one may be damaged. */
export function* values(body: Buffer): Generator<ByteSpan> {
  let at = skipSpace(body, startOf(body))
  while (at < body.length) {
    let end = endOfValue(body, at)
    if (end <= at) end = body.length
    yield { start: at, end: trimEnd(body, at, end) }
    at = skipSpace(body, end)
  }
}

/** Lines without their ends (`\n`, `\r\n`); the empty ones too, so that callers can count. */
export function* lines(body: Buffer): Generator<ByteSpan> {
  let start = startOf(body)
  while (start < body.length) {
    const lineEnd = endOfLine(body, start)
    yield { start, end: lineEnd > start && body[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd }
    start = lineEnd + 1
  }
}

export function isBlank(body: Buffer, span: ByteSpan): boolean {
  return skipSpace(body, span.start) >= span.end
}

/** Where the value of a member of the object at `object` is, so that its text can be kept; null when there is no such member. */
export function memberSpan(body: Buffer, object: ByteSpan, name: string): ByteSpan | null {
  let at = skipSpace(body, object.start + 1)
  let found: ByteSpan | null = null
  while (at < object.end && body[at] === QUOTE) {
    const keyEnd = endOfString(body, at)
    const start = skipSpace(body, skipSpace(body, keyEnd) + 1)
    const end = endOfValue(body, start)
    if (keyEnd === -1 || end === -1 || end > object.end) return null
    // The last one counts, as it does for JSON.parse.
    if (body.toString('latin1', at + 1, keyEnd - 1) === name) found = { start, end: trimEnd(body, start, end) }
    at = skipSpace(body, skipSpace(body, end) + 1)
  }
  return found
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const COMMA = 0x2c
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** After a byte order mark, if there is one. */
function startOf(body: Buffer): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

/** The end of the JSON value that begins at `at`, or -1 when it never ends. Brackets and strings only; the parser finds the rest. */
function endOfValue(body: Buffer, at: number): number {
  let depth = 0
  let i = at
  while (i < body.length) {
    const byte = body[i]!
    if (byte === QUOTE) {
      i = endOfString(body, i)
      if (i === -1) return -1
      if (depth === 0) return i
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      // The bracket that closes what is around us ends a bare word.
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (depth === 0 && (byte === COMMA || byte === NEWLINE)) return i
    i++
  }
  return depth === 0 ? i : -1
}

/** After the closing quote of the string at `at`, or -1. */
function endOfString(body: Buffer, at: number): number {
  for (let i = at + 1; i < body.length; i++) {
    if (body[i] === BACKSLASH) i++
    else if (body[i] === QUOTE) return i + 1
  }
  return -1
}

function endOfLine(body: Buffer, at: number): number {
  const newline = body.indexOf(NEWLINE, at)
  return newline === -1 ? body.length : newline
}

function skipSpace(body: Buffer, at: number): number {
  let i = at
  while (i < body.length && (body[i] === 0x20 || (body[i]! >= 0x09 && body[i]! <= 0x0d))) i++
  return i
}

function skipBlanks(body: Buffer, at: number): number {
  let i = at
  while (body[i] === 0x20 || body[i] === 0x09 || body[i] === CARRIAGE_RETURN) i++
  return i
}

function trimEnd(body: Buffer, start: number, end: number): number {
  let i = end
  while (i > start && (body[i - 1] === 0x20 || (body[i - 1]! >= 0x09 && body[i - 1]! <= 0x0d))) i--
  return i
}
