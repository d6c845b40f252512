/**
 * What a comparison of two values comes to, as far as storage can promise it without being the runtime: `YES` and `NO` are certain
 * under the language's rules, `UNSURE` is left to the compiled kernel (strings that may be read as numbers or times).
 */
import type { CompareOperator } from '../predicate.ts'
import { DateTime, Duration, type Scalar, type Value } from '../value.ts'

export const NO = 0
export const YES = 1
export const UNSURE = 2
export type Match = typeof NO | typeof YES | typeof UNSURE

type Ordered = number | bigint | string | boolean

/** A bigint and a number are never `===`, but their order is exact. */
function isEqual(left: Ordered, right: Ordered): boolean {
  return left === right || (typeof left !== typeof right && left <= right && left >= right)
}

/** Both sides are of one class: numbers with bigints, or two of the same type. */
function holds(left: Ordered, operator: CompareOperator, right: Ordered): Match {
  switch (operator) {
    case '==':
      return isEqual(left, right) ? YES : NO
    case '!=':
      return isEqual(left, right) ? NO : YES
    case '<':
      return left < right ? YES : NO
    case '<=':
      return left <= right ? YES : NO
    case '>':
      return left > right ? YES : NO
    case '>=':
      return left >= right ? YES : NO
  }
}

/** Of times, down to the nanosecond: whichever lane decides. */
export function compareTimes(left: DateTime, operator: CompareOperator, right: DateTime): Match {
  return left.micros === right.micros
    ? holds(left.nanos, operator, right.nanos)
    : holds(left.micros, operator, right.micros)
}

const isNumeric = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

/** False only for strings that no reading of numbers takes for one: some character, no digit, and no infinity. */
export function mayBeNumber(text: string): boolean {
  return /\p{N}/u.test(text) || text.trim() === '' || /^\s*[-+]?inf(inity)?\s*$/i.test(text)
}

export function compare(left: Value, operator: CompareOperator, right: Scalar): Match {
  if (left === undefined || left === null) return NO
  if (isNumeric(left)) {
    if (isNumeric(right)) return holds(left, operator, right)
    if (typeof right === 'string') return mayBeNumber(right) ? UNSURE : NO
    return right instanceof Duration || right instanceof DateTime ? UNSURE : NO
  }
  if (typeof left === 'string') {
    if (typeof right === 'string') return holds(left, operator, right)
    if (isNumeric(right)) return mayBeNumber(left) ? UNSURE : NO
    return typeof right === 'boolean' ? NO : UNSURE
  }
  if (typeof left === 'boolean') return typeof right === 'boolean' ? holds(left, operator, right) : NO
  if (left instanceof DateTime) {
    if (right instanceof DateTime) return compareTimes(left, operator, right)
    return typeof right === 'boolean' ? NO : UNSURE
  }
  if (left instanceof Duration) {
    if (right instanceof Duration) return holds(left.ns, operator, right.ns)
    return typeof right === 'boolean' ? NO : UNSURE
  }
  return NO
}
