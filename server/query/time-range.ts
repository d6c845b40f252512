/** `from` and `to` of a request as instants, for routes that need them themselves. */
import { microsOf } from '../../compiler/resolve/time.ts'
import { parseTimePoint } from '../../grammar/index.ts'
import { valueToText } from '../../runtime/helpers/format-value.ts'
import { DateTime } from '../../storage/value.ts'
import { RequestError } from '../errors.ts'

/** In microseconds. @throws {RequestError} VALIDATION_ERROR */
export function instantOf(name: string, text: string, now: DateTime): number {
  const point = parseTimePoint(text)
  if (point === null) {
    throw new RequestError('VALIDATION_ERROR', `${name} is not a time: ${JSON.stringify(text.slice(0, 100))}`, {
      suggestion: 'write -1h, @d, now, or 2026-06-01T00:00:00Z',
    })
  }
  return microsOf(point, () => now)
}

/** ISO 8601. */
export function isoOf(micros: number): string {
  return valueToText(new DateTime(micros))
}
