/** The columns that can be named in a place: fields of the events, what earlier stages made of them, what this stage names. */
import type { AstFrom, AstLet } from '../ast.ts'
import { type Column, type Columns, columnsAfter, fieldColumn, matchesPattern, withColumns } from '../columns.ts'
import type { OpenPipeline, Place } from '../watch.ts'
import type { FieldKnowledge, Knowledge } from './knowledge.ts'

/** A column and, where it holds a field's values, what is known of the field. */
export interface KnownColumn extends Column {
  readonly field: FieldKnowledge | null
}

export function columnsAt(place: Place, knowledge: Knowledge): readonly KnownColumn[] {
  const before = columnsOf(place.pipeline, place.lets, knowledge)
  const named = place.defined.map(name => ({ name, text: name, source: null }))
  const fields = new Map(knowledge.fields.map(field => [field.name, field]))
  return withColumns(before, named).all.map(column => ({
    ...column,
    field: column.source === null ? null : (fields.get(column.source) ?? null),
  }))
}

function columnsOf({ from, stages }: OpenPipeline, lets: readonly AstLet[], knowledge: Knowledge): Columns {
  const start = letColumns(from, lets, knowledge) ?? {
    all: fieldsOf(from, knowledge).map(field => fieldColumn(field.name)),
    isOpen: true,
    formats: new Map(
      knowledge.language.parse_formats.map(({ name, fields }) => [name, fields.map(field => field.name)]),
    ),
  }
  return stages.reduce((columns, stage) => columnsAfter(stage, columns), start)
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

/** `from $a, $b` has the columns of both; null when anything else is read too, or a name is unknown. */
function letColumns(from: AstFrom | null, lets: readonly AstLet[], knowledge: Knowledge): Columns | null {
  if (from === null || from.sources.some(source => !source.isLet)) return null
  let columns: Columns = { all: [], isOpen: false }
  for (const source of from.sources) {
    const index = lets.findLastIndex(each => each.name === source.pattern)
    const found = lets[index]
    if (found === undefined) return null
    // A let sees only those before it, so this ends.
    const its = columnsOf(found.pipeline, lets.slice(0, index), knowledge)
    columns = { ...withColumns(columns, its.all), isOpen: columns.isOpen || its.isOpen }
  }
  return columns
}
