/**
 * How a column without an alias is called: the canonical text of its expression, and `_time` for a bin of time.
 * Its own small printer: enough for the expressions that name columns, and a second opinion on the grammar's.
 */
import type { AstAggregate, AstExpr, AstKey, LiteralValue } from '../../grammar/ast.ts'
import { formatDuration } from '../../grammar/literals.ts'

const PRECEDENCE: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  not: 3,
  '==': 4,
  '!=': 4,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  in: 4,
  between: 4,
  '??': 5,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
  negate: 8,
}
const ATOM = 9

function precedenceOf(expr: AstExpr): number {
  const key = expr.kind === 'binary' ? expr.operator : expr.kind
  return PRECEDENCE[key] ?? ATOM
}

function wrap(expr: AstExpr, min: number): string {
  const text = textOf(expr)
  return precedenceOf(expr) < min ? `(${text})` : text
}

export function textOf(expr: AstExpr): string {
  switch (expr.kind) {
    case 'literal':
      return literalText(expr.value)
    case 'field':
      return fieldText(expr.name)
    case 'variable':
      return `$${expr.name}`
    case 'binary': {
      const own = precedenceOf(expr)
      const compares = own === PRECEDENCE['==']
      return `${wrap(expr.left, compares ? own + 1 : own)} ${expr.operator} ${wrap(expr.right, own + 1)}`
    }
    case 'not':
      return `not ${wrap(expr.operand, 3)}`
    case 'negate':
      return `-${wrap(expr.operand, 8)}`
    case 'in':
      return `${wrap(expr.operand, 5)} ${expr.negated ? 'not ' : ''}in ${wrap(expr.list, 5)}`
    case 'between':
      return `${wrap(expr.operand, 5)} ${expr.negated ? 'not ' : ''}between ${wrap(expr.low, 5)} and ${wrap(expr.high, 5)}`
    case 'call': {
      const args = expr.args.map(textOf)
      if (expr.where !== null) args.push(`where ${textOf(expr.where)}`)
      return `${expr.name.toLowerCase()}${expr.strict ? '!' : ''}(${args.join(', ')})`
    }
    case 'member':
      return `${wrap(expr.object, ATOM)}${expr.optional ? '?.' : '.'}${fieldText(expr.name)}`
    case 'index':
      return `${wrap(expr.object, ATOM)}[${textOf(expr.index)}]`
    case 'array':
      return `[${expr.elements.map(textOf).join(', ')}]`
    case 'object':
      return `{${expr.members.map(({ name, value }) => `${fieldText(name)}: ${textOf(value)}`).join(', ')}}`
    case 'lambda':
      return `${expr.parameter} -> ${textOf(expr.body)}`
    case 'bad':
      return '<bad>'
  }
}

function literalText(value: LiteralValue): string {
  switch (value.type) {
    case 'null':
      return 'null'
    case 'string':
      return value.raw ? `r"${value.value}"` : JSON.stringify(value.value)
    case 'duration':
      return formatDuration(value.ns)
    case 'datetime':
      return value.text
    default:
      return String(value.value)
  }
}

const RESERVED = new Set(['and', 'or', 'not', 'in', 'between', 'true', 'false', 'null'])

function fieldText(name: string): string {
  const bare = /^[A-Za-z_@][A-Za-z0-9_@]*(\.[A-Za-z_@][A-Za-z0-9_@]*)*$/.test(name)
  return bare && !RESERVED.has(name.toLowerCase()) ? name : `\`${name}\``
}

export function aggregateName(aggregate: AstAggregate): string {
  if (aggregate.alias !== null) return aggregate.alias
  const args = aggregate.args.map(textOf)
  if (aggregate.where !== null) args.push(`where ${textOf(aggregate.where)}`)
  return `${aggregate.name.toLowerCase()}(${args.join(', ')})`
}

export function keyName(key: AstKey): string {
  if (key.alias !== null) return key.alias
  const { value } = key
  if (value.kind === 'field') return value.name
  return isTimeBin(value) ? '_time' : textOf(value)
}

export function isTimeBin(value: AstExpr): boolean {
  if (value.kind !== 'call' || value.name.toLowerCase() !== 'bin') return false
  const [first] = value.args
  return first?.kind === 'field' && first.name === '_time'
}
