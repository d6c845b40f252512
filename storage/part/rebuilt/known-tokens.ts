/**
 * The tokens of lines that are known to be what templates and columns give: those of the pieces, and of each column those of its values, a
 * value once where it is told apart. The lines themselves are not looked at, and need not be there.
 */
import type { Value } from '../../value.ts'
import { type DictVector, type NumberVector, PRESENT, type TextVector, type Vector } from '../../vector.ts'
import { grown } from '../bytes.ts'
import type { KnownRaw } from '../columns.ts'
import { doublesOf, giveDoubles } from '../encodings/lane.ts'
import type { ThinColumn } from '../thin.ts'
import type { TokenSet } from '../token-filter.ts'
import { NumberTokens } from './number-tokens.ts'
import type { Others } from './prove.ts'
import { jsonBytesOf, NO_ROOM, needsEscape, rendererOf } from './render.ts'

export function addKnownTokens({ templates, chosen, hasEscapes }: KnownRaw, others: Others, tokens: TokenSet): void {
  const occurs = occurring(chosen, templates.length)
  /** Of each field, which templates say it: 1 by their number. */
  const saidBy = new Map<string, Uint8Array>()
  for (const [index, { pieces, fields }] of templates.entries()) {
    const number = index + 1
    if (occurs[number] === 0) continue
    for (const piece of pieces) tokens.addText(piece, 0, piece.length)
    for (const field of fields) {
      let numbers = saidBy.get(field)
      if (numbers === undefined) saidBy.set(field, (numbers = new Uint8Array(templates.length + 1)))
      numbers[number] = 1
    }
  }
  for (const [field, numbers] of saidBy) {
    const column = others.columnOf(field)
    if (column === null) throw new Error(`the text of ${field} is known and the column is not there`)
    addColumn(column, others.isIndexed(field), chosen, numbers, tokens, hasEscapes)
  }
}

/** 1 by the numbers of templates that occur. */
function occurring(chosen: Uint16Array, templateCount: number): Uint8Array {
  const occurs = new Uint8Array(templateCount + 1)
  for (let row = 0; row < chosen.length; row++) occurs[chosen[row]!] = 1
  return occurs
}

function addColumn(
  column: Vector | ThinColumn,
  isIndexed: boolean,
  chosen: Uint16Array,
  numbers: Uint8Array,
  tokens: TokenSet,
  hasEscapes: boolean,
): void {
  if (!('kind' in column)) {
    addRows(column, rowsOf(chosen, numbers), tokens)
    return
  }
  switch (column.kind) {
    case 'const': {
      const first = chosen.findIndex(number => numbers[number] === 1)
      addRows(column, first < 0 ? [] : [first], tokens)
      return
    }
    case 'dict':
      addValues(valuesUsed(column, chosen, numbers), tokens)
      return
    case 'text': {
      // Without an escape a text has the same tokens in the line; what is null has one of its own.
      const { presence } = column
      if (isIndexed && presence === null && !hasEscapes) return
      const rows = rowsOf(chosen, numbers)
      if (!isIndexed) addRows(column, rows, tokens)
      else {
        if (presence !== null)
          addRows(
            column,
            rows.filter(row => presence[row] !== PRESENT),
            tokens,
          )
        if (hasEscapes) addEscaped(column, rows, tokens)
      }
      return
    }
    case 'number':
      addRows(column, addNumbers(column, chosen, numbers, new NumberTokens(tokens)), tokens)
      return
    default:
      addRows(column, rowsOf(chosen, numbers), tokens)
  }
}

/** The rows whose template says the field. */
function rowsOf(chosen: Uint16Array, numbers: Uint8Array): number[] {
  const rows: number[] = []
  for (let row = 0; row < chosen.length; row++) if (numbers[chosen[row]!] === 1) rows.push(row)
  return rows
}

function addValues(values: readonly Value[], tokens: TokenSet): void {
  for (const value of values) {
    if (typeof value === 'string' && tokens.addWord(value)) continue
    const text = jsonBytesOf(value)
    if (text !== null) tokens.addText(text, 0, text.length)
  }
}

/** The values that the lines say, each once. */
function valuesUsed({ codes, dictionary }: DictVector, chosen: Uint16Array, numbers: Uint8Array): Value[] {
  const { values } = dictionary
  const isUsed = new Uint8Array(values.length)
  const used: Value[] = []
  for (let row = 0; row < chosen.length; row++) {
    const code = codes[row]!
    if (isUsed[code] === 1 || numbers[chosen[row]!] === 0) continue
    isUsed[code] = 1
    used.push(values[code])
  }
  return used
}

/** So many bytes at once, and one text. */
const ESCAPED_BYTES = 1 << 18

/** Texts with an escape, as they stand in the line: many together, as a column is. (One by one, as the rest is, 1,600 bytes of them took 6 µs an event.) */
function addEscaped(column: TextVector, rows: readonly number[], tokens: TokenSet): void {
  const { bytes, offsets } = column
  const render = rendererOf(column)
  let written = new Uint8Array(2 * ESCAPED_BYTES)
  let ends: number[] = [0]
  const flush = (): void => {
    const rowCount = ends.length - 1
    if (rowCount > 0)
      tokens.addColumn({ kind: 'text', rowCount, bytes: written, offsets: Uint32Array.from(ends), presence: null })
    ends = [0]
  }
  for (const row of rows) {
    if (!needsEscape(bytes, offsets[row]!, offsets[row + 1]!)) continue
    if (ends.at(-1)! > ESCAPED_BYTES) flush()
    let end = render(row, written, ends.at(-1)!)
    for (; end === NO_ROOM; end = render(row, written, ends.at(-1)!)) written = grown(written, 2 * written.length)
    ends.push(end)
  }
  flush()
}

/** Answers with the rows that are left: what is no number there, or is written in another way. */
function addNumbers(
  { values: given, presence }: NumberVector,
  chosen: Uint16Array,
  numbers: Uint8Array,
  words: NumberTokens,
): number[] {
  const values = doublesOf(given)
  const left: number[] = []
  for (let row = 0; row < chosen.length; row++) {
    if (numbers[chosen[row]!] === 0) continue
    if ((presence !== null && presence[row] !== PRESENT) || !words.add(values[row]!)) left.push(row)
  }
  giveDoubles(values, given)
  return left
}

/** Each value is written as it stands in the line. */
function addRows(column: Vector | ThinColumn, rows: readonly number[], tokens: TokenSet): void {
  if (rows.length === 0) return
  const render = rendererOf(column)
  let scratch = new Uint8Array(1024)
  for (const row of rows) {
    let end = render(row, scratch, 0)
    while (end === NO_ROOM) {
      scratch = new Uint8Array(scratch.length * 2)
      end = render(row, scratch, 0)
    }
    if (end > 0) tokens.addText(scratch, 0, end)
  }
}
