/**
 * The columns of a pipeline as far as its text tells: what completion offers behind a stage. Types and the data are unknown here;
 * `compiler/resolve/scope.ts` is the truth, and a test holds this to it wherever both know all columns.
 */
import type { AstFieldPattern, AstFrom, AstInput, AstLet, AstPipeline, AstStage } from './ast.ts'
import { syntaxOf } from './stages/index.ts'

export interface Column {
  readonly name: string
  /** What it was computed by: `avg(ms)`, `ms / 1000`. Null for a field of the events. */
  readonly text: string | null
  /** The field of the events whose values it has, under whichever name. */
  readonly source: string | null
  /** What a stats grouped by: as long as its values are what they were. */
  readonly isKey?: true
  /** The stage that makes it, where no expression does: `parse json`, `outliers`. */
  readonly madeBy?: string
}

export interface Columns {
  readonly all: readonly Column[]
  /** Events may have fields that nobody knows; the rows of a stats have these columns and no others. */
  readonly isOpen: boolean
  /** The fields that formats of `parse` are known to make. */
  readonly formats?: ReadonlyMap<string, readonly string[]>
}

export function fieldColumn(name: string): Column {
  return { name, text: null, source: name }
}

/** Where pipelines begin, as far as whoever asks knows it. */
export interface Sources {
  /** Of indexes; the default one where no `from` stands. */
  events(from: AstFrom | null): Columns
  /** Of a lookup table. */
  table(name: string): Columns
  readonly lets: readonly AstLet[]
}

/** The columns behind the last stage of a pipeline. */
export function columnsOf({ from, stages }: Pick<AstPipeline, 'from' | 'stages'>, sources: Sources): Columns {
  return stages.reduce((columns, stage) => columnsAfter(stage, columns, sources), startOf(from, sources))
}

/** `from $a, main` has the columns of both. */
function startOf(from: AstFrom | null, sources: Sources): Columns {
  const lets = from?.sources.filter(source => source.isLet) ?? []
  if (from === null || lets.length === 0) return sources.events(from)
  const inputs = lets.map(({ pattern }) => columnsOfLet(pattern, sources))
  const names = from.sources.filter(source => !source.isLet)
  return unionColumns(names.length === 0 ? inputs : [sources.events({ ...from, sources: names }), ...inputs])
}

export function columnsOfInput(input: AstInput, sources: Sources): Columns {
  switch (input.kind) {
    case 'let-input':
      return columnsOfLet(input.name, sources)
    case 'pipeline-input':
      return columnsOf(input.pipeline, sources)
    case 'lookup-input':
      return sources.table(input.name)
  }
}

/** Of a name that nothing has, the columns may be any. */
function columnsOfLet(name: string, sources: Sources): Columns {
  const { lets } = sources
  const index = lets.findLastIndex(each => each.name === name)
  const found = lets[index]
  if (found === undefined) return sources.events(null)
  // A let sees only those before it, so this ends.
  return columnsOf(found.pipeline, { ...sources, lets: lets.slice(0, index) })
}

export function unionColumns([first, ...others]: readonly Columns[]): Columns {
  if (first === undefined) throw new Error('a union of nothing')
  return others.reduce<Columns>(
    (columns, each) => ({ ...withColumns(columns, each.all), isOpen: columns.isOpen || each.isOpen }),
    first,
  )
}

/** The columns behind a stage. A short form does what its expansion does; a stage that does not say changes nothing. */
function columnsAfter(stage: AstStage, before: Columns, sources: Sources): Columns {
  const syntax = syntaxOf(stage.kind)
  if (syntax.columns !== undefined) return syntax.columns(stage, before, input => columnsOfInput(input, sources))
  const expansion = syntax.desugar?.(stage)
  return expansion === undefined
    ? before
    : expansion.stages.reduce((columns, each) => columnsAfter(each, columns, sources), before)
}

/** New ones behind the others; one of the same name is replaced where it stands. */
export function withColumns(before: Columns, added: readonly Column[]): Columns {
  const all = new Map(before.all.map(column => [column.name, column]))
  for (const column of added) all.set(column.name, column)
  return { ...before, all: [...all.values()] }
}

/** Columns that a stage makes of its own. */
export function madeColumns(stage: string, names: readonly string[]): Column[] {
  return names.map(name => ({ name, text: null, source: null, madeBy: stage }))
}

export function columnNamed(columns: Columns, name: string): Column {
  return columns.all.find(column => column.name === name) ?? fieldColumn(name)
}

/** Those that a list of names and patterns means, in its order; names that nobody knows are columns too. */
export function selectColumns(before: Columns, wanted: readonly AstFieldPattern[]): Column[] {
  const found = new Map<string, Column>()
  for (const { pattern, isPattern } of wanted) {
    const matching = isPattern
      ? before.all.filter(c => matchesPattern(c.name, pattern))
      : [columnNamed(before, pattern)]
    for (const column of matching) if (!found.has(column.name)) found.set(column.name, column)
  }
  return [...found.values()]
}

export function matchesPattern(name: string, pattern: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return name === pattern
  const last = parts.at(-1) ?? ''
  if (!name.startsWith(parts[0] ?? '') || !name.endsWith(last)) return false
  let at = (parts[0] ?? '').length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at + last.length <= name.length
}
