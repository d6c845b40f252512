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
  readonly #distinctMax: number
  readonly #charge: (bytes: number) => void
  readonly #rowsOfKind: Record<Kind, number> = { number: 0, duration: 0, datetime: 0, other: 0 }
  #counts: Map<string | number, Count> = new Map()
  /** 0: value by value; from 1 on numbers and durations on a grid and times in bins, the wider the higher. */
  #coarseness = 0

  constructor(distinctMax: number, charge: (bytes: number) => void) {
    this.#distinctMax = distinctMax
    this.#charge = charge
  }

  /** What more than half of the values are. */
  get kind(): Kind {
    const half = (this.present.matching + this.present.rest) / 2
    return (['number', 'duration', 'datetime'] as const).find(kind => this.#rowsOfKind[kind] > half) ?? 'other'
  }

  /** Value by value; null when there are too many. */
  get values(): ReadonlyMap<string | number, Count> | null {
    return this.#coarseness === 0 ? this.#counts : null
  }

  /** Where most values are of one kind of measure, these in their order, each standing for all up to the next. */
  get scale(): readonly Count[] | null {
    const { kind } = this
    if (kind === 'other') return null
    return [...this.#counts.values()]
      .filter(({ value }) => kindOf(value) === kind)
      .sort((a, b) => compareValues(a.value, b.value))
  }

  add(value: Value, matching: number, rest: number): void {
    if (value === null || value === undefined) return
    this.present.matching += matching
    this.present.rest += rest
    this.#rowsOfKind[kindOf(value)] += matching + rest
    this.#count(value, matching, rest)
    while (this.#counts.size > this.#distinctMax && this.#coarseness < TIME_BINS.length) this.#coarsen()
  }

  #count(value: Value, matching: number, rest: number): void {
    const counted = this.#coarse(value)
    if (counted === null) return
    const key = keyOf(counted)
    const known = this.#counts.get(key)
    if (known !== undefined) {
      known.matching += matching
      known.rest += rest
      return
    }
    this.#charge(VALUE_BYTES)
    this.#counts.set(key, { value: counted, matching, rest })
  }

  #coarsen(): void {
    this.#coarseness++
    const counts = [...this.#counts.values()]
    this.#charge(-counts.length * VALUE_BYTES)
    this.#counts = new Map()
    for (const { value, matching, rest } of counts) this.#count(value, matching, rest)
  }

  /** The least value of the bin a measure is in; null for what is counted no more. */
  #coarse(value: Value): Value {
    if (this.#coarseness === 0) return value
    switch (kindOf(value)) {
      case 'number':
        return onGrid(Number(value))
      case 'duration':
        return new Duration(onGrid((value as Duration).ns))
      case 'datetime': {
        const width = TIME_BINS[this.#coarseness - 1]!
        return new DateTime(Math.floor((value as DateTime).micros / width) * width)
      }
      case 'other':
        return null
    }
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
export function onGrid(number: number): number {
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
