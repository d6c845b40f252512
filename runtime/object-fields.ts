/**
 * Fields as objects. `a` may be read where only `a.b`, `a.c` are fields: the object they make. `a.b` may be read where only `a` is a
 * field: its member. Whatever a stage adds, drops or renames shows in both readings.
 */
import { DateTime, Duration, type ObjectValue, type Value } from '../storage/value.ts'
import { type AnyVector, showing, type Vector } from '../storage/vector.ts'
import { valueAt } from './helpers/vectors.ts'

export interface MemberColumn {
  /** Below the object: `['b', 'c']` for `a.b.c` in `a`. */
  readonly path: readonly string[]
  readonly vector: Vector
}

export function pathWithin(object: string, field: string): readonly string[] {
  return field.slice(object.length + 1).split('.')
}

export function isMember(object: string, field: string): boolean {
  return field.length > object.length && field.startsWith(object) && field[object.length] === '.'
}

/**
 * The object column `base` with members set over it; null when no row has any. A base that is no object, null too, stays as it is.
 * A row that shows nothing of the base goes on showing nothing: its members stand beside it.
 */
export function overlay(base: Vector | null, members: readonly MemberColumn[], rowCount: number): Vector | null {
  let isAny = base !== null
  const values = Array.from({ length: rowCount }, (_, row) => {
    const under = base === null ? undefined : valueAt(base, row)
    if (under !== undefined && !isObject(under)) return under
    let object: ObjectValue | undefined = under
    for (const { path, vector } of members) {
      const value = valueAt(vector, row)
      if (value === undefined) {
        // What is missing now hides what was there before.
        if (object !== undefined && memberAt(object, path) !== undefined) {
          const gone = path.join('.')
          object = stripped(object, '', name => name === gone)
        }
        continue
      }
      isAny = true
      object = withMember(object ?? {}, path, value)
    }
    return object
  })
  if (!isAny) return null
  if (base === null) return { kind: 'any', rowCount, values }
  const showing = base.kind === 'any' && base.shown !== undefined ? base.shown : base
  const isShown = (row: number): boolean => valueAt(showing, row) !== undefined
  if (values.every((value, row) => value === undefined || isShown(row))) return { kind: 'any', rowCount, values }
  const shown = values.map((value, row) => (isShown(row) ? value : undefined))
  return { kind: 'any', rowCount, values, shown: { kind: 'any', rowCount, values: shown } }
}

/** A column that is none of the fields: the object of its members, or a member of an object; null when it is neither. */
export function derivedColumn(
  name: string,
  fields: readonly string[],
  columnOf: (field: string) => Vector,
  rowCount: number,
): Vector | null {
  const members = fields.filter(field => isMember(name, field))
  if (members.length > 0) {
    return overlay(
      null,
      members.map(field => ({ path: pathWithin(name, field), vector: columnOf(field) })),
      rowCount,
    )
  }
  const outer = fields.findLast(field => isMember(field, name))
  return outer === undefined ? null : memberOf(columnOf(outer), pathWithin(outer, name), null)
}

/** What the first column has where it has something, and what the second has elsewhere. */
export function firstOf(first: Vector, second: Vector): AnyVector {
  const { rowCount } = first
  const values = Array.from({ length: rowCount }, (_, row) => {
    const value = valueAt(first, row)
    return value === undefined ? valueAt(second, row) : value
  })
  return { kind: 'any', rowCount, values }
}

/** The object column without the members that are gone; missing where nothing is left. */
export function strip(base: Vector, isGone: (path: string) => boolean): Vector {
  const { rowCount } = base
  const values = Array.from({ length: rowCount }, (_, row) => {
    const value = valueAt(base, row)
    return isObject(value) ? stripped(value, '', isGone) : value
  })
  const plain: AnyVector = { kind: 'any', rowCount, values }
  return base.kind === 'any' && base.shown !== undefined ? showing(plain, strip(base.shown, isGone)) : plain
}

function stripped(object: ObjectValue, prefix: string, isGone: (path: string) => boolean): ObjectValue | undefined {
  const members = Object.entries(object)
  // It had nothing to lose.
  if (members.length === 0) return object
  const kept: [string, Value][] = []
  for (const [name, value] of members) {
    const path = `${prefix}${name}`
    if (isGone(path)) continue
    const inner = isObject(value) ? stripped(value, `${path}.`, isGone) : value
    if (inner !== undefined) kept.push([name, inner])
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** `a.b` from the objects in `a`; a row that has a field of that very name keeps it. */
export function memberOf(object: Vector, path: readonly string[], flat: Vector | null): Vector {
  const { rowCount } = object
  const values = Array.from({ length: rowCount }, (_, row) => {
    const own = flat === null ? undefined : valueAt(flat, row)
    return own === undefined ? memberAt(valueAt(object, row), path) : own
  })
  return { kind: 'any', rowCount, values }
}

function memberAt(value: Value, path: readonly string[]): Value {
  let inner: Value = value
  for (const step of path) {
    if (!isObject(inner) || !Object.hasOwn(inner, step)) return undefined
    inner = inner[step]
  }
  return inner
}

function withMember(object: ObjectValue, path: readonly string[], value: Value): ObjectValue {
  const [first, ...rest] = path
  const old = Object.hasOwn(object, first!) ? object[first!] : undefined
  const inner = rest.length === 0 ? value : withMember(isObject(old) ? old : {}, rest, value)
  const entries = Object.entries(object).filter(([name]) => name !== first)
  entries.push([first!, inner])
  // In order of names: the order in which a part met its fields must not show. Not by assignment: a name may be `__proto__`.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
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
