/** Values as structured cloning takes them: times and lengths of time are classes, and would arrive as plain objects. */
import { DateTime, Duration, type Value } from '../../storage/value.ts'

type Packed = undefined | null | boolean | number | bigint | string | PackedObject
type PackedObject =
  | { readonly time: number; readonly nanos: number }
  | { readonly duration: number }
  | { readonly array: readonly Packed[] }
  | { readonly object: readonly (readonly [string, Packed])[] }

export function packValues(values: readonly Value[]): Packed[] {
  return values.map(packValue)
}

export function unpackValues(values: readonly Packed[]): Value[] {
  return values.map(unpackValue)
}

export function packValue(value: Value): Packed {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof DateTime) return { time: value.micros, nanos: value.nanos }
  if (value instanceof Duration) return { duration: value.ns }
  if (Array.isArray(value)) return { array: packValues(value) }
  return { object: Object.entries(value).map(([name, member]) => [name, packValue(member as Value)] as const) }
}

export function unpackValue(packed: Packed): Value {
  if (typeof packed !== 'object' || packed === null) return packed
  if ('time' in packed) return new DateTime(packed.time, packed.nanos)
  if ('duration' in packed) return new Duration(packed.duration)
  if ('array' in packed) return unpackValues(packed.array)
  const object: { [name: string]: Value } = {}
  for (const [name, member] of packed.object) {
    // `__proto__` is a name like any other.
    Object.defineProperty(object, name, {
      value: unpackValue(member),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return object
}

export type { Packed }
