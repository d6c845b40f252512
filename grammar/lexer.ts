/**
 * Cuts one token at a time out of the text. Pure: a token depends on the text and the offset only, so the parser may look
 * ahead, go back, or read a stretch by other rules (search terms, index names, time ranges). What is wrong with a token
 * rides on it as its `problem`; nothing here throws.
 */
import type { LiteralValue } from './ast.ts'
import type { Diagnostic } from './diagnostics.ts'
import { parseDateTime, parseDuration } from './literals.ts'
import { lexQuoted, printString } from './strings.ts'
import { quoteName, RESERVED, type Token, type TokenKind } from './token.ts'

const NAME = /[A-Za-z_@][A-Za-z0-9_@]*(?:\.[A-Za-z_@][A-Za-z0-9_@]*)*/y
/** A name that would be bare but for its letters. */
const FOREIGN_NAME = /[\p{L}_@][\p{L}\p{M}\p{N}_@]*(?:\.[\p{L}_@][\p{L}\p{M}\p{N}_@]*)*/uy
const NOT_ASCII = /[^\0-\x7f]/
const VARIABLE = /\$([A-Za-z_][A-Za-z0-9_]*)/y
const PUNCTUATION = /===|!==|&&|\|\||\?\?|\?\.|\?:|::|:=|==|!=|<>|<=|>=|=>|=<|=~|!~|->|\.\.|[|()[\]{},;:.+\-*/%<>=!?]/y
const DATE_TIME_SHAPE = /\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?(?![A-Za-z0-9_])/y
const HEX = /0[xX][0-9a-fA-F_]+(?![A-Za-z0-9_])/y
const DURATION_SHAPE = /(?:\d[\d_]*(?:\.\d+)?(?:ns|us|ms|s|m|h|d|w))+(?![A-Za-z0-9_])/y
const NUMBER = /\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?(?![A-Za-z0-9_])/y
const NUMBER_LIKE = /\d[A-Za-z0-9_]*(?:\.\d[A-Za-z0-9_]*)*/y
/** What people spell out: `5min`, `10sec`, `1hour`. */
const SPELLED_DURATION = /^(\d[\d_]*(?:\.\d+)?)(sec|secs|seconds?|mins?|minutes?|hr|hrs|hours?|days?|weeks?|mon)$/i

const SPACE = /[\s\uFEFF]*/y

/** Where the next token starts, after white space and comments. */
export function skipTrivia(text: string, from: number): { readonly at: number; readonly problem: Diagnostic | null } {
  let at = from
  for (;;) {
    SPACE.lastIndex = at
    SPACE.exec(text)
    at = SPACE.lastIndex
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end === -1) return { at: text.length, problem: unterminatedComment(text, at) }
      at = end + 2
    } else {
      return { at, problem: null }
    }
  }
}

function unterminatedComment(text: string, at: number): Diagnostic {
  const span = { start: at, end: Math.min(at + 2, text.length) }
  const edit = { span: { start: text.length, end: text.length }, text: ' */' }
  return { code: 'E302', message: "the comment never ends; '*/' ends it", span, expected: ['*/'], edit }
}

export function lexToken(text: string, from: number): Token {
  const { at, problem } = skipTrivia(text, from)
  if (at >= text.length) return { kind: 'end', start: at, end: at, text: '', literal: null, problem }
  const char = text[at] ?? ''
  if (char === '"' || char === "'" || char === '`') return lexQuoted(text, at, at)
  if (char === 'r' && text[at + 1] === '"') return lexQuoted(text, at, at + 1)
  if (char >= '0' && char <= '9') return lexNumber(text, at)
  const name = matchAt(NAME, text, at)
  if (NOT_ASCII.test(text[at + (name?.length ?? 0)] ?? '')) {
    const token = lexForeignName(text, at)
    if (token !== null) return token
  }
  if (name !== null) {
    const lower = name.toLowerCase()
    return RESERVED.has(lower) ? plain('keyword', at, name, lower) : plain('name', at, name, name)
  }
  if (char === '$') {
    const variable = matchAt(VARIABLE, text, at)
    if (variable !== null) return plain('variable', at, variable, variable.slice(1))
  }
  const punctuation = matchAt(PUNCTUATION, text, at)
  if (punctuation !== null) return plain('punctuation', at, punctuation, punctuation)
  return badCharacter(text, at)
}

/** `größe`: a name by the look of it, but not a bare one. */
function lexForeignName(text: string, at: number): Token | null {
  const name = matchAt(FOREIGN_NAME, text, at)
  if (name === null) return null
  const span = { start: at, end: at + name.length }
  const suggestion = quoteName(name)
  const message = 'bare names are ASCII; in backticks any name will do'
  const problem: Diagnostic = { code: 'E311', message, span, suggestion, edit: { span, text: suggestion } }
  return { kind: 'name', ...span, text: name, literal: null, problem }
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

function plain(kind: TokenKind, start: number, written: string, text: string): Token {
  return { kind, start, end: start + written.length, text, literal: null, problem: null }
}

function badCharacter(text: string, at: number): Token {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
  const end = at + char.length
  const shown = /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char)
    ? `'${char}'`
    : `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  const message = char === '#' ? "'#' starts nothing here; comments start with '//'" : `${shown} means nothing here`
  const problem: Diagnostic = { code: 'E311', message, span: { start: at, end } }
  return { kind: 'bad', start: at, end, text: char, literal: null, problem }
}

function lexNumber(text: string, at: number): Token {
  const instant = matchAt(DATE_TIME_SHAPE, text, at)
  if (instant !== null) return dateTimeToken(at, instant)
  const hex = matchAt(HEX, text, at)
  if (hex !== null) {
    const digits = hex.slice(2).replaceAll('_', '')
    if (digits !== '') return literalToken(at, hex, { type: 'int', value: BigInt(`0x${digits}`) })
  }
  const duration = matchAt(DURATION_SHAPE, text, at)
  if (duration !== null) {
    const ns = parseDuration(duration)
    if (ns !== null) return literalToken(at, duration, { type: 'duration', ns, text: duration })
  }
  const number = matchAt(NUMBER, text, at)
  if (number !== null) {
    const digits = number.replaceAll('_', '')
    if (/^\d+$/.test(digits)) {
      // Thousands of digits would cost quadratic time as a bigint, and are a float in any case.
      if (digits.length <= 40) return literalToken(at, number, { type: 'int', value: BigInt(digits) })
      if (!Number.isFinite(Number(digits))) return badNumber(at, number, 'is too large for a number', null)
    }
    const value = Number(digits)
    if (Number.isFinite(value)) return literalToken(at, number, { type: 'float', value })
    return badNumber(at, number, 'is too large for a number', null)
  }
  const written = matchAt(NUMBER_LIKE, text, at) ?? text.slice(at, at + 1)
  return badNumber(at, written, 'is neither a number nor a duration', spelledDuration(written))
}

function literalToken(start: number, written: string, literal: LiteralValue): Token {
  return { kind: 'literal', start, end: start + written.length, text: written, literal, problem: null }
}

function dateTimeToken(start: number, written: string): Token {
  const instant = parseDateTime(written)
  if (instant !== null) return literalToken(start, written, { type: 'datetime', ...instant, text: written })
  const span = { start, end: start + written.length }
  const inUtc = parseDateTime(`${written}Z`)
  const problem: Diagnostic =
    inUtc === null
      ? { code: 'E310', message: `${written} is no date of the calendar`, span }
      : {
          code: 'E310',
          message: `${written} needs a time zone, such as 'Z' or '+02:00'`,
          span,
          suggestion: `${written}Z`,
          edit: { span, text: `${written}Z` },
        }
  const literal: LiteralValue = { type: 'datetime', ...(inUtc ?? { micros: 0, nanos: 0 }), text: `${written}Z` }
  return { ...literalToken(start, written, literal), problem }
}

function badNumber(start: number, written: string, why: string, suggestion: string | null): Token {
  const span = { start, end: start + written.length }
  const shown = written.length > 40 ? `${written.slice(0, 37)}…` : written
  const problem: Diagnostic = {
    code: 'E310',
    message: `'${shown}' ${why}`,
    span,
    ...(suggestion !== null && { suggestion, edit: { span, text: suggestion } }),
  }
  return { ...literalToken(start, written, { type: 'int', value: 0n }), problem }
}

function spelledDuration(written: string): string | null {
  const match = SPELLED_DURATION.exec(written)
  if (match === null) return null
  const [, amount = '', unit = ''] = match
  if (unit.toLowerCase() === 'mon') return null
  return amount + (unit[0] ?? '').toLowerCase()
}

/** For messages: what stands there, short enough to read. */
export function describeToken(token: Token): string {
  if (token.kind === 'end') return 'the end of the query'
  if (token.literal?.type === 'string') return shorten(printString(token.literal.value))
  return `'${shorten(token.text)}'`
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}…` : text
}
