/**
 * Rows of the reference interpreter: a plain map from name to value, read by the rules of the language and nothing cleverer.
 * The interpreter exists to disagree with the engine, so it shares none of its machinery beyond the values themselves.
 */
import type { IncomingEvent } from '../../storage/index.ts'
import { DateTime, Duration, type ObjectValue, type Value } from '../../storage/value.ts'

export interface Row {
  readonly fields: Map<string, Value>
  /** The virtual field `index`; undefined once rows are no longer events. */
  readonly index: string | undefined
}

export function rowOf(event: IncomingEvent): Row {
  const fields = new Map<string, Value>([['_time', event.time]])
  if (event.raw !== null) fields.set('_raw', event.raw)
  for (const [name, value] of event.fields) if (value !== undefined) fields.set(name, value)
  return { fields, index: event.index }
}

export function copyOf(row: Row): Row {
  return { fields: new Map(row.fields), index: row.index }
}

export function isAbsent(value: Value): value is null | undefined {
  return value === null || value === undefined
}

export function isObject(value: Value): value is ObjectValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof DateTime) &&
    !(value instanceof Duration)
  )
}

/** The flat field of that name; else a member of an object field; else an object put together from `name.*`; else missing. */
export function readField(row: Row, written: string): Value {
  const { fields } = row
  // `source` is how people write `_source`; a column that a stage named `source` is just that column.
  const name = written === 'source' && row.index !== undefined && fields.has('_source') ? '_source' : written
  if (fields.has(name)) return fields.get(name)
  if (name === 'index' && row.index !== undefined) return row.index
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const outer = name.slice(0, dot)
    if (fields.has(outer)) return memberOf(fields.get(outer), name.slice(dot + 1).split('.'))
  }
  return assemble(fields, name)
}

/** Sets a field, and what it is in the objects it is a member of; undefined: it is missing from now on. */
export function setField({ fields }: Row, name: string, value: Value): void {
  fields.set(name, value)
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const outer = fields.get(name.slice(0, dot))
    if (isObject(outer)) fields.set(name.slice(0, dot), withMember(outer, name.slice(dot + 1).split('.'), value))
  }
}

/** Undefined when nothing is left of the object. */
function withMember(object: ObjectValue, [first, ...rest]: readonly string[], value: Value): ObjectValue | undefined {
  const old = Object.hasOwn(object, first!) ? object[first!] : undefined
  if (old === undefined && value === undefined) return object
  const inner = rest.length === 0 ? value : withMember(isObject(old) ? old : {}, rest, value)
  const others = Object.entries(object).filter(([name]) => name !== first)
  if (inner !== undefined) return Object.fromEntries([...others, [first!, inner]])
  return others.length === 0 ? undefined : Object.fromEntries(others)
}

function memberOf(value: Value, path: readonly string[]): Value {
  let at = value
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

/** `{b: {c: 1}, d: 2}` out of `name.b.c` and `name.d`. */
function assemble(fields: ReadonlyMap<string, Value>, name: string): Value {
  const prefix = `${name}.`
  const result: { [key: string]: Value } = {}
  let found = false
  for (const [path, value] of fields) {
    if (!path.startsWith(prefix) || value === undefined) continue
    found = true
    const steps = path.slice(prefix.length).split('.')
    const last = steps.pop() as string
    let at = result
    for (const step of steps) {
      const inner = Object.hasOwn(at, step) ? at[step] : undefined
      const next: { [key: string]: Value } = isObject(inner as Value) ? (inner as { [key: string]: Value }) : {}
      at[step] = next
      at = next
    }
    at[last] = value
  }
  return found ? inOrderOfNames(result) : undefined
}

/** The order in which fields came along does not show in an object that is put together. */
function inOrderOfNames(object: { readonly [key: string]: Value }): ObjectValue {
  const entries = Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(entries.map(([name, value]) => [name, isObject(value) ? inOrderOfNames(value) : value]))
}
