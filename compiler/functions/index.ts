/** The function registry: a value passed to `compile`, so that an embedding program can bring its own by passing a longer one. */
import { AGGREGATES } from './aggregate/index.ts'
import type { AggregateFunction, FunctionRegistry, ScalarFunction } from './descriptor.ts'
import { SCALARS } from './scalar/index.ts'
import { WINDOWS } from './window/index.ts'

export { AGGREGATES, SCALARS, WINDOWS }

export const FUNCTIONS: FunctionRegistry = {
  scalars: new Map(SCALARS.map(fn => [fn.name, fn])),
  aggregates: new Map(AGGREGATES.map(fn => [fn.name, fn])),
  windows: new Map(WINDOWS.map(fn => [fn.name, fn])),
}

export interface FoundAggregate {
  readonly function: AggregateFunction
  /** What the name says: `p95` is `[95]`. */
  readonly parameters: readonly number[]
}

export function lookupAggregate(functions: FunctionRegistry, name: string): FoundAggregate | null {
  const exact = functions.aggregates.get(name)
  if (exact !== undefined && exact.family === undefined) return { function: exact, parameters: [] }
  for (const fn of functions.aggregates.values()) {
    const match = fn.family?.pattern.exec(name)
    if (match != null) return { function: fn, parameters: fn.family!.parameters(match) }
  }
  return null
}

export function lookupScalar(functions: FunctionRegistry, name: string): ScalarFunction | null {
  return functions.scalars.get(name) ?? null
}
