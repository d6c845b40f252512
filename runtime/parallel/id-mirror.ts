/** The interned numbers of another thread, as numbers of an interner here. It is told each value once. */
import type { Interner } from '../helpers/interner.ts'
import { type Packed, unpackValue } from './values.ts'

export class IdMirror {
  readonly interner: Interner
  #generation = -1
  #ids = new Uint32Array(1024)
  #count = 0

  constructor(interner: Interner) {
    this.interner = interner
  }

  get known(): { readonly generation: number; readonly count: number } {
    return { generation: this.#generation, count: this.#count }
  }

  get ids(): Uint32Array {
    return this.#ids
  }

  learn(generation: number, from: number, values: readonly Packed[]): void {
    if (generation !== this.#generation) {
      this.#count = 0
      // Somebody may still translate by the old ones.
      this.#ids = new Uint32Array(1024)
    }
    this.#generation = generation
    if (from > this.#count) throw new Error(`values from ${from} on where ${this.#count} are known`)
    if (this.#ids.length < from + values.length) {
      const ids = new Uint32Array(Math.max(from + values.length, this.#ids.length * 2))
      ids.set(this.#ids)
      this.#ids = ids
    }
    // What another answer has told meanwhile is known.
    for (let at = this.#count - from; at < values.length; at++)
      this.#ids[this.#count++] = this.interner.idOf(unpackValue(values[at]!))
  }
}
