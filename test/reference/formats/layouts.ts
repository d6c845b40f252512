/** Formats whose layout is in the text or in the query: json, logfmt, kv, csv, regex, pattern. */
import { flattenInto } from '../../../storage/ingest/flatten.ts'
import { parseExactJson } from '../../../storage/ingest/json.ts'
import type { Value } from '../../../storage/value.ts'
import { isObject } from '../row.ts'
import { type Found, groupsOf, typed, unquote } from './texts.ts'

export function readJson(text: string): Found {
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

function pair(text: string): Value {
  return /^".*"$/s.test(text) && text.length > 1 ? unquote(text) : typed(text)
}

export function readLogfmt(text: string): Found {
  if (!/^\s*[A-Za-z_@\u0080-\uffff][\w.@/\u0080-\uffff-]*=/.test(text)) return 'no pair at the start'
  const fields = new Map<string, Value>()
  const flags = new Map<string, Value>()
  for (const [, name, value, flag] of text.matchAll(/([^\s="]+)=("(?:[^"\\]|\\.)*"|\S*)|([^\s=]+)/gs)) {
    if (flag !== undefined) flags.set(flag, true)
    else fields.set(name as string, pair(value as string))
  }
  return new Map([...flags, ...fields])
}

export function readKv(text: string, separator: string, assign: string): Found {
  const fields = new Map<string, Value>()
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf(separator)
    const piece = end < 0 ? rest : rest.slice(0, end)
    const at = piece.indexOf(assign)
    const name = at < 0 ? '' : piece.slice(0, at).trim()
    const value = rest.slice(at + assign.length)
    const quoted = at < 0 ? null : /^"(?:[^"\\]|\\.)*"/s.exec(value)?.[0]
    const isWhole = quoted != null && (quoted.length === value.length || value.startsWith(separator, quoted.length))
    const raw = isWhole ? quoted : at < 0 ? '' : value.slice(0, indexOrEnd(value, separator))
    if (name !== '') fields.set(name, pair(raw.trim()))
    rest = at < 0 ? rest.slice(piece.length + separator.length) : value.slice(raw.length + separator.length)
  }
  return fields.size === 0 ? 'no pairs' : fields
}

function indexOrEnd(text: string, wanted: string): number {
  const at = text.indexOf(wanted)
  return at < 0 ? text.length : at
}

export function readCsv(text: string, columns: string | undefined, separator: string): Found {
  const cells = csvCells(text, separator)
  if (cells === null) return 'not csv'
  const names = columns === undefined ? cells.map((_, i) => `column${i + 1}`) : csvCells(columns, separator)
  const texts = cells.map(cellText)
  if (names === null || names.length !== cells.length || cells.length === (columns === undefined ? 1 : 0))
    return 'cells'
  if (columns !== undefined && texts.join('\n') === names.map(cellText).join('\n')) return 'the header'
  const fields = new Map<string, Value>()
  for (const [i, cell] of cells.entries()) {
    const name = cellText(names[i] as string)
    if (cell !== '' && name !== '' && name !== '_')
      fields.set(name, cell.startsWith('"') ? cellText(cell) : typed(cell))
  }
  return fields
}

/** Cells as they stand, quotes included; null when quotes are out of place. */
function csvCells(line: string, separator: string): string[] | null {
  const text = line.replace(/[\r\n]+$/, '')
  if (text === '') return null
  const blank = separator.startsWith(' ') ? '' : ' *'
  const escaped = separator.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const cells: string[] = []
  for (let rest = text; ; ) {
    const quoted = new RegExp(`^${blank}("(?:[^"]|"")*")${blank}(?:(${escaped})|$)`, 's').exec(rest)
    const plain = new RegExp(`^${blank}(?!")(.*?)${blank}(?:(${escaped})|$)`, 's').exec(rest)
    const match = quoted ?? plain
    if (match === null) return null
    cells.push(match[1] as string)
    if (match[2] === undefined) return cells
    rest = rest.slice(match[0].length)
  }
}

function cellText(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
}

export function readRegex(text: string, pattern: string): Found {
  const match = new RegExp(pattern.replaceAll('(?P<', '(?<'), 'u').exec(text)
  if (match === null) return 'no match'
  return new Map([...groupsOf(match)].map(([name, value]) => [name, typed(value)]))
}

/** `<ip> - [<ts>]`: literal text around captures that reach as far as the next literal; `<_>` is skipped. */
export function readPattern(text: string, pattern: string): Found {
  const names: string[] = []
  const pieces = pattern.split(/<([A-Za-z_@][\w.@-]*)>/)
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
