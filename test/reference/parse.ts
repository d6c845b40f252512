/** `parse`: text becomes fields. How a text is read in each format is in formats.ts. */
import type { AstParse, CastType } from '../../grammar/ast.ts'
import { toBool, toDatetime, toDuration, toFloat, toInt } from '../../runtime/helpers/conversion.ts'
import { toText } from '../../runtime/helpers/format-value.ts'
import type { Value } from '../../storage/value.ts'
import { namesOf, readFormat } from './formats/index.ts'
import { copyOf, isAbsent, type Row, readField, setField } from './row.ts'

export function parseRows(stage: AstParse, rows: readonly Row[]): Row[] {
  const result: Row[] = []
  for (const row of rows) {
    const parsed = parseRow(stage, row)
    if (parsed !== null) result.push(parsed)
  }
  return result
}

function parseRow(stage: AstParse, row: Row): Row | null {
  const result = copyOf(row)
  const source = readField(row, stage.from?.name ?? '_raw')
  // Text that is not there has nothing to parse and nothing to fail.
  if (isAbsent(source)) return result
  const found = typeof source === 'string' ? readFormat(stage, source) : 'not a text'
  if (typeof found === 'string') return failed(stage, result, found)
  for (const [name, value] of chosen(stage, found)) {
    // A field that is there already is never overwritten, a member of an object neither; `source` is read as itself here.
    const there = name === 'source' ? result.fields.get(name) : readField(result, name)
    if (isAbsent(there)) setField(result, name, value)
  }
  return result
}

function failed(stage: AstParse, row: Row, detail: string): Row | null {
  switch (stage.onError) {
    case 'drop':
      return null
    case 'strict':
      throw new Error(detail)
    case 'null':
      for (const name of statedNames(stage)) if (!row.fields.has(name)) row.fields.set(name, null)
      return row
    default:
      row.fields.set('_error', 'parse_failed')
      row.fields.set('_error_detail', detail)
      return row
  }
}

/** The fields a stage says it gives: of `into`, else those of its format, when that is known beforehand. */
function statedNames(stage: AstParse): string[] {
  const names = stage.into === null ? namesOf(stage) : stage.into.map(({ name }) => name)
  return (names ?? []).map(name => (stage.prefix ?? '') + name)
}

/** `into` chooses and converts; `prefix` goes before every name. */
function chosen(stage: AstParse, found: ReadonlyMap<string, Value>): Map<string, Value> {
  const prefix = stage.prefix ?? ''
  const result = new Map<string, Value>()
  if (stage.into === null) for (const [name, value] of found) result.set(prefix + name, value)
  else {
    for (const { name, type } of stage.into) {
      const value = found.get(name)
      if (value !== undefined) result.set(prefix + name, type === null ? value : cast(type, value))
    }
  }
  return result
}

const CASTS: Readonly<Record<CastType, (value: Value) => Value>> = {
  int: toInt,
  float: toFloat,
  string: toText,
  bool: toBool,
  datetime: toDatetime,
  duration: toDuration,
}

function cast(type: CastType, value: Value): Value {
  return isAbsent(value) ? value : CASTS[type](value)
}
