/**
 * Texts by their bytes: most texts of a log have been seen before, and finding one is a tenth of making it anew. It also is the same
 * string each time, of which the hash is known.
 */
const SLOTS = 8192
/** Half of them: what comes later is made and forgotten. */
const TEXTS_MAX = SLOTS / 2
const BYTES_MAX = 1 << 20
/** Longer texts are hardly ever the same again. */
const LENGTH_MAX = 128

export class TextCache {
  readonly #texts = new Array<string | undefined>(SLOTS).fill(undefined)
  readonly #hashes = new Int32Array(SLOTS)
  readonly #starts = new Int32Array(SLOTS)
  readonly #lengths = new Int32Array(SLOTS)
  #bytes = new Uint8Array(4096)
  #bytesLength = 0
  #count = 0

  /** @param hash  of the bytes: any that spreads them */
  get(buffer: Buffer, start: number, end: number, hash: number): string {
    const length = end - start
    if (length > LENGTH_MAX) return buffer.toString('utf8', start, end)
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    for (;;) {
      const text = this.#texts[slot]
      if (text === undefined) break
      if (this.#hashes[slot] === hash && this.#lengths[slot] === length && this.#holds(slot, buffer, start)) return text
      slot = (slot + 1) & (SLOTS - 1)
    }
    const text = buffer.toString('utf8', start, end)
    if (this.#count < TEXTS_MAX && this.#bytesLength + length <= BYTES_MAX)
      this.#keep(slot, text, buffer, start, length, hash)
    return text
  }

  #holds(slot: number, buffer: Buffer, start: number): boolean {
    const bytes = this.#bytes
    const from = this.#starts[slot]!
    const length = this.#lengths[slot]!
    for (let index = 0; index < length; index++) if (bytes[from + index] !== buffer[start + index]) return false
    return true
  }

  #keep(slot: number, text: string, buffer: Buffer, start: number, length: number, hash: number): void {
    this.#texts[slot] = text
    this.#hashes[slot] = hash
    this.#lengths[slot] = length
    this.#starts[slot] = this.#bytesLength
    if (this.#bytesLength + length > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes.set(buffer.subarray(start, start + length), this.#bytesLength)
    this.#bytesLength += length
    this.#count++
  }
}
