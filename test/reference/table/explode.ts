import type { AstExplode } from '../../../grammar/ast.ts'
import type { Value } from '../../../storage/value.ts'
import { copyOf, type Row, readField } from '../row.ts'
import type { TableReference } from './index.ts'

/** A row for each element; an empty array leaves one with null, and what is no array stays. */
export const explode: TableReference<AstExplode> = (stage, { rows, columns }) => {
  const as = stage.as ?? stage.field.name
  const withElement = (row: Row, value: Value): Row => {
    const copy = copyOf(row)
    if (value === undefined) copy.fields.delete(as)
    else copy.fields.set(as, value)
    return copy
  }
  return {
    rows: rows.flatMap(row => {
      const value = readField(row, stage.field.name)
      if (!Array.isArray(value)) return stage.as === null ? [row] : [withElement(row, value)]
      const elements = value as readonly Value[]
      return elements.length === 0 ? [withElement(row, null)] : elements.map(each => withElement(row, each ?? null))
    }),
    columns: columns === null || columns.includes(as) ? columns : [...columns, as],
  }
}
