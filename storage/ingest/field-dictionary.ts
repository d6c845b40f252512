/**
 * The distinct strings of one field within one (index, day) of the buffer, shared by its blocks while they fill, and in a flood by the part that follows. It only grows.
 * Dictionary identity is a cache key for tables computed per distinct value, so a grown dictionary is handed out as a new object.
 */
import { utf8Of } from '../part/ascii.ts'
import { isWellFormed } from '../part/bytes.ts'
import type { Value } from '../value.ts'
import type { Dictionary } from '../vector.ts'
import { WordHashes } from '../word-hashes.ts'
import type { EventBatch } from './event-batch.ts'
import type { PlaceTexts } from './line-texts.ts'
import { detached } from './shape.ts'
import { hashOfText, TextTable } from './text-table.ts'

/** As many as a part's dictionary takes. */
const MAX_VALUES = 262_000
/** Fewer are met again soon enough by a part that follows; with more of them, some may be of long ago, and there had better be room. */
const GO_ON_VALUES = { min: 1024, max: MAX_VALUES / 2 } as const
/** Places that number their texts are few, and another is known by it when lines look different. */
const NUMBERED_PLACES_MAX = 16
/** Rows before which any number of distinct values is fine: of 100 k users the first few thousand rows are nearly all different. */
const MIN_ROWS = 65_536
/**
 * … but not of long ones: nearly every row of the first thousand says something new, of this many characters on average, and it is an id, a
 * time or a message. A dictionary of those is a string and a place in a hash table for every row (1.4 of 5.0 µs an event took to be
 * buffered) that the part writer takes apart again. Should it be wrong, it costs no more than finding the few values when the part is written.
 */
const LONG_ROWS = 1024
const LONG_CHARACTERS = 16
/** Of texts as long as these, every other one that says something new is too many: a message of 800 characters took 14 µs as a string, 1 as bytes. */
const HUGE_CHARACTERS = 256

/** The dictionaries one snapshot has handed out, so that all its complete blocks share them. */
export type FrozenDictionaries = Map<FieldDictionary, Dictionary>

/** Codes by how a text is written in a line. */
class EscapedTexts {
  readonly #table = new TextTable()
  /** By the number of the text here: two may be one text, written in two ways. */
  readonly #codes: number[] = []

  /** -1: it is not known. */
  codeOf(words: DataView, start: number, end: number): number {
    const number = this.#table.find(words, start, end, hashOfText(words, start, end))
    return number < 0 ? -1 : this.#codes[number]!
  }

  /** Of one that is not known. */
  add(code: number, words: DataView, start: number, end: number): void {
    this.#table.add(this.#codes.push(code) - 1, words, start, end, hashOfText(words, start, end))
  }
}

export class FieldDictionary {
  private readonly values: Value[] = []
  /** Of the first `inMap` values, and of the strings among the first `inTable`: each is brought up to date when it is asked. */
  private readonly codes = new Map<Value, number>()
  private inMap = 0
  private readonly table = new TextTable()
  private inTable = 0
  /** By the numbers that the reader of lines gave them; -1: not known. */
  private readonly byNumber = new Map<PlaceTexts, Int32Array>()
  private escaped: EscapedTexts | null = null
  private rows = 0
  private characters = 0
  private readonly words = new WordHashes()
  private last: Dictionary = { values: [], isDistinct: true }

  /** The code of a value; -1 when the field has too many distinct values to be a dictionary any longer. */
  codeOf(value: string): number {
    if (this.inTable > 0 && isWellFormed(value)) {
      // Texts come as bytes here; for one that does not the map need not be made.
      const bytes = Buffer.from(value)
      return this.codeOfBytes(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length)
    }
    this.rows++
    const code = this.mapped().get(value)
    if (code !== undefined) return code
    if (this.isTooDiverse()) return -1
    this.characters += value.length
    return this.insert(detached(value))
  }

  /** The same of a text that is `bytes[start … end)`. @param words  of the same memory */
  codeOfBytes(bytes: Buffer, words: DataView, start: number, end: number): number {
    this.rows++
    if (this.inTable < this.values.length) this.fillTable()
    const hash = hashOfText(words, start, end)
    const known = this.table.find(words, start, end, hash)
    if (known >= 0) return known
    if (this.isTooDiverse()) return -1
    const value = bytes.toString('utf8', start, end)
    this.characters += value.length
    const code = this.insert(value)
    this.table.add(code, words, start, end, hash)
    this.inTable++
    return code
  }

  /** The same of a text that is what `bytes[start … end)` says with escapes, as `LineCells` has it: of one that comes again no string is made. */
  codeOfEscaped(bytes: Buffer, words: DataView, start: number, end: number): number {
    this.escaped ??= new EscapedTexts()
    const known = this.escaped.codeOf(words, start, end)
    if (known >= 0) {
      this.rows++
      return known
    }
    const code = this.codeOf(JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string)
    if (code >= 0) this.escaped.add(code, words, start, end)
    return code
  }

  /** The codes of what is known at `place` of rows of a batch, up to `to` or the first that is not. @param shift  from a row of the batch to one of `codes` */
  codesOfCells(
    batch: EventBatch,
    place: number,
    from: number,
    to: number,
    codes: Uint8Array | Uint16Array | Uint32Array,
    shift: number,
  ): number {
    if (this.inTable < this.values.length) this.fillTable()
    const end = this.table.findCells(batch, place, from, to, codes, shift)
    this.rows += end - from
    return end
  }

  /** The codes of texts of a place by their numbers, to be completed by whoever finds one. */
  codesByNumber(texts: PlaceTexts): Int32Array {
    const held = this.byNumber.get(texts)
    if (held !== undefined && held.length >= texts.numbersEnd) return held
    const codes = new Int32Array(texts.numbersEnd).fill(-1)
    if (held !== undefined) codes.set(held)
    this.byNumber.set(texts, codes)
    return codes
  }

  /** So many values that it has were met without asking it. */
  noteMet(count: number): void {
    this.rows += count
  }

  /** Is the part that follows to go on with it? */
  mayGoOn(): boolean {
    // Of places there may be no more of.
    if (this.byNumber.size > NUMBERED_PLACES_MAX) this.byNumber.clear()
    return this.values.length >= GO_ON_VALUES.min && this.values.length <= GO_ON_VALUES.max
  }

  codeOfAbsent(value: null | undefined): number {
    return this.mapped().get(value) ?? this.insert(value)
  }

  has(value: string): boolean {
    return this.mapped().has(value)
  }

  valueOf(code: number): Value {
    return this.values[code]
  }

  get size(): number {
    return this.values.length
  }

  /** What the dictionary is now: the same object until it grows. */
  current(): Dictionary {
    if (this.last.values.length !== this.values.length)
      this.last = { values: this.values.slice(), isDistinct: true, words: this.words }
    return this.last
  }

  freeze(frozen: FrozenDictionaries): Dictionary {
    let dictionary = frozen.get(this)
    if (dictionary === undefined) {
      dictionary = this.current()
      frozen.set(this, dictionary)
    }
    return dictionary
  }

  private insert(value: string | null | undefined): number {
    return this.values.push(value) - 1
  }

  /** Nothing is reckoned only sometimes: what V8 meets for the first time after thousands of texts has it compile anew all that this is part of. */
  private isTooDiverse(): boolean {
    const { rows, characters } = this
    const size = this.values.length
    const isOften = size * 4 > rows * 3
    const isMostly = size * 8 > rows * 7
    const isHalf = size * 2 > rows
    const isLong = characters > size * LONG_CHARACTERS
    const isHuge = characters > size * HUGE_CHARACTERS
    if (size >= MAX_VALUES || (rows >= MIN_ROWS && isOften)) return true
    return rows >= LONG_ROWS && ((isMostly && isLong) || (isHalf && isHuge))
  }

  private mapped(): ReadonlyMap<Value, number> {
    for (; this.inMap < this.values.length; this.inMap++) this.codes.set(this.values[this.inMap], this.inMap)
    return this.codes
  }

  private fillTable(): void {
    for (; this.inTable < this.values.length; this.inTable++) {
      const value = this.values[this.inTable]
      if (typeof value !== 'string') continue
      // A lone surrogate is none of UTF-8's: other bytes than its own would find it.
      if (!isWellFormed(value)) continue
      const { buffer, byteOffset, length } = utf8Of(value)
      const words = new DataView(buffer, byteOffset, length)
      this.table.add(this.inTable, words, 0, length, hashOfText(words, 0, length))
    }
  }
}
