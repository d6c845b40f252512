/** `x in (…)`: a few numbers are compared one by one, many are looked up in a table of their own, anything else in a set. */
import type { InSetExpr } from '../logical/expr.ts'
import type { Emitted } from './emitted.ts'
import type { KernelWriter } from './expression.ts'
import { anyOf, constant, id, js } from './js.ts'
import { nameHint } from './naming.ts'

export function emitInSet(writer: KernelWriter, expr: InSetExpr): Emitted {
  const operand = writer.value(expr.operand)
  if (operand.repr === 'number' && expr.values.length <= 16 && expr.values.every(v => typeof v === 'number')) {
    const value = writer.let(nameHint(expr.operand), operand.value)
    const tests = expr.values.map(v => js.expr`${value} === ${writer.constant(v)}`)
    return { repr: 'bool', value: anyOf(tests), valid: operand.valid }
  }
  const hasNumbers = expr.values.some(value => typeof value === 'number' || typeof value === 'bigint')
  const isText = operand.repr === 'any' || operand.repr === 'string'
  const isCounted =
    hasNumbers && isText && expr.operand.kind === 'field' && !writer.coercions.byBlock(expr.operand.name)
  const set = writer.scope.fresh('set')
  if (operand.repr === 'number' && expr.values.every(v => typeof v === 'number')) {
    writer.prelude.push(constant(set, writer.helper('numberSet', writer.constant(expr.values))))
    return { repr: 'bool', value: js.expr`${id(set)}.has(${operand.value})`, valid: operand.valid }
  }
  writer.prelude.push(constant(set, writer.helper('prepareSet', writer.constant(expr.values))))
  if (operand.repr !== 'any') {
    const boxed = writer.toAny({ ...operand, valid: null })
    const text = isCounted ? writer.let(nameHint(expr.operand), boxed) : boxed
    if (isCounted) writer.coercions.ofArgument(expr.operand, text)
    return { repr: 'bool', value: writer.helper('inSet', id(set), text), valid: operand.valid }
  }
  const value = writer.let(nameHint(expr.operand), operand.value)
  if (isCounted) writer.coercions.ofArgument(expr.operand, value)
  return { repr: 'bool', value: writer.helper('inSet', id(set), value), valid: js.expr`${value} != null` }
}
