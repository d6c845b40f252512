/**
 * Memory that a block of the buffer or its message to another thread has done with, for the next of its kind. Loading 2 M events allocated and
 * dropped 1.7 GB: a page fault for every 4 KB of it, and a collection for every 64 MB, which the engine's helpers mark the whole heap for.
 */

/** Less of a block is not worth keeping: the engine's allocator does well with it. */
export const SPARE_BYTES_MIN = 64 * 1024
/** Nobody who wants less is given more than so many times that. */
const TOO_LARGE = 4 / 3
/** All that nobody asked for or brought any for so long goes: a server at rest holds none. */
const IDLE_MS = 5000

/** Memory of one thread, or memory that several may hold. */
type Memory = ArrayBuffer | SharedArrayBuffer

export class SpareMemory<Kind extends Memory = ArrayBuffer> {
  readonly #allocate: (bytes: number) => Kind
  readonly #bytesMin: number
  readonly #bytesMax: number
  /** By `shelfOf`: looked through one by one, what answered all questions of the bench before had a query search for 0.2 ms. */
  #shelves: Shelf<Kind>[] = []
  #clock = 0
  #idle: NodeJS.Timeout | null = null
  #isUsed = false
  #bytes = 0

  /**
   * @param allocate  what it holds may be anything: whoever takes it writes before they read
   * @param bytesMin  less is neither kept nor looked for
   * @param bytesMax  of all that is kept; more goes
   */
  constructor(
    allocate: (bytes: number) => Kind,
    { bytesMin = SPARE_BYTES_MIN, bytesMax = Number.POSITIVE_INFINITY } = {},
  ) {
    this.#allocate = allocate
    this.#bytesMin = bytesMin
    this.#bytesMax = bytesMax
  }

  /** Bytes of nobody. */
  get byteLength(): number {
    return this.#bytes
  }

  /** So many bytes at least, which hold anything. */
  take(bytes: number): Uint8Array<Kind> {
    if (bytes < this.#bytesMin) return new Uint8Array(this.#allocate(bytes))
    this.#isUsed = true
    const limit = bytes * TOO_LARGE
    const last = Math.min(shelfOf(limit), this.#shelves.length - 1)
    for (let at = shelfOf(bytes); at <= last; at++) {
      const shelf = this.#shelves[at]!
      shelf.askedAt = ++this.#clock
      const buffer = taken(shelf.buffers, bytes, limit)
      if (buffer === null) continue
      this.#bytes -= buffer.byteLength
      return new Uint8Array(buffer)
    }
    return new Uint8Array(this.#allocate(roundedUp(bytes)))
  }

  /** As `take`: so many elements, which are anything. */
  elements<Elements>(Elements: ArrayOf<Elements, Kind>, count: number): Elements {
    return new Elements(this.take(count * Elements.BYTES_PER_ELEMENT).buffer, 0, count)
  }

  /** Whoever gives it has nothing that reads it any more. */
  give(buffer: Kind): void {
    const { byteLength } = buffer
    if (byteLength < this.#bytesMin || byteLength > this.#bytesMax) return
    while (this.#bytes + byteLength > this.#bytesMax) this.#drop()
    const at = shelfOf(byteLength)
    while (this.#shelves.length <= at) this.#shelves.push({ buffers: [], askedAt: 0 })
    this.#shelves[at]!.buffers.push(buffer)
    this.#bytes += byteLength
    this.#isUsed = true
    this.#idle ??= setInterval(() => this.#rest(), IDLE_MS).unref()
  }

  /** One of a size that nobody asked for lately: what another question left must not keep out what this one leaves and asks for again. */
  #drop(): void {
    let longest: Shelf<Kind> | null = null
    for (const shelf of this.#shelves)
      if (shelf.buffers.length > 0 && (longest === null || shelf.askedAt < longest.askedAt)) longest = shelf
    this.#bytes -= longest!.buffers.pop()!.byteLength
  }

  #rest(): void {
    if (this.#isUsed) {
      this.#isUsed = false
      return
    }
    this.clear()
  }

  /**
   * Gives all of it back, when the engine next collects. Sent to nobody it would go at once, but V8 asks each array of a thread that has sent any
   * memory away whether it has still got its own (`MachineLoop.room`). A server at rest collects (`server/idle.ts`), and other threads that rest end.
   */
  clear(): void {
    if (this.#idle !== null) clearInterval(this.#idle)
    this.#idle = null
    this.#shelves = []
    this.#bytes = 0
  }
}

/** `Float64Array`, `Uint16Array` … */
interface ArrayOf<Elements, Kind> {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: Kind, byteOffset: number, length: number): Elements
}

interface Shelf<Kind> {
  readonly buffers: Kind[]
  /** When somebody last asked for what may lie here. */
  askedAt: number
}

/** Shelves for each power of two. */
const SHELVES_LOG = 3

/** Of buffers up to an eighth of their power of two larger. */
function shelfOf(bytes: number): number {
  const power = Math.max(SHELVES_LOG, Math.floor(Math.log2(bytes)))
  return (power << SHELVES_LOG) + Math.floor(bytes / 2 ** (power - SHELVES_LOG))
}

/** So many at the end of a shelf are looked at: those on the first one may be too small. */
const LOOKED_AT = 4

function taken<Kind extends Memory>(shelf: Kind[], bytes: number, limit: number): Kind | null {
  for (let at = shelf.length - 1; at >= Math.max(0, shelf.length - LOOKED_AT); at--) {
    const buffer = shelf[at]!
    if (buffer.byteLength < bytes || buffer.byteLength > limit) continue
    shelf[at] = shelf.at(-1)!
    shelf.pop()
    return buffer
  }
  return null
}

/** Blocks are alike and not the same: an eighth of its power of two more, at most, and another will do for it. */
function roundedUp(bytes: number): number {
  const step = 2 ** (Math.floor(Math.log2(bytes)) - 3)
  return Math.ceil(bytes / step) * step
}

/** Memory of this thread, not zeroed. */
export function ownMemory(bytes: number): ArrayBuffer {
  return Buffer.allocUnsafeSlow(bytes).buffer as ArrayBuffer
}

/** Of this thread, for blocks. */
export const spareMemory = new SpareMemory(ownMemory)

/** Of this thread, for what others are to read, who say when they have. What is not given back the engine collects; it does not count it, so that is to be told (`leaveToCollector`). */
export const sharedMemory = new SpareMemory(bytes => new SharedArrayBuffer(bytes))

/**
 * Elements of a column of the buffer, which are anything. Long ones are where the thread that builds parts reads them as they are, and where the engine
 * does not count them: for each 64 MB of what it counts it marks the whole heap, which a load paid for with 0.3 of 6.5 s.
 */
export function blockElements<Elements>(Elements: ArrayOf<Elements, ArrayBufferLike>, count: number): Elements {
  const bytes = count * Elements.BYTES_PER_ELEMENT
  if (bytes < SPARE_BYTES_MIN) return new Elements(new ArrayBuffer(bytes), 0, count)
  return sharedMemory.elements(Elements, count)
}

/** Of a column that nobody reads any more. */
export function giveBlockElements({ buffer }: { readonly buffer: ArrayBufferLike }): void {
  if (buffer instanceof SharedArrayBuffer) sharedMemory.give(buffer)
}

/** The engine is told of so much at once. */
const TOLD_BYTES = 64 * 1024 * 1024
let untold = 0

/** Memory of `sharedMemory` that goes when those who may read it have gone: memory that the engine counts is asked for and not touched, so that it looks for what is garbage. */
export function leaveToCollector(bytes: number): void {
  untold += bytes
  if (untold < TOLD_BYTES) return
  new ArrayBuffer(untold)
  untold = 0
}
