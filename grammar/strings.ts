/** Quoted tokens: `"…"`, `r"…"`, names in backticks, and the single quotes people bring from elsewhere. */
import type { Diagnostic } from './diagnostics.ts'
import { quoteName, type Token } from './token.ts'

/** The token whose first character is at `start` and whose opening quote is at `quoteAt` (one further for `r"…"`). */
export function lexQuoted(text: string, start: number, quoteAt: number): Token {
  const quote = text[quoteAt] ?? ''
  if (quote === '`') return lexBacktick(text, start)
  const close = closingQuote(text, quoteAt, quote)
  if (close === -1) return unterminated(text, start, quoteAt, quote)
  const body = text.slice(quoteAt + 1, close)
  if (quoteAt > start) return stringToken(text, start, close + 1, body, true, null)
  if (quote === '"') {
    const { value, badEscape } = unescaped(body)
    const problem = badEscape === null ? null : escapeProblem(start, body, badEscape)
    return stringToken(text, start, close + 1, value, false, problem)
  }
  const { value } = unescaped(body)
  const span = { start, end: close + 1 }
  const fixed = printString(value)
  const problem: Diagnostic = {
    code: 'E303',
    message: 'strings are written in double quotes',
    span,
    ...(fixed.length <= 80 && { suggestion: fixed }),
    edit: { span, text: fixed },
  }
  return stringToken(text, start, close + 1, value, false, problem)
}

function stringToken(
  text: string,
  start: number,
  end: number,
  value: string,
  raw: boolean,
  problem: Diagnostic | null,
): Token {
  return { kind: 'literal', start, end, text: text.slice(start, end), literal: { type: 'string', value, raw }, problem }
}

/** A backslash keeps the character after it from closing the string, in raw strings too: `r"say \"(\w+)\""`. */
function closingQuote(text: string, open: number, quote: string): number {
  for (let at = open + 1; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === quote) return at
  }
  return -1
}

/** Nothing closes it: the string is taken to end with the stage or the line, so that the rest can still be read. */
function unterminated(text: string, start: number, quoteAt: number, quote: string): Token {
  const rest = text.slice(quoteAt + 1)
  const end = quoteAt + 1 + rest.slice(0, rest.search(/\s\||\n|$/)).trimEnd().length
  const body = text.slice(quoteAt + 1, end)
  const raw = quoteAt > start
  const value = raw ? body : unescaped(body).value
  const closed = raw && canBeRaw(value) ? `r"${value}"` : printString(value)
  const span = { start, end }
  const problem: Diagnostic = {
    code: 'E302',
    message: `the string never ends; ${quote === "'" ? 'double quotes surround strings' : `'${quote}' ends it`}`,
    span: { start, end: Math.min(end, quoteAt + 1) },
    expected: ['"'],
    edit: { span, text: closed },
  }
  return stringToken(text, start, end, value, raw, problem)
}

function lexBacktick(text: string, start: number): Token {
  let at = start + 1
  for (;;) {
    const close = text.indexOf('`', at)
    if (close === -1) break
    if (text[close + 1] === '`') {
      at = close + 2
      continue
    }
    const name = text.slice(start + 1, close).replaceAll('``', '`')
    return { kind: 'quoted-name', start, end: close + 1, text: name, literal: null, problem: null }
  }
  const rest = text.slice(start + 1)
  const stop = rest.search(/[\s|,()=]|$/)
  const end = start + 1 + stop
  const name = text.slice(start + 1, end).replaceAll('``', '`')
  const problem: Diagnostic = {
    code: 'E302',
    message: 'the name never ends; a backtick ends it',
    span: { start, end: start + 1 },
    expected: ['`'],
    edit: { span: { start, end }, text: quoteName(name) },
  }
  return { kind: 'quoted-name', start, end, text: name, literal: null, problem }
}

const ESCAPE = /\\(u\{[^}]*\}?|.)?/gsu
const UNESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['"', '"'],
  ['\\', '\\'],
])

interface BadEscape {
  /** Offset within the body. */
  readonly at: number
  readonly written: string
}

function unescaped(body: string): { readonly value: string; readonly badEscape: BadEscape | null } {
  if (!body.includes('\\')) return { value: body, badEscape: null }
  let badEscape: BadEscape | null = null
  const value = body.replace(ESCAPE, (written: string, escaped: string | undefined, at: number) => {
    const plain = UNESCAPES.get(escaped ?? '')
    if (plain !== undefined) return plain
    const hex = /^u\{([0-9a-fA-F]{1,6})\}$/.exec(escaped ?? '')?.[1]
    const code = hex === undefined ? -1 : Number.parseInt(hex, 16)
    if (code >= 0 && code <= 0x10ffff) return String.fromCodePoint(code)
    badEscape ??= { at, written }
    return escaped === "'" ? escaped : written
  })
  return { value, badEscape }
}

function escapeProblem(start: number, body: string, bad: BadEscape): Diagnostic {
  const from = start + 1 + bad.at
  const span = { start: from, end: from + bad.written.length }
  if (bad.written.startsWith('\\u')) {
    return { code: 'E311', message: `'${bad.written}' is no character; write it as \\u{1F600}`, span }
  }
  // A pattern with quotes in it stays readable as a plain string; every other one as a raw string.
  const fixed = /\\["\\]/.test(body) ? printString(unescaped(body).value) : `r"${body}"`
  return {
    code: 'E311',
    message: `'${bad.written}' is no escape of "…"; r"…" takes backslashes as they are`,
    span,
    ...(fixed.length <= 80 && { suggestion: fixed }),
    edit: { span: { start, end: start + body.length + 2 }, text: fixed },
  }
}

/** Whether `r"…"` can hold it: every quote behind a backslash, no lone backslash at the end. */
export function canBeRaw(value: string): boolean {
  return /^(?:[^"\\\0]|\\[^\0])*$/.test(value)
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r' }

/** A string as the language writes it. Control characters become escapes, so that the text survives a terminal. */
export function printString(value: string): string {
  const body = value.replace(/["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g, char => {
    return ESCAPES[char] ?? `\\u{${char.charCodeAt(0).toString(16).toUpperCase()}}`
  })
  return `"${body}"`
}
