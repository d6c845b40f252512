/**
 * The quasi-quote: generated JavaScript is written as JavaScript and held as ESTree, never pasted together as strings.
 *
 *     js`${sum} += ${value}; ${count}++;`      statements
 *     js.expr`${a} * ${lit(1000)}`             one expression
 *
 * A hole takes nodes only, so user text cannot become code; the one way in for a value is `lit`.
 * Each call site is parsed once (keyed by its strings) and cloned per use. Spliced nodes are shared: never mutate them.
 */
import { parse } from 'acorn'
import type { Expression, Identifier, Node, Statement } from 'estree'

export type Hole = Expression | Statement | readonly Statement[]

interface Template {
  readonly statements: readonly Statement[]
}

const templates = new WeakMap<TemplateStringsArray, Template>()
const HOLE = /^\$hole(\d+)$/

function templateOf(strings: TemplateStringsArray): Template {
  let template = templates.get(strings)
  if (template === undefined) {
    const text = strings.reduce((all, piece, index) => (index === 0 ? piece : joinHole(all, index - 1, piece)), '')
    // Inside a function and a loop, so that `return`, `continue` and `break` fragments are legal.
    const program = parse(`for (;;) {${text}\n}`, { ecmaVersion: 2023, allowReturnOutsideFunction: true })
    const loop = program.body[0] as unknown as { readonly body: { readonly body: Statement[] } }
    template = { statements: loop.body.body }
    templates.set(strings, template)
  }
  return template
}

/** A hole that stands where a statement does, with nothing applied to it, is one: it gets the semicolon nobody wrote. */
function joinHole(before: string, index: number, after: string): string {
  const isStatement = /(?:^|[{};])\s*$/.test(before) && /^\s*(?:$|[\w$}])/.test(after)
  return `${before}$hole${index}${isStatement ? ';' : ''}${after}`
}

/** Statements. A hole standing alone as a statement may be a statement or a list of them. */
export function js(strings: TemplateStringsArray, ...holes: readonly Hole[]): Statement[] {
  return spliceList(templateOf(strings).statements, holes) as Statement[]
}

/** One expression. */
js.expr = (strings: TemplateStringsArray, ...holes: readonly Expression[]): Expression => {
  const [statement] = templateOf(strings).statements
  if (statement?.type !== 'ExpressionStatement') throw new Error(`not an expression: ${strings.join('…')}`)
  return splice(statement.expression, holes) as Expression
}

function holeOf(node: Node, holes: readonly Hole[]): Hole | undefined {
  if (node.type !== 'Identifier') return undefined
  const match = HOLE.exec(node.name)
  return match === null ? undefined : holes[Number(match[1])]
}

function splice(node: Node, holes: readonly Hole[]): Node {
  const hole = holeOf(node, holes)
  if (hole !== undefined) return hole as Expression
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === 'start' || key === 'end') continue
    copy[key] = Array.isArray(value) ? spliceList(value, holes) : isNode(value) ? splice(value, holes) : value
  }
  return copy as unknown as Node
}

function spliceList(nodes: readonly unknown[], holes: readonly Hole[]): unknown[] {
  const list: unknown[] = []
  for (const node of nodes) {
    if (!isNode(node)) {
      list.push(node)
      continue
    }
    const hole = node.type === 'ExpressionStatement' ? holeOf(node.expression, holes) : undefined
    if (hole === undefined) list.push(splice(node, holes))
    else if (Array.isArray(hole)) list.push(...hole)
    else list.push(isStatement(hole as Node) ? hole : { type: 'ExpressionStatement', expression: hole })
  }
  return list
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function isStatement(node: Node): boolean {
  return node.type.endsWith('Statement') || node.type.endsWith('Declaration')
}

export function id(name: string): Identifier {
  return { type: 'Identifier', name }
}

/** The row at hand, in every kernel. */
export const ROW: Identifier = id('i')

/**
 * A value as a literal that prints and reads back exactly. NaN, infinities, -0, negatives and bigints need care: astring prints
 * `Literal` NaN as `null`, -0 as `0`, and a bare negative as something `**` cannot take.
 */
export function lit(value: null | undefined | boolean | number | bigint | string): Expression {
  if (value === undefined) return id('undefined')
  if (typeof value === 'bigint') {
    const magnitude = (value < 0n ? -value : value).toString()
    return negated(value < 0n, { type: 'Literal', value: BigInt(magnitude), bigint: magnitude, raw: `${magnitude}n` })
  }
  if (typeof value !== 'number') return { type: 'Literal', value }
  if (Number.isNaN(value)) return id('NaN')
  const magnitude: Expression =
    Math.abs(value) === Number.POSITIVE_INFINITY ? id('Infinity') : { type: 'Literal', value: Math.abs(value) }
  return negated(value < 0 || Object.is(value, -0), magnitude)
}

function negated(isNegative: boolean, argument: Expression): Expression {
  return isNegative ? { type: 'UnaryExpression', operator: '-', prefix: true, argument } : argument
}

export function call(callee: Expression, ...args: readonly Expression[]): Expression {
  return { type: 'CallExpression', callee, arguments: [...args], optional: false }
}

export function member(object: Expression, name: string): Expression {
  return { type: 'MemberExpression', object, property: id(name), computed: false, optional: false }
}

export function at(object: Expression, index: Expression): Expression {
  return { type: 'MemberExpression', object, property: index, computed: true, optional: false }
}

export function constant(name: string, init: Expression): Statement {
  return {
    type: 'VariableDeclaration',
    kind: 'const',
    declarations: [{ type: 'VariableDeclarator', id: id(name), init }],
  }
}

/** `a && b && c`; a single operand is itself, none is `true`. */
export function allOf(operands: readonly Expression[]): Expression {
  return logical('&&', operands, true)
}

export function anyOf(operands: readonly Expression[]): Expression {
  return logical('||', operands, false)
}

function logical(operator: '&&' | '||', operands: readonly Expression[], empty: boolean): Expression {
  if (operands.length === 0) return lit(empty)
  return operands.reduce((left, right) => ({ type: 'LogicalExpression', operator, left, right }))
}

/** The statement with a line comment above it; printed by `explain --js`. */
export function commented(comment: string, statements: readonly Statement[]): Statement[] {
  const [first, ...rest] = statements
  if (first === undefined) return []
  const comments = [{ type: 'Line', value: ` ${comment.replace(/\s+/g, ' ')}` }]
  return [{ comments, ...first } as unknown as Statement, ...rest]
}
