/**
 * Which rows of the right side a row of the left side matches: keys become numbers, several keys one number, and each number leads to
 * its rows in the order they came. Built once, then only read.
 */
import type { ScanPredicate } from '../../../storage/predicate.ts'
import type { Batch } from '../../batch.ts'
import { KeyValues } from './key-values.ts'
import { PairNumbers } from './pair-numbers.ts'

export class MatchTable {
  /** Rows kept so far; they are numbered in the order they came. */
  rowCount = 0
  /** Does any key have more than one row? */
  hasRepeats = false
  readonly #keys: readonly KeyValues[]
  readonly #pairs: readonly PairNumbers[]
  readonly keeps: 'all' | 'keyed' | 'keys'
  /** By the number of a key: its first and last row, counted from 1; 0 for none. */
  #first = new Uint32Array(1024)
  #last = new Uint32Array(1024)
  /** By row: the next one of the same key, counted from 1. */
  #next = new Uint32Array(1024)
  #numbers = new Uint32Array(0)
  #more = new Uint32Array(0)

  /** @param keeps  every row, those with a key (no null in it), or one of each key */
  constructor(keyCount: number, { keeps, matchesNull }: { keeps: MatchTable['keeps']; matchesNull: boolean }) {
    this.#keys = Array.from({ length: keyCount }, () => new KeyValues(matchesNull))
    this.#pairs = Array.from({ length: Math.max(0, keyCount - 1) }, () => new PairNumbers())
    this.keeps = keeps
  }

  get sizeBytes(): number {
    const own = 4 * (this.#first.length + this.#last.length + this.#next.length)
    return this.#keys.reduce((bytes, key) => bytes + key.sizeBytes, own)
  }

  /**
   * Rows of the right side. Those worth keeping get a row number and are told by where they stand in the batch: returns how many.
   */
  add(batch: Batch, fields: readonly string[], kept: Uint32Array): number {
    const numbers = this.#numbersOf(batch, fields)
    const { keeps } = this
    let count = 0
    if (keeps !== 'keys') this.#next = grown(this.#next, this.rowCount + batch.selectedCount)
    for (let n = 0; n < batch.selectedCount; n++) {
      const number = numbers[n]!
      if (number === 0 && keeps !== 'all') continue
      if (number >= this.#first.length) {
        this.#first = grown(this.#first, number + 1)
        this.#last = grown(this.#last, number + 1)
      }
      const last = this.#last[number]!
      if (last !== 0 && keeps === 'keys') continue
      const row = ++this.rowCount
      kept[count++] = batch.selection === null ? n : batch.selection[n]!
      if (number === 0) continue
      if (last === 0) this.#first[number] = row
      else {
        this.#next[last - 1] = row
        this.hasRepeats = true
      }
      this.#last[number] = row
    }
    return count
  }

  /** Every row has been added. */
  close(): void {
    for (const key of this.#keys) key.close()
    for (const pairs of this.#pairs) pairs.close()
  }

  /** What a block must have in `field` to have a row whose key, the one in that place, was added; null: nothing can be said. */
  keyPredicate(key: number, field: string): ScanPredicate | null {
    return this.#keys[key]!.predicate(field)
  }

  /** The first match of every selected row, in the order of the selection: its number from 1, or 0. Overwritten by the next call. */
  find(batch: Batch, fields: readonly string[]): Uint32Array {
    const numbers = this.#numbersOf(batch, fields)
    const first = this.#first
    // What was never added is beyond the end.
    for (let n = 0; n < batch.selectedCount; n++) numbers[n] = first[numbers[n]!] ?? 0
    return numbers
  }

  /** The match after a match, or 0. */
  nextOf(row: number): number {
    return this.#next[row - 1]!
  }

  #numbersOf(batch: Batch, fields: readonly string[]): Uint32Array {
    const { selectedCount } = batch
    if (this.#numbers.length < selectedCount) {
      this.#numbers = new Uint32Array(selectedCount)
      this.#more = new Uint32Array(selectedCount)
    }
    const [first] = this.#keys
    if (first === undefined) return this.#numbers.fill(1, 0, selectedCount)
    first.number(batch.column(fields[0]!), batch, this.#numbers)
    for (const [index, pairs] of this.#pairs.entries()) {
      this.#keys[index + 1]!.number(batch.column(fields[index + 1]!), batch, this.#more)
      pairs.combine(this.#numbers, this.#more, selectedCount)
    }
    return this.#numbers
  }
}

function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (array.length >= length) return array
  const larger = new Uint32Array(Math.max(length, array.length * 2))
  larger.set(array)
  return larger
}
