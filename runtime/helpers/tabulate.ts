/**
 * Tables by dictionary code: a pure expression over one dictionary column runs once per distinct value. Tables live as long as a
 * run: their key is the dictionary object and the place in the kernel that asked.
 */
import type { Value } from '../../storage/value.ts'
import type { Dictionary } from '../../storage/vector.ts'
import { VECTOR_HELPERS } from './vectors.ts'

export interface Tables {
  /** 1 true, 0 false, 2 null (or not a boolean), by code. */
  tabulateTest(dictionary: Dictionary, site: string, test: (value: Value) => Value): Uint8Array
  /** A dictionary with the results, by the same codes. */
  tabulate(dictionary: Dictionary, site: string, compute: (value: Value) => Value): Dictionary
  /** An aggregate's numbers, NaN where there is none. */
  numbersOf(dictionary: Dictionary): Float64Array
  /** The same without ints beyond 2^53. */
  plainNumbersOf(dictionary: Dictionary): Float64Array
}

/** @param onTable  told the place and the number of values whenever a table is made */
export function createTables(onTable: (site: string, values: number) => void = () => {}): Tables {
  const bySite = new Map<string, WeakMap<Dictionary, unknown>>()
  const cached = <T>(dictionary: Dictionary, site: string, make: () => T): T => {
    let tables = bySite.get(site)
    if (tables === undefined) bySite.set(site, (tables = new WeakMap()))
    let table = tables.get(dictionary) as T | undefined
    if (table === undefined) {
      tables.set(dictionary, (table = make()))
      onTable(site, dictionary.values.length)
    }
    return table
  }
  return {
    tabulateTest: (dictionary, site, test) =>
      cached(dictionary, site, () => {
        const { values } = dictionary
        const table = new Uint8Array(values.length)
        for (let code = 0; code < values.length; code++) {
          const result = test(values[code])
          table[code] = result === true ? 1 : result === false ? 0 : 2
        }
        return table
      }),
    tabulate: (dictionary, site, compute) =>
      cached(dictionary, site, () => ({
        values: dictionary.values.map(value => compute(value)),
        repeats: true as const,
      })),
    numbersOf: dictionary =>
      cached(dictionary, 'numbers', () => Float64Array.from(dictionary.values, VECTOR_HELPERS.numberArgument)),
    plainNumbersOf: dictionary =>
      cached(dictionary, 'plain numbers', () => Float64Array.from(dictionary.values, VECTOR_HELPERS.plainNumber)),
  }
}
