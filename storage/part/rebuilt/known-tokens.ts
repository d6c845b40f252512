/**
 * The tokens of lines that are known to be what templates and columns give: those of the pieces, and of each column those of its values, a
 * value once where it is told apart. The lines themselves are not looked at, and need not be there.
 */
import {
  type Dictionary,
  type DictVector,
  type NumberVector,
  PRESENT,
  type TextVector,
  type Vector,
} from '../../vector.ts'
import { WordHashes } from '../../word-hashes.ts'
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
    addColumn(column, others.isIndexed(field), rowsThat(chosen, occurs, numbers), tokens, hasEscapes)
  }
}

/** 1 by the numbers of templates that occur. */
function occurring(chosen: Uint16Array, templateCount: number): Uint8Array {
  const occurs = new Uint8Array(templateCount + 1)
  for (let row = 0; row < chosen.length; row++) occurs[chosen[row]!] = 1
  return occurs
}

/** Whose line says a field. */
interface SayingRows {
  /** By row, the number of its template … */
  readonly chosen: Uint16Array
  /** … and by that, 1 for those that say it. */
  readonly numbers: Uint8Array
  /** Each row's does. */
  readonly areAll: boolean
}

function rowsThat(chosen: Uint16Array, occurs: Uint8Array, numbers: Uint8Array): SayingRows {
  return { chosen, numbers, areAll: occurs.every((occurring, number) => occurring === 0 || numbers[number] === 1) }
}

function addColumn(
  column: Vector | ThinColumn,
  isIndexed: boolean,
  saying: SayingRows,
  tokens: TokenSet,
  hasEscapes: boolean,
): void {
  if (!('kind' in column)) {
    addRows(column, rowsOf(saying), tokens)
    return
  }
  switch (column.kind) {
    case 'const': {
      const first = saying.chosen.findIndex(number => saying.numbers[number] === 1)
      addRows(column, first < 0 ? [] : [first], tokens)
      return
    }
    case 'dict':
      addValues(column.dictionary, codesUsed(column, saying), tokens)
      return
    case 'text': {
      // Without an escape a text has the same tokens in the line; what is null has one of its own.
      const { presence } = column
      if (isIndexed && presence === null && !hasEscapes) return
      const rows = rowsOf(saying)
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
      addRows(column, addNumbers(column, saying, new NumberTokens(tokens)), tokens)
      return
    default:
      addRows(column, rowsOf(saying), tokens)
  }
}

/** The rows whose template says the field. */
function rowsOf({ chosen, numbers }: SayingRows): number[] {
  const rows: number[] = []
  for (let row = 0; row < chosen.length; row++) if (numbers[chosen[row]!] === 1) rows.push(row)
  return rows
}

/** @param isUsed  by code; each value once */
function addValues({ values, words = new WordHashes() }: Dictionary, isUsed: Uint8Array, tokens: TokenSet): void {
  const { hashes, others } = words.ofUsed(values, isUsed)
  tokens.addAll(hashes)
  for (const code of others) {
    const text = jsonBytesOf(values[code])
    if (text !== null) tokens.addText(text, 0, text.length)
  }
}

/** 1 by the codes of values that the lines say. */
function codesUsed({ codes, dictionary }: DictVector, { chosen, numbers, areAll }: SayingRows): Uint8Array {
  const isUsed = new Uint8Array(dictionary.values.length)
  if (areAll) noteCodes(codes, isUsed)
  else for (let row = 0; row < chosen.length; row++) isUsed[codes[row]!]! |= numbers[chosen[row]!]!
  return isUsed
}

function noteCodes(codes: DictVector['codes'], isUsed: Uint8Array): void {
  for (let row = 0; row < codes.length; row++) isUsed[codes[row]!] = 1
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
function addNumbers({ values: given, presence }: NumberVector, saying: SayingRows, words: NumberTokens): number[] {
  const values = doublesOf(given)
  const left = presence === null && saying.areAll ? words.addAll(values) : addSome(values, presence, saying, words)
  giveDoubles(values, given)
  return left
}

function addSome(
  values: Float64Array,
  presence: Uint8Array | null,
  { chosen, numbers }: SayingRows,
  words: NumberTokens,
): number[] {
  const left: number[] = []
  for (let row = 0; row < chosen.length; row++) {
    if (numbers[chosen[row]!] === 0) continue
    if ((presence !== null && presence[row] !== PRESENT) || !words.add(values[row]!)) left.push(row)
  }
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
