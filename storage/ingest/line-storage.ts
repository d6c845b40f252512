/**
 * `_raw` of an open block. Lines of a batch are kept as they lie there, all of them copied at once with what stands between them, for as long as nobody
 * asks for them: most never are, because the part is made of their fields (`raw-templates.ts`). Copied one by one, each with a view of its own to
 * collect, lines took a tenth of a load. Who reads them, or adds what is no line of a batch, has them put one behind the other first (5 ms a block).
 */
import { spareMemory } from '../spare-memory.ts'
import type { TextVector, Vector } from '../vector.ts'
import { grownCapacity, resized } from './column-storage.ts'
import type { EventBatch } from './event-batch.ts'
import { TextStorage } from './string-storage.ts'

/** A block that leaves more of its room unused gives it up. */
const USED_MIN = 0.75

export class LineStorage {
  readonly #expectedBytes: number
  readonly #expectedRows: number
  /** Null: as yet all rows are lines, in `bytes`. */
  #text: TextStorage | null = null
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  #used = 0
  #starts: Uint32Array<ArrayBuffer> = new Uint32Array(0)
  #lengths: Uint32Array<ArrayBuffer> = new Uint32Array(0)
  #count = 0
  #textBytes = 0

  /**
   * @param expectedBytes  what to make room for with the first line
   * @param expectedRows  and for how many
   */
  constructor(expectedBytes = 0, expectedRows = 0) {
    this.#expectedBytes = expectedBytes
    this.#expectedRows = expectedRows
  }

  /** Bytes of text alone. */
  get textBytes(): number {
    return this.#text?.textBytes ?? this.#textBytes
  }

  add(row: number, text: string): void {
    this.#settled().add(row, text)
  }

  /** `[from, to)` of the batch, which are lines. */
  addLines(row: number, { bytes, words, starts, ends }: EventBatch, from: number, to: number): void {
    if (this.#text !== null || row !== this.#count) {
      const text = this.#settled()
      for (let at = from; at < to; at++) text.addBytes(row + at - from, bytes, words, starts[at]!, ends[at]!)
      return
    }
    const count = row + to - from
    if (count > this.#starts.length)
      this.#growRows(grownCapacity(this.#starts.length, Math.max(count, this.#expectedRows)))
    const first = starts[from]!
    const length = ends[to - 1]! - first
    if (this.#used + length > this.#bytes.length)
      this.#growBytes(Math.max(1024, this.#expectedBytes, (this.#used + length) * 2))
    this.#bytes.set(bytes.subarray(first, first + length), this.#used)
    this.#textBytes += this.#putLines(row, starts, ends, from, to, this.#used - first)
    this.#used += length
    this.#count = count
  }

  /** Answers with their bytes. */
  #putLines(row: number, starts: Int32Array, ends: Int32Array, from: number, to: number, shift: number): number {
    const ownStarts = this.#starts
    const lengths = this.#lengths
    let bytes = 0
    for (let at = from; at < to; at++) {
      const length = ends[at]! - starts[at]!
      ownStarts[row + at - from] = starts[at]! + shift
      lengths[row + at - from] = length
      bytes += length
    }
    return bytes
  }

  view(rowCount: number): Vector {
    return this.#settled().view(rowCount)
  }

  /** A text for every row, empty where it has a number. */
  textsOf(numbers: Uint16Array): TextVector {
    if (this.#text !== null) return this.#text.textsOf(numbers)
    const rowCount = numbers.length
    const offsets = new Uint32Array(rowCount + 1)
    for (let row = 0; row < rowCount; row++)
      offsets[row + 1] = offsets[row]! + (numbers[row] === 0 ? this.#lengths[row]! : 0)
    const bytes = new Uint8Array(offsets[rowCount]!)
    for (let row = 0; row < rowCount; row++) {
      const start = this.#starts[row]!
      if (numbers[row] === 0) bytes.set(this.#bytes.subarray(start, start + this.#lengths[row]!), offsets[row])
    }
    return { kind: 'text', rowCount, bytes, offsets, presence: null }
  }

  /** No row follows. */
  finish(rowCount: number): void {
    if (this.#text !== null || rowCount !== this.#count) this.#settled().finish(rowCount)
    else if (this.#used < this.#bytes.length * USED_MIN) this.#growBytes(this.#used)
  }

  get byteLength(): number {
    return this.#text?.byteLength ?? this.#used + this.#starts.byteLength + this.#lengths.byteLength
  }

  /** Nobody reads it any more. */
  release(): void {
    this.#text?.release()
    this.#releaseLines()
  }

  #settled(): TextStorage {
    if (this.#text !== null) return this.#text
    const text = new TextStorage(Math.max(this.#expectedBytes, this.#textBytes))
    const { buffer, length } = this.#bytes
    const [bytes, words] = [Buffer.from(buffer), new DataView(buffer, 0, length)]
    for (let row = 0; row < this.#count; row++) {
      const start = this.#starts[row]!
      text.addBytes(row, bytes, words, start, start + this.#lengths[row]!)
    }
    this.#releaseLines()
    this.#text = text
    return text
  }

  /** Nothing looks at them but this. */
  #releaseLines(): void {
    spareMemory.give(this.#bytes.buffer)
    spareMemory.give(this.#starts.buffer)
    spareMemory.give(this.#lengths.buffer)
    this.#bytes = new Uint8Array(0)
    this.#starts = new Uint32Array(0)
    this.#lengths = new Uint32Array(0)
  }

  #growBytes(bytes: number): void {
    const held = this.#bytes
    this.#bytes = resized(held.subarray(0, this.#used), spareMemory.take(bytes))
    spareMemory.give(held.buffer)
  }

  #growRows(rows: number): void {
    const [starts, lengths] = [this.#starts, this.#lengths]
    this.#starts = resized(starts, spareMemory.elements(Uint32Array, rows))
    this.#lengths = resized(lengths, spareMemory.elements(Uint32Array, rows))
    spareMemory.give(starts.buffer)
    spareMemory.give(lengths.buffer)
  }
}
