/** csv: one record of comma-separated values, RFC 4180 with any separator. Names come from the query, for a record has none. */
import type { Value } from '../../storage/value.ts'
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, openExtractor, setSpan, spanExtractor } from './extractor.ts'
import { QUOTE, SPACE } from './scan.ts'
import { typedOf } from './values.ts'

/** Where the cells of a record stand, two numbers a cell; quoted cells with their quotes. What is wrong with it, or null. */
function readCells(text: string, separator: string, cells: number[]): string | null {
  cells.length = 0
  let length = text.length
  while (length > 0 && (text.charCodeAt(length - 1) === 10 || text.charCodeAt(length - 1) === 13)) length--
  if (length === 0) return 'there is no text'
  const keepsSpaces = separator.startsWith(' ')
  for (let at = 0; ; ) {
    let start = at
    if (!keepsSpaces) while (start < length && text.charCodeAt(start) === SPACE) start++
    let end: number
    if (text.charCodeAt(start) === QUOTE) {
      const close = closingQuote(text, start + 1, length)
      if (close < 0) return `cell ${cells.length / 2 + 1} has no closing quote`
      end = close + 1
      let next = end
      if (!keepsSpaces) while (next < length && text.charCodeAt(next) === SPACE) next++
      cells.push(start, end)
      if (next >= length) return null
      if (!text.startsWith(separator, next)) return `text follows the closing quote of cell ${cells.length / 2}`
      at = next + separator.length
      continue
    }
    const stop = text.indexOf(separator, start)
    end = stop < 0 || stop > length ? length : stop
    let trimmed = end
    if (!keepsSpaces) while (trimmed > start && text.charCodeAt(trimmed - 1) === SPACE) trimmed--
    cells.push(start, trimmed)
    if (end === length) return null
    at = end + separator.length
  }
}

/** Two quotes are one within the cell. */
function closingQuote(text: string, from: number, length: number): number {
  for (let at = text.indexOf('"', from); at >= 0 && at < length; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== QUOTE || at + 1 >= length) return at
  }
  return -1
}

function cellOf(text: string, start: number, end: number): Value {
  if (end === start) return undefined
  if (text.charCodeAt(start) === QUOTE) return quotedText(text, start, end)
  return typedOf(text, start, end)
}

function quotedText(text: string, start: number, end: number): string {
  return text.slice(start + 1, end - 1).replaceAll('""', '"')
}

function cellText(text: string, start: number, end: number): string {
  return text.charCodeAt(start) === QUOTE ? quotedText(text, start, end) : text.slice(start, end)
}

function namesOf(columns: string, separator: string): readonly string[] | string {
  const cells: number[] = []
  const problem = readCells(columns, separator, cells)
  if (problem !== null) return problem
  const names: string[] = []
  for (let at = 0; at < cells.length; at += 2) names.push(cellText(columns, cells[at]!, cells[at + 1]!))
  return names
}

/** A column that is empty or `_` in the list has no name: it is passed over. */
function isNamed(name: string): boolean {
  return name !== '' && name !== '_'
}

function createNamed(columns: readonly string[], separator: string): Extractor {
  const fields = columns.filter(isNamed).map(name => ({ name, value: cellOf }))
  const places = columns.map(name => fields.findIndex(field => field.name === name))
  const cells: number[] = []
  return spanExtractor(fields, (text, spans) => {
    const problem = readCells(text, separator, cells)
    if (problem !== null) return problem
    const count = cells.length / 2
    if (count !== columns.length)
      return `${count} ${count === 1 ? 'cell' : 'cells'} where ${columns.length} columns are named`
    if (columns.every((name, i) => cellText(text, cells[i * 2]!, cells[i * 2 + 1]!) === name)) return 'the header line'
    for (const [index, place] of places.entries()) {
      if (place >= 0) setSpan(spans, place, cells[index * 2]!, cells[index * 2 + 1]!)
    }
    return null
  })
}

function createNumbered(separator: string): Extractor {
  const cells: number[] = []
  const names: string[] = []
  let record = ''
  return openExtractor({
    read(text) {
      record = text
      const problem = readCells(text, separator, cells)
      if (problem !== null) return problem
      return cells.length === 2 ? `no '${separator}' between cells` : null
    },
    emit(sink) {
      for (let index = 0; index * 2 < cells.length; index++) {
        const name = (names[index] ??= `column${index + 1}`)
        const value = sink.wants(name) ? cellOf(record, cells[index * 2]!, cells[index * 2 + 1]!) : undefined
        if (value !== undefined) sink.add(name, value)
      }
    },
  })
}

function columnsProblem(columns: string, separator: string): string | null {
  const names = namesOf(columns, separator)
  if (typeof names === 'string') return `columns cannot be read: ${names}`
  if (!names.some(isNamed)) return 'columns names nothing'
  const twice = names.find((name, index) => isNamed(name) && names.indexOf(name) !== index)
  return twice === undefined ? null : `columns names '${twice}' twice`
}

export const csv: FormatDescriptor = {
  summary:
    'One record of separated values. A cell in double quotes is text and may hold separators; two quotes in it are one. An empty cell sets nothing. A record with another number of cells than there are columns fails, and so does the header line itself.',
  options: {
    columns: 'names of the columns, as the header line of the file has them; `_` passes over one',
    sep: 'stands between cells; a comma unless given',
  },
  fields: [],
  otherFields: 'the `columns`; without them `column1`, `column2`, …; a bare canonical number becomes a number',
  example: {
    query: 'parse csv(columns="user,comment,ms") | keep user, comment, ms',
    input: 'ann,"said ""hi"", left",12',
    output: '{"user":"ann","comment":"said \\"hi\\", left","ms":12}',
  },
  problems({ options }) {
    const separator = options.sep ?? ','
    if (separator === '' || separator.includes('"')) {
      return [{ message: 'sep must be at least one character, and no quote', option: 'sep' }]
    }
    const message = options.columns === undefined ? null : columnsProblem(options.columns, separator)
    return message === null ? [] : [{ message, option: 'columns' }]
  },
  create({ options }) {
    const separator = options.sep ?? ','
    if (options.columns === undefined) return createNumbered(separator)
    const names = namesOf(options.columns, separator)
    return createNamed(typeof names === 'string' ? [] : names, separator)
  },
}
