/**
 * Text that is hexadecimal digits, all rows of one length: ids of traces and requests, hashes. Two digits make a byte, and nothing is left
 * for LZ4 to find: 32 digits take 16 bytes instead of 32.
 */
import { spareMemory } from '../../spare-memory.ts'
import { PRESENT, type TextVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { CHUNK_BYTES_MAX } from '../format.ts'
import { packDigits } from './hex-loop.ts'
import { presenceAt, readPresence, writePresence } from './presence.ts'

const ZERO = 48
const A = 97
const NO_DIGIT = 255
/** The value of a digit, by its byte. */
const NIBBLE = new Uint8Array(256).fill(NO_DIGIT)
for (let value = 0; value < 16; value++) NIBBLE[digitOf(value)] = value

/** Shorter ones gain too little to be looked at. */
const DIGITS_MIN = 8

interface Packed {
  readonly digits: number
  /** Spare memory. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Asked when a column is classed and again when it is written: of each column once, and what was packed to find out is what is written. */
const known = new WeakMap<TextVector, Packed | null>()

/** The digits every present row has; null when they are not all lower-case digits of one even length. */
export function hexDigitsOf(vector: TextVector): number | null {
  return packedOf(vector)?.digits ?? null
}

function packedOf(vector: TextVector): Packed | null {
  let packed = known.get(vector)
  if (packed === undefined) {
    packed = pack(vector)
    known.set(vector, packed)
  }
  return packed
}

function pack({ rowCount, bytes, offsets, presence }: TextVector): Packed | null {
  const digits = lengthOfAll(offsets, presence, rowCount)
  if (digits < DIGITS_MIN || (digits & 1) === 1) return null
  const [start, end] = [offsets[0]!, offsets[rowCount]!]
  // The first says no to nearly every column that is something else.
  if (!areDigits(bytes, start, start + digits)) return null
  const text = bytes.subarray(start, end)
  const packed = spareMemory.take(text.length / 2)
  if (packDigits(text, packed) ?? packEach(text, packed)) return { digits, bytes: packed.subarray(0, text.length / 2) }
  spareMemory.give(packed.buffer)
  return null
}

/** The bytes that every present row has; -1: they differ, or there is none. */
function lengthOfAll(offsets: Uint32Array, presence: Uint8Array | null, rowCount: number): number {
  let length = -1
  for (let row = 0; row < rowCount; row++) {
    const own = offsets[row + 1]! - offsets[row]!
    if (presence !== null && presence[row] !== PRESENT) {
      if (own > 0) return -1
    } else if (length === -1) length = own
    else if (own !== length) return -1
  }
  return length
}

function areDigits(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (NIBBLE[bytes[at]!] === NO_DIGIT) return false
  return true
}

/** As `packDigits`, where that is not to be had. */
function packEach(digits: Uint8Array, packed: Uint8Array): boolean {
  let seen = 0
  for (let at = 0; at < digits.length; at += 2) {
    const first = NIBBLE[digits[at]!]!
    const second = NIBBLE[digits[at + 1]!]!
    seen |= first | second
    packed[at / 2] = (first << 4) | second
  }
  return seen <= 15
}

/** @param vector  of which `hexDigitsOf` says so */
export function encodeHex(sink: ByteSink, vector: TextVector): void {
  const packed = packedOf(vector)
  if (packed === null) throw new TypeError('text that is no hexadecimal digits')
  writePresence(sink, vector.presence)
  sink.varint(packed.digits)
  sink.bytes(packed.bytes)
  // Kept no longer than it takes to write it.
  known.delete(vector)
  spareMemory.give(packed.bytes.buffer)
}

/** Both digits of every byte, as they lie in memory: first digit in the low half. */
const PAIRS = Uint16Array.from({ length: 256 }, (_, byte) => digitOf(byte >> 4) | (digitOf(byte & 15) << 8))

function digitOf(value: number): number {
  return value < 10 ? ZERO + value : A + value - 10
}

/** A chunk of hexadecimal text, half as large as the text. @throws {RangeError} when the bytes describe none */
export class HexChunk {
  readonly #rowCount: number
  readonly #presence: Uint8Array | null
  readonly #digits: number
  readonly #packed: Uint8Array

  constructor(source: ByteSource, rowCount: number) {
    const { presence, digits } = readHead(source, rowCount)
    this.#rowCount = rowCount
    this.#presence = presence
    this.#digits = digits
    this.#packed = source.bytes((presentIn(presence, rowCount) * digits) / 2)
  }

  /** About what it holds on to. */
  get byteLength(): number {
    return 128 + this.#packed.length + (this.#presence?.length ?? 0)
  }

  all(): TextVector {
    return unpacked(this.#packed, this.#presence, this.#rowCount, this.#digits)
  }

  some(rows: Uint32Array): TextVector {
    const presence = this.#presence
    const size = this.#digits / 2
    const packed = new Uint8Array(rows.length * size)
    let at = 0
    for (const row of rows) {
      if (presence !== null && presence[row] !== PRESENT) continue
      const before = presentIn(presence, row)
      packed.set(this.#packed.subarray(before * size, (before + 1) * size), at)
      at += size
    }
    return unpacked(packed.subarray(0, at), presenceAt(presence, rows), rows.length, this.#digits)
  }
}

function readHead(source: ByteSource, rowCount: number): { presence: Uint8Array | null; digits: number } {
  const presence = readPresence(source, rowCount)
  const digits = source.varint()
  if ((digits & 1) === 1 || digits * rowCount > CHUNK_BYTES_MAX)
    throw new RangeError(`hexadecimal text of ${digits} digits`)
  return { presence, digits }
}

/** Present rows among the first `end`. */
function presentIn(presence: Uint8Array | null, end: number): number {
  if (presence === null) return end
  let count = 0
  for (let row = 0; row < end; row++) if (presence[row] === PRESENT) count++
  return count
}

function unpacked(packed: Uint8Array, presence: Uint8Array | null, rowCount: number, digits: number): TextVector {
  const offsets = new Uint32Array(rowCount + 1)
  let total = 0
  for (let row = 0; row < rowCount; row++) {
    if (presence === null || presence[row] === PRESENT) total += digits
    offsets[row + 1] = total
  }
  const pairs = new Uint16Array(packed.length)
  for (let at = 0; at < packed.length; at++) pairs[at] = PAIRS[packed[at]!]!
  return { kind: 'text', rowCount, bytes: new Uint8Array(pairs.buffer), offsets, presence }
}
