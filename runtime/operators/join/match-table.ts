/**
 * Which rows of the right side a row of the left side matches: keys become numbers, several keys one number, and each number leads to
 * its rows in the order they came. Built once, then only read.
 */
import type { Batch } from '../../batch.ts'
import { KeyValues } from './key-values.ts'
import { PairNumbers } from './pair-numbers.ts'

export class MatchTable {
  /** Rows added so far; they are numbered in the order they came. */
  rowCount = 0
  /** Does any key have more than one row? */
  hasRepeats = false
  readonly #keys: readonly KeyValues[]
  readonly #pairs: readonly PairNumbers[]
  readonly #keepsRows: boolean
  /** By the number of a key: its first and last row, counted from 1; 0 for none. */
  #first = new Uint32Array(1024)
  #last = new Uint32Array(1024)
  /** By row: the next one of the same key, counted from 1. */
  #next = new Uint32Array(1024)
  #numbers = new Uint32Array(0)
  #more = new Uint32Array(0)

  /** @param keepsRows  false when it is enough to know that there is a match */
  constructor(keyCount: number, { keepsRows, matchesNull }: { keepsRows: boolean; matchesNull: boolean }) {
    this.#keys = Array.from({ length: keyCount }, () => new KeyValues(matchesNull))
    this.#pairs = Array.from({ length: Math.max(0, keyCount - 1) }, () => new PairNumbers())
    this.#keepsRows = keepsRows
  }

  get sizeBytes(): number {
    return 4 * (this.#first.length + this.#last.length + this.#next.length)
  }

  /** Rows of the right side: all that are selected get a row number, those without a null key can be found. */
  add(batch: Batch, fields: readonly string[]): void {
    const numbers = this.#numbersOf(batch, fields)
    this.#next = grown(this.#next, this.rowCount + batch.selectedCount)
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = ++this.rowCount
      const number = numbers[n]!
      if (number === 0) continue
      if (number >= this.#first.length) {
        this.#first = grown(this.#first, number + 1)
        this.#last = grown(this.#last, number + 1)
      }
      const last = this.#last[number]!
      if (last === 0) this.#first[number] = row
      else if (this.#keepsRows) {
        this.#next[last - 1] = row
        this.hasRepeats = true
      }
      this.#last[number] = row
    }
  }

  /** Every row has been added. */
  close(): void {
    for (const key of this.#keys) key.close()
    for (const pairs of this.#pairs) pairs.close()
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
