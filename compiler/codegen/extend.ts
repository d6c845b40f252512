/**
 * The kernel of extend: one typed output column per assignment, in one loop over the batch. V8 stops optimising a function above 60 KiB of
 * bytecode, so wide extends are cut by `program/` before they come here.
 */
import type { Expression, Statement } from 'estree'
import type { KernelSpec } from '../../runtime/program.ts'
import type { Expr } from '../logical/expr.ts'
import { printExpr } from '../logical/print.ts'
import { isPure } from '../logical/pure.ts'
import { fieldsOf } from '../logical/walk.ts'
import type { Emitted } from './emitted.ts'
import type { KernelWriter } from './expression.ts'
import { id, js, lit, ROW } from './js.ts'
import { annotate, type KernelOptions, kernelSpec, loop } from './kernel-spec.ts'
import { textColumn } from './text-search.ts'

const EXTEND_PARAMETERS = 'columns, rowCount, selection, selectedCount'

export interface Assignment {
  readonly name: string
  readonly value: Expr
}

/** Assignments must not read each other; `program/` cuts them where they do. */
export function emitExtend(assignments: readonly Assignment[], options: KernelOptions): KernelSpec {
  const fields = [...fieldsOf(...assignments.map(a => a.value))]
  return kernelSpec(
    options,
    fields,
    js`return null;`,
    (writer, mode) => {
      const outputs: Expression[] = []
      const row: Statement[] = []
      for (const { name, value } of assignments) {
        const { statements, output } = writeColumn(writer, name, value)
        outputs.push(output)
        if (statements.length > 0) {
          row.push(...annotate(`${name} = ${printExpr(value)}`, value.origin, options, statements))
        }
      }
      const list: Expression = { type: 'ArrayExpression', elements: outputs }
      return row.length === 0
        ? js`${writer.prelude} return ${list};`
        : js`${writer.prelude} ${loop(mode, row)} return ${list};`
    },
    EXTEND_PARAMETERS,
  )
}

/** Statements per row and the expression of the finished vector; a column that needs no loop has no statements. */
function writeColumn(writer: KernelWriter, name: string, expr: Expr): { statements: Statement[]; output: Expression } {
  if (expr.kind === 'field') return { statements: [], output: writer.vector(expr.name) }
  const whole = textColumn(writer, expr)
  if (whole !== null) return { statements: [], output: whole }
  const { statements, result: emitted } = writer.capture(() => writer.value(expr))
  if (emitted.dict !== undefined && statements.length === 0 && emitted.dict.code.type === 'MemberExpression') {
    const codes = emitted.dict.code.object as Expression
    return { statements: [], output: writer.helper('dictVector', id('rowCount'), codes, emitted.dict.dictionary) }
  }
  const isFixed = expr.kind === 'literal' || (isPure(expr) && fieldsOf(expr).size === 0)
  if (isFixed) {
    writer.before(...statements)
    return {
      statements: [],
      output: writer.helper('constVector', id('rowCount'), js.expr`${writer.toAny(emitted)} ?? null`),
    }
  }
  switch (emitted.repr) {
    case 'number':
    case 'time':
    case 'duration':
      return typedColumn(writer, name, statements, emitted, 'lentNumbers', `${emitted.repr}Vector`)
    case 'bool': {
      const bit = { ...emitted, value: js.expr`${emitted.value} ? 1 : 0` }
      return typedColumn(writer, name, statements, bit, 'lentBytes', 'boolVector')
    }
    default: {
      const values = id(writer.scope.fresh(name))
      writer.before(...js`const ${values} = new Array(rowCount);`)
      const value = js.expr`${writer.toAny(emitted)} ?? null`
      return {
        statements: [...statements, ...js`${values}[${ROW}] = ${value};`],
        output: writer.helper('anyVector', values),
      }
    }
  }
}

function typedColumn(
  writer: KernelWriter,
  name: string,
  statements: readonly Statement[],
  emitted: Emitted,
  allocate: 'lentNumbers' | 'lentBytes',
  make: string,
): { statements: Statement[]; output: Expression } {
  const values = id(writer.scope.fresh(name))
  writer.before(...js`const ${values} = ${writer.helper(allocate, id('rowCount'))};`)
  if (emitted.valid === null) {
    return {
      statements: [...statements, ...js`${values}[${ROW}] = ${emitted.value};`],
      output: writer.helper(make, values, lit(null)),
    }
  }
  const presence = id(writer.scope.fresh(`${name}_presence`))
  // 1 is NULL: a computed value is never missing.
  writer.before(...js`const ${presence} = ${writer.helper('lentBytes', id('rowCount'))}.fill(1);`)
  return {
    statements: [
      ...statements,
      ...js`if (${emitted.valid}) { ${values}[${ROW}] = ${emitted.value}; ${presence}[${ROW}] = 2; }`,
    ],
    output: writer.helper(make, values, presence),
  }
}
