/** Walks over typed expressions and plans; exhaustive by type, so a new kind is a compile error here and not a silent skip. */
import type { Expr } from './expr.ts'
import type { AggregateCall, EventstatsOp, LogicalOp, StreamColumn, StreamstatsOp } from './ops.ts'

export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'field':
    case 'parameter':
      return []
    case 'call':
      return expr.args
    case 'and':
    case 'or':
    case 'coalesce':
      return expr.operands
    case 'not':
    case 'in-set':
      return [expr.operand]
    case 'lambda':
      return [expr.body]
    case 'case':
      return [...expr.branches.flatMap(b => [b.when, b.then]), expr.otherwise]
  }
}

/** The same node with other children, in the order `childrenOf` gives them. */
export function withChildren(expr: Expr, children: readonly Expr[]): Expr {
  switch (expr.kind) {
    case 'literal':
    case 'field':
    case 'parameter':
      return expr
    case 'call':
      return { ...expr, args: children }
    case 'and':
    case 'or':
    case 'coalesce':
      return { ...expr, operands: children }
    case 'not':
    case 'in-set':
      return { ...expr, operand: children[0]! }
    case 'lambda':
      return { ...expr, body: children[0]! }
    case 'case':
      return {
        ...expr,
        branches: expr.branches.map((_, index) => ({ when: children[2 * index]!, then: children[2 * index + 1]! })),
        otherwise: children.at(-1)!,
      }
  }
}

/** Bottom-up; returns the same object when nothing changed, so that "unchanged" is an identity test. */
export function mapExpr(expr: Expr, change: (node: Expr) => Expr): Expr {
  const children = childrenOf(expr)
  const mapped = children.map(child => mapExpr(child, change))
  const isSame = mapped.every((child, index) => child === children[index])
  return change(isSame ? expr : withChildren(expr, mapped))
}

/** Every field an expression reads, in order of first use. */
export function fieldsOf(...exprs: readonly Expr[]): ReadonlySet<string> {
  const fields = new Set<string>()
  const visit = (node: Expr): void => {
    if (node.kind === 'field') fields.add(node.name)
    else for (const child of childrenOf(node)) visit(child)
  }
  for (const expr of exprs) visit(expr)
  return fields
}

/** Does it read the member of a lambda that stands around it? Such a value differs within one row. */
export function readsOuterLambda(expr: Expr, inner: ReadonlySet<string> = new Set()): boolean {
  if (expr.kind === 'parameter') return !inner.has(expr.name)
  const within = expr.kind === 'lambda' ? new Set([...inner, expr.parameter]) : inner
  return childrenOf(expr).some(child => readsOuterLambda(child, within))
}

export function someExpr(expr: Expr, test: (node: Expr) => boolean): boolean {
  return test(expr) || childrenOf(expr).some(child => someExpr(child, test))
}

const sizes = new WeakMap<Expr, number>()

/** Nodes of the expression: about how much code it becomes. */
export function sizeOf(expr: Expr): number {
  let size = sizes.get(expr)
  if (size === undefined) {
    size = childrenOf(expr).reduce((sum, child) => sum + sizeOf(child), 1)
    sizes.set(expr, size)
  }
  return size
}

/** Fields renamed or replaced by expressions. */
export function substitute(expr: Expr, replacement: (field: string) => Expr | undefined): Expr {
  return mapExpr(expr, node => (node.kind === 'field' ? (replacement(node.name) ?? node) : node))
}

export function exprsOfCall({ args, where }: AggregateCall): readonly Expr[] {
  return where === null ? args : [...args, where]
}

/** Names of the columns an op adds to rows that pass. */
export function namesBeside(op: EventstatsOp | StreamstatsOp): readonly string[] {
  return op.kind === 'eventstats' ? op.aggregates.map(call => call.name) : op.columns.map(columnName)
}

export function columnName(column: StreamColumn): string {
  return column.kind === 'offset' ? column.name : column.call.name
}

export function exprsOfColumn(column: StreamColumn): readonly Expr[] {
  return column.kind === 'offset' ? [column.value] : exprsOfCall(column.call)
}

/** Keys and arguments. */
export function exprsBeside(op: EventstatsOp | StreamstatsOp): readonly Expr[] {
  const keys = op.keys.map(key => key.value)
  return [
    ...keys,
    ...(op.kind === 'eventstats' ? op.aggregates.flatMap(exprsOfCall) : op.columns.flatMap(exprsOfColumn)),
  ]
}

/** What feeds an op: none of a scan, the pipeline the stage stands in first. */
export function inputsOf(op: LogicalOp): readonly LogicalOp[] {
  switch (op.kind) {
    case 'scan':
      return []
    case 'union':
      return [op.input, ...op.others]
    case 'join':
      return [op.input, op.right]
    default:
      return [op.input]
  }
}

/** The same op over other inputs, in the order `inputsOf` gives them; the same object when they are the same. */
export function withInputs(op: LogicalOp, inputs: readonly LogicalOp[]): LogicalOp {
  const before = inputsOf(op)
  if (before.every((input, index) => input === inputs[index])) return op
  const [input, ...others] = inputs
  switch (op.kind) {
    case 'scan':
      return op
    case 'union':
      return { ...op, input: input!, others }
    case 'join':
      return { ...op, input: input!, right: others[0]! }
    default:
      return { ...op, input: input! }
  }
}

/** Bottom-up over a plan; identity when nothing changed. */
export function mapPlan(op: LogicalOp, change: (node: LogicalOp) => LogicalOp): LogicalOp {
  return change(
    withInputs(
      op,
      inputsOf(op).map(input => mapPlan(input, change)),
    ),
  )
}

/** From the last op down to the scan of the pipeline that was written; inputs beside it are left out. */
export function chainOf(op: LogicalOp): LogicalOp[] {
  const chain: LogicalOp[] = []
  for (let node: LogicalOp | null = op; node !== null; node = node.kind === 'scan' ? null : node.input) chain.push(node)
  return chain
}
