/** Arrays and objects. Nothing is changed in place: values are shared between rows. */
import { DateTime, Duration, type ObjectValue, type Value } from '../../storage/value.ts'
import { compareValues, keyOf } from './compare.ts'
import { toText, valueToJson } from './format-value.ts'
import { normalFloat, normalInt, toIndex } from './numbers.ts'

function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

function asObject(value: Value): ObjectValue | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return value instanceof DateTime || value instanceof Duration ? null : (value as ObjectValue)
}

/** An object from entries; `__proto__` is a key like any other. */
function objectOf(entries: Iterable<readonly [string, Value]>): ObjectValue {
  const object: Record<string, Value> = {}
  for (const [name, value] of entries) {
    if (name === '__proto__') {
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
    } else object[name] = value
  }
  return object
}

/** `arr[i]`: negative from the end; missing when there is no such member. */
function indexAt(value: Value, index: Value): Value {
  if (isArray(value)) {
    const at = toIndex(index)
    return at === null ? null : value.at(at)
  }
  const object = asObject(value)
  const name = toText(index)
  if (object === null || name === null) return null
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** `obj.f`: missing when there is no such key, or no object. */
function member(value: Value, name: Value): Value {
  const object = asObject(value)
  return object !== null && typeof name === 'string' && Object.hasOwn(object, name) ? object[name] : undefined
}

function slice(value: Value, start: Value, end?: Value): Value {
  const from = toIndex(start)
  const to = end === undefined ? undefined : toIndex(end)
  if (from === null || to === null) return null
  return isArray(value) ? value.slice(from, to) : typeof value === 'string' ? [...value].slice(from, to).join('') : null
}

function arrayConcat(...lists: Value[]): Value {
  const all: Value[] = []
  for (const list of lists) {
    if (!isArray(list)) return null
    // Not `push(...list)`: a long list would overflow the stack.
    for (const item of list) all.push(item)
  }
  return all
}

/** The first of equals stays. */
function arrayDistinct(value: Value): Value {
  if (!isArray(value)) return null
  const seen = new Set<string | number>()
  return value.filter(item => {
    const key = keyOf(item)
    return seen.has(key) ? false : seen.add(key)
  })
}

function arraySort(value: Value, descending?: Value): Value {
  if (!isArray(value)) return null
  const sign = descending === true ? -1 : 1
  return value.toSorted((a, b) => sign * compareValues(a, b))
}

/** Arrays within an array become its members, one level. */
function flatten(value: Value): Value {
  return isArray(value) ? (value as Value[]).flat() : null
}

function keys(value: Value): Value {
  const object = asObject(value)
  return object === null ? null : Object.keys(object)
}

function values(value: Value): Value {
  const object = asObject(value)
  return object === null ? null : Object.values(object)
}

/** Later objects win. */
function merge(...objects: Value[]): Value {
  const entries: [string, Value][] = []
  for (const argument of objects) {
    const object = asObject(argument)
    if (object === null) return null
    entries.push(...Object.entries(object))
  }
  return objectOf(entries)
}

function hasKey(value: Value, name: Value): Value {
  const object = asObject(value)
  const key = toText(name)
  return object === null || key === null ? null : Object.hasOwn(object, key)
}

function toJson(value: Value): Value {
  return value === undefined || value === null ? 'null' : valueToJson(value)
}

const LONG_DIGITS = /\d{16}/
const MAX_DEPTH = 200

/** Null when the text is not JSON. Ints beyond 2^53 keep their digits, if this JavaScript can tell them. */
function fromJson(value: Value): Value {
  if (typeof value !== 'string') return null
  try {
    if (!LONG_DIGITS.test(value)) return normalise(JSON.parse(value), 0)
    return normalise(JSON.parse(markLongInts(value), unmark), 0)
  } catch {
    return null
  }
}

const MARK = '\u0000int:'
const STRING_OR_LONG_INT = /"(?:[^"\\]|\\.)*"|-?\b\d{16,}(?![\d.eE])/g

/** Long ints outside strings travel through JSON.parse as marked strings; a text of its own never starts with a raw NUL. */
function markLongInts(text: string): string {
  return text.replace(STRING_OR_LONG_INT, found => (found.startsWith('"') ? found : `"\\u0000int:${found}"`))
}

function unmark(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(MARK) ? normalInt(BigInt(value.slice(MARK.length))) : value
}

function normalise(value: unknown, depth: number): Value {
  if (depth > MAX_DEPTH) return null
  switch (typeof value) {
    case 'number':
      return normalFloat(value)
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    default:
      if (value === null || typeof value !== 'object') return null
      if (Array.isArray(value)) return value.map(item => normalise(item, depth + 1))
      return objectOf(Object.entries(value).map(([name, item]) => [name, normalise(item, depth + 1)] as const))
  }
}

/** `[a, b]` and `{k: v}` as generated code writes them when a member may be missing. */
function makeArray(...items: Value[]): Value {
  return items.map(item => item ?? null)
}

function makeObject(...pairs: Value[]): Value {
  const entries: [string, Value][] = []
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const value = pairs[i + 1]
    if (value !== undefined) entries.push([toText(pairs[i]) ?? '', value])
  }
  return objectOf(entries)
}

export const COLLECTION_HELPERS = {
  indexAt,
  member,
  slice,
  arrayConcat,
  arrayDistinct,
  arraySort,
  flatten,
  keys,
  values,
  merge,
  hasKey,
  toJson,
  fromJson,
  makeArray,
  makeObject,
}
