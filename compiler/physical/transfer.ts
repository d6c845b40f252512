/**
 * A physical plan as text and back, so that another thread can make the same program of it. A plan is plain data but for the descriptors
 * of its functions, which go by name, and values JSON has no words for.
 */
import { DateTime, Duration } from '../../storage/value.ts'
import type { FunctionRegistry } from '../functions/descriptor.ts'
import type { PhysicalOp } from './ops.ts'

export function packPlan(plan: PhysicalOp, functions: FunctionRegistry): string {
  return packParts(plan, functions)
}

/** Anything a plan is made of; parts with the same text are the same. */
export function packParts(parts: unknown, functions: FunctionRegistry): string {
  return JSON.stringify(parts, function (this: Record<string, unknown>, key) {
    // The member itself: what JSON hands over has already been through `toJSON`.
    return packed(this[key], functions)
  })
}

export function unpackPlan(text: string, functions: FunctionRegistry): PhysicalOp {
  return unpacked(JSON.parse(text), functions) as PhysicalOp
}

function packed(value: unknown, functions: FunctionRegistry): unknown {
  switch (typeof value) {
    case 'undefined':
      return { $: 'missing' }
    case 'bigint':
      return { $: 'int', text: String(value) }
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { $: 'number', text: numberText(value) }
    case 'function':
      throw new TypeError('a plan holds no functions')
    case 'object':
      return value === null ? null : packedObject(value, functions)
    default:
      return value
  }
}

const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

function packedObject(value: object, functions: FunctionRegistry): unknown {
  if (value instanceof DateTime) return { $: 'time', micros: value.micros, nanos: value.nanos }
  if (value instanceof Duration) return { $: 'duration', ns: value.ns }
  if (value instanceof Map || value instanceof Set) throw new TypeError('a plan holds no maps or sets')
  // A user's object may have a member of that name.
  if (Object.hasOwn(value, '$')) return { $: 'object', members: Object.entries(value) }
  if (!('kind' in value) || !('name' in value) || typeof value.name !== 'string') return value
  if (functions.scalars.get(value.name) === value) return { $: 'scalar', name: value.name }
  if (functions.aggregates.get(value.name) === value) return { $: 'aggregate', name: value.name }
  return value
}

function unpacked(value: unknown, functions: FunctionRegistry): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => unpacked(item, functions))
  if ('$' in value) return unpackedTag(value as Tagged, functions)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unpacked(member, functions)]))
}

type Tagged =
  | { readonly $: 'missing' }
  | { readonly $: 'int' | 'number'; readonly text: string }
  | { readonly $: 'time'; readonly micros: number; readonly nanos: number }
  | { readonly $: 'duration'; readonly ns: number }
  | { readonly $: 'object'; readonly members: readonly (readonly [string, unknown])[] }
  | { readonly $: 'scalar' | 'aggregate'; readonly name: string }

function unpackedTag(tagged: Tagged, functions: FunctionRegistry): unknown {
  switch (tagged.$) {
    case 'missing':
      return undefined
    case 'int':
      return BigInt(tagged.text)
    case 'number':
      return Number(tagged.text)
    case 'time':
      return new DateTime(tagged.micros, tagged.nanos)
    case 'duration':
      return new Duration(tagged.ns)
    case 'object':
      return Object.fromEntries(tagged.members.map(([name, member]) => [name, unpacked(member, functions)]))
    case 'scalar':
      return functions.scalars.get(tagged.name)
    case 'aggregate':
      return functions.aggregates.get(tagged.name)
  }
}
