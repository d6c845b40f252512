/** `parse`: text becomes fields. Each format by the plainest regular expression that reads what people write. */
import type { AstParse, CastType } from '../../grammar/ast.ts'
import { toBool, toDatetime, toDuration, toFloat, toInt } from '../../runtime/helpers/conversion.ts'
import { toText } from '../../runtime/helpers/format-value.ts'
import { parseNumber } from '../../runtime/helpers/numbers.ts'
import { flattenInto } from '../../storage/ingest/flatten.ts'
import { parseExactJson } from '../../storage/ingest/json.ts'
import type { Value } from '../../storage/value.ts'
import { copyOf, isAbsent, isObject, type Row, readField } from './row.ts'

/** The fields found, or what is wrong with the text. */
type Found = ReadonlyMap<string, Value> | string

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
  const found = typeof source === 'string' ? read(stage, source) : 'not a text'
  if (typeof found === 'string') return failed(stage, result, found)
  for (const [name, value] of chosen(stage, found)) {
    // A field that is there already is never overwritten.
    if (isAbsent(result.fields.get(name))) result.fields.set(name, value)
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

/** The fields a stage says it gives: of `into`, else the captures written in its pattern. */
function statedNames(stage: AstParse): string[] {
  const prefix = stage.prefix ?? ''
  if (stage.into !== null) return stage.into.map(({ name }) => prefix + name)
  const text = stage.format === 'combined' ? COMBINED.source : (stage.pattern?.text ?? '')
  const names =
    stage.format === 'pattern' ? text.matchAll(/<([A-Za-z_][\w.]*)>/g) : text.matchAll(/\(\?P?<([A-Za-z_]\w*)>/g)
  return [...names]
    .map(match => match[1] as string)
    .filter(name => name !== '_')
    .map(name => prefix + name)
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

function read(stage: AstParse, text: string): Found {
  switch (stage.format) {
    case 'json':
      return readJson(text)
    case 'logfmt':
      return readPairs(text, /([^\s=]+)=("(?:[^"\\]|\\.)*"|\S*)|([^\s=]+)/g)
    case 'kv':
      return readKv(text, option(stage, 'sep') ?? ' ', option(stage, 'assign') ?? '=')
    case 'regex':
      return readRegex(text, stage.pattern?.text ?? '')
    case 'pattern':
      return readPattern(text, stage.pattern?.text ?? '')
    case 'combined':
      return readCombined(text)
  }
}

function option(stage: AstParse, name: string): string | undefined {
  return stage.options.find(each => each.name === name)?.value
}

function readJson(text: string): Found {
  let document: unknown
  try {
    document = parseExactJson(text)
  } catch {
    return 'invalid JSON'
  }
  if (!isObject(document as Value)) return 'not an object'
  const fields = new Map<string, Value>()
  flattenInto(fields, document as Readonly<Record<string, unknown>>)
  return fields
}

function unquote(text: string): string {
  return text.startsWith('"') && text.endsWith('"') && text.length > 1
    ? text.slice(1, -1).replace(/\\(.)/g, (_, char: string) => ({ n: '\n', t: '\t', r: '\r' })[char] ?? char)
    : text
}

/** Canonical numbers become numbers: those that would print as they were written. */
function typed(text: string): Value {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return text
  const number = parseNumber(text)
  return number !== null && String(number) === text ? number : text
}

function readPairs(text: string, regex: RegExp): Found {
  const fields = new Map<string, Value>()
  let pairs = 0
  for (const [, name, value, flag] of text.matchAll(regex)) {
    if (flag !== undefined) fields.set(flag, true)
    else if (name !== undefined && value !== undefined) {
      pairs++
      fields.set(name, value.startsWith('"') ? unquote(value) : typed(value))
    }
  }
  return pairs === 0 ? 'no pairs' : fields
}

function readKv(text: string, separator: string, assign: string): Found {
  const fields = new Map<string, Value>()
  for (const piece of text.split(separator)) {
    const at = piece.indexOf(assign)
    if (at <= 0) continue
    const value = piece.slice(at + assign.length).trim()
    fields.set(piece.slice(0, at).trim(), value.startsWith('"') ? unquote(value) : typed(value))
  }
  return fields.size === 0 ? 'no pairs' : fields
}

function readRegex(text: string, pattern: string): Found {
  const match = new RegExp(pattern.replaceAll('(?P<', '(?<'), 'u').exec(text)
  if (match === null) return 'no match'
  return namedGroups(match)
}

function namedGroups(match: RegExpExecArray): Map<string, Value> {
  const fields = new Map<string, Value>()
  for (const [name, value] of Object.entries(match.groups ?? {})) {
    if (value !== undefined) fields.set(name, typed(value))
  }
  return fields
}

/** `<ip> - [<ts>]`: literal text around captures that reach as far as the next literal; `<_>` is skipped. */
function readPattern(text: string, pattern: string): Found {
  const names: string[] = []
  const pieces = pattern.split(/<([A-Za-z_][\w.]*)>/)
  const regex = pieces.map((piece, i) => {
    if (i % 2 === 0) return piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    names.push(piece)
    return i === pieces.length - 2 && pieces.at(-1) === '' ? '(.*)' : '(.*?)'
  })
  const match = new RegExp(`^${regex.join('')}`, 's').exec(text)
  if (match === null) return 'no match'
  const fields = new Map<string, Value>()
  names.forEach((name, i) => {
    if (name !== '_') fields.set(name, typed(match[i + 1] ?? ''))
  })
  return fields
}

const COMBINED =
  /^(?<clientip>\S+) (?<ident>\S+) (?<auth>\S+) \[(?<timestamp>[^\]]+)\] "(?:(?<method>[A-Z]+) (?<request>\S+)(?: HTTP\/(?<httpversion>[\d.]+))?|[^"]*)" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?<referrer>(?:[^"\\]|\\.)*)" "(?<agent>(?:[^"\\]|\\.)*)")?/

function readCombined(text: string): Found {
  const match = COMBINED.exec(text)
  return match === null ? 'no match' : namedGroups(match)
}
