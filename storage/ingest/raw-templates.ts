/**
 * Which lines of a block are known to be what a template and their fields give. Their reader has compared all of it: the template's pieces byte for byte, escapes that
 * are those of `JSON.stringify`, numbers as `String` writes them (`ByteTemplate.isCanonical`). So `_raw` need not go to the thread that builds the part.
 */
import { TEMPLATES_MAX } from '../part/rebuilt/prove.ts'
import type { RebuiltText } from '../part/rebuilt/rebuilt.ts'
import { resized } from './column-storage.ts'
import type { EventBatch, LineShape } from './event-batch.ts'

/** In a shorter block the writer looks at the texts as values. */
const ROWS_MIN = 1024

export class RawTemplates {
  readonly #shapes: LineShape[] = []
  /** By row; those behind its end are not known. */
  #chosen = new Uint16Array(0)
  #knownBytes = 0
  #hasEscapes = false

  /** False: none of them is. */
  addLines(row: number, batch: EventBatch, from: number, to: number): boolean {
    const shape = batch.shapes[from]!
    let number = this.#shapes.indexOf(shape) + 1
    if (number === 0) {
      if (this.#shapes.length >= TEMPLATES_MAX) return false
      number = this.#shapes.push(shape)
    }
    const rows = row + to - from
    if (rows > this.#chosen.length) this.#chosen = resized(this.#chosen, new Uint16Array(Math.max(ROWS_MIN, rows * 2)))
    this.#hasEscapes ||= batch.isEscaped.subarray(from, to).includes(1)
    this.#knownBytes += choose(number, this.#chosen, row - from, batch, from, to)
    return true
  }

  get byteLength(): number {
    return this.#chosen.byteLength
  }

  /** Has a text of a line that is known an escape? */
  get hasEscapes(): boolean {
    return this.#hasEscapes
  }

  /** What is known of so many rows; null: nothing. @param textBytes  of all of them */
  known(rowCount: number, textBytes: number): RebuiltText | null {
    if (this.#knownBytes === 0) return null
    const templates = this.#shapes.map(({ template }) => template)
    return { templates, chosen: resized(this.#chosen, new Uint16Array(rowCount)), textBytes }
  }

  /** Is it so little that the writer, who wants more of a block, had better see the texts? */
  isLittle(rowCount: number, textBytes: number): boolean {
    return rowCount < ROWS_MIN || this.#knownBytes * 2 < textBytes
  }
}

/** The number for each line that is known; answers with the bytes of those. @param shift  from a row of the batch to one of `chosen` */
function choose(
  number: number,
  chosen: Uint16Array,
  shift: number,
  { isCanonical, starts, ends }: EventBatch,
  from: number,
  to: number,
): number {
  let bytes = 0
  for (let row = from; row < to; row++) {
    if (isCanonical[row] === 0) continue
    chosen[row + shift] = number
    bytes += ends[row]! - starts[row]!
  }
  return bytes
}
