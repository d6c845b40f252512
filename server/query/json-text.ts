/** Documents that hold values of events, as JSON text: exact integers as digits, times and durations as the language prints them. */
import { valueToJson } from '../../runtime/output/json.ts'
import { DateTime, Duration } from '../../storage/value.ts'

export function jsonText(value: unknown): string {
  if (value instanceof DateTime || value instanceof Duration || typeof value === 'bigint') return valueToJson(value)
  if (Array.isArray(value)) return `[${value.map(item => jsonText(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`
}
