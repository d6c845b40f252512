/** Searching a text column: the whole block's bytes are gone through once, before the loop, and the hits become a table by row. */
import type { Expression } from 'estree'
import { bytePattern } from '../../runtime/helpers/byte-pattern.ts'
import { requiredLiteral } from '../../runtime/helpers/regex-literal.ts'
import type { CallExpr, Expr } from '../logical/expr.ts'
import type { Emitted } from './emitted.ts'
import type { KernelWriter } from './expression.ts'
import { at, constant, id, js, lit, ROW } from './js.ts'

/** `contains(_raw, "x")`; null: this is no text of a block, or what is searched for is not known. */
export function textSearch(writer: KernelWriter, expr: CallExpr, helper: string): Emitted | null {
  const [subject] = expr.args
  const row = searched(writer, expr, helper)
  if (row === null || subject?.kind !== 'field') return null
  const { hasPresence } = writer.shapeOf(subject.name)
  return { repr: 'bool', value: js.expr`${row} === 1`, valid: hasPresence ? js.expr`${row} !== 2` : null }
}

/** `extract(_raw, r"user (\d+)")`: whether the row holds what every match does; null where nothing is known to be needed. */
export function holdsLiteral(writer: KernelWriter, expr: CallExpr): Expression | null {
  const [subject, pattern] = expr.args
  if (subject === undefined || pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return null
  if (requiredLiteral(pattern.value) === null) return null
  const row = searched(writer, { ...expr, args: [subject, pattern] }, 'rowsWithLiteral')
  return row === null ? null : js.expr`${row} === 1`
}

/** `who = extract(_raw, r"user (\d+)")`: the column, found in the bytes of the block; null where the pattern needs more than that. */
export function textColumn(writer: KernelWriter, expr: Expr): Expression | null {
  if (expr.kind !== 'call' || expr.function.columnHelper === undefined || !writer.isOfBlock) return null
  const [subject, pattern, ...rest] = expr.args
  if (subject?.kind !== 'field' || writer.shapeOf(subject.name).kind !== 'text') return null
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string' || bytePattern(pattern.value) === null)
    return null
  if (!rest.every(arg => arg.kind === 'literal')) return null
  const constants = [pattern, rest[0]].map(arg => (arg === undefined ? lit(null) : writer.value(arg).value))
  const vector = writer.vector(subject.name)
  return writer.helper(expr.function.columnHelper, vector, ...constants, id('selection'), id('selectedCount'))
}

function searched(writer: KernelWriter, expr: CallExpr, helper: string): Expression | null {
  const [subject, ...rest] = expr.args
  if (!writer.isOfBlock || subject?.kind !== 'field' || writer.shapeOf(subject.name).kind !== 'text') return null
  if (!rest.every(arg => arg.kind === 'literal' && typeof arg.value === 'string')) return null
  const patterns = rest.map(arg => writer.value(arg).value)
  const name = writer.scope.fresh(`${subject.name}_${expr.function.name}`)
  const table = writer.helper(helper, writer.vector(subject.name), ...patterns, id('selection'), id('selectedCount'))
  writer.prelude.push(constant(name, table))
  return at(id(name), ROW)
}
