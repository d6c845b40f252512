/**
 * What the run found to be of another type than the query thinks, counted by field so that a hint can say so: text read as numbers, ints
 * that became floats. Only code that already goes the slow way calls these; a dictionary is looked through once, and its rows are counted
 * only if it holds such text at all.
 */
import type { Value } from '../../storage/value.ts'
import type { Dictionary, Vector } from '../../storage/vector.ts'
import { ARITHMETIC_HELPERS } from './arithmetic.ts'
import { MATH_HELPERS } from './math.ts'
import { parseNumber } from './numbers.ts'

export type Count = (counter: string, by?: number) => void

function writesNumber(value: Value): boolean {
  return typeof value === 'string' && parseNumber(value) !== null
}

/** `0.25`, which `int()` would take for 0. */
function writesFraction(value: Value): boolean {
  const number = typeof value === 'string' ? parseNumber(value) : null
  return typeof number === 'number' && !Number.isInteger(number)
}

/** Beside the counter of a field, that some of its texts are no whole numbers: the hint names the right cast. */
function fractional(counter: string): string {
  return counter.replace('coerced:', 'fractional:')
}

const numericCodes = new WeakMap<Dictionary, Uint8Array>()
const NO_CODES = new Uint8Array(0)

/** 1 for codes of text that writes a number; empty when there is none. */
function codesOfNumericText(dictionary: Dictionary): Uint8Array {
  let codes = numericCodes.get(dictionary)
  if (codes === undefined) {
    codes = Uint8Array.from(dictionary.values, value => (writesNumber(value) ? 1 : 0))
    if (!codes.includes(1)) codes = NO_CODES
    numericCodes.set(dictionary, codes)
  }
  return codes
}

function isInt(value: Value): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}

export function createCoercions(count: Count) {
  /** A result beyond 64 bits: both operands were ints and it is none. */
  const counting =
    <A extends readonly Value[]>(helper: (...args: A) => Value) =>
    (...args: A): Value => {
      const result = helper(...args)
      if (typeof result === 'number' && !Number.isSafeInteger(result) && args.every(isInt)) {
        // A fraction of ints is no overflow.
        if (Number.isInteger(result)) count('overflow')
      }
      return result
    }
  return {
    /** Text beside `other`, in an operation that reads it as a number if `other` is one (`always`: whatever else it is). */
    noteCoerced(counter: string, value: Value, other: Value, always: boolean): void {
      if (other === null || other === undefined) return
      if (!always && typeof other !== 'number' && typeof other !== 'bigint') return
      if (!writesNumber(value)) return
      count(counter)
      if (writesFraction(value)) count(fractional(counter))
    },
    /** Rows of a block whose value is text read as a number. */
    countCoerced(counter: string, vector: Vector, selection: Uint32Array | null, selectedCount: number): void {
      if (vector.kind === 'const') {
        if (!writesNumber(vector.value)) return
        count(counter, selectedCount)
        if (writesFraction(vector.value)) count(fractional(counter))
        return
      }
      if (vector.kind !== 'dict') return
      const numeric = codesOfNumericText(vector.dictionary)
      if (numeric.length === 0) return
      const { codes } = vector
      let rows = 0
      if (selection === null) for (let row = 0; row < vector.rowCount; row++) rows += numeric[codes[row]!]!
      else for (let n = 0; n < selectedCount; n++) rows += numeric[codes[selection[n]!]!]!
      if (rows === 0) return
      count(counter, rows)
      if (vector.dictionary.values.some(writesFraction)) count(fractional(counter))
    },
    add: counting(ARITHMETIC_HELPERS.add),
    sub: counting(ARITHMETIC_HELPERS.sub),
    mul: counting(ARITHMETIC_HELPERS.mul),
    neg: counting(ARITHMETIC_HELPERS.neg),
    pow: counting(MATH_HELPERS.pow),
  }
}
