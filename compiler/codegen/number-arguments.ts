/** Arguments of aggregates of numbers: what a row has as a double, and what it has that is none. */
import type { Expression } from 'estree'
import type { Expr } from '../logical/expr.ts'
import type { Emitted } from './emitted.ts'
import type { KernelWriter } from './expression.ts'
import { allOf, at, constant, id, js, lit } from './js.ts'
import { nameHint } from './naming.ts'

/** A `number` argument, valid where the row has one. Numeric strings count as numbers. */
export function numberArgument(writer: KernelWriter, expr: Expr): Emitted {
  const { number, rest } = quantityArgument(writer, expr, false)
  if (number === null) return { repr: 'number', value: lit(0), valid: lit(false) }
  const valids = [rest?.valid, number.valid].filter(valid => valid != null)
  return { ...number, valid: valids.length === 0 ? null : allOf(valids) }
}

/**
 * The argument of an aggregate that also knows durations, exact ints and the like: as a plain number, valid where it is one, and as what
 * it is otherwise. Either is null where the column cannot hold it.
 */
export function quantityArgument(
  writer: KernelWriter,
  expr: Expr,
  exactInts: boolean,
): { readonly number: Emitted | null; readonly rest: Emitted | null } {
  const emitted = writer.value(expr)
  switch (emitted.repr) {
    case 'number':
      return { number: emitted, rest: null }
    case 'bool':
      return { number: null, rest: null }
    case 'time':
    case 'duration':
      return { number: null, rest: emitted }
    default: {
      const hint = nameHint(expr)
      const asNumber = (value: Expression): Emitted => ({
        repr: 'number',
        value,
        valid: js.expr`${value} === ${value}`,
      })
      if (emitted.dict !== undefined) {
        const { dictionary, code } = emitted.dict
        if (expr.kind === 'field') writer.coercions.byBlock(expr.name)
        const name = writer.scope.fresh(`${hint}_numbers`)
        writer.before(constant(name, writer.helper(exactInts ? 'plainNumbersOf' : 'numbersOf', dictionary)))
        const number = asNumber(writer.let(hint, at(id(name), code)))
        return { number, rest: { repr: 'any', value: js.expr`${dictionary}.values[${code}]`, valid: null } }
      }
      const original = writer.let(hint, emitted.value)
      writer.coercions.ofArgument(expr, original)
      const number = asNumber(
        writer.let('number', writer.helper(exactInts ? 'plainNumber' : 'numberArgument', original)),
      )
      return { number, rest: { repr: 'any', value: original, valid: emitted.valid } }
    }
  }
}
