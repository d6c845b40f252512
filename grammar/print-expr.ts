/** Expressions back as text: the fewest brackets the precedence table allows, so that reading it gives the same tree. */
import type { AstExpr, LiteralValue } from './ast.ts'
import { binaryPrecedence, PRECEDENCE, precedenceOf } from './precedence.ts'
import { canBeRaw, printString } from './strings.ts'
import { isBareName, quoteField, quoteName } from './token.ts'

/** The canonical text of an expression; also the name of an unaliased column. `min` as in `parseExpression`. */
export function printExpr(expr: AstExpr, min: number = PRECEDENCE.lambda): string {
  const text = printBare(expr)
  return precedenceOf(expr) < min ? `(${text})` : text
}

function printBare(expr: AstExpr): string {
  switch (expr.kind) {
    case 'literal':
      return printLiteral(expr.value)
    case 'field':
      return quoteField(expr.name)
    case 'variable':
      return `$${expr.name}`
    case 'binary': {
      const level = binaryPrecedence(expr.operator)
      // Comparisons do not chain; all other operators lean to the left.
      const left = printExpr(expr.left, level === PRECEDENCE.comparison ? level + 1 : level)
      return `${left} ${expr.operator} ${printExpr(expr.right, level + 1)}`
    }
    case 'not':
      return `not ${printExpr(expr.operand, PRECEDENCE.not)}`
    case 'negate':
      return `-${isNumber(expr.operand) ? `(${printBare(expr.operand)})` : printExpr(expr.operand, PRECEDENCE.negate)}`
    case 'in': {
      const operator = expr.negated ? 'not in' : 'in'
      return `${printExpr(expr.operand, PRECEDENCE.coalesce)} ${operator} ${printExpr(expr.list, PRECEDENCE.coalesce)}`
    }
    case 'between': {
      const [operand, low, high] = [expr.operand, expr.low, expr.high].map(e => printExpr(e, PRECEDENCE.coalesce))
      return `${operand} ${expr.negated ? 'not between' : 'between'} ${low} and ${high}`
    }
    case 'call':
      return printCall(expr)
    case 'member': {
      const name = isBareName(expr.name) ? expr.name : quoteName(expr.name)
      return `${printObject(expr.object, expr.optional)}${expr.optional ? '?.' : '.'}${name}`
    }
    case 'index':
      return `${printObject(expr.object, true)}[${printExpr(expr.index)}]`
    case 'array':
      return `[${expr.elements.map(e => printExpr(e)).join(', ')}]`
    case 'object': {
      const members = expr.members.map(
        m => `${isBareName(m.name) ? m.name : printString(m.name)}: ${printExpr(m.value)}`,
      )
      return `{${members.join(', ')}}`
    }
    case 'lambda':
      return `${quoteField(expr.parameter)} -> ${printExpr(expr.body, PRECEDENCE.or)}`
    case 'bad':
      return '…'
  }
}

/** `count()`, `avg(ms, where ok)`, `int!(x)`; aggregates of `stats` print the same. */
export function printCall(call: {
  readonly name: string
  readonly args: readonly AstExpr[]
  readonly where: AstExpr | null
  readonly strict?: boolean
}): string {
  const parts = call.args.map(a => printExpr(a))
  if (call.where !== null) {
    const predicate = printExpr(call.where)
    // `where - 1` and `where [1]` would be about a field of that name.
    parts.push(`where ${/^[-[]/.test(predicate) ? `(${predicate})` : predicate}`)
  }
  return `${call.name}${call.strict === true ? '!' : ''}(${parts.join(', ')})`
}

/** What `.f` or `[i]` applies to. `(a).b` is the member of `a`; `a.b` would be the field of that name. */
function printObject(object: AstExpr, nameStandsAlone: boolean): string {
  const needsBrackets = object.kind === 'literal' || (object.kind === 'field' && !nameStandsAlone)
  return needsBrackets ? `(${printBare(object)})` : printExpr(object, PRECEDENCE.postfix)
}

function isNumber(expr: AstExpr): boolean {
  if (expr.kind !== 'literal' || precedenceOf(expr) < PRECEDENCE.postfix) return false
  return expr.value.type === 'int' || expr.value.type === 'float' || expr.value.type === 'duration'
}

export function printLiteral(value: LiteralValue): string {
  switch (value.type) {
    case 'null':
      return 'null'
    case 'bool':
    case 'int':
      return String(value.value)
    case 'float':
      return printFloat(value.value)
    case 'string':
      return value.raw && canBeRaw(value.value) ? `r"${value.value}"` : printString(value.value)
    case 'duration':
    case 'datetime':
      return value.text
  }
}

/** `2.0` and not `2`, which would be read as an int. */
function printFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}
