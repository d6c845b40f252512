/**
 * Growing bytes to write to and a cursor to read from: how encodings, indexes and footers are put together. Little-endian throughout.
 * Every read is bounds-checked: a damaged length ends in a RangeError that the reader turns into a CorruptPartError, never in a loop.
 */
import { isUtf8 } from 'node:buffer'
import { spareMemory } from '../spare-memory.ts'

const scratch = new DataView(new ArrayBuffer(8))
const scratchBytes = new Uint8Array(scratch.buffer)

/** False when `text` has lone surrogates, which UTF-8 would turn into U+FFFD. Node 20 has the method, its ES2023 types do not. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}

/** Numbers that lie side by side in what was written, whole and not below zero. */
export interface LanePlace {
  readonly at: number
  /** Bytes each. */
  readonly width: 1 | 2 | 4
  readonly count: number
  /** None of them is more. */
  readonly max: number
}

export class ByteSink {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(256)
  #length = 0
  #lanes: LanePlace[] = []

  get length(): number {
    return this.#length
  }

  /** Begins anew, in the memory there is. */
  clear(): void {
    this.#length = 0
    this.#lanes = []
  }

  /** What `lane` wrote, in the order of their places. */
  get lanes(): readonly LanePlace[] {
    return this.#lanes
  }

  /** Nothing is written any more, and what was is not read: its memory is for others. */
  release(): void {
    spareMemory.give(this.#bytes.buffer)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
  }

  /** What was written so far; valid until the next write. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): number {
    const at = this.#length
    const needed = at + count
    if (needed > this.#bytes.length) {
      const held = this.#bytes
      this.#bytes = spareMemory.take(Math.max(needed, held.length * 2))
      this.#bytes.set(held.subarray(0, at))
      spareMemory.give(held.buffer)
    }
    this.#length = needed
    return at
  }

  u8(value: number): void {
    const at = this.#reserve(1)
    this.#bytes[at] = value
  }

  u32(value: number): void {
    scratch.setUint32(0, value, true)
    const at = this.#reserve(4)
    this.#bytes.set(scratchBytes.subarray(0, 4), at)
  }

  f64(value: number): void {
    scratch.setFloat64(0, value, true)
    const at = this.#reserve(8)
    this.#bytes.set(scratchBytes, at)
  }

  i64(value: bigint): void {
    scratch.setBigInt64(0, value, true)
    const at = this.#reserve(8)
    this.#bytes.set(scratchBytes, at)
  }

  /** A safe integer, zero or above, in seven-bit groups. */
  varint(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.u8(rest)
  }

  bytes(from: Uint8Array): void {
    const at = this.#reserve(from.length)
    this.#bytes.set(from, at)
  }

  /** The memory of a typed array. Part files are little-endian, and so is every machine Node runs on but one (`format.ts`). */
  array(from: ArrayBufferView): void {
    this.bytes(new Uint8Array(from.buffer, from.byteOffset, from.byteLength))
  }

  /**
   * Whole numbers from zero on, none more than `max`, in `width` bytes each; of what needs more, the low ones. Their place is remembered: a chunk may be
   * written with as many bits of each as `max` has (`packed.ts`).
   */
  lane(numbers: Uint8Array | Uint16Array | Uint32Array | Float64Array, width: 1 | 2 | 4, max: number): void {
    this.#lanes.push({ at: this.#length, width, count: numbers.length, max })
    if (numbers.BYTES_PER_ELEMENT === width) this.array(numbers)
    else if (width === 1) {
      const at = this.#reserve(numbers.length)
      this.#bytes.set(numbers, at)
    } else {
      const words = spareMemory.elements<Uint16Array | Uint32Array>(
        width === 2 ? Uint16Array : Uint32Array,
        numbers.length,
      )
      words.set(numbers)
      this.array(words)
      spareMemory.give(words.buffer as ArrayBuffer)
    }
  }

  /** As `lane` for each, one behind the other: room for them, to be filled before anything else is written. */
  laneRoom(lanes: readonly Omit<LanePlace, 'at'>[]): Uint8Array {
    let end = this.#length
    for (const lane of lanes) {
      this.#lanes.push({ at: end, ...lane })
      end += lane.width * lane.count
    }
    const at = this.#reserve(end - this.#length)
    return this.#bytes.subarray(at, end)
  }

  /** All that another was given. */
  append(other: ByteSink): void {
    for (const lane of other.lanes) this.#lanes.push({ ...lane, at: this.#length + lane.at })
    this.bytes(other.finish())
  }

  /** Length and UTF-8. The text must be well-formed, else it would not come back. */
  text(value: string): void {
    const encoded = Buffer.from(value, 'utf8')
    this.varint(encoded.length)
    this.bytes(encoded)
  }
}

/** The same bytes with room behind them. */
export function grown(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length)
  longer.set(bytes)
  return longer
}

export class ByteSource {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #lanes: readonly LanePlace[]
  #at = 0

  /** @param lanes  what is known of numbers in it */
  constructor(bytes: Uint8Array, lanes: readonly LanePlace[] = []) {
    this.#lanes = lanes
    // Never a Buffer: its `slice` shares memory, and kernels that see both kinds of array are slower on each.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get remaining(): number {
    return this.#bytes.length - this.#at
  }

  /** None of the numbers that begin here is more; null: nobody knows. */
  greatest(width: 1 | 2 | 4, count: number): number | null {
    for (const lane of this.#lanes)
      if (lane.at === this.#at && lane.width === width && lane.count === count) return lane.max
    return null
  }

  #advance(count: number): number {
    const at = this.#at
    if (!(count >= 0 && count <= this.#bytes.length - at)) throw new RangeError(`${count} bytes wanted past the end`)
    this.#at = at + count
    return at
  }

  u8(): number {
    return this.#bytes[this.#advance(1)]!
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true)
  }

  f64(): number {
    return this.#view.getFloat64(this.#advance(8), true)
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true)
  }

  varint(): number {
    let value = 0
    let scale = 1
    for (let group = 0; group < 8; group++) {
      const byte = this.u8()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) break
        return value
      }
      scale *= 0x80
    }
    throw new RangeError('a number that is too long')
  }

  /** A count of things of at least `bytesEach`: refused when the rest cannot hold them, before anyone allocates for them. */
  count(bytesEach: number): number {
    const value = this.varint()
    if (value * bytesEach > this.remaining) throw new RangeError(`${value} entries cannot follow`)
    return value
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    const at = this.#advance(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** A view where the bytes lie right for one, else a copy: to be read before the bytes go. */
  u16View(length: number): Uint16Array {
    const at = this.#bytes.byteOffset + this.#at
    if (at % 2 !== 0) return this.u16Array(length)
    this.#advance(2 * length)
    return new Uint16Array(this.#bytes.buffer, at, length)
  }

  u8Array(length: number): Uint8Array {
    return this.#copy(length)
  }

  u16Array(length: number): Uint16Array {
    return new Uint16Array(this.#copy(length * 2).buffer)
  }

  u32Array(length: number): Uint32Array {
    return new Uint32Array(this.#copy(length * 4).buffer)
  }

  f64Array(length: number): Float64Array {
    return new Float64Array(this.#copy(length * 8).buffer)
  }

  /** Fresh memory of its own: aligned for any typed array, and independent of the chunk it came from. */
  #copy(length: number): Uint8Array<ArrayBuffer> {
    const at = this.#advance(length)
    return new Uint8Array(this.#bytes.subarray(at, at + length))
  }

  text(): string {
    const encoded = this.bytes(this.varint())
    if (!isUtf8(encoded)) throw new RangeError('text that is not UTF-8')
    return Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength).toString('utf8')
  }
}
