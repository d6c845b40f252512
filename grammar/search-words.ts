/** What a bare word of the search terms means, and which word means something. Parser and printer share it. */
import type { AstExpr, LiteralValue } from './ast.ts'
import { NO_SPAN, type Span } from './source.ts'

/** A word outside of a field term: up to white space, an operator or a bracket. `\` keeps the next character in the word. */
export const WORD = /(?:\\[^\s|()]|!(?!=)|[^\s|()",;=<>!`[\]{}\\]|\\(?=[\s|()]|$))+/y
/** After `field=` more belongs to the word: `url=/a?b=c`. */
export const VALUE_WORD = /(?:\\[^\s|()]|[^\s|()",;`\\]|\\(?=[\s|()]|$))+/y

/** The same within a pipeline in brackets, which `]` ends. */
export const INNER_VALUE_WORD = /(?:\\[^\s|()]|[^\s|()",;`\\\]]|\\(?=[\s|()]|$))+/y

const INT64_MAX = 2n ** 63n - 1n

/** Whether an unescaped `*` or `?` is in it. */
export function isGlob(word: string): boolean {
  return /^(?:\\.|[^*?\\])*[*?]/s.test(word)
}

/** The text a word stands for when it is no glob: `\*` and `\?` are the characters, every other backslash is itself. */
export function plainText(word: string): string {
  return word.replace(/\\(.)/gs, (pair, char: string) => (char === '*' || char === '?' ? char : pair))
}

export function escapeGlob(text: string): string {
  return text.replace(/[*?]/g, '\\$&')
}

/** `500` is a number, `1.10` and `007` are texts: a number written otherwise than we would write it is one. */
export function wordLiteral(word: string): LiteralValue {
  const lower = word.toLowerCase()
  if (lower === 'true' || lower === 'false') return { type: 'bool', value: lower === 'true' }
  if (lower === 'null') return { type: 'null' }
  if (/^(?:0|-?[1-9]\d{0,18})$/.test(word)) {
    const value = BigInt(word)
    if (value <= INT64_MAX && value >= -INT64_MAX - 1n) return { type: 'int', value }
  }
  if (/^-?\d+\.\d+$/.test(word) && String(Number(word)) === word) return { type: 'float', value: Number(word) }
  return { type: 'string', value: plainText(word), raw: false }
}

/** The condition a bare word stands for. A word without a letter or digit has no token, so it is looked for as text. */
export function wordCondition(word: string, span: Span): AstExpr {
  if (word === '*') return { kind: 'literal', span, value: { type: 'bool', value: true } }
  if (isGlob(word)) return rawCondition('has_glob', word, false, span)
  const text = plainText(word)
  return rawCondition(/[\p{L}\p{N}]/u.test(text) ? 'has' : 'contains', text, false, span)
}

export function rawCondition(name: string, text: string, raw: boolean, span: Span): AstExpr {
  return searchCall(name, { kind: 'field', span, name: '_raw' }, text, raw, span)
}

export function searchCall(name: string, field: AstExpr, text: string, raw: boolean, span: Span): AstExpr {
  const argument: AstExpr = { kind: 'literal', span, value: { type: 'string', value: text, raw } }
  return { kind: 'call', span, name, nameSpan: span, args: [field, argument], where: null, strict: false }
}

/** `field op word`, where `op` is one of ours. */
export function fieldCondition(
  field: AstExpr,
  operator: '==' | '!=' | '<' | '<=' | '>' | '>=',
  word: string,
  span: Span,
  wordSpan: Span = NO_SPAN,
): AstExpr {
  if ((operator === '==' || operator === '!=') && isGlob(word)) {
    const nameSpan = span
    const condition: AstExpr =
      word === '*'
        ? { kind: 'call', span, name: 'exists', nameSpan, args: [field], where: null, strict: false }
        : searchCall('glob', field, word, false, span)
    return operator === '==' ? condition : { kind: 'not', span, operand: condition }
  }
  const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(word)?.[1]
  const right: AstExpr =
    variable === undefined
      ? { kind: 'literal', span: wordSpan, value: wordLiteral(word) }
      : { kind: 'variable', span: wordSpan, name: variable }
  return { kind: 'binary', span, operator, left: field, right }
}
