/** Nested objects become dotted names; what JSON or a protocol decoder hands over becomes the language's values. */
import { DateTime, Duration, type ObjectValue, type Value } from '../value.ts'
import { normalBigint } from './json.ts'

/** Deeper nesting stays an object value at its name: a hostile document cannot exhaust the stack. */
const MAX_DEPTH = 64
/** Beyond this an event is refused: everything that walks a value later does so by recursion. */
const MAX_VALUE_DEPTH = 500

/** Set when a number was met that JSON may have written with more digits than a float holds. */
let metInexact = false

/**
 * Adds every leaf of `object` to `fields`; a name that comes twice keeps its last value, as in JSON.
 * False when a whole number beyond 2^53 was among them: its last digits may not be the ones that were sent.
 */
export function flattenInto(fields: Map<string, Value>, object: Readonly<Record<string, unknown>>): boolean {
  metInexact = false
  // For-in is twice as fast as Object.keys here, and these objects inherit nothing that is enumerable.
  for (const name in object) {
    const value = object[name]
    if (typeof value === 'string') fields.set(name, value)
    else addLeaf(fields, name, value, 0)
  }
  return !metInexact
}

function addLeaf(fields: Map<string, Value>, name: string, value: unknown, depth: number): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      fields.set(name, value)
      return
    case 'number':
      fields.set(name, (value | 0) === value ? value + 0 : numberOf(value))
      return
    case 'object': {
      if (value !== null && !Array.isArray(value) && !(value instanceof DateTime) && !(value instanceof Duration)) {
        const object = value as Readonly<Record<string, unknown>>
        const keys = Object.keys(object)
        if (keys.length > 0 && depth < MAX_DEPTH) {
          for (const key of keys) addLeaf(fields, `${name}.${key}`, object[key], depth + 1)
          return
        }
      }
      fields.set(name, toValue(value))
      return
    }
    case 'undefined':
      return
    default:
      fields.set(name, toValue(value))
  }
}

/**
 * Any JavaScript value as a value of the language; what has no counterpart is null.
 * @throws {RangeError} when it is nested too deeply to be a value.
 */
export function toValue(value: unknown, depth = 0): Value {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value
    case 'number':
      return numberOf(value)
    case 'bigint':
      return normalBigint(value)
    case 'object':
      if (value === null || value instanceof DateTime || value instanceof Duration) return value
      if (depth > MAX_VALUE_DEPTH) throw new RangeError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
      if (Array.isArray(value)) return value.map(element => toValue(element, depth + 1) ?? null)
      return objectOf(value as Readonly<Record<string, unknown>>, depth + 1)
    default:
      return null
  }
}

function objectOf(object: Readonly<Record<string, unknown>>, depth: number): ObjectValue {
  const entries: [string, Value][] = []
  for (const key of Object.keys(object)) {
    const value = toValue(object[key], depth)
    if (value !== undefined) entries.push([key, value])
  }
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(entries)
}

/** NaN and the infinities are null; there is one zero. */
function numberOf(value: number): number | null {
  if (value >= 2 ** 53 || value <= -(2 ** 53)) metInexact = true
  return Number.isFinite(value) ? value + 0 : null
}
