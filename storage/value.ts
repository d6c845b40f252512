/**
 * The values an event may hold, as JavaScript sees them outside hot loops. Leaf module: everything imports it, it imports nothing.
 * Numbers are ints or floats *by value*: 2.0 and 2 are one value and one group. See docs/language.md, "Values".
 */

/** A point in time, UTC. `micros` is exact until the year 2255; `nanos` is the rest, 0 … 999. */
export class DateTime {
  readonly micros: number
  readonly nanos: number
  constructor(micros: number, nanos = 0) {
    this.micros = micros
    this.nanos = nanos
  }
}

/** A length of time in nanoseconds, held as a float64 integer: exact to 104 days, to 4 ns within a year. */
export class Duration {
  readonly ns: number
  constructor(ns: number) {
    this.ns = ns
  }
}

export type ObjectValue = { readonly [key: string]: Value }

/**
 * `undefined` is *missing* (never extracted), `null` is a JSON null.
 * A `number` that is whole and within ±(2^53-1) is an int; any other `number` is a float (never NaN or ±Infinity: those become null).
 * A `bigint` is an int beyond ±(2^53-1) and within int64; nothing else is ever held as a bigint.
 */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | DateTime
  | Duration
  | readonly Value[]
  | ObjectValue

export type Scalar = boolean | number | bigint | string | DateTime | Duration

/** The types of the language. `number` is int or float; `any` is not known until run time. */
export type ValueType =
  | 'null'
  | 'bool'
  | 'int'
  | 'float'
  | 'number'
  | 'string'
  | 'datetime'
  | 'duration'
  | 'array'
  | 'object'
  | 'any'

/** The type of one value, as `typeof(x)` prints it: missing is `missing`. */
export function typeOf(value: Value): Exclude<ValueType, 'any' | 'number'> | 'missing' {
  switch (typeof value) {
    case 'undefined':
      return 'missing'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isSafeInteger(value) ? 'int' : 'float'
    case 'bigint':
      return 'int'
    case 'string':
      return 'string'
    default:
      if (value === null) return 'null'
      if (value instanceof DateTime) return 'datetime'
      if (value instanceof Duration) return 'duration'
      return Array.isArray(value) ? 'array' : 'object'
  }
}

const NUMERIC: ReadonlySet<ValueType> = new Set<ValueType>(['int', 'float', 'number'])

/** Of a field that holds both. */
export function commonTypeOf(a: ValueType, b: ValueType): ValueType {
  if (a === b || b === 'null') return a
  if (a === 'null') return b
  return NUMERIC.has(a) && NUMERIC.has(b) ? 'number' : 'any'
}
