/** Search terms back as text. A tree that search terms cannot say gives null; the printer then writes a `where`. */
import type { AstExpr, AstLiteral } from './ast.ts'
import {
  escapeGlob,
  fieldCondition,
  INNER_VALUE_WORD,
  isGlob,
  VALUE_WORD,
  WORD,
  wordCondition,
  wordLiteral,
} from './search-words.ts'
import { NO_SPAN } from './source.ts'
import { canBeRaw, printString } from './strings.ts'
import { quoteField } from './token.ts'

/** Loosest first; `not` binds tightest. */
const OR = 1
const AND = 2
const NOT = 3

export function printSearch(expr: AstExpr): string | null {
  return printTerms(expr, OR)
}

function printTerms(expr: AstExpr, min: number): string | null {
  if (expr.kind === 'binary' && (expr.operator === 'or' || expr.operator === 'and')) {
    const level = expr.operator === 'or' ? OR : AND
    const left = printTerms(expr.left, level)
    const right = printTerms(expr.right, level + 1)
    if (left === null || right === null) return null
    const text = expr.operator === 'or' ? `${left} or ${right}` : `${left} ${right}`
    return level < min ? `(${text})` : text
  }
  if (expr.kind === 'not') {
    const operand = printTerms(expr.operand, NOT)
    return operand === null ? null : `not ${operand}`
  }
  return printTerm(expr)
}

function printTerm(expr: AstExpr): string | null {
  switch (expr.kind) {
    case 'literal':
      return expr.value.type === 'bool' && expr.value.value ? '*' : null
    case 'call':
      return printCondition(expr)
    case 'binary':
      return printComparison(expr)
    case 'in': {
      if (expr.operand.kind !== 'field' || expr.list.kind !== 'array') return null
      const values = expr.list.elements.map(e => (e.kind === 'literal' ? printValue(e, WORD) : null))
      if (values.includes(null)) return null
      return `${quoteField(expr.operand.name)} ${expr.negated ? 'not in' : 'in'} (${values.join(', ')})`
    }
    default:
      return null
  }
}

function printCondition(call: Extract<AstExpr, { kind: 'call' }>): string | null {
  const [field, argument, ...more] = call.args
  if (call.where !== null || call.strict || field?.kind !== 'field' || more.length > 0) return null
  if (call.name === 'exists') return argument === undefined ? `${quoteField(field.name)}=*` : null
  if (argument?.kind !== 'literal' || argument.value.type !== 'string') return null
  const { value, raw } = argument.value
  // A pattern has no other spelling; within a pipeline in brackets none was read that has a `]`.
  if (call.name === 'glob' && !raw && isWhole(VALUE_WORD, value) && value !== '*' && isGlob(value)) {
    return isSame(fieldCondition(field, '==', value, NO_SPAN), call) ? `${quoteField(field.name)}=${value}` : null
  }
  if (field.name !== '_raw') return null
  if (call.name === 'contains') return raw && canBeRaw(value) ? `r"${value}"` : printString(value)
  if (raw) return null
  const word = call.name === 'has' ? escapeGlob(value) : value
  if (!isWhole(WORD, word) || !isSafeWord(word) || !isSame(wordCondition(word, NO_SPAN), call)) return null
  // `in` before a bracket would be a list.
  return word.toLowerCase() === 'in' ? `(${word})` : word
}

/** Words that mean something else, and beginnings that do. */
function isSafeWord(word: string): boolean {
  return !/^(?:and|or|not)$/i.test(word) && !/^(?:['`!]|\/\/|\/\*|&&|r")/.test(word)
}

function isWhole(pattern: RegExp, word: string): boolean {
  pattern.lastIndex = 0
  return pattern.exec(word)?.[0] === word
}

/** Both are what a word means or a call to be printed: the function and its text decide. */
function isSame(a: AstExpr, b: AstExpr): boolean {
  if (a.kind !== 'call' || b.kind !== 'call' || a.name !== b.name) return false
  const [left, right] = [a.args[1], b.args[1]]
  return (
    left?.kind === 'literal' &&
    right?.kind === 'literal' &&
    left.value.type === 'string' &&
    right.value.type === 'string' &&
    left.value.value === right.value.value
  )
}

function printComparison(expr: Extract<AstExpr, { kind: 'binary' }>): string | null {
  if (expr.left.kind !== 'field' || !['==', '!=', '<', '<=', '>', '>='].includes(expr.operator)) return null
  const value =
    expr.right.kind === 'variable'
      ? `$${expr.right.name}`
      : expr.right.kind === 'literal'
        ? printValue(expr.right, INNER_VALUE_WORD)
        : null
  const operator = expr.operator === '==' ? '=' : expr.operator
  return value === null ? null : `${quoteField(expr.left.name)}${operator}${value}`
}

/** A value as a bare word when the word means that value, else a string; null when search terms have no such value. */
export function printValue({ value }: AstLiteral, pattern: RegExp): string | null {
  if (value.type === 'string') {
    const isBare =
      !value.raw &&
      isWhole(pattern, value.value) &&
      printString(value.value).length === value.value.length + 2 &&
      !/[*?$]/.test(value.value) &&
      !/^(?:['`=<>~!]|\/\/|\/\*|r")/.test(value.value) &&
      wordLiteral(value.value).type === 'string'
    if (isBare) return value.value
    return value.raw && canBeRaw(value.value) ? `r"${value.value}"` : printString(value.value)
  }
  if (value.type !== 'int' && value.type !== 'float' && value.type !== 'bool' && value.type !== 'null') return null
  const text = value.type === 'null' ? 'null' : String(value.value)
  return wordLiteral(text).type === value.type ? text : null
}
