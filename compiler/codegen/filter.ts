/**
 * The kernel of a filter: one test per conjunct, surviving row indices written to `out`. A single condition on a dictionary column is a
 * table by code, and asks no more of a row than its code.
 */
import type { Expression, Statement } from 'estree'
import type { KernelMode, KernelSpec } from '../../runtime/program.ts'
import type { Expr } from '../logical/expr.ts'
import { printExpr } from '../logical/print.ts'
import { fieldsOf } from '../logical/walk.ts'
import type { KernelWriter } from './expression.ts'
import { id, js, ROW } from './js.ts'
import { annotate, type KernelOptions, kernelSpec, loop } from './kernel-spec.ts'
import { selectByPresence } from './presence-test.ts'

const FILTER_PARAMETERS = 'columns, rowCount, selection, selectedCount, out'

export function emitFilter(conjuncts: readonly Expr[], options: KernelOptions): KernelSpec {
  const write = (writer: KernelWriter, mode: KernelMode): Statement[] => {
    const [first] = conjuncts
    const whole = (statements: Statement[]): Statement[] => js`${writer.prelude}
      ${annotate(`where ${printExpr(first!)}`, first!.origin, options, statements)}`
    const canBeWhole = conjuncts.length === 1 && !mode.selected
    const byPresence = canBeWhole ? selectByPresence(writer, first!) : null
    if (byPresence !== null) return whole(byPresence)
    const row: Statement[] = []
    for (const [index, conjunct] of conjuncts.entries()) {
      const { statements, result } = writer.capture(() => writer.is(conjunct, true))
      const isLast = index === conjuncts.length - 1
      const table = conjuncts.length === 1 ? writer.testTableOf(result) : null
      const byCode = canBeWhole && statements.length === 0 ? selectByCode(writer, conjunct, table) : null
      if (byCode !== null) return whole(byCode)
      // A table says 1 for true, 0 or 2 otherwise: counting by its lowest bit takes no branch, so none is mispredicted.
      const test =
        table !== null
          ? js`out[count] = ${ROW}; count += ${table} & 1;`
          : isLast
            ? js`if (${result}) out[count++] = ${ROW};`
            : js`if (!(${result})) continue;`
      row.push(...annotate(`where ${printExpr(conjunct)}`, conjunct.origin, options, [...statements, ...test]))
    }
    return js`${writer.prelude}
      let count = 0;
      ${loop(mode, row)}
      return count;`
  }
  return kernelSpec(options, [...fieldsOf(...conjuncts)], js`return -1;`, write, FILTER_PARAMETERS)
}

/** Codes of one byte are asked many at a time (`runtime/helpers/select-codes.ts`); null for other conditions. `table` is `passes[codes[i]]`. */
function selectByCode(writer: KernelWriter, condition: Expr, table: Expression | null): Statement[] | null {
  const [field] = fieldsOf(condition)
  if (table === null || field === undefined || writer.shapeOf(field).key !== 'dict:u8') return null
  if (table.type !== 'MemberExpression' || table.property.type !== 'MemberExpression') return null
  const passes = table.object as Expression
  const codes = table.property.object as Expression
  return js`return ${writer.helper('selectCodes', codes, passes, id('rowCount'), id('out'))};`
}
