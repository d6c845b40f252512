/** `keep`, `drop` and `rename`: which fields a row has. */
import type { AstDrop, AstFieldPattern, AstKeep, AstRename } from '../../grammar/ast.ts'
import type { Value } from '../../storage/value.ts'
import { copyOf, type Row, readField } from './row.ts'

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
    rows: rows.map(row => ({ ...row, fields: new Map([...row.fields].filter(([name]) => isKept(name))) })),
    columns: columns === null ? null : columns.filter(isKept),
  }
}

/** All at once, so `rename a as b, b as a` swaps; the field keeps its place. */
export function renameFields(stage: AstRename, rows: readonly Row[], columns: string[] | null): Result {
  const newName = new Map(stage.pairs.map(({ from, to }) => [from.name, to]))
  const targets = new Set(newName.values())
  const nameOf = (name: string): string | null => newName.get(name) ?? (targets.has(name) ? null : name)
  return {
    rows: rows.map(row => {
      const fields = new Map<string, Value>()
      for (const [name, value] of copyOf(row).fields) {
        const renamed = nameOf(name)
        if (renamed !== null) fields.set(renamed, value)
      }
      return { fields, index: row.index }
    }),
    columns: columns === null ? null : columns.map(nameOf).filter(name => name !== null),
  }
}
