/** For stages with an operator of their own: the op, with the stage's text in it, and the columns it works on. */
import type { AstExpr, AstStage } from '../../grammar/ast.ts'
import { printExpr, printStage } from '../../grammar/index.ts'
import type { ValueType } from '../../storage/value.ts'
import type { TableOp } from '../logical/ops.ts'
import { Scope } from '../resolve/scope.ts'
import type { LowerContext } from './stage.ts'

type Inputs = TableOp['inputs']

export function tableOp(
  stage: AstStage,
  cx: LowerContext,
  parts: Pick<TableOp, 'call' | 'inputs' | 'reads' | 'passes' | 'makes' | 'isRowByRow' | 'choosesRows'>,
): TableOp {
  return { kind: 'table', origin: stage.span, input: cx.input, text: printStage(stage), ...parts }
}

/** The event time, for stages that follow it. */
export function timeInput(stage: AstStage, cx: LowerContext): Inputs[number] {
  if (cx.scope.has('_time')) return { name: 'time', value: cx.exprs.field('_time', stage.span) }
  cx.report({
    code: 'E101',
    message: `${stage.kind} follows the column _time, and there is none here; keep it, or add bin(_time, …) to the keys`,
    span: stage.span,
  })
  return { name: 'time', value: { kind: 'literal', type: 'null', origin: stage.span, value: null } }
}

/** `by0`, `by1`, …: keys that may be computed. */
export function byInputs(by: readonly AstExpr[], cx: LowerContext): Inputs {
  return by.map((key, index) => ({ name: `by${index}`, value: cx.exprs.expr(key) }))
}

/** As `byInputs`, of keys that come out again and so must be columns. */
export function columnInputs(
  stage: AstStage,
  by: readonly AstExpr[],
  cx: LowerContext,
): { readonly inputs: Inputs; readonly names: readonly string[] } {
  const inputs = byInputs(by, cx)
  const names = inputs.map(({ value }, index) => {
    if (value.kind === 'field') return value.name
    const text = printExpr(by[index]!)
    if (value.kind !== 'literal' || value.value !== null) {
      cx.report({
        code: 'E202',
        message: `a key of ${stage.kind} is a field; make one of it: extend key = ${text}`,
        span: by[index]!.span,
      })
    }
    return text
  })
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue
    cx.report({ code: 'E106', message: `'${name}' is a key already`, span: by[index]!.span })
  }
  return { inputs, names }
}

/** Columns a stage makes, before those that were there. */
export function scopeBefore(made: readonly (readonly [string, ValueType])[], scope: Scope): Scope {
  const names = new Set(made.map(([name]) => name))
  const fields = new Map([...made, ...[...scope.fields].filter(([name]) => !names.has(name))])
  return new Scope(fields, scope.isOpen, scope.isStored, scope.isEvents, scope.isNamed)
}

/** All a stage gives. */
export function closedScope(made: readonly (readonly [string, ValueType])[]): Scope {
  return new Scope(new Map(made), false)
}
