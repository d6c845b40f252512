/**
 * Numbers for the values of one key column: the same number for the same value, as groups see it (1 and 1.0 are one value, 1 and "1"
 * are two), 0 for null and missing unless they match too. The right side of a join gives values their numbers; the left side only looks them up, so that keys
 * nobody can match cost no memory. No string is made per row: text is hashed as bytes, a dictionary's values once.
 */
import type { ScanPredicate } from '../../../storage/predicate.ts'
import { DateTime, type Scalar, type Value } from '../../../storage/value.ts'
import { type Dictionary, PRESENT, type Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { keyOf } from '../../helpers/compare.ts'
import { TextTable } from '../../helpers/text-table.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { NumberTable } from '../key-coder.ts'

/** Codes of the tables are interleaved: each counts from 1 by itself. */
const KINDS = 4
const NUMBER = 0
const TEXT = 1
const TIME = 2
const OTHER = 3

/** Of null and missing, where they match each other; tables begin at KINDS. */
const NULLS = 1

/** Up to so many keys are asked for one by one. */
const LISTED_MAX = 100

/** Of a number and the two places that lead to it; of anything else, its text and its entry. */
const NUMBER_BYTES = 16
const OTHER_BYTES = 100

/** A dictionary's value that nobody has asked for. */
const UNASKED = 0xffffffff

/** No bytes say which one it was. */
const LONE_SURROGATE = /\p{Surrogate}/u

const encoder = new TextEncoder()
let scratch = new Uint8Array(1024)

export class KeyValues {
  readonly #numbers = new NumberTable()
  readonly #texts = new TextTable()
  readonly #times = new NumberTable()
  readonly #others = new Map<string, number>()
  readonly #byDictionary = new WeakMap<Dictionary, Uint32Array>()
  /** The number of null and missing. */
  readonly #absent: number
  #adds = true

  constructor(matchesNull: boolean) {
    this.#absent = matchesNull ? NULLS : 0
  }

  /** Of the values: those of dictionaries are the dictionaries'. */
  get sizeBytes(): number {
    return (
      NUMBER_BYTES * (this.#numbers.capacity + this.#times.capacity) +
      this.#texts.sizeBytes +
      OTHER_BYTES * this.#others.size
    )
  }

  /** From now on values are only looked up. */
  close(): void {
    this.#adds = false
  }

  /**
   * What a block must have in the field so that one of its values may be among these; null: nothing can be said. Where there are many,
   * it is the range they lie in.
   */
  predicate(field: string): ScanPredicate | null {
    const numbers = this.#numbers.count
    const texts = this.#texts.count
    const times = this.#times.count
    if (this.#others.size > 0) return null
    if (numbers + texts + times === 0) return { kind: 'never' }
    if (numbers + texts + times <= LISTED_MAX) {
      const values: Scalar[] = []
      for (let code = 1; code <= numbers; code++) values.push(this.#numbers.values[code]!)
      for (let code = 1; code <= texts; code++) values.push(this.#texts.textOf(code))
      for (let code = 1; code <= times; code++) values.push(new DateTime(this.#times.values[code]!))
      return { kind: 'in', field, values }
    }
    if (texts > 0 || (numbers > 0 && times > 0)) return null
    const { values } = numbers > 0 ? this.#numbers : this.#times
    let min = values[1]!
    let max = min
    for (let code = 2; code <= numbers + times; code++) {
      if (values[code]! < min) min = values[code]!
      else if (values[code]! > max) max = values[code]!
    }
    const scalar = (value: number): Scalar => (numbers > 0 ? value : new DateTime(value))
    return {
      kind: 'and',
      of: [
        { kind: 'compare', field, operator: '>=', value: scalar(min) },
        { kind: 'compare', field, operator: '<=', value: scalar(max) },
      ],
    }
  }

  /** One number per selected row, in the order of the selection. */
  number(vector: Vector, batch: Batch, out: Uint32Array): void {
    const { selection, selectedCount } = batch
    switch (vector.kind) {
      case 'const':
        out.fill(this.#ofValue(vector.value), 0, selectedCount)
        return
      case 'dict': {
        const ids = this.#idsOf(vector.dictionary)
        const { codes } = vector
        for (let n = 0; n < selectedCount; n++) {
          const code = codes[selection === null ? n : selection[n]!]!
          let id = ids[code]!
          if (id === UNASKED) ids[code] = id = this.#ofValue(vector.dictionary.values[code])
          out[n] = id
        }
        return
      }
      case 'number':
        this.#ofNumbers(vector.values, vector.presence, batch, out, this.#numbers, NUMBER)
        return
      case 'time':
        if (vector.nanos === null) this.#ofNumbers(vector.micros, vector.presence, batch, out, this.#times, TIME)
        else {
          const { micros, nanos, presence } = vector
          for (let n = 0; n < selectedCount; n++) {
            const row = selection === null ? n : selection[n]!
            const isPresent = presence === null || presence[row] === PRESENT
            out[n] = isPresent ? this.#ofValue(new DateTime(micros[row]!, nanos[row]!)) : this.#absent
          }
        }
        return
      case 'text': {
        const { bytes, offsets, presence } = vector
        for (let n = 0; n < selectedCount; n++) {
          const row = selection === null ? n : selection[n]!
          const isPresent = presence === null || presence[row] === PRESENT
          out[n] = isPresent ? this.#ofBytes(bytes, offsets[row]!, offsets[row + 1]!) : this.#absent
        }
        return
      }
      default:
        for (let n = 0; n < selectedCount; n++)
          out[n] = this.#ofValue(valueAt(vector, selection === null ? n : selection[n]!))
    }
  }

  #ofNumbers(
    values: Float64Array | Int32Array,
    presence: Uint8Array | null,
    { selection, selectedCount }: Batch,
    out: Uint32Array,
    table: NumberTable,
    kind: number,
  ): void {
    const adds = this.#adds
    for (let n = 0; n < selectedCount; n++) {
      const row = selection === null ? n : selection[n]!
      if (presence !== null && presence[row] !== PRESENT) out[n] = this.#absent
      else out[n] = idOf(adds ? table.codeOf(values[row]!) : table.find(values[row]!), kind)
    }
  }

  #ofBytes(bytes: Uint8Array, start: number, end: number): number {
    return idOf(this.#adds ? this.#texts.codeOf(bytes, start, end) : this.#texts.find(bytes, start, end), TEXT)
  }

  #ofValue(value: Value): number {
    if (value === null || value === undefined) return this.#absent
    if (typeof value === 'string' && !LONE_SURROGATE.test(value)) {
      if (scratch.length < value.length * 3) scratch = new Uint8Array(value.length * 6)
      return this.#ofBytes(scratch, 0, encoder.encodeInto(value, scratch).written)
    }
    if (typeof value === 'number') {
      return idOf(this.#adds ? this.#numbers.codeOf(value) : this.#numbers.find(value), NUMBER)
    }
    if (value instanceof DateTime && value.nanos === 0) {
      return idOf(this.#adds ? this.#times.codeOf(value.micros) : this.#times.find(value.micros), TIME)
    }
    const key = keyOf(value)
    // An int beyond 2^53 that a float has too.
    if (typeof key === 'number') return this.#ofValue(key)
    const known = this.#others.get(key)
    if (known !== undefined) return idOf(known, OTHER)
    if (!this.#adds) return 0
    this.#others.set(key, this.#others.size + 1)
    return idOf(this.#others.size, OTHER)
  }

  #idsOf(dictionary: Dictionary): Uint32Array {
    let ids = this.#byDictionary.get(dictionary)
    if (ids === undefined || ids.length !== dictionary.values.length) {
      ids = new Uint32Array(dictionary.values.length).fill(UNASKED)
      this.#byDictionary.set(dictionary, ids)
    }
    return ids
  }
}

function idOf(code: number, kind: number): number {
  return code === 0 ? 0 : code * KINDS + kind
}
