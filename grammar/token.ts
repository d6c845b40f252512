/** The words a query is made of. Tokens are cut on demand, because search terms and index names have rules of their own. */
import type { LiteralValue } from './ast.ts'
import type { Diagnostic } from './diagnostics.ts'

export type TokenKind =
  /** A bare word, possibly a dotted path; stage names and `by`, `as`, `where` are names as well. */
  | 'name'
  /** A name in backticks. */
  | 'quoted-name'
  /** One of the eight reserved words, lower-cased. */
  | 'keyword'
  /** Anything with a `literal`: string, number, duration, datetime. */
  | 'literal'
  | 'variable'
  | 'punctuation'
  /** A character no token starts with; always carries a `problem`. */
  | 'bad'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
  /** The name without backticks or `$`, the keyword in lower case, the punctuation; as written otherwise. */
  readonly text: string
  readonly literal: LiteralValue | null
  /** What is wrong with the token itself. Reported when the parser takes the token, not when it looks ahead. */
  readonly problem: Diagnostic | null
}

export const RESERVED: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'between', 'true', 'false', 'null'])

const BARE_PATH = /^[A-Za-z_@][A-Za-z0-9_@]*(\.[A-Za-z_@][A-Za-z0-9_@]*)*$/
const BARE_NAME = /^[A-Za-z_@][A-Za-z0-9_@]*$/

/** A field name as the language writes it: bare when it can be, in backticks otherwise. */
export function quoteField(name: string): string {
  return BARE_PATH.test(name) && !RESERVED.has(name.toLowerCase()) ? name : quoteName(name)
}

/** A name after `.` or as an object key: no path, and reserved words need no quotes there. */
export function isBareName(name: string): boolean {
  return BARE_NAME.test(name)
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
