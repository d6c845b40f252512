import type { AstXyseries } from '../../../grammar/ast.ts'
import { keyOf } from '../../../runtime/helpers/compare.ts'
import { DataError } from '../../../runtime/helpers/errors.ts'
import { columnOf } from '../../../runtime/operators/table/xyseries.ts'
import type { Value } from '../../../storage/value.ts'
import type { Row } from '../row.ts'
import type { TableReference } from './index.ts'

/** A table known by its rows alone, so its columns stay open. */
export const xyseries: TableReference<AstXyseries> = ({ x, y, value }, { rows }, evaluate) => {
  const { name } = x
  if (rows.some(row => columnOf(evaluate(y, row)) === name)) throw new DataError(`a value of y is ${name}`)
  const xs = new Map<string | number, Value>(rows.map(row => [keyOf(evaluate(x, row)), evaluate(x, row) ?? null]))
  const names = new Set(rows.map(row => columnOf(evaluate(y, row))))
  const table = [...xs].map(([key, found]): Row => {
    const fields = new Map<string, Value>([[name, found]])
    for (const column of names) {
      const cell = rows.findLast(row => keyOf(evaluate(x, row)) === key && columnOf(evaluate(y, row)) === column)
      fields.set(column, cell === undefined ? null : (evaluate(value, cell) ?? null))
    }
    return { fields, index: undefined }
  })
  return { rows: table, columns: null }
}
