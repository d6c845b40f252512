/** `on a, b == c` and `as name`: what rows of two sides have in common, and how the fields of the other are named. */
import { type AstFieldRef, type AstJoinKey, COLLISION_SUFFIX } from '../ast.ts'
import { type Columns, withColumns } from '../columns.ts'
import { isPunctuation, type Parser } from '../parser.ts'
import { quoteField } from '../token.ts'
import { isNameToken, parseCommaList, parseFieldRef, parseName } from './syntax.ts'

/** `on` and the keys. */
export function parseOn(p: Parser, ...after: readonly string[]): AstJoinKey[] {
  if (p.acceptWord('on') === null) reportMissingOn(p)
  return parseCommaList(
    p,
    () => parseKey(p),
    token => isNameToken(token, 'as', ...after) || token.kind === 'variable',
  )
}

/** SPL's `join host [ … ]`: the fields alone. */
function reportMissingOn(p: Parser): void {
  const token = p.peek()
  // The beginning of a word that is still being written may be that of `on`.
  const isBegun = p.watch?.isWriting === true && token.end === p.text.length
  if (isBegun || !isNameToken(token)) p.unexpected(["'on'"], "'on' and the fields both sides have in common,")
  const at = { start: token.start, end: token.start }
  p.report({
    code: 'E301',
    message: "the fields both sides have in common stand after 'on'",
    span: { start: token.start, end: token.end },
    suggestion: `on ${token.text}`,
    edit: { span: at, text: 'on ' },
  })
}

function parseKey(p: Parser): AstJoinKey {
  const { start } = p.peek()
  const left = parseSide(p)
  let right = left
  const operator = p.peek()
  if (isPunctuation(operator, '==', '=')) {
    p.take()
    if (operator.text === '=') {
      const span = { start: operator.start, end: operator.end }
      const message = "'=' assigns; '==' compares"
      p.report({ code: 'E304', message, span, suggestion: '==', edit: { span, text: '==' } })
    }
    right = parseSide(p)
  }
  return { span: p.spanFrom(start), left, right }
}

/** A field; Kusto's `$left.a` is one with a fix. */
function parseSide(p: Parser): AstFieldRef {
  const side = p.peek()
  if (side.kind !== 'variable' || !isPunctuation(p.peekSecond(), '.')) return parseFieldRef(p)
  p.take()
  p.take()
  const field = parseFieldRef(p)
  const span = p.spanFrom(side.start)
  const text = quoteField(field.name)
  const message = `the field on the ${side.text === 'right' ? 'right' : 'left'} of '==' is that side's; no name before it`
  p.report({ code: 'E307', message, span, suggestion: text, edit: { span, text } })
  return { ...field, span }
}

export function printOn(on: readonly AstJoinKey[]): string {
  return on
    .map(({ left, right }) => {
      const name = quoteField(left.name)
      return left.name === right.name ? name : `${name} == ${quoteField(right.name)}`
    })
    .join(', ')
}

/** With a space before it; nothing without a name. */
export function printAs(name: string | null): string {
  return name === null ? '' : ` as ${quoteField(name)}`
}

export function parseAs(p: Parser): string | null {
  return p.acceptWord('as') === null ? null : parseName(p, 'a name for the fields of the other side').name
}

export function joinedColumns(left: Columns, right: Columns, on: readonly AstJoinKey[], as: string | null): Columns {
  const prefix = as === null ? '' : `${as}.`
  const isShared = (name: string): boolean =>
    on.some(key => key.left.name === key.right.name && (name === key.left.name || name.startsWith(`${key.left.name}.`)))
  const taken = new Set(left.all.map(column => column.name))
  const added = right.all
    .filter(({ name }) => !isShared(name))
    .map(column => ({ ...column, name: `${prefix}${column.name}` }))
    .map(column => (taken.has(column.name) ? { ...column, name: `${column.name}${COLLISION_SUFFIX}` } : column))
  return { ...withColumns(left, added), isOpen: left.isOpen || right.isOpen }
}
