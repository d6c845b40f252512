/** The first operand that has a value; those after it are not even computed. */
import type { CoalesceExpr } from '../logical/expr.ts'
import type { Emitted } from './emitted.ts'
import type { KernelWriter } from './expression.ts'
import { id, js, lit } from './js.ts'

export function emitCoalesce(writer: KernelWriter, expr: CoalesceExpr): Emitted {
  const [first, ...rest] = expr.operands
  if (first === undefined) return { repr: 'any', value: lit(null), valid: null }
  const head = writer.value(first)
  if (rest.length === 0) {
    // Computed, it is null where the field is missing.
    if (head.repr !== 'any' && head.valid === null) return head
    return { repr: 'any', value: js.expr`${writer.toAny(head)} ?? null`, valid: null }
  }
  const parts = rest.map(operand => writer.capture(() => writer.value(operand)))
  const last = parts.at(-1)
  if (
    parts.length === 1 &&
    last !== undefined &&
    last.statements.length === 0 &&
    head.repr !== 'any' &&
    last.result.repr === head.repr
  ) {
    if (head.valid === null) return head
    const valid = last.result.valid === null ? null : js.expr`${head.valid} || ${last.result.valid}`
    return { repr: head.repr, value: js.expr`${head.valid} ? ${head.value} : ${last.result.value}`, valid }
  }
  const result = id(writer.scope.fresh('first'))
  writer.add(...js`let ${result} = ${writer.toAny(head)};`)
  for (const part of parts) {
    writer.add(...js`if (${result} == null) { ${part.statements} ${result} = ${writer.toAny(part.result)}; }`)
  }
  return { repr: 'any', value: js.expr`${result} ?? null`, valid: null }
}
