/**
 * The tokens of lines that are known to be what templates and columns give: those of the pieces, and of each column those of its values, a
 * value once where it is told apart. The lines themselves are not looked at, and need not be there.
 */
import { PRESENT, type Vector } from '../../vector.ts'
import type { KnownRaw } from '../columns.ts'
import type { ThinColumn } from '../thin.ts'
import type { TokenSet } from '../token-filter.ts'
import { NumberTokens } from './number-tokens.ts'
import type { Others } from './prove.ts'
import { jsonBytesOf, NO_ROOM, rendererOf } from './render.ts'

export function addKnownTokens({ templates, chosen }: KnownRaw, others: Others, tokens: TokenSet): void {
  const occurs = new Uint8Array(templates.length + 1)
  for (let row = 0; row < chosen.length; row++) occurs[chosen[row]!] = 1
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
    addColumn(column, others.isIndexed(field), chosen, numbers, tokens)
  }
}

function addColumn(
  column: Vector | ThinColumn,
  isIndexed: boolean,
  chosen: Uint16Array,
  numbers: Uint8Array,
  tokens: TokenSet,
): void {
  if (!('kind' in column)) {
    addRows(column, chosen, numbers, tokens)
    return
  }
  switch (column.kind) {
    case 'const':
      addRows(column, chosen.subarray(0, chosen.findIndex(each => numbers[each] === 1) + 1), numbers, tokens)
      return
    case 'dict': {
      const { codes, dictionary } = column
      const isAdded = new Uint8Array(dictionary.values.length)
      for (let row = 0; row < chosen.length; row++) {
        const code = codes[row]!
        if (isAdded[code] === 1 || numbers[chosen[row]!] === 0) continue
        isAdded[code] = 1
        const value = dictionary.values[code]
        if (typeof value === 'string' && tokens.addWord(value)) continue
        const text = jsonBytesOf(value)
        if (text !== null) tokens.addText(text, 0, text.length)
      }
      return
    }
    case 'text': {
      const { presence } = column
      // Without an escape a text has the same tokens in the line; what is null has one of its own.
      if (!isIndexed) addRows(column, chosen, numbers, tokens)
      else if (presence !== null) addRows(column, chosen, numbers, tokens, row => presence[row] !== PRESENT)
      return
    }
    case 'number': {
      const { values, presence } = column
      const words = new NumberTokens(tokens)
      const isLeft = (row: number) => (presence !== null && presence[row] !== PRESENT) || !words.add(values[row]!)
      addRows(column, chosen, numbers, tokens, isLeft)
      return
    }
    default:
      addRows(column, chosen, numbers, tokens)
  }
}

/** Each value is written as it stands in the line. */
function addRows(
  column: Vector | ThinColumn,
  chosen: Uint16Array,
  numbers: Uint8Array,
  tokens: TokenSet,
  isWanted: (row: number) => boolean = () => true,
): void {
  const render = rendererOf(column)
  let scratch = new Uint8Array(1024)
  for (let row = 0; row < chosen.length; row++) {
    if (numbers[chosen[row]!] === 0 || !isWanted(row)) continue
    let end = render(row, scratch, 0)
    while (end === NO_ROOM) {
      scratch = new Uint8Array(scratch.length * 2)
      end = render(row, scratch, 0)
    }
    if (end > 0) tokens.addText(scratch, 0, end)
  }
}
