/**
 * What `==`, `<` and `sort` mean. Two notions live here and must not be confused: *comparison* is three-valued and refuses
 * most pairs of different types; *order* is total, so that any column can be sorted. `keyOf` is equality for hash maps.
 */
import { parseDateTime } from '../../grammar/literals.ts'
import { DateTime, Duration, type ObjectValue, type Value } from '../../storage/value.ts'
import { parseNumber } from './numbers.ts'

/** Where a type stands in the order of all values; null and missing come last. */
const RANK = { number: 0, string: 1, bool: 2, datetime: 3, duration: 4, array: 5, object: 6, absent: 7 } as const
type Rank = (typeof RANK)[keyof typeof RANK]

function rankOf(value: Value): Rank {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return RANK.number
    case 'string':
      return RANK.string
    case 'boolean':
      return RANK.bool
    case 'undefined':
      return RANK.absent
    default:
      if (value === null) return RANK.absent
      if (value instanceof DateTime) return RANK.datetime
      if (value instanceof Duration) return RANK.duration
      return Array.isArray(value) ? RANK.array : RANK.object
  }
}

/** JavaScript compares a bigint with a number exactly, so `<` is right for every pair of ints and floats. */
function compareNumbers(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareTimes(a: DateTime, b: DateTime): number {
  return a.micros - b.micros || a.nanos - b.nanos
}

function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareArrays(a: readonly Value[], b: readonly Value[]): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const order = compareValues(a[i], b[i])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Objects compare as their sorted lists of [key, value], so the order keys were written in does not matter. */
function compareObjects(a: ObjectValue, b: ObjectValue): number {
  const left = Object.keys(a).sort()
  const right = Object.keys(b).sort()
  const shared = Math.min(left.length, right.length)
  for (let i = 0; i < shared; i++) {
    const x = left[i] as string
    const y = right[i] as string
    const order = compareStrings(x, y) || compareValues(a[x], b[y])
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** The total order of `sort`, `min` and `max`: negative, zero or positive. Null and missing are one, after everything. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  const rank = rankOf(a)
  const other = rankOf(b)
  if (rank !== other) return rank - other
  switch (rank) {
    case RANK.number:
      return compareNumbers(a as number | bigint, b as number | bigint)
    case RANK.string:
      return compareStrings(a as string, b as string)
    case RANK.bool:
      return Number(a) - Number(b)
    case RANK.datetime:
      return compareTimes(a as DateTime, b as DateTime)
    case RANK.duration:
      return compareNumbers((a as Duration).ns, (b as Duration).ns)
    case RANK.array:
      return compareArrays(a as readonly Value[], b as readonly Value[])
    case RANK.object:
      return compareObjects(a as ObjectValue, b as ObjectValue)
    default:
      return 0
  }
}

/**
 * Two present values as one scale: the order between them, or null where the language says they cannot be compared.
 * Arrays and objects have equality (0 or not 0 here) but no order: the ordering operators refuse them first.
 */
function relate(a: Value, b: Value): number | null {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  const rank = rankOf(a)
  const other = rankOf(b)
  if (rank === RANK.absent || other === RANK.absent) return null
  if (rank === other) return compareValues(a, b)
  if (rank === RANK.string) {
    const swapped = relateToString(b, other, a as string)
    return swapped === null ? null : -swapped
  }
  if (other === RANK.string) return relateToString(a, rank, b as string)
  return null
}

function relateToString(value: Value, rank: Rank, text: string): number | null {
  if (rank === RANK.number) {
    const number = parseNumber(text)
    return number === null ? null : compareNumbers(value as number | bigint, number)
  }
  if (rank === RANK.datetime) {
    const time = parseDateTime(text)
    return time === null ? null : compareTimes(value as DateTime, new DateTime(time.micros, time.nanos))
  }
  return null
}

function isUnordered(value: Value): boolean {
  return typeof value === 'object' && rankOf(value) >= RANK.array
}

function order(a: Value, b: Value): number | null {
  return isUnordered(a) || isUnordered(b) ? null : relate(a, b)
}

export function eq(a: Value, b: Value): boolean | null {
  const relation = relate(a, b)
  return relation === null ? null : relation === 0
}

export function ne(a: Value, b: Value): boolean | null {
  const relation = relate(a, b)
  return relation === null ? null : relation !== 0
}

export function lt(a: Value, b: Value): boolean | null {
  const relation = order(a, b)
  return relation === null ? null : relation < 0
}

export function le(a: Value, b: Value): boolean | null {
  const relation = order(a, b)
  return relation === null ? null : relation <= 0
}

export function gt(a: Value, b: Value): boolean | null {
  const relation = order(a, b)
  return relation === null ? null : relation > 0
}

export function ge(a: Value, b: Value): boolean | null {
  const relation = order(a, b)
  return relation === null ? null : relation >= 0
}

/** `x in array`: true when any member equals it; else null when any comparison was null; else false. */
export function isIn(needle: Value, haystack: Value): boolean | null {
  if (needle === null || needle === undefined || !Array.isArray(haystack)) return null
  let unknown = false
  for (const member of haystack as readonly Value[]) {
    const equal = eq(needle, member)
    if (equal === true) return true
    // A member of another type cannot be the needle; only a null in the list leaves the answer open.
    if (member === null || member === undefined) unknown = true
  }
  return unknown ? null : false
}

/** `x between low and high`, both ends included. */
export function between(value: Value, low: Value, high: Value): boolean | null {
  const above = ge(value, low)
  if (above === false) return false
  const below = le(value, high)
  if (below === false) return false
  return above === null || below === null ? null : true
}

/**
 * The one canonical map key of a value: equal keys exactly when the values are of one type and equal. Numbers are their own
 * keys (2.0 is 2); strings are marked so that no string can pass for another type's key; null and missing are one key.
 */
export function keyOf(value: Value): string | number {
  switch (typeof value) {
    case 'number':
      return value === 0 ? 0 : value
    case 'string':
      return `s${value}`
    case 'bigint': {
      // A float of the same value is the same number, hence the same key.
      const float = Number(value)
      return BigInt(float) === value ? float : `i${value}`
    }
    case 'boolean':
      return value ? 't' : 'f'
    case 'undefined':
      return 'n'
    default:
      return value === null ? 'n' : keyOfObject(value)
  }
}

function keyOfObject(value: DateTime | Duration | readonly Value[] | ObjectValue): string {
  if (value instanceof DateTime) return value.nanos === 0 ? `d${value.micros}` : `d${value.micros}.${value.nanos}`
  if (value instanceof Duration) return `u${value.ns === 0 ? 0 : value.ns}`
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const member of value as readonly Value[]) parts.push(part(keyOf(member)))
    return `[${parts.join('')}`
  }
  const object = value as ObjectValue
  for (const name of Object.keys(object).sort()) parts.push(part(name), part(keyOf(object[name])))
  return `{${parts.join('')}`
}

/** Length first, so that no member can imitate a boundary; a number is told from a string by its mark. */
function part(key: string | number): string {
  const text = typeof key === 'number' ? `#${key}` : key
  return `${text.length}:${text}`
}

export const COMPARE_HELPERS = { compareValues, eq, ne, lt, le, gt, ge, isIn, between, keyOf }
