/** The type rule of aggregates over numbers and durations: a field may hold either, so only a known type says anything. */
import type { ValueType } from '../../../storage/value.ts'
import { isNumeric } from '../scalar/build.ts'

export function quantityType(x: ValueType | undefined): ValueType {
  if (x === 'duration') return 'duration'
  return x !== undefined && (isNumeric(x) || x === 'string') ? 'number' : 'any'
}
