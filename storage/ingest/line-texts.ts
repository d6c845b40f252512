/**
 * What becomes of the texts at each place of lines that look alike. Those that come again have numbers, the same for as long as the shape is known, so that a
 * dictionary looks each up once and not in every row (`string-storage.ts`). Those that hardly ever do, or are long, are laid one behind the other, to be copied
 * many at once. Both are done by the machine code that reads the lines (`line-code.ts`); here is decided which, and made room for it.
 */
import type { LoopBeside, MachineLoop } from '../vector-module.ts'
import type { EventBatch } from './event-batch.ts'
import { TEXT } from './line-cells.ts'
import {
  ASIDE,
  BEYOND,
  COUNT,
  COUNT_MAX,
  ENDS,
  ENTRIES,
  IS_GATHERED,
  KINDS,
  MEMORY_BYTES,
  NUMBERED_BYTES_MAX,
  OWN_BYTES,
  PIECES_BYTES,
  PLACE_BYTES,
  SLOT_BYTES,
  SLOT_MASK,
  SLOTS,
  STARTS,
  TEMPLATE_BYTES,
  TEMPLATES,
  TEXT_BYTES,
  TEXT_NUMBERS,
  TEXTS_TO,
} from './line-code.ts'
import { NUMBER_CODE, NUMBER_LOCALS } from './number-code.ts'

const SLOTS_MIN = 256
/** Of eight slots so many are used at most. */
const USED_MAX = 5
/** Beyond so many, as a part's dictionary has them, a place gets no more numbers. */
const NUMBERED_MAX = 262_144
/** Of all places. With none left, texts without a number are looked up by their bytes. */
const TABLES_BYTES_MAX = 48 * 1024 * 1024
/** As `FieldDictionary` has it: of so many rows nearly every one says something new, and it is long … */
const LONG_ROWS = 1024
const LONG_BYTES = 16
/** … or of so many three quarters do. */
const MANY_ROWS = 65_536

/** The texts of one place. */
export class PlaceTexts {
  readonly isNumbered: boolean
  readonly isGathered: boolean
  rows = 0
  /** No number is as great. */
  numbersEnd = countMaxOf(SLOTS_MIN)

  constructor({ isNumbered = false, isGathered = false }) {
    this.isNumbered = isNumbered
    this.isGathered = isGathered
  }
}

/** By place. */
export type ShapeTexts = readonly PlaceTexts[]

/** Lines of one shape that follow each other in a batch. */
export interface LineRun {
  readonly from: number
  readonly to: number
  readonly texts: ShapeTexts
  /** By place: where in the batch's `textNumbers` the rows' are, or where in its `texts` those of the row told by `rows` and of the rest begin. -1: nowhere. */
  readonly starts: Int32Array
  readonly rows: Int32Array
}

export class LineTexts {
  readonly #loop: MachineLoop
  readonly #number: LoopBeside
  #words: Int32Array = new Int32Array(0)
  #used = MEMORY_BYTES
  /** By slot. Another when one of its places is treated in another way: runs have what held for them. */
  readonly #texts: ShapeTexts[] = []

  constructor(loop: MachineLoop) {
    this.#loop = loop
    this.#number = loop.beside(5, NUMBER_LOCALS, NUMBER_CODE)
    this.#room(0).fill(0xff, OWN_BYTES, OWN_BYTES + NUMBERED_BYTES_MAX)
  }

  /** Another shape had better not begin before all were forgotten: nobody tells which tables are of none any more. */
  get isCrowded(): boolean {
    return this.#used - MEMORY_BYTES > TABLES_BYTES_MAX / 2
  }

  clear(): void {
    this.#used = MEMORY_BYTES
  }

  /** Of a shape of so many places that takes this slot; nothing is known of its texts yet. */
  begin(slot: number, placeCount: number): void {
    this.#texts[slot] = Array.from({ length: placeCount }, (_, place) => {
      const at = placeAt(slot, place)
      this.#words.fill(0, at, at + PLACE_BYTES / 4)
      this.#words[at + TEXTS_TO / 4] = ASIDE
      return new PlaceTexts({ isNumbered: this.#putTable(at, SLOTS_MIN) })
    })
  }

  /** Before lines are read. */
  rewind(slot: number): void {
    const texts = this.#texts[slot]!
    for (let place = 0; place < texts.length; place++)
      if (texts[place]!.isGathered) {
        const at = placeAt(slot, place)
        // Where they are gathered is told in the place of the table that it has no more.
        this.#words[at + TEXTS_TO / 4] = this.#words[at + ENTRIES / 4]!
      }
  }

  /** What was found of the texts of `count` lines goes into the batch, from row `first` on. @param base  what an address of theirs is more than their position */
  take(slot: number, batch: EventBatch, first: number, count: number, base: number): void {
    const texts = this.#texts[slot]!
    const placeCount = texts.length
    const starts = new Int32Array(placeCount).fill(-1)
    for (let place = 0; place < placeCount; place++) {
      // Another array when the memory grew for the place before.
      const words = this.#words
      const each = texts[place]!
      const at = placeAt(slot, place)
      if (each.isGathered) {
        const bytes = bytesOf(words, place, placeCount, count)
        starts[place] = batch.addTexts(new Uint8Array(words.buffer, words[at + ENTRIES / 4], bytes))
      } else if (each.isNumbered && kindAt(words, place) === TEXT) {
        this.#number.run(at * 4, place, placeCount, base, count)
        starts[place] = batch.addTextNumbers(words.subarray(TEXT_NUMBERS / 4, TEXT_NUMBERS / 4 + count))
        this.#review(slot, place, each, placeCount, count)
      }
    }
    batch.runs.push({ from: first, to: first + count, texts, starts, rows: new Int32Array(placeCount).fill(first) })
  }

  /** After `count` texts were numbered: makes room for more, or gives up numbering what is better gathered. */
  #review(slot: number, place: number, texts: PlaceTexts, placeCount: number, count: number): void {
    const at = placeAt(slot, place)
    const rowsBefore = texts.rows
    texts.rows += count
    const known = this.#words[at + COUNT / 4]!
    const isDue = (rows: number) => rowsBefore < rows && texts.rows >= rows
    const isDiverse = isDue(MANY_ROWS) && known * 4 > texts.rows * 3
    if (isDiverse || (isDue(LONG_ROWS) && this.#areLong(place, placeCount, count, known * 8 > texts.rows * 7)))
      this.#texts[slot] = this.#texts[slot]!.with(place, this.#gathered(at))
    else if (known === texts.numbersEnd && known < NUMBERED_MAX && this.#grow(at, known))
      texts.numbersEnd = this.#words[at + COUNT_MAX / 4]!
  }

  /** Most have no number, as they are too long for one, or they are long and nearly all new. */
  #areLong(place: number, placeCount: number, count: number, areNew: boolean): boolean {
    const words = this.#words
    let without = 0
    for (let row = 0; row < count; row++) if (words[TEXT_NUMBERS / 4 + row]! < 0) without++
    if (without * 2 > count) return true
    const bytes = bytesOf(words, place, placeCount, count)
    return areNew && bytes > LONG_BYTES * count
  }

  #gathered(at: number): PlaceTexts {
    const to = this.#allocated(TEXT_BYTES + BEYOND)
    this.#words[at + SLOTS / 4] = 0
    if (to === 0) return new PlaceTexts({})
    this.#words[at + ENTRIES / 4] = to
    this.#words[at + TEXTS_TO / 4] = to
    this.#words[at + IS_GATHERED / 4] = -1
    return new PlaceTexts({ isGathered: true })
  }

  #grow(at: number, known: number): boolean {
    const held = this.#words[at + SLOTS / 4]! / 4
    const slotCount = this.#words[at + SLOT_MASK / 4]! + 1
    const entries = this.#words[at + ENTRIES / 4]!
    if (!this.#putTable(at, slotCount * 2)) return false
    const words = this.#words
    new Uint8Array(words.buffer).copyWithin(words[at + ENTRIES / 4]!, entries, entries + known * NUMBERED_BYTES_MAX)
    putSlots(words, held, slotCount, words[at + SLOTS / 4]! / 4, slotCount * 2 - 1)
    return true
  }

  /** False: there is no room for it, and all is as it was. */
  #putTable(at: number, slotCount: number): boolean {
    const countMax = countMaxOf(slotCount)
    const slots = this.#allocated(slotCount * SLOT_BYTES + countMax * NUMBERED_BYTES_MAX)
    if (slots === 0) return false
    this.#words.fill(0, slots / 4, (slots + slotCount * SLOT_BYTES) / 4)
    this.#words[at + SLOTS / 4] = slots
    this.#words[at + SLOT_MASK / 4] = slotCount - 1
    this.#words[at + ENTRIES / 4] = slots + slotCount * SLOT_BYTES
    this.#words[at + COUNT_MAX / 4] = countMax
    return true
  }

  /** 0: there is not that much left. */
  #allocated(bytes: number): number {
    const at = this.#used
    if (at + bytes > MEMORY_BYTES + TABLES_BYTES_MAX) return 0
    this.#used = (at + bytes + 15) & ~15
    this.#room(this.#used)
    return at
  }

  #room(bytes: number): Uint8Array {
    const memory = this.#loop.room(bytes)
    if (memory.buffer !== this.#words.buffer) this.#words = new Int32Array(memory.buffer)
    return memory
  }
}

/** In words. */
function placeAt(slot: number, place: number): number {
  return (TEMPLATES + slot * TEMPLATE_BYTES + PIECES_BYTES + place * PLACE_BYTES) / 4
}

function kindAt(words: Int32Array, cell: number): number {
  return (words[(KINDS + cell) >> 2]! >>> (8 * ((KINDS + cell) & 3))) & 255
}

/** Of the texts at a place of so many rows. */
function bytesOf(words: Int32Array, place: number, placeCount: number, count: number): number {
  const kinds = new Uint8Array(words.buffer, KINDS)
  let bytes = 0
  for (let row = 0, cell = place; row < count; row++, cell += placeCount)
    if (kinds[cell] === TEXT) bytes += words[ENDS / 4 + cell]! - words[STARTS / 4 + cell]!
  return bytes
}

function countMaxOf(slotCount: number): number {
  return (slotCount / 8) * USED_MAX
}

/** Those of one table into another, which is empty. Addresses are in words. */
function putSlots(words: Int32Array, from: number, slotCount: number, to: number, mask: number): void {
  for (let slot = from; slot < from + 4 * slotCount; slot += 4) {
    if (words[slot + 2] === 0) continue
    // As the machine code looks for it: by the upper half of the hash.
    let free = words[slot + 1]! & mask
    while (words[to + 4 * free + 2] !== 0) free = (free + 1) & mask
    for (let word = 0; word < 4; word++) words[to + 4 * free + word] = words[slot + word]!
  }
}
