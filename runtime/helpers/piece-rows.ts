/** Rows of a text that is held as pieces, marked by where in its codes something was found. */
import { LITERAL, ROW_END, ROWS_APART } from '../../storage/part/woven/code.ts'
import { PRESENT, type TextPieces } from '../../storage/vector.ts'

/** What rows are marked with: as they were, it is there, only the row's own text can tell. */
export interface Marks {
  readonly yes: number
  readonly ask: number
}

/** The rows of places in the codes, which come in order. */
export class RowMarks {
  readonly #rows: Uint8Array
  readonly #presence: Uint8Array | null
  readonly #codes: Uint8Array
  readonly #shortCodes: number
  readonly #starts: Uint32Array
  #row = 0
  /** Where the row ends. */
  #end = -1

  constructor(pieces: TextPieces, rows: Uint8Array, presence: Uint8Array | null) {
    this.#rows = rows
    this.#presence = presence
    this.#codes = pieces.codes
    this.#shortCodes = pieces.shortCodes
    this.#starts = pieces.rowStarts()
  }

  /** @param isCertain  no longer asked */
  mark(place: number, { yes, ask }: Marks, isCertain: boolean): void {
    if (place > this.#end) this.#find(place)
    if (isCertain) this.#rows[this.#row] = yes
    else if (this.#rows[this.#row] !== yes) this.#rows[this.#row] = ask
  }

  #find(place: number): void {
    const starts = this.#starts
    let low = Math.floor(this.#row / ROWS_APART)
    let step = 1
    while (low + step < starts.length && starts[low + step]! <= place) {
      low += step
      step *= 2
    }
    let high = Math.min(starts.length - 1, low + step)
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (starts[middle]! <= place) low = middle
      else high = middle - 1
    }
    const codes = this.#codes
    let row = low * ROWS_APART
    let next = starts[low]!
    for (; ; row++) {
      if (this.#presence !== null && this.#presence[row] !== PRESENT) continue
      for (let code = codes[next++]!; code !== ROW_END; code = codes[next++]!) {
        if (code === LITERAL) while (codes[next++]! >= 0x80);
        else if (code > this.#shortCodes) next++
      }
      if (place < next) break
    }
    this.#row = row
    this.#end = next - 1
  }
}
