/**
 * `_raw` of an open block. A line whose reader has seen that it is what its template and its fields give (`raw-templates.ts`) is not kept: it can be made of
 * the block's columns, as of a part's, and most are never asked for. Copying 2 M lines of 350 bytes, with a page fault for each 4 KB of them, took 0.25 s.
 * The first who reads `_raw` has all lines made (0.7 µs each); those that follow are then kept as they come.
 */
import type { KnownRaw } from '../part/columns.ts'
import { type ColumnOf, putTogether } from '../part/rebuilt/rebuilt.ts'
import { PRESENT, type Vector } from '../vector.ts'
import type { EventBatch } from './event-batch.ts'
import { RawTemplates } from './raw-templates.ts'
import { TextStorage } from './string-storage.ts'

export class LineStorage {
  readonly #expectedBytes: number
  /** Of every row that has one, or of those alone that are not known. */
  #text: TextStorage
  #isWhole = false
  readonly #templates = new RawTemplates()
  /** Of all rows. */
  #textBytes = 0

  /** @param expectedBytes  what to make room for with the first text */
  constructor(expectedBytes = 0) {
    this.#expectedBytes = expectedBytes
    this.#text = new TextStorage(expectedBytes)
  }

  /** Bytes of text alone, whether they are kept or not. */
  get textBytes(): number {
    return this.#textBytes
  }

  /** Bytes of the texts that are kept. */
  get keptBytes(): number {
    return this.#text.textBytes
  }

  get byteLength(): number {
    return this.#text.byteLength + this.#templates.byteLength
  }

  add(row: number, text: string): void {
    const before = this.#text.textBytes
    this.#text.add(row, text)
    this.#textBytes += this.#text.textBytes - before
  }

  /** `[from, to)` of the batch, which are lines of one shape. */
  addLines(row: number, batch: EventBatch, from: number, to: number): void {
    const { bytes, words, starts, ends, isCanonical } = batch
    const isKnown = this.#templates.addLines(row, batch, from, to)
    this.#textBytes += batch.lengthOfLines(from, to)
    for (let at = from; at < to; at++)
      if (this.#isWhole || !isKnown || isCanonical[at] === 0)
        this.#text.addBytes(row + at - from, bytes, words, starts[at]!, ends[at]!)
  }

  /** @param columnOf  the other columns of all rows there are */
  view(rowCount: number, allRows: number, columnOf: ColumnOf): Vector {
    if (!this.#isWhole) this.#makeWhole(allRows, columnOf)
    return this.#text.view(rowCount)
  }

  /** Null where too little is known: the text is handed over then. */
  known(rowCount: number): KnownRaw | null {
    if (this.#templates.isLittle(rowCount, this.#textBytes)) return null
    const known = this.#templates.known(rowCount, this.#textBytes)
    // Of nobody else: it is given to another thread.
    return known === null
      ? null
      : { ...known, rest: this.#text.textsOf(known.chosen), hasEscapes: this.#templates.hasEscapes }
  }

  /** No row follows. */
  finish(rowCount: number): void {
    this.#text.finish(rowCount)
  }

  /** Nobody reads it any more. */
  release(): void {
    this.#text.release()
  }

  #makeWhole(rowCount: number, columnOf: ColumnOf): void {
    this.#isWhole = true
    const known = this.#templates.known(rowCount, this.#textBytes)
    if (known === null) return
    const held = this.#text.view(rowCount)
    const made = putTogether(known, held, columnOf)
    const text = new TextStorage(Math.max(this.#expectedBytes, this.#textBytes))
    const { buffer, byteOffset, length } = made.bytes
    const [bytes, words] = [Buffer.from(buffer, byteOffset, length), new DataView(buffer, byteOffset, length)]
    for (let row = 0; row < rowCount; row++)
      if (known.chosen[row] !== 0 || held.presence === null || held.presence[row] === PRESENT)
        text.addBytes(row, bytes, words, made.offsets[row]!, made.offsets[row + 1]!)
    // What was held is left to whom it was given: who makes a filter, or the writer.
    this.#text = text
  }
}
