/** Functions of numbers. Numeric strings count as numbers; what has no real answer (`sqrt(-1)`, `ln(0)`) is null. */
import { Duration, type Value } from '../../storage/value.ts'
import { makeDuration } from './arithmetic.ts'
import { compareValues, lt } from './compare.ts'
import { valueToText } from './format-value.ts'
import { normalFloat, normalInt, toDouble, toNumeric } from './numbers.ts'

function real(apply: (x: number) => number): (value: Value) => Value {
  return value => {
    const x = toDouble(value)
    return x === null ? null : normalFloat(apply(x))
  }
}

function abs(value: Value): Value {
  if (value instanceof Duration) return makeDuration(Math.abs(value.ns))
  const number = toNumeric(value)
  if (typeof number === 'bigint') return normalInt(number < 0n ? -number : number)
  return number === null ? null : Math.abs(number)
}

/** An int is whole already: only floats are touched, so a bigint keeps its digits. */
function whole(apply: (x: number) => number): (value: Value) => Value {
  return value => {
    const number = toNumeric(value)
    return typeof number === 'number' ? normalFloat(apply(number)) : number
  }
}

/** Half away from zero, by the decimal digits the number prints with: `round(1.005, 2)` is 1.01. */
function round(value: Value, digits?: Value): Value {
  const number = toNumeric(value)
  if (number === null) return null
  const places = digits === undefined ? 0 : toDouble(digits)
  if (places === null) return null
  const shift = Math.max(-30, Math.min(30, Math.trunc(places)))
  if (typeof number === 'bigint') return shift >= 0 ? number : roundInt(number, -shift)
  if (Number.isInteger(number) && shift >= 0) return number
  const size = Math.abs(number)
  // Moving the decimal point in the text, not by multiplication, keeps 1.005 from being 1.00499999….
  const rounded = movePoint(Math.round(movePoint(size, shift)), -shift)
  return normalFloat(number < 0 ? -rounded : rounded)
}

function movePoint(x: number, places: number): number {
  const [mantissa = '0', exponent = '0'] = String(x).split('e')
  return Number(`${mantissa}e${Number(exponent) + places}`)
}

function roundInt(value: bigint, zeros: number): Value {
  const unit = 10n ** BigInt(zeros)
  const half = unit / 2n
  const size = value < 0n ? -value : value
  const rounded = ((size + half) / unit) * unit
  return normalInt(value < 0n ? -rounded : rounded)
}

function log(value: Value, base?: Value): Value {
  const x = toDouble(value)
  if (x === null || x <= 0) return null
  if (base === undefined) return normalFloat(Math.log10(x))
  const b = toDouble(base)
  if (b === null || b <= 0 || b === 1) return null
  if (b === 2) return normalFloat(Math.log2(x))
  return normalFloat(b === 10 ? Math.log10(x) : Math.log(x) / Math.log(b))
}

function pow(base: Value, exponent: Value): Value {
  const b = toNumeric(base)
  const e = toNumeric(exponent)
  if (b === null || e === null) return null
  const float = Number(b) ** Number(e)
  const isExactPower = Number.isInteger(Number(b)) && Number.isInteger(Number(e)) && Number(e) >= 0
  // Beyond 2^53 and within int64 a power of ints has exact digits.
  if (isExactPower && Math.abs(float) > Number.MAX_SAFE_INTEGER && Math.abs(float) < 2 ** 64) {
    return areWithinInt(b) ? normalInt(BigInt(b) ** BigInt(e)) : normalFloat(float)
  }
  return normalFloat(float)
}

function areWithinInt(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}

function clamp(value: Value, low: Value, high: Value): Value {
  if (value === null || value === undefined || low === null || low === undefined) return null
  if (high === null || high === undefined) return null
  if (compareValues(value, low) < 0) return low
  return compareValues(value, high) > 0 ? high : value
}

/** The label of the range `value` falls into: `bucket(250, [100, 500])` is `[100, 500)`. Whatever compares has buckets. */
function bucket(value: Value, bounds: Value): Value {
  if (!Array.isArray(bounds)) return null
  let low: Value = null
  for (const bound of bounds as readonly Value[]) {
    const isBelow = lt(value, bound)
    if (isBelow === null) return null
    if (isBelow) return low === null ? `< ${valueToText(bound)}` : `[${valueToText(low)}, ${valueToText(bound)})`
    low = bound
  }
  return low === null ? null : `>= ${valueToText(low)}`
}

function atan2(y: Value, x: Value): Value {
  const a = toDouble(y)
  const b = toDouble(x)
  return a === null || b === null ? null : normalFloat(Math.atan2(a, b))
}

export const MATH_HELPERS = {
  abs,
  round,
  floor: whole(Math.floor),
  ceil: whole(Math.ceil),
  sqrt: real(Math.sqrt),
  ln: real(Math.log),
  log,
  exp: real(Math.exp),
  pow,
  clamp,
  bucket,
  sin: real(Math.sin),
  cos: real(Math.cos),
  tan: real(Math.tan),
  asin: real(Math.asin),
  acos: real(Math.acos),
  atan: real(Math.atan),
  atan2,
}
