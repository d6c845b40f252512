/**
 * Signatures as rows of cells: words, what is masked in them, and the delimiters between. Templates are rows of cells too, so that
 * merging them is joining cell by cell. Joining is commutative and associative: no order of lines can matter to its result.
 */
import { REPEATED, VARIABLE } from './bytes.ts'
import { joinSlots, WORDS } from './kinds.ts'

/** Token 0 of every vocabulary: something that varies, and nothing else. */
export const VARIABLE_TOKEN = 0

export const DELIMITER = 1
/** Nothing but something that varies. */
export const PURE = 2
/** Something that varies is in it. */
export const MASKED = 4
/** Letters, and nothing that varies: what a programmer wrote. */
export const TEXT = 8

const MASK = String.fromCharCode(VARIABLE)
const LIST = String.fromCharCode(REPEATED)
const DELIMITERS = /([ =:,;()[\]{}"'<>|])/
const HAS_LETTER = /[\p{L}]/u

export interface Cell {
  readonly token: number
  /** What each masked stretch of it was. */
  readonly slots: readonly number[]
  /** Of words that vary: how all of them begin and end, and the length of the shortest. */
  readonly prefix: string
  readonly suffix: string
  readonly shortest: number
}

const NO_SLOTS: readonly number[] = []

/** Tokens by number: numbers are compared, texts only shown. */
export class Vocabulary {
  readonly texts: string[] = []
  readonly #flags: number[] = []
  readonly #ids = new Map<string, number>()
  /** The cell of each token that has no slots. */
  readonly #plain: (Cell | undefined)[] = []

  constructor() {
    this.idOf(MASK)
  }

  idOf(text: string): number {
    let id = this.#ids.get(text)
    if (id === undefined) {
      id = this.texts.length
      this.texts.push(text)
      this.#flags.push(flagsOf(text))
      this.#ids.set(text, id)
    }
    return id
  }

  flagsOf(token: number): number {
    return this.#flags[token]!
  }

  is(cell: Cell, flag: number): boolean {
    return (this.#flags[cell.token]! & flag) !== 0
  }

  /** The cells of a signature. */
  cellsOf(signature: string, slots: readonly number[]): Cell[] {
    let slot = 0
    const cells: Cell[] = []
    for (const text of signature.split(DELIMITERS)) {
      if (text === '') continue
      const token = this.idOf(text)
      if (!text.includes(MASK)) {
        cells.push((this.#plain[token] ??= cellOf(token, text, NO_SLOTS)))
        continue
      }
      const first = slot
      for (const letter of text) if (letter === MASK) slot++
      cells.push(cellOf(token, text, slots.slice(first, slot)))
    }
    return cells
  }

  /** One cell for several: the word they share, or something that varies. */
  join(cells: readonly Cell[]): Cell {
    let joined = cells[0]!
    for (let index = 1; index < cells.length; index++) joined = joinTwo(joined, cells[index]!)
    return joined
  }
}

function cellOf(token: number, text: string, slots: readonly number[]): Cell {
  return { token, slots, prefix: text, suffix: text, shortest: text.length }
}

/** What varies where whole stretches of a line were found to: nothing is known of it. */
export const ANYTHING: Cell = { token: VARIABLE_TOKEN, slots: [WORDS], prefix: '', suffix: '', shortest: 0 }

function joinTwo(left: Cell, right: Cell): Cell {
  if (left === right) return left
  const isSame = left.token === right.token
  return {
    token: isSame ? left.token : VARIABLE_TOKEN,
    slots: isSame ? left.slots.map((slot, index) => joinSlots(slot, right.slots[index]!)) : [WORDS],
    prefix: commonPrefix(left.prefix, right.prefix),
    suffix: commonSuffix(left.suffix, right.suffix),
    shortest: Math.min(left.shortest, right.shortest),
  }
}

function commonPrefix(left: string, right: string): string {
  if (left === right) return left
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return left.slice(0, length)
}

function commonSuffix(left: string, right: string): string {
  if (left === right) return left
  let length = 0
  while (length < left.length && left.at(-1 - length) === right.at(-1 - length)) length++
  return length === 0 ? '' : left.slice(-length)
}

function flagsOf(text: string): number {
  if (text.length === 1 && DELIMITERS.test(text)) return DELIMITER
  if (!text.includes(MASK)) return HAS_LETTER.test(text) ? TEXT : 0
  return text === MASK || text === MASK + LIST ? MASKED | PURE : MASKED
}
