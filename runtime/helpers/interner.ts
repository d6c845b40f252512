/**
 * Small numbers for values, the same in every dictionary: parts have dictionaries of their own, and what groups or counts distinct
 * values across them would otherwise hash every value of every part in every query. A dictionary's codes are translated once and the
 * translation lives as long as the dictionary does; after that a value costs one array look-up.
 * Measured on 2 parts of 100 k users: 31 ms to translate, 0.2 ms when it is known.
 */
import { sizeOf } from '../../storage/dictionary.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import type { Dictionary } from '../../storage/vector.ts'
import { keyOf } from './compare.ts'

/** Beyond this many values a new generation starts: old numbers stay valid for the runs that hold them, and are then forgotten. */
const VALUES_MAX = 4_000_000

export class Interner {
  /**
   * Strings by themselves, times by their microseconds, everything else by its key: most values are strings, and a string's hash is computed once; times
   * are the bins of a series, of which each block has its own, and a key would be a string made for each of them.
   */
  readonly #strings = new Map<string, number>()
  readonly #times = new Map<number, number>()
  readonly #others = new Map<string | number, number>()
  readonly #byDictionary = new WeakMap<Dictionary, Uint32Array>()
  readonly #values: Value[] = []

  get size(): number {
    return this.#values.length
  }

  /** Null for null and missing alike. */
  valueOf(id: number): Value {
    return this.#values[id] ?? null
  }

  /** Those numbered `from` and higher, in order: what another thread has not heard of yet. */
  valuesFrom(from: number): readonly Value[] {
    return this.#values.slice(from)
  }

  idOf(value: Value): number {
    if (typeof value === 'string') return this.#idIn(this.#strings, value, value)
    if (value instanceof DateTime && value.nanos === 0) return this.#idIn(this.#times, value.micros, value)
    return this.#idIn(this.#others, keyOf(value), value)
  }

  #idIn<Key>(ids: Map<Key, number>, key: Key, value: Value): number {
    const known = ids.get(key)
    if (known !== undefined) return known
    ids.set(key, this.#values.length)
    return this.#values.push(value) - 1
  }

  /** The number of each code's value; null and missing share one. */
  idsOf(dictionary: Dictionary): Uint32Array {
    let ids = this.#byDictionary.get(dictionary)
    if (ids === undefined || ids.length !== sizeOf(dictionary)) {
      ids = Uint32Array.from(dictionary.values, value => this.idOf(value))
      this.#byDictionary.set(dictionary, ids)
    }
    return ids
  }
}

let current = new Interner()

/** The interner of a run that starts now. */
export function currentInterner(): Interner {
  if (current.size > VALUES_MAX) current = new Interner()
  return current
}
