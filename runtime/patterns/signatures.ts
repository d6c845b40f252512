/**
 * Distinct signatures with what is known of their lines: how many, first and last time, a sample. Tables of different parts are added
 * up to one, in any order, with the same result: counts add, times take the least and the greatest, slots join, and the sample is the
 * earliest line, of equally early ones the least.
 *
 * A table holds so many signatures; one more, and all become coarser (`coarsen.ts`). That happens if and only if the lines have more
 * signatures than that, so it does not depend on their order either.
 */
import { COARSEST, coarsen } from './coarsen.ts'
import { joinSlots } from './kinds.ts'
import { type MaskedLine, Masker } from './mask.ts'
import type { Signature } from './mine.ts'

/** More would take longer to mine than anyone waits, and say less than coarser ones do. */
export const SIGNATURES_MAX = 20_000
/** Of an entry besides its bytes. */
const ENTRY_BYTES = 160

export interface Entry extends Signature {
  /** Microseconds; Infinity and -Infinity: no line had a time. */
  readonly firstMicros: number
  readonly firstNanos: number
  readonly lastMicros: number
  readonly lastNanos: number
  readonly sample: Uint8Array
}

export class SignatureTable {
  readonly #masker = new Masker()
  readonly #limit: number
  /** Told of bytes held from now on, or no longer; may throw. */
  readonly #tell: (bytes: number) => void
  #held = 0
  #level = 0
  #size = 0
  #lines = 0
  #rows = new Rows()
  #buckets: Int32Array = new Int32Array(1024).fill(-1)

  constructor(limit: number = SIGNATURES_MAX, charge: (bytes: number) => void = () => {}) {
    this.#limit = limit
    this.#tell = charge
  }

  /** 0: signatures are as fine as they come. Numbers of signatures are only good while it stays the same. */
  get level(): number {
    return this.#level
  }

  /** Lines counted. */
  get lines(): number {
    return this.#lines
  }

  /** Counts the line `bytes[start … end)`. Returns the number of its signature. */
  add(bytes: Uint8Array, start: number, end: number, micros: number, nanos: number): number {
    const masker = this.#masker
    masker.mask(bytes, start, end)
    if (this.#level > 0) coarsen(masker, this.#level)
    const id = this.#idOf(masker)
    this.addTo(id, bytes, start, end, micros, nanos)
    this.#coarsenIfFull()
    return id
  }

  /** Counts a line whose signature is known by number. `micros` NaN: it has no time. */
  addTo(id: number, bytes: Uint8Array, start: number, end: number, micros: number, nanos: number): void {
    const rows = this.#rows
    this.#lines++
    rows.counts[id]!++
    const first = rows.firstMicros[id]!
    if (micros < first || (micros === first && nanos <= rows.firstNanos[id]!) || first === Number.POSITIVE_INFINITY) {
      this.#seeFirst(id, bytes, start, end, Number.isNaN(micros) ? Number.POSITIVE_INFINITY : micros, nanos)
    }
    const last = rows.lastMicros[id]!
    if (micros > last || (micros === last && nanos > rows.lastNanos[id]!)) {
      rows.lastMicros[id] = micros
      rows.lastNanos[id] = nanos
    }
  }

  #seeFirst(id: number, bytes: Uint8Array, start: number, end: number, micros: number, nanos: number): void {
    const rows = this.#rows
    const known = rows.samples[id]
    const isSameTime = micros === rows.firstMicros[id] && nanos === rows.firstNanos[id]
    if (known !== undefined && isSameTime && compareBytes(bytes, start, end, known) >= 0) return
    if (known === undefined || known.length < end - start) this.#charge(end - start - (known?.length ?? 0))
    rows.samples[id] = bytes.slice(start, end)
    rows.firstMicros[id] = micros
    rows.firstNanos[id] = nanos
  }

  /** Adds all of another table; it must not be used again. */
  absorb(other: SignatureTable): void {
    while (this.#level < other.#level) this.#coarsen()
    const line = this.#masker
    for (let id = 0; id < other.#size; id++) {
      other.#rows.copyTo(id, line)
      coarsen(line, this.#level)
      this.#take(line, other.#rows, id)
      this.#coarsenIfFull()
    }
    this.#lines += other.#lines
  }

  entries(): Entry[] {
    return Array.from({ length: this.#size }, (_, id) => this.#rows.entry(id))
  }

  #charge(bytes: number): void {
    this.#held += bytes
    this.#tell(bytes)
  }

  #coarsenIfFull(): void {
    while (this.#size > this.#limit && this.#level < COARSEST) this.#coarsen()
  }

  #coarsen(): void {
    const fine = this.#rows
    const size = this.#size
    const line = new Masker()
    this.#level++
    this.#size = 0
    this.#rows = new Rows()
    this.#buckets = new Int32Array(1024).fill(-1)
    const before = this.#held
    for (let id = 0; id < size; id++) {
      fine.copyTo(id, line)
      coarsen(line, this.#level)
      this.#take(line, fine, id)
    }
    this.#charge(-before)
  }

  /** What `from` knows of its signature `id` goes to the signature in `line`. */
  #take(line: MaskedLine, from: Rows, id: number): void {
    const into = this.#idOf(line)
    const rows = this.#rows
    rows.counts[into]! += from.counts[id]!
    const sample = from.samples[id]!
    const first = from.firstMicros[id]!
    const known = rows.firstMicros[into]!
    const isEarlier = first < known || (first === known && from.firstNanos[id]! < rows.firstNanos[into]!)
    if (isEarlier || rows.samples[into] === undefined || first === known) {
      this.#seeFirst(into, sample, 0, sample.length, first, from.firstNanos[id]!)
    }
    const last = from.lastMicros[id]!
    if (
      last > rows.lastMicros[into]! ||
      (last === rows.lastMicros[into] && from.lastNanos[id]! > rows.lastNanos[into]!)
    ) {
      rows.lastMicros[into] = last
      rows.lastNanos[into] = from.lastNanos[id]!
    }
  }

  /** The number of a signature; its slots are joined with those of the line. */
  #idOf(line: MaskedLine): number {
    const words = line.words
    const hash = hashOf(words, line.length)
    const mask = this.#buckets.length - 1
    let bucket = hash & mask
    for (;;) {
      const id = this.#buckets[bucket]!
      if (id < 0) break
      if (this.#rows.hashes[id] === hash && this.#rows.is(id, words, line.length)) {
        this.#rows.joinSlots(id, line)
        return id
      }
      bucket = (bucket + 1) & mask
    }
    const id = this.#size++
    this.#charge(ENTRY_BYTES + line.length + 4 * line.slotCount)
    this.#rows.push(line, hash)
    this.#buckets[bucket] = id
    if (this.#size * 2 > this.#buckets.length) this.#rehash()
    return id
  }

  #rehash(): void {
    const buckets = new Int32Array(this.#buckets.length * 2).fill(-1)
    for (let id = 0; id < this.#size; id++) {
      let bucket = this.#rows.hashes[id]! & (buckets.length - 1)
      while (buckets[bucket]! >= 0) bucket = (bucket + 1) & (buckets.length - 1)
      buckets[bucket] = id
    }
    this.#buckets = buckets
  }
}

/** Columns of the table, grown by doubling; signatures and slots one after another. */
class Rows {
  counts = new Float64Array(256)
  hashes = new Int32Array(256)
  firstMicros = new Float64Array(256)
  lastMicros = new Float64Array(256)
  firstNanos = new Uint16Array(256)
  lastNanos = new Uint16Array(256)
  readonly samples: (Uint8Array | undefined)[] = []
  #starts = new Float64Array(257)
  #lengths = new Uint16Array(256)
  #slotStarts = new Float64Array(257)
  #words = new Int32Array(1 << 12)
  #slots = new Int32Array(1 << 11)
  #size = 0

  push(line: MaskedLine, hash: number): void {
    const id = this.#size++
    if (id === this.counts.length) this.#grow()
    const start = this.#starts[id]!
    const slotStart = this.#slotStarts[id]!
    const count = (line.length + 3) >> 2
    while (start + count > this.#words.length) this.#words = copied(this.#words, new Int32Array(this.#words.length * 2))
    while (slotStart + line.slotCount > this.#slots.length)
      this.#slots = copied(this.#slots, new Int32Array(this.#slots.length * 2))
    this.#words.set(line.words.subarray(0, count), start)
    this.#slots.set(line.slots.subarray(0, line.slotCount), slotStart)
    this.#starts[id + 1] = start + count
    this.#lengths[id] = line.length
    this.#slotStarts[id + 1] = slotStart + line.slotCount
    this.hashes[id] = hash
    this.firstMicros[id] = Number.POSITIVE_INFINITY
    this.lastMicros[id] = Number.NEGATIVE_INFINITY
    this.samples.push(undefined)
  }

  is(id: number, words: Int32Array, length: number): boolean {
    if (this.#lengths[id] !== length) return false
    const start = this.#starts[id]!
    const count = (length + 3) >> 2
    const known = this.#words
    for (let at = 0; at < count; at++) if (known[start + at] !== words[at]) return false
    return true
  }

  joinSlots(id: number, line: MaskedLine): void {
    const start = this.#slotStarts[id]!
    for (let slot = 0; slot < line.slotCount; slot++) {
      const known = this.#slots[start + slot]!
      const seen = line.slots[slot]!
      if (known !== seen) this.#slots[start + slot] = joinSlots(known, seen)
    }
  }

  copyTo(id: number, line: MaskedLine): void {
    const start = this.#starts[id]!
    const slotStart = this.#slotStarts[id]!
    line.length = this.#lengths[id]!
    line.slotCount = this.#slotStarts[id + 1]! - slotStart
    line.words.set(this.#words.subarray(start, this.#starts[id + 1]!))
    line.slots.set(this.#slots.subarray(slotStart, slotStart + line.slotCount))
  }

  entry(id: number): Entry {
    const slots = this.#slots.subarray(this.#slotStarts[id]!, this.#slotStarts[id + 1]!)
    return {
      text: Buffer.from(this.#words.buffer, this.#starts[id]! * 4, this.#lengths[id]!).toString('utf8'),
      slots: [...slots],
      count: this.counts[id]!,
      firstMicros: this.firstMicros[id]!,
      firstNanos: this.firstNanos[id]!,
      lastMicros: this.lastMicros[id]!,
      lastNanos: this.lastNanos[id]!,
      sample: this.samples[id]!,
    }
  }

  #grow(): void {
    const length = this.counts.length * 2
    this.counts = copied(this.counts, new Float64Array(length))
    this.hashes = copied(this.hashes, new Int32Array(length))
    this.firstMicros = copied(this.firstMicros, new Float64Array(length))
    this.lastMicros = copied(this.lastMicros, new Float64Array(length))
    this.firstNanos = copied(this.firstNanos, new Uint16Array(length))
    this.lastNanos = copied(this.lastNanos, new Uint16Array(length))
    this.#lengths = copied(this.#lengths, new Uint16Array(length))
    this.#starts = copied(this.#starts, new Float64Array(length + 1))
    this.#slotStarts = copied(this.#slotStarts, new Float64Array(length + 1))
  }
}

function copied<A extends Uint8Array | Uint16Array | Int32Array | Float64Array>(from: A, into: A): A {
  into.set(from)
  return into
}

function hashOf(words: Int32Array, length: number): number {
  const count = (length + 3) >> 2
  let hash = length | 0
  for (let at = 0; at < count; at++) {
    hash = Math.imul(hash ^ words[at]!, 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash
}

function compareBytes(bytes: Uint8Array, start: number, end: number, other: Uint8Array): number {
  const length = Math.min(end - start, other.length)
  for (let at = 0; at < length; at++) {
    const difference = bytes[start + at]! - other[at]!
    if (difference !== 0) return difference
  }
  return end - start - other.length
}
