/** What generated code sees as `rt`: the helpers, and what belongs to one run (its clock, its tables). */
import { DateTime } from '../../storage/value.ts'
import { type Count, createCoercions } from './coercion.ts'
import { HELPERS } from './index.ts'
import { createTables } from './tabulate.ts'

export type Runtime = Readonly<Record<string, unknown>>

/**
 * @param nowMicros  the start of the query: `now()` is one instant throughout a run
 * @param count  takes note of values that were not what they should have been
 */
export function createRuntime(
  nowMicros: number,
  count: Count,
  onTable?: (site: string, values: number) => void,
): Runtime {
  const now = new DateTime(nowMicros)
  return { ...HELPERS, ...createCoercions(count), ...createTables(onTable), now: () => now }
}
