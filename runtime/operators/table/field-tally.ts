/**
 * How often each value of a field occurs on either side of a condition. Beyond a number of different values only measures are counted
 * on, on a coarser scale; which scale follows from all the values, never from the order in which they came.
 */
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { compareValues, keyOf } from '../../helpers/compare.ts'

export interface Count {
  readonly value: Value
  matching: number
  rest: number
}

type Kind = 'number' | 'duration' | 'datetime' | 'other'

/** Rough cost of one counted value. */
const VALUE_BYTES = 120
/** Widths of bins of time, in microseconds: a millisecond, a second, ten; a minute, ten; an hour, ten; days. */
const TIME_BINS = [1e3, 1e6, 1e7, 6e7, 6e8, 3.6e9, 3.6e10, 8.64e10, 8.64e11, 8.64e12, 8.64e13, 8.64e14]

export class FieldTally {
  readonly present = { matching: 0, rest: 0 }
  /** What all values are; null before the first. */
  kind: Kind | null = null
  readonly #distinctMax: number
  readonly #charge: (bytes: number) => void
  #counts: Map<string | number, Count> = new Map()
  /** 0: value by value. */
  #coarseness = 0

  constructor(distinctMax: number, charge: (bytes: number) => void) {
    this.#distinctMax = distinctMax
    this.#charge = charge
  }

  /** Value by value; null when there are too many. */
  get values(): ReadonlyMap<string | number, Count> | null {
    return this.#coarseness === 0 ? this.#counts : null
  }

  /** Measures in their order, each standing for all up to the next; null when the field holds other things too. */
  get scale(): readonly Count[] | null {
    if (this.kind === null || this.kind === 'other') return null
    return [...this.#counts.values()].sort((a, b) => compareValues(a.value, b.value))
  }

  add(value: Value, matching: number, rest: number): void {
    if (value === null || value === undefined) return
    this.present.matching += matching
    this.present.rest += rest
    const kind = kindOf(value)
    if (this.kind !== kind) this.kind = this.kind === null ? kind : 'other'
    if (this.#coarseness > 0 && this.kind === 'other') {
      this.#counts.clear()
      return
    }
    this.#count(this.#coarse(value), matching, rest)
    while (this.#counts.size > this.#distinctMax && this.#coarsen()) {}
  }

  #count(value: Value, matching: number, rest: number): void {
    const key = keyOf(value)
    const known = this.#counts.get(key)
    if (known !== undefined) {
      known.matching += matching
      known.rest += rest
      return
    }
    this.#charge(VALUE_BYTES)
    this.#counts.set(key, { value, matching, rest })
  }

  /** One step coarser; false when there is no further step. */
  #coarsen(): boolean {
    const steps = this.kind === 'other' ? 1 : this.kind === 'datetime' ? TIME_BINS.length : 1
    if (this.#coarseness >= steps) return false
    this.#coarseness++
    const counts = [...this.#counts.values()]
    this.#charge(-counts.length * VALUE_BYTES)
    this.#counts = new Map()
    if (this.kind === 'other') return false
    for (const { value, matching, rest } of counts) this.#count(this.#coarse(value), matching, rest)
    return true
  }

  /** The least value of the bin a measure is in. */
  #coarse(value: Value): Value {
    if (this.#coarseness === 0) return value
    if (value instanceof DateTime) {
      const width = TIME_BINS[this.#coarseness - 1]!
      return new DateTime(Math.floor(value.micros / width) * width)
    }
    if (value instanceof Duration) return new Duration(onGrid(value.ns))
    return onGrid(Number(value))
  }
}

function kindOf(value: Value): Kind {
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (value instanceof DateTime) return 'datetime'
  return value instanceof Duration ? 'duration' : 'other'
}

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0
/** Bits of the upper half that are cut off: 7 of the mantissa stay, so that a bin is less than 1 % wide. */
const CUT = 0x1fff

/** The next double at or below with few digits. */
function onGrid(number: number): number {
  double[0] = number
  const isExact = words[1 - HIGH] === 0 && (words[HIGH]! & CUT) === 0
  words[1 - HIGH] = 0
  words[HIGH]! &= ~CUT
  const towardsZero = double[0]!
  if (isExact || number >= 0) return towardsZero === 0 ? 0 : towardsZero
  // Away from zero: the next step of the grid. Beyond the last finite one there is the least number.
  words[HIGH]! += CUT + 1
  return Number.isFinite(double[0]!) ? double[0]! : -Number.MAX_VALUE
}
