/** What generated code sees as `rt`: the helpers, and what belongs to one run (its clock, its tables). */
import { DateTime } from '../../storage/value.ts'
import { HELPERS } from './index.ts'
import { createTables, type Tables } from './tabulate.ts'

export type Runtime = Readonly<Record<string, unknown>>

/**
 * One class, so that what V8 learned of `rt` in one run holds in the next: an object spread together per run was of a shape of its own, and
 * every kernel that met the next one threw its machine code away.
 */
class QueryRuntime implements Tables {
  readonly tabulateTest: Tables['tabulateTest']
  readonly tabulate: Tables['tabulate']
  readonly numbersOf: Tables['numbersOf']
  readonly now: () => DateTime

  constructor(tables: Tables, now: DateTime) {
    this.tabulateTest = tables.tabulateTest
    this.tabulate = tables.tabulate
    this.numbersOf = tables.numbersOf
    this.now = () => now
  }
}
Object.assign(QueryRuntime.prototype, HELPERS)

/**
 * @param nowMicros  the start of the query: `now()` is one instant throughout a run
 * @param onTable  told the site and the number of values whenever a table is made
 */
export function createRuntime(nowMicros: number, onTable?: (site: string, values: number) => void): Runtime {
  return new QueryRuntime(createTables(onTable), new DateTime(nowMicros)) as unknown as Runtime
}
