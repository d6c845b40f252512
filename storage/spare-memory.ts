/**
 * Memory that a block of the buffer or its message to another thread has done with, for the next of its kind. Loading 2 M events allocated and
 * dropped 1.7 GB: a page fault for every 4 KB of it, and a collection for every 64 MB, which the engine's helpers mark the whole heap for.
 */
import { MessageChannel } from 'node:worker_threads'

/** Less of a block is not worth keeping: the engine's allocator does well with it. */
export const SPARE_BYTES_MIN = 64 * 1024
/** Nobody who wants less is given more than so many times that. */
const TOO_LARGE = 4 / 3
/** All that nobody asked for or brought any for so long goes: a server at rest holds none. */
const IDLE_MS = 5000

export class SpareMemory {
  readonly #bytesMin: number
  readonly #bytesMax: number
  #spare: ArrayBuffer[] = []
  #idle: NodeJS.Timeout | null = null
  #isUsed = false
  #bytes = 0

  /**
   * @param bytesMin  less is neither kept nor looked for
   * @param bytesMax  of all that is kept; more goes
   */
  constructor({ bytesMin = SPARE_BYTES_MIN, bytesMax = Number.POSITIVE_INFINITY } = {}) {
    this.#bytesMin = bytesMin
    this.#bytesMax = bytesMax
  }

  /** Bytes of nobody. */
  get byteLength(): number {
    return this.#bytes
  }

  /** So many bytes at least, which hold anything. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes < this.#bytesMin) return new Uint8Array(bytes)
    this.#isUsed = true
    let best = -1
    let bestLength = bytes * TOO_LARGE
    for (let index = 0; index < this.#spare.length; index++) {
      const { byteLength } = this.#spare[index]!
      if (byteLength < bytes || byteLength > bestLength) continue
      best = index
      bestLength = byteLength
    }
    // Not zeroed: whoever takes it writes before they read.
    if (best === -1) return new Uint8Array(Buffer.allocUnsafeSlow(roundedUp(bytes)).buffer as ArrayBuffer)
    const buffer = this.#spare[best]!
    this.#spare[best] = this.#spare.at(-1)!
    this.#spare.pop()
    this.#bytes -= buffer.byteLength
    return new Uint8Array(buffer)
  }

  /** Whoever gives it has nothing that reads it any more. */
  give(buffer: ArrayBuffer): void {
    if (buffer.byteLength < this.#bytesMin || this.#bytes + buffer.byteLength > this.#bytesMax) return
    this.#spare.push(buffer)
    this.#bytes += buffer.byteLength
    this.#isUsed = true
    this.#idle ??= setInterval(() => this.#rest(), IDLE_MS).unref()
  }

  #rest(): void {
    if (this.#isUsed) {
      this.#isUsed = false
      return
    }
    this.clear()
  }

  /** Gives all of it back. Dropped, it would be the engine's until that collects, which a thread at rest does not; sent to nobody, it goes at once. */
  clear(): void {
    if (this.#idle !== null) clearInterval(this.#idle)
    this.#idle = null
    const { port1, port2 } = new MessageChannel()
    port1.postMessage(null, this.#spare)
    port2.close()
    this.#spare = []
    this.#bytes = 0
  }
}

/** Blocks are alike and not the same: an eighth of its power of two more, at most, and another will do for it. */
function roundedUp(bytes: number): number {
  const step = 2 ** (Math.floor(Math.log2(bytes)) - 3)
  return Math.ceil(bytes / step) * step
}

/** Of this thread, for blocks. */
export const spareMemory = new SpareMemory()
