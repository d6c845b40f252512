/** What stands after `from`: names matched against the catalog, lets, and both side by side. */
import type { AstFrom, AstLookupInput, AstSourceName, AstTimeRange } from '../../grammar/ast.ts'
import { quoteField, type Span, suggestName } from '../../grammar/index.ts'
import { globMatches, parseGlob } from '../../runtime/helpers/glob.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import { DateTime } from '../../storage/value.ts'
import { lookupScalar } from '../functions/index.ts'
import type { Expr } from '../logical/expr.ts'
import type { LogicalOp, ScanOp } from '../logical/ops.ts'
import type { ResolveContext, Resolved } from './context.ts'
import { listed, literal } from './expression.ts'
import { EVENTS, Scope } from './scope.ts'
import { ALL_TIME, intersect, rangeOf } from './time.ts'
import { unionOf } from './union.ts'

const DEFAULT_INDEX = 'main'

/** @param origin  where the pipeline begins, for one without `from` */
export function resolveSource(from: AstFrom | null, origin: Span, cx: ResolveContext): Resolved {
  if (from === null) return scanOf([DEFAULT_INDEX], ALL_TIME, origin, cx)
  const range = from.ranges.map(each => rangeOf(each, cx.now)).reduce(intersect, ALL_TIME)
  const names = from.sources.filter(source => !source.isLet)
  const inputs: Resolved[] = []
  const isOnlyExcluding = names.length > 0 && names.every(source => source.exclude)
  if (isOnlyExcluding && names.length < from.sources.length) {
    const [first] = names
    cx.report({ code: 'E301', message: 'there are no indexes here to exclude any from', span: first!.span })
  }
  for (const source of from.sources) {
    if (source.isLet) inputs.push(rowsWithin(letRows(source, cx), source, from.ranges, range, cx))
    // One scan reads all indexes; it stands where the first is named.
    else if (source === names[0]) inputs.push(scanOf(matchedIndexes(names, cx), range, from.span, cx))
  }
  return unionOf(inputs, from.span)
}

function scanOf(indexes: readonly string[], range: TimeRange, origin: Span, cx: ResolveContext): Resolved {
  const time = intersect(cx.time, range)
  const plan: ScanOp = { kind: 'scan', origin, indexes, lookup: null, time, fields: null, limit: null, nothing: null }
  return { plan, scope: EVENTS, knownFields: cx.catalog.fields(indexes) }
}

function letRows(source: AstSourceName, cx: ResolveContext): Resolved {
  if (source.exclude) {
    cx.report({
      code: 'E301',
      message: `only index names are excluded; '$${source.pattern}' names rows`,
      span: source.span,
    })
  }
  return cx.rowsOf({ kind: 'let-input', span: source.span, name: source.pattern })
}

/** A time range after a let keeps those of its rows that lie in it. */
function rowsWithin(
  rows: Resolved,
  source: AstSourceName,
  ranges: readonly AstTimeRange[],
  range: TimeRange,
  cx: ResolveContext,
): Resolved {
  const [first] = ranges
  if (first === undefined) return rows
  if (!rows.scope.has('_time')) {
    const message = `the rows of $${source.pattern} have no _time, so they lie in no time range`
    cx.report({ code: 'E101', message, span: first.span })
    return rows
  }
  const bound = (operator: '>=' | '<', micros: number | null): Expr[] => {
    if (micros === null) return []
    const fn = lookupScalar(cx.functions, operator)
    if (fn === null) throw new Error(`operator ${operator} has no descriptor`)
    const field: Expr = { kind: 'field', type: rows.scope.typeOf('_time'), origin: first.span, name: '_time' }
    const args = [field, literal(new DateTime(micros), first.span)]
    return [{ kind: 'call', type: 'bool', origin: first.span, function: fn, args }]
  }
  const conjuncts = [...bound('>=', range.fromMicros), ...bound('<', range.toMicros)]
  const plan: LogicalOp = { kind: 'filter', origin: first.span, input: rows.plan, conjuncts }
  return { ...rows, plan }
}

function matchedIndexes(sources: readonly AstSourceName[], cx: ResolveContext): readonly string[] {
  const { indexes } = cx.catalog
  const included = new Set<string>()
  const isOnlyExcluding = sources.every(source => source.exclude)
  for (const source of sources) {
    if (source.exclude) continue
    const matched = indexes.filter(name => matchesName(source.pattern, name))
    for (const name of matched) included.add(name)
    if (matched.length > 0 || isGlob(source.pattern)) continue
    // The default index exists from the start, empty.
    if (source.pattern === DEFAULT_INDEX) included.add(DEFAULT_INDEX)
    else reportUnknown(source, cx)
  }
  if (isOnlyExcluding) for (const name of indexes) included.add(name)
  for (const source of sources) {
    if (source.exclude) for (const name of [...included]) if (matchesName(source.pattern, name)) included.delete(name)
  }
  return [...included].sort()
}

function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern)
}

function matchesName(pattern: string, name: string): boolean {
  return isGlob(pattern) ? globMatches(parseGlob(pattern), name) : pattern === name
}

function reportUnknown(source: AstSourceName, cx: Pick<ResolveContext, 'catalog' | 'report'>): void {
  const { indexes, sources } = cx.catalog
  if (sources.includes(source.pattern)) {
    const text = `main | where _source == ${JSON.stringify(source.pattern)}`
    cx.report({
      code: 'E103',
      message: `'${source.pattern}' is a source, not an index; filter by it`,
      span: source.span,
      suggestion: text,
      edit: { span: source.span, text },
    })
    return
  }
  const near = suggestName(source.pattern, [...indexes])
  cx.report({
    code: 'E103',
    message: `no index '${source.pattern}'; there are ${listed(indexes)}`,
    span: source.span,
    ...(near !== null && { suggestion: near, edit: { span: source.span, text: near } }),
  })
}

/** A lookup table as rows; null, with the reason reported, when there is none of that name. */
export function resolveTable(input: AstLookupInput, cx: ResolveContext): Resolved | null {
  const { name, nameSpan } = input
  const table = cx.catalog.lookup(name)
  if (table?.columns === null) {
    cx.report({ code: 'E110', message: table.problem, span: nameSpan })
    return null
  }
  if (table === null) {
    const { lookups } = cx.catalog
    const near = suggestName(name, [...lookups])
    const there = lookups.length === 0 ? 'none was given' : `there are ${listed(lookups)}`
    cx.report({
      code: 'E110',
      message: `no lookup table '${name}'; ${there}`,
      span: nameSpan,
      ...(near !== null && { suggestion: near, edit: { span: nameSpan, text: quoteField(near) } }),
    })
    return null
  }
  const { columns } = table
  const plan: ScanOp = {
    kind: 'scan',
    origin: input.span,
    indexes: [],
    lookup: name,
    time: ALL_TIME,
    // Rows of a table have no time and no text, and all else they have is known.
    fields: [...columns.keys()],
    limit: null,
    nothing: null,
  }
  return { plan, scope: new Scope(columns, false), knownFields: null }
}
