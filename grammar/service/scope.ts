/** The columns that can be named in a place: fields of the events, what earlier stages made of them, what this stage names. */
import type { AstFrom } from '../ast.ts'
import {
  type Column,
  type Columns,
  columnsOf,
  fieldColumn,
  madeColumns,
  matchesPattern,
  withColumns,
} from '../columns.ts'
import type { Place } from '../watch.ts'
import type { FieldKnowledge, Knowledge } from './knowledge.ts'

/** A column and, where it holds a field's values, what is known of the field. */
export interface KnownColumn extends Column {
  readonly field: FieldKnowledge | null
}

export function columnsAt(place: Place, knowledge: Knowledge): readonly KnownColumn[] {
  const before = columnsOf(place.pipeline, {
    lets: place.lets,
    events: from => ({
      all: fieldsOf(from, knowledge).map(field => fieldColumn(field.name)),
      isOpen: true,
      formats: new Map(
        knowledge.language.parse_formats.map(({ name, fields }) => [name, fields.map(field => field.name)]),
      ),
    }),
    table: name => tableColumns(name, knowledge),
  })
  const named = place.defined.map(name => ({ name, text: name, source: null }))
  const fields = new Map(knowledge.fields.map(field => [field.name, field]))
  return withColumns(before, named).all.map(column => ({
    ...column,
    field: column.source === null ? null : (fields.get(column.source) ?? null),
  }))
}

/** Those of the indexes that are read; all of them when nothing is known of what is read. */
function fieldsOf(from: AstFrom | null, { fields, indexes }: Knowledge): readonly FieldKnowledge[] {
  const sources = from?.sources ?? [{ pattern: 'main', exclude: false }]
  const reads = (index: string) =>
    sources.some(source => !source.exclude && matchesPattern(index, source.pattern)) &&
    !sources.some(source => source.exclude && matchesPattern(index, source.pattern))
  const read = new Set(indexes.filter(reads))
  const seen = fields.filter(field => field.indexes === undefined || field.indexes.some(index => read.has(index)))
  return seen.length === 0 ? fields : seen
}

function tableColumns(name: string, { lookups }: Knowledge): Columns {
  const columns = lookups?.find(table => table.name === name)?.columns
  return columns === undefined
    ? { all: [], isOpen: true }
    : { all: madeColumns(`lookup ${name}`, columns), isOpen: false }
}
