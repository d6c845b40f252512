/** Strings of an open block: as codes of the field's dictionary while they repeat, otherwise as UTF-8 bytes. */

import { copyBytes } from '../shared-copy.ts'
import { SHORT_ESCAPES } from '../short-escapes.ts'
import { blockElements, giveBlockElements } from '../spare-memory.ts'
import type { Value } from '../value.ts'
import { NULL, PRESENT, type TextVector, type Vector } from '../vector.ts'
import { type ColumnStorage, grownCapacity, PresenceStorage, type PresentOrNull, resized } from './column-storage.ts'
import type { EventBatch } from './event-batch.ts'
import type { FieldDictionary, FrozenDictionaries } from './field-dictionary.ts'
import { ESCAPED, TEXT } from './line-cells.ts'
import type { LineRun } from './line-texts.ts'
import { fitted } from './text-sizes.ts'

export class DictStorage implements ColumnStorage {
  filled = 0
  capacity = 0
  readonly dictionary: FieldDictionary
  private codes: Uint32Array | Uint16Array | Uint8Array = new Uint16Array(0)
  private readonly expectedRows: number

  /** @param expectedRows  what to make room for with the first */
  constructor(dictionary: FieldDictionary, expectedRows = 0) {
    this.dictionary = dictionary
    this.expectedRows = expectedRows
  }

  add(row: number, value: PresentOrNull): boolean {
    let code: number
    if (typeof value === 'string') {
      code = this.dictionary.codeOf(value)
      if (code < 0) return false
    } else if (value === null) code = this.dictionary.codeOfAbsent(null)
    else return false
    this.reserve(row)
    this.widenFor(code)
    this.codes[row] = code
    this.filled = row + 1
    return true
  }

  /** Each way to find codes is a function of its own: of all of them in one V8 compiled six, as what had not been met yet was each time. */
  addCells(row: number, batch: EventBatch, place: number, from: number, to: number): number {
    this.reserve(row)
    // Codes that are known are put down unlooked at.
    this.widenFor(this.dictionary.size - 1)
    const shift = row - from
    let at = from
    while (at < to) {
      const run = batch.runAt(at)
      const isNumbered = run !== null && run.texts[place]!.isNumbered && run.starts[place]! >= 0
      const end = isNumbered ? Math.min(to, run.to) : to
      at = isNumbered
        ? this.addNumbered(batch, place, run, at, end, shift)
        : this.addLookedFor(batch, place, at, end, shift)
      if (at < end) break
    }
    if (at > from) this.filled = at + shift
    return at - from
  }

  /** Rows of a run whose texts have numbers. Answers where it stopped, as the other does. */
  private addNumbered(batch: EventBatch, place: number, run: LineRun, from: number, to: number, shift: number): number {
    const { dictionary } = this
    const { textNumbers } = batch
    const numberAt = run.starts[place]! - run.from
    const known = dictionary.codesByNumber(run.texts[place]!)
    let at = from
    while (at < to) {
      const first = at
      at = putKnown(textNumbers, numberAt, at, to, this.codes, shift, known)
      dictionary.noteMet(at - first)
      if (at === to) break
      const code = this.addOne(batch, place, at, shift)
      if (code < 0) break
      const number = textNumbers[numberAt + at]!
      if (number >= 0) known[number] = code
      at++
    }
    return at
  }

  private addLookedFor(batch: EventBatch, place: number, from: number, to: number, shift: number): number {
    let at = from
    while (at < to) {
      at = this.dictionary.codesOfCells(batch, place, at, to, this.codes, shift)
      if (at === to || this.addOne(batch, place, at, shift) < 0) break
      at++
    }
    return at
  }

  /** The code of a text that is not known, or of one with escapes; -1: it is none, or the field is no dictionary any longer. */
  private addOne({ bytes, words, firstCells, cells }: EventBatch, place: number, at: number, shift: number): number {
    const { kinds, starts, ends } = cells
    const cell = firstCells[at]! + place
    const isEscaped = kinds[cell] === ESCAPED
    if (kinds[cell] !== TEXT && !isEscaped) return -1
    const code = isEscaped
      ? this.dictionary.codeOfEscaped(bytes, words, starts[cell]!, ends[cell]!)
      : this.dictionary.codeOfBytes(bytes, words, starts[cell]!, ends[cell]!)
    if (code < 0) return code
    this.widenFor(code)
    this.codes[at + shift] = code
    return code
  }

  at(row: number): Value {
    return row < this.filled ? this.dictionary.valueOf(this.codes[row] ?? 0) : undefined
  }

  view(rowCount: number, frozen: FrozenDictionaries | null): Vector {
    this.pad(rowCount)
    const dictionary = frozen === null ? this.dictionary.current() : this.dictionary.freeze(frozen)
    return { kind: 'dict', rowCount, codes: this.codes.subarray(0, rowCount), dictionary }
  }

  finish(rowCount: number, isUnread = false): void {
    this.pad(rowCount)
    const held = this.codes
    const codes = held.subarray(0, rowCount)
    if (this.dictionary.size <= 256) this.codes = resized(codes, blockElements(Uint8Array, rowCount))
    else if (codes.length < held.length) this.codes = codes.slice() as typeof codes
    if (isUnread && this.codes !== held) giveBlockElements(held)
    this.capacity = rowCount
  }

  release(): void {
    giveBlockElements(this.codes)
    this.codes = new Uint16Array(0)
  }

  get byteLength(): number {
    return this.codes.byteLength
  }

  private pad(rowCount: number): void {
    if (rowCount <= this.filled) return
    this.reserve(rowCount - 1)
    if (this.filled < rowCount) {
      const missing = this.dictionary.codeOfAbsent(undefined)
      this.widenFor(missing)
      this.codes[rowCount - 1] = missing
    }
    this.filled = rowCount
  }

  /** Room for `row`; the rows between are missing. */
  private reserve(row: number): void {
    if (row >= this.capacity) {
      const { codes } = this
      const capacity = grownCapacity(this.capacity, Math.max(row + 1, this.expectedRows))
      const isWide = codes instanceof Uint32Array
      const room = isWide ? blockElements(Uint32Array, capacity) : blockElements(Uint16Array, capacity)
      this.codes = resized(codes, room.fill(0))
      this.capacity = capacity
    }
    if (row > this.filled) {
      const missing = this.dictionary.codeOfAbsent(undefined)
      this.widenFor(missing)
      this.codes.fill(missing, this.filled, row)
    }
  }

  private widenFor(code: number): void {
    if (code > 65_535 && !(this.codes instanceof Uint32Array)) this.codes = Uint32Array.from(this.codes)
  }
}

/** Where the text of a row begins, or of the next that has one, in the batch's `texts`. */
function startOf(batch: EventBatch, run: LineRun, place: number, row: number): number {
  const { firstCells, cells } = batch
  const { kinds, starts, ends } = cells
  const bytesOf = (from: number, to: number): number => {
    let bytes = 0
    for (let at = from; at < to; at++) {
      const cell = firstCells[at]! + place
      if (kinds[cell] === TEXT) bytes += ends[cell]! - starts[cell]!
    }
    return bytes
  }
  const known = run.rows[place]!
  const start = run.starts[place]!
  return row >= known ? start + bytesOf(known, row) : start - bytesOf(row, known)
}

/** Where texts end that are put one behind the other from `used` on, up to `to` or the first value that is none. @param shift  from a row to its end's place */
function putEnds(
  { firstCells, cells }: EventBatch,
  place: number,
  from: number,
  to: number,
  offsets: Uint32Array,
  shift: number,
  used: number,
): number {
  const { kinds, starts, ends } = cells
  let end = used
  for (let row = from; row < to; row++) {
    const cell = firstCells[row]! + place
    if (kinds[cell] !== TEXT) return row
    end += ends[cell]! - starts[cell]!
    offsets[row + shift] = end
  }
  return to
}

/** The codes of numbered texts, up to `to` or the first that is not known. @param at  of the row 0's number @param known  by number */
function putKnown(
  numbers: Int32Array,
  at: number,
  from: number,
  to: number,
  codes: Uint32Array | Uint16Array | Uint8Array,
  shift: number,
  known: Int32Array,
): number {
  for (let row = from; row < to; row++) {
    const number = numbers[at + row]!
    if (number < 0) return row
    const code = known[number]!
    if (code < 0) return row
    codes[row + shift] = code
  }
  return to
}

/** Below this many characters a loop over ASCII beats the call into native code. */
const SHORT = 24
/** Below this many bytes a loop beats a view and a call. */
const COPIED_BY_HAND = 128

const NO_VIEW: DataView = new DataView(new ArrayBuffer(0))

export class TextStorage extends PresenceStorage implements ColumnStorage {
  private bytes: Uint8Array = new Uint8Array(0)
  /** The same memory; its `write` needs no view made for every string, as `encodeInto` does. */
  private writer: Buffer = Buffer.alloc(0)
  /** And four bytes at a time: texts of 24, 32 and 90 bytes were copied in 0.27 µs one by one. */
  private words: DataView = NO_VIEW
  private offsets: Uint32Array = new Uint32Array(1)
  private used = 0
  private readonly expectedBytes: number

  /**
   * @param expectedBytes  what to make room for with the first text
   * @param expectedRows  and for how many
   */
  constructor(expectedBytes = 0, expectedRows = 0) {
    super(expectedRows)
    this.expectedBytes = expectedBytes
  }

  /** Bytes of text alone. */
  get textBytes(): number {
    return this.used
  }

  add(row: number, value: PresentOrNull): boolean {
    if (typeof value === 'string') {
      this.passOver(row)
      this.mark(row, PRESENT)
      this.write(value)
    } else if (value === null) {
      this.passOver(row)
      this.mark(row, NULL)
    } else return false
    this.offsets[row + 1] = this.used
    return true
  }

  addCells(row: number, batch: EventBatch, place: number, from: number, to: number): number {
    const { firstCells } = batch
    const { kinds, starts, ends } = batch.cells
    let at = from
    while (at < to) {
      const run = batch.runAt(at)
      if (run !== null && run.texts[place]!.isGathered && run.starts[place]! >= 0) {
        const end = Math.min(to, run.to)
        at = this.addGathered(row + at - from, batch, run, place, at, end)
        if (at < end) break
        continue
      }
      const cell = firstCells[at]! + place
      if (kinds[cell] === ESCAPED) this.addEscaped(row + at - from, batch.bytes, starts[cell]!, ends[cell]!)
      else if (kinds[cell] !== TEXT) break
      else this.addBytes(row + at - from, batch.bytes, batch.words, starts[cell]!, ends[cell]!)
      at++
    }
    return at - from
  }

  /** Texts of a run, which lie one behind the other, up to `to` or the first value that is none. Answers where it stopped. */
  private addGathered(row: number, batch: EventBatch, run: LineRun, place: number, from: number, to: number): number {
    const start = startOf(batch, run, place, from)
    this.passOver(row)
    const last = row + to - from - 1
    if (last >= this.capacity) this.growFor(last)
    const used = this.used
    const end = putEnds(batch, place, from, to, this.offsets, row - from + 1, used)
    if (end === from) return end
    const bytes = this.offsets[row + end - from]! - used
    if (used + bytes > this.bytes.length) this.makeRoom(bytes)
    copyBytes(batch.texts.subarray(start, start + bytes), this.bytes, used)
    this.used = used + bytes
    this.markMany(row, end - from)
    run.rows[place] = end
    run.starts[place] = start + bytes
    return end
  }

  /** The text `from[start … end)`, as UTF-8. @param fromWords  of the same memory */
  addBytes(row: number, from: Buffer, fromWords: DataView, start: number, end: number): void {
    this.passOver(row)
    this.mark(row, PRESENT)
    const length = end - start
    const to = this.used
    if (to + length > this.bytes.length) this.makeRoom(length)
    const bytes = this.bytes
    if (length > COPIED_BY_HAND) bytes.set(from.subarray(start, end), to)
    else {
      const { words } = this
      let at = 0
      for (; at + 4 <= length; at += 4) words.setInt32(to + at, fromWords.getInt32(start + at, true), true)
      for (; at < length; at++) bytes[to + at] = from[start + at]!
    }
    this.used = to + length
    this.offsets[row + 1] = this.used
  }

  /** The same of what `from[start … end)` says with escapes, which are of two bytes each. */
  private addEscaped(row: number, from: Buffer, start: number, end: number): void {
    this.passOver(row)
    this.mark(row, PRESENT)
    if (this.used + end - start > this.bytes.length) this.makeRoom(end - start)
    this.used = unescapeTo(this.bytes, this.used, from, start, end)
    this.offsets[row + 1] = this.used
  }

  at(row: number): Value {
    if (!this.isPresent(row)) return this.absent(row)
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.used).toString(
      'utf8',
      this.offsets[row],
      this.offsets[row + 1],
    )
  }

  view(rowCount: number): TextVector {
    this.finishPadding(rowCount)
    const used = this.offsets[rowCount] ?? 0
    return {
      kind: 'text',
      rowCount,
      bytes: this.bytes.subarray(0, used),
      offsets: this.offsets.subarray(0, rowCount + 1),
      presence: this.presenceView(rowCount),
    }
  }

  /** A text for every row, empty where it has a number. */
  textsOf(numbers: Uint16Array): TextVector {
    const rowCount = numbers.length
    const offsets = new Uint32Array(rowCount + 1)
    if (this.used === 0) return { kind: 'text', rowCount, bytes: new Uint8Array(0), offsets, presence: null }
    for (let row = 0; row < rowCount; row++) {
      const length = numbers[row] === 0 ? this.offsets[row + 1]! - this.offsets[row]! : 0
      offsets[row + 1] = offsets[row]! + length
    }
    const bytes = new Uint8Array(offsets[rowCount]!)
    for (let row = 0; row < rowCount; row++)
      if (numbers[row] === 0) bytes.set(this.bytes.subarray(this.offsets[row], this.offsets[row + 1]), offsets[row])
    return { kind: 'text', rowCount, bytes, offsets, presence: null }
  }

  finish(rowCount: number): void {
    this.finishPadding(rowCount)
    this.fit(rowCount)
    this.bytes = fitted(this.bytes, this.used)
    this.writer = Buffer.alloc(0)
    this.words = NO_VIEW
  }

  /** Nobody reads it any more. */
  release(): void {
    giveBlockElements(this.bytes)
    giveBlockElements(this.offsets)
    this.bytes = new Uint8Array(0)
    this.offsets = new Uint32Array(1)
  }

  get byteLength(): number {
    return this.used + this.offsets.byteLength + (this.presence?.byteLength ?? 0)
  }

  protected override setCapacity(capacity: number): void {
    super.setCapacity(capacity)
    this.offsets = resized(this.offsets, blockElements(Uint32Array, capacity + 1).fill(0))
  }

  private finishPadding(rowCount: number): void {
    if (rowCount <= this.filled) return
    this.passOver(rowCount)
    this.pad(rowCount)
  }

  /** Rows without text end where they start. */
  private passOver(row: number): void {
    if (row <= this.filled) return
    if (row >= this.capacity) this.growFor(row)
    this.offsets.fill(this.used, this.filled + 1, row + 1)
  }

  private makeRoom(length: number): void {
    const room = blockElements(Uint8Array, Math.max(1024, this.expectedBytes, (this.used + length) * 2))
    this.bytes = resized(this.bytes.subarray(0, this.used), room)
    this.writer = Buffer.from(this.bytes.buffer)
    this.words = new DataView(this.bytes.buffer)
  }

  private write(text: string): void {
    const length = text.length
    if (this.used + length * 3 > this.bytes.length) this.makeRoom(length * 3)
    const bytes = this.bytes
    const at = this.used
    if (length < SHORT) {
      let i = 0
      for (; i < length; i++) {
        const code = text.charCodeAt(i)
        if (code >= 128) break
        bytes[at + i] = code
      }
      if (i === length) {
        this.used = at + length
        return
      }
    }
    this.used = at + this.writer.write(text, at)
  }
}

const BACKSLASH = 92
/** By what stands behind the backslash. */
const UNESCAPED = new Uint8Array(256)
for (const [letter, byte] of SHORT_ESCAPES) UNESCAPED[letter] = byte

/** Answers where it ends. */
function unescapeTo(out: Uint8Array, at: number, from: Uint8Array, start: number, end: number): number {
  let to = at
  for (let index = start; index < end; index++) {
    const byte = from[index]!
    out[to++] = byte === BACKSLASH ? UNESCAPED[from[++index]!]! : byte
  }
  return to
}
