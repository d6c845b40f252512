/**
 * `+ - * / %` and unary minus on any values. Ints stay exact while they fit int64 and become floats beyond; what has no answer
 * (x / 0, a word times three) is null. The fast paths of generated code fall back to these, so these are the meaning.
 */
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { normalFloat, normalInt, toNumeric } from './numbers.ts'

const SAFE = Number.MAX_SAFE_INTEGER

/** Both operands are ints, so the result must be exact. */
function areInts(a: number | bigint, b: number | bigint): boolean {
  return (typeof a === 'bigint' || Number.isSafeInteger(a)) && (typeof b === 'bigint' || Number.isSafeInteger(b))
}

/** A double result that is whole and small is exact; a larger one is redone in bigint when both operands were ints. */
function isExact(result: number, a: number | bigint, b: number | bigint): boolean {
  return (result <= SAFE && result >= -SAFE) || !areInts(a, b)
}

function addNumbers(a: number | bigint, b: number | bigint): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (isExact(sum, a, b)) return normalFloat(sum)
  } else if (!areInts(a, b)) return normalFloat(Number(a) + Number(b))
  return normalInt(BigInt(a) + BigInt(b))
}

function multiplyNumbers(a: number | bigint, b: number | bigint): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (isExact(product, a, b)) return normalFloat(product)
  } else if (!areInts(a, b)) return normalFloat(Number(a) * Number(b))
  return normalInt(BigInt(a) * BigInt(b))
}

function negateNumber(value: number | bigint): number | bigint {
  // -(-2^63) is beyond int64: normalInt makes it a float, which is never null.
  if (typeof value === 'bigint') return normalInt(-value) ?? 0
  return value === 0 ? 0 : -value
}

/** A time moved by nanoseconds. The two parts are moved apart, so that microseconds never pass through a product of 1000. */
export function shiftTime(time: DateTime, ns: number): DateTime | null {
  const wholeMicros = Math.floor(ns / 1000)
  const nanos = time.nanos + (ns - wholeMicros * 1000)
  const carry = Math.floor(nanos / 1000)
  return makeTime(time.micros + wholeMicros + carry, Math.round(nanos - carry * 1000))
}

/** The year 9999 and as far into the past: `9999-12-31` is a date people write, though not exact to the microsecond any more. */
const MAX_MICROS = 2.6e17

/** Null when the instant is outside what has a date. */
export function makeTime(micros: number, nanos = 0): DateTime | null {
  if (!(Math.abs(micros) <= MAX_MICROS)) return null
  return nanos >= 1000 ? new DateTime(micros + 1, nanos - 1000) : new DateTime(micros, nanos)
}

export function makeDuration(ns: number): Duration | null {
  if (!Number.isFinite(ns)) return null
  const whole = Math.round(ns)
  return new Duration(whole === 0 ? 0 : whole)
}

export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return addNumbers(a, b)
  if (a === null || a === undefined || b === null || b === undefined) return null
  if (typeof a === 'string' && typeof b === 'string') return a + b
  if (a instanceof Duration) {
    if (b instanceof Duration) return makeDuration(a.ns + b.ns)
    return b instanceof DateTime ? shiftTime(b, a.ns) : null
  }
  if (a instanceof DateTime) return b instanceof Duration ? shiftTime(a, b.ns) : null
  const x = toNumeric(a)
  const y = toNumeric(b)
  return x === null || y === null ? null : addNumbers(x, y)
}

export function sub(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return addNumbers(a, -b)
  if (a instanceof DateTime) {
    if (b instanceof DateTime) return makeDuration((a.micros - b.micros) * 1000 + (a.nanos - b.nanos))
    return b instanceof Duration ? shiftTime(a, -b.ns) : null
  }
  if (a instanceof Duration) return b instanceof Duration ? makeDuration(a.ns - b.ns) : null
  const x = toNumeric(a)
  const y = toNumeric(b)
  if (x === null || y === null) return null
  // Not add(x, -y): int64's smallest has no negative, so the subtraction itself must be the exact step.
  return areInts(x, y) ? normalInt(BigInt(x) - BigInt(y)) : normalFloat(Number(x) - Number(y))
}

export function mul(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return multiplyNumbers(a, b)
  if (a instanceof Duration) {
    const factor = toNumeric(b)
    return factor === null ? null : makeDuration(a.ns * Number(factor))
  }
  if (b instanceof Duration) return mul(b, a)
  const x = toNumeric(a)
  const y = toNumeric(b)
  return x === null || y === null ? null : multiplyNumbers(x, y)
}

/** Division of numbers is a float (`5 / 2` is 2.5); duration / duration is a plain number. */
export function div(a: Value, b: Value): Value {
  if (a instanceof Duration) {
    if (b instanceof Duration) return b.ns === 0 ? null : normalFloat(a.ns / b.ns)
    const divisor = toNumeric(b)
    return divisor === null || Number(divisor) === 0 ? null : makeDuration(a.ns / Number(divisor))
  }
  const x = toNumeric(a)
  const y = toNumeric(b)
  if (x === null || y === null || Number(y) === 0) return null
  if (typeof x === 'bigint' || typeof y === 'bigint') {
    // A quotient that is whole must not lose the digits the operands had.
    if (areInts(x, y) && BigInt(x) % BigInt(y) === 0n) return normalInt(BigInt(x) / BigInt(y))
  }
  return normalFloat(Number(x) / Number(y))
}

/** The remainder has the sign of the dividend. */
export function mod(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return b.ns === 0 ? null : makeDuration(a.ns % b.ns)
  const x = toNumeric(a)
  const y = toNumeric(b)
  if (x === null || y === null || Number(y) === 0) return null
  if ((typeof x === 'bigint' || typeof y === 'bigint') && areInts(x, y)) return normalInt(BigInt(x) % BigInt(y))
  return normalFloat(Number(x) % Number(y))
}

/** `div(a, b)`: the quotient without its fraction, towards zero. */
export function intDiv(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return b.ns === 0 ? null : normalFloat(Math.trunc(a.ns / b.ns))
  const x = toNumeric(a)
  const y = toNumeric(b)
  if (x === null || y === null || Number(y) === 0) return null
  if ((typeof x === 'bigint' || typeof y === 'bigint') && areInts(x, y)) return normalInt(BigInt(x) / BigInt(y))
  return normalFloat(Math.trunc(Number(x) / Number(y)))
}

export function neg(a: Value): Value {
  if (a instanceof Duration) return makeDuration(-a.ns)
  const value = toNumeric(a)
  return value === null ? null : negateNumber(value)
}

export const ARITHMETIC_HELPERS = { add, sub, mul, div, mod, intDiv, neg }
