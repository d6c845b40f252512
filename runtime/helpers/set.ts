/** `x in [literals]`: the list is prepared once, so that a row costs one or two hash look-ups however long the list is. */
import type { Value } from '../../storage/value.ts'
import { eq } from './compare.ts'
import { parseNumber } from './numbers.ts'

export interface PreparedSet {
  readonly strings: ReadonlySet<string>
  readonly numbers: ReadonlySet<number>
  /** Values that need the general comparison: bigints, times, anything compared with them. */
  readonly others: readonly Value[]
  /** Numbers written as strings: they equal the number itself. */
  readonly numericStrings: ReadonlySet<number>
}

function prepareSet(values: readonly Value[]): PreparedSet {
  const strings = new Set<string>()
  const numbers = new Set<number>()
  const numericStrings = new Set<number>()
  const others: Value[] = []
  for (const value of values) {
    if (typeof value === 'number') numbers.add(value)
    else if (typeof value === 'string') {
      strings.add(value)
      const number = parseNumber(value)
      if (typeof number === 'number') numericStrings.add(number)
      else if (number !== null) others.push(value)
    } else others.push(value)
  }
  return { strings, numbers, others, numericStrings }
}

/** Whether the value equals one of the list; an absent value equals none (the caller knows it is absent). */
function inSet(set: PreparedSet, value: Value): boolean {
  if (typeof value === 'number') {
    if (set.numbers.has(value) || set.numericStrings.has(value)) return true
  } else if (typeof value === 'string') {
    if (set.strings.has(value)) return true
    if (set.numbers.size > 0) {
      const number = parseNumber(value)
      if (typeof number === 'number' && set.numbers.has(number)) return true
    }
  } else if (value === null || value === undefined) {
    return false
  } else {
    for (const text of set.strings) if (eq(value, text) === true) return true
    for (const number of set.numbers) if (eq(value, number) === true) return true
  }
  for (const other of set.others) if (eq(value, other) === true) return true
  return false
}

export const SET_HELPERS = { prepareSet, inSet }
