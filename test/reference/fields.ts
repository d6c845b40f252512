/** `keep`, `drop` and `rename`: which fields a row has. */
import type { AstDrop, AstFieldPattern, AstKeep, AstRename } from '../../grammar/ast.ts'
import type { Value } from '../../storage/value.ts'
import { isObject, type Row, readField, setField } from './row.ts'

interface Result {
  readonly rows: Row[]
  readonly columns: string[] | null
}

function isMatch(pattern: AstFieldPattern, name: string): boolean {
  if (!pattern.isPattern) return pattern.pattern === name || name.startsWith(`${pattern.pattern}.`)
  const regex = pattern.pattern.split('*').map(text => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${regex.join('.*')}$`, 's').test(name)
}

/** A name keeps that field, and the fields of the object it names; a pattern keeps what it matches. */
export function keepFields(stage: AstKeep, rows: readonly Row[], columns: string[] | null): Result {
  const isKept = (name: string): boolean =>
    stage.fields.some(field => isMatch(field, name)) && !stage.except.some(field => isMatch(field, name))
  const onlyNames = stage.fields.every(field => !field.isPattern)
  if (onlyNames && stage.except.length === 0) {
    const names = stage.fields.map(field => field.pattern)
    return { rows: rows.map(row => pick(row, names)), columns: names }
  }
  return {
    rows: rows.map(row => ({ ...row, fields: new Map([...row.fields].filter(([name]) => isKept(name))) })),
    columns: columns && orderOf(stage, columns).filter(isKept),
  }
}

function orderOf(stage: AstKeep, columns: readonly string[]): string[] {
  return [...new Set(stage.fields.flatMap(field => columns.filter(name => isMatch(field, name))))]
}

function pick(row: Row, names: readonly string[]): Row {
  const fields = new Map<string, Value>()
  for (const name of names) {
    const value = readField(row, name)
    if (value !== undefined) fields.set(name, value)
  }
  return { fields, index: row.index }
}

export function dropFields(stage: AstDrop, rows: readonly Row[], columns: string[] | null): Result {
  const isKept = (name: string): boolean => !stage.fields.some(field => isMatch(field, name))
  return {
    rows: rows.map(row => {
      const kept = [...row.fields].filter(([name]) => isKept(name))
      return { ...row, fields: withoutMembers(kept, path => !isKept(path)) }
    }),
    columns: columns === null ? null : columns.filter(isKept),
  }
}

/** Fields without the members of objects that are gone; an object of which nothing is left is missing. */
function withoutMembers(
  fields: readonly (readonly [string, Value])[],
  isGone: (path: string) => boolean,
): Map<string, Value> {
  const left = new Map<string, Value>()
  for (const [name, value] of fields) {
    const rest = without(value, name, isGone)
    if (rest !== undefined || value === undefined) left.set(name, rest)
  }
  return left
}

function without(value: Value, path: string, isGone: (path: string) => boolean): Value {
  if (!isObject(value) || Object.keys(value).length === 0) return value
  const members = Object.entries(value)
    .filter(([name]) => !isGone(`${path}.${name}`))
    .map(([name, member]) => [name, without(member, `${path}.${name}`, isGone)] as const)
    .filter(([, member]) => member !== undefined)
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

/** All at once, so `rename a as b, b as a` swaps; a field keeps its place, an object takes its members along. */
export function renameFields(stage: AstRename, rows: readonly Row[], columns: string[] | null): Result {
  const pairs = new Map(stage.pairs.map(({ from, to }) => [from.name, to]))
  const targets = [...pairs.values()]
  const nameOf = (path: string): string | null => {
    const object = [...pairs.keys()].filter(from => isAtOrBelow(from, path)).sort((a, b) => b.length - a.length)[0]
    const to = object === undefined ? path : pairs.get(object)! + path.slice(object.length)
    if (object === path) return to
    const owner = object === undefined ? '' : pairs.get(object)!
    return targets.some(target => target !== owner && target.startsWith(owner) && isAtOrBelow(target, to)) ? null : to
  }
  return {
    rows: rows.map(row => {
      const left = (value: Value, from: string, to: string): Value =>
        without(value, from, path => nameOf(path) !== to + path.slice(from.length))
      const renamed: Row = { fields: new Map(), index: pairs.has('index') ? undefined : row.index }
      for (const [name, value] of row.fields) {
        const to = nameOf(name)
        const rest = to === null ? undefined : left(value, name, to)
        if (rest !== undefined) renamed.fields.set(to!, rest)
      }
      // A member of an object becomes a field of its own, and leaves the object.
      for (const [from, to] of pairs) {
        const isBeside = from === 'index' || isInObject(row, from)
        const member = row.fields.has(from) || isBeside ? left(readField(row, from), from, to) : undefined
        if (member !== undefined) setField(renamed, to, member)
      }
      return renamed
    }),
    columns: columns === null ? null : columns.map(nameOf).filter(name => name !== null),
  }
}

function isAtOrBelow(object: string, path: string): boolean {
  return path === object || path.startsWith(`${object}.`)
}

function isInObject(row: Row, name: string): boolean {
  return [...row.fields.keys()].some(field => name.startsWith(`${field}.`))
}
