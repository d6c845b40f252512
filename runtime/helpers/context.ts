/** What generated code sees as `rt`: the helpers, and what belongs to one run (its clock, its tables). */
import { DateTime } from '../../storage/value.ts'
import { type Count, createCoercions } from './coercion.ts'
import { HELPERS } from './index.ts'
import { createTables } from './tabulate.ts'

export type Runtime = Readonly<Record<string, unknown>>

/**
/**
 * One class, so that what V8 learned of `rt` in one run holds in the next: an object spread together per run was of a shape of its own,
 * and every kernel that met the next one threw its machine code away.
 */
class QueryRuntime {
  readonly now: () => DateTime

  constructor(now: () => DateTime, ...parts: readonly object[]) {
    this.now = now
    // In the same order every time: the same shape.
    Object.assign(this, ...parts)
  }
}
Object.assign(QueryRuntime.prototype, HELPERS)

/**
 * @param nowMicros  the start of the query: `now()` is one instant throughout a run; a function is told that it was asked
 * @param count  takes note of values that were not what they should have been
 * @param onTable  told the site and the number of values whenever a table is made
 */
export function createRuntime(
  nowMicros: number | (() => number),
  count: Count,
  onTable?: (site: string, values: number) => void,
): Runtime {
  return new QueryRuntime(clockOf(nowMicros), createCoercions(count), createTables(onTable)) as unknown as Runtime
}

function clockOf(nowMicros: number | (() => number)): () => DateTime {
  if (typeof nowMicros === 'function') return () => new DateTime(nowMicros())
  const now = new DateTime(nowMicros)
  return () => now
}
