/** What was made for a key and is kept for as long as it is among the last used of so many. */
export class Lru<K, V extends {}> {
  readonly max: number
  hits = 0
  misses = 0
  evictions = 0
  /** A Map iterates in order of insertion: what is used goes out and in again, so the first is the least recently used. */
  readonly #values = new Map<K, V>()

  constructor(max: number) {
    this.max = max
  }

  get size(): number {
    return this.#values.size
  }

  /** The one kept for the key, or else what `make` gives. */
  getOrMake(key: K, make: () => V): V {
    const known = this.#values.get(key)
    if (known !== undefined) {
      this.hits++
      this.#values.delete(key)
      this.#values.set(key, known)
      return known
    }
    this.misses++
    const made = make()
    if (this.#values.size >= this.max) {
      this.#values.delete(this.#values.keys().next().value!)
      this.evictions++
    }
    this.#values.set(key, made)
    return made
  }
}
