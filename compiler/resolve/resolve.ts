/** A desugared query becomes a logical plan: sources matched, names bound, every stage lowered by its descriptor. */
import type { AstFrom, AstQuery, AstSourceName, AstStage } from '../../grammar/ast.ts'
import { type Span, STAGE_SYNTAX, suggestName } from '../../grammar/index.ts'
import { globMatches, parseGlob } from '../../runtime/helpers/glob.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import type { DateTime } from '../../storage/value.ts'
import type { LogicalOp, ScanOp } from '../logical/ops.ts'
import { lowerStage } from '../stages/index.ts'
import type { CoreStage } from '../stages/stage.ts'
import type { ResolveContext } from './context.ts'
import { ExprResolver, listed } from './expression.ts'
import { EVENTS, type Scope } from './scope.ts'
import { ALL_TIME, intersect, rangeOf } from './time.ts'

export interface Resolved {
  readonly plan: LogicalOp
  readonly scope: Scope
  readonly scan: ScanOp
}

const DEFAULT_INDEX = 'main'

/** The indexes a query reads; also asked before resolving, to know which fields there are. */
export function indexesOf(query: AstQuery, cx: Pick<ResolveContext, 'catalog' | 'report'>): readonly string[] {
  const { from } = query.pipeline
  return from === null ? [DEFAULT_INDEX] : matchedIndexes(from, cx)
}

export function resolve(
  query: AstQuery,
  indexes: readonly string[],
  time: TimeRange,
  now: DateTime,
  cx: ResolveContext,
): Resolved {
  const { pipeline } = query
  for (const definition of query.lets) {
    cx.report({ code: 'E403', message: 'let is not available yet', span: definition.span })
  }
  const ranges = (pipeline.from?.ranges ?? []).map(range => rangeOf(range, now))
  const origin: Span = pipeline.from?.span ?? { start: pipeline.span.start, end: pipeline.span.start }
  const scan: ScanOp = {
    kind: 'scan',
    origin,
    indexes,
    time: [time, ...ranges].reduce(intersect, ALL_TIME),
    fields: null,
    limit: null,
    nothing: null,
  }
  let plan: LogicalOp = scan
  let scope = EVENTS
  if (pipeline.search !== null) {
    const predicate = new ExprResolver(scope, cx).predicate(pipeline.search)
    const conjuncts = predicate.kind === 'and' ? predicate.operands : [predicate]
    plan = { kind: 'filter', origin: pipeline.search.span, input: plan, conjuncts }
  }
  let isBroken = false
  for (const stage of pipeline.stages) {
    // What a stage that could not be read would have made nobody knows: names after it are not judged.
    isBroken ||= stage.kind === 'where' && stage.predicate.kind === 'bad'
    const report: ResolveContext['report'] = isBroken
      ? problem => UNJUDGED.has(problem.code) || cx.report(problem)
      : cx.report
    const inStage = { ...cx, report }
    const exprs = new ExprResolver(scope, inStage)
    const lowered = lowerStage(asCore(stage), { ...inStage, input: plan, scope, exprs })
    plan = lowered.op
    scope = lowered.scope
  }
  return { plan, scope, scan }
}

const UNJUDGED: ReadonlySet<string> = new Set(['E101', 'E106', 'E203', 'E204', 'E207'])

function asCore(stage: AstStage): CoreStage {
  if (STAGE_SYNTAX[stage.kind].desugar !== undefined) throw new Error(`the short form ${stage.kind} was not expanded`)
  return stage as CoreStage
}

function matchedIndexes(from: AstFrom, cx: Pick<ResolveContext, 'catalog' | 'report'>): readonly string[] {
  const { indexes } = cx.catalog
  const included = new Set<string>()
  for (const source of from.sources) {
    if (source.exclude) continue
    if (source.isLet) {
      cx.report({ code: 'E403', message: `$${source.pattern} is not available here`, span: source.span })
      continue
    }
    const matched = indexes.filter(name => matchesName(source.pattern, name))
    for (const name of matched) included.add(name)
    if (matched.length > 0 || source.pattern.includes('*')) continue
    // The default index exists from the start, empty.
    if (source.pattern === DEFAULT_INDEX) included.add(DEFAULT_INDEX)
    else reportUnknown(source, cx)
  }
  for (const source of from.sources) {
    if (source.exclude) for (const name of [...included]) if (matchesName(source.pattern, name)) included.delete(name)
  }
  return [...included].sort()
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.includes('*') ? globMatches(parseGlob(pattern), name) : pattern === name
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
