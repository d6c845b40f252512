/** A desugared query becomes a logical plan: sources matched, names bound, every stage lowered by its descriptor. */
import type { AstInput, AstPipeline, AstQuery, AstStage } from '../../grammar/ast.ts'
import { NO_SPAN, STAGE_SYNTAX } from '../../grammar/index.ts'
import type { LogicalOp } from '../logical/ops.ts'
import { inputsOf } from '../logical/walk.ts'
import { lowerStage } from '../stages/index.ts'
import type { CoreStage } from '../stages/stage.ts'
import type { Lets, ResolveContext, Resolved } from './context.ts'
import { ExprResolver } from './expression.ts'
import { resolveLets, rowsOfLet } from './lets.ts'
import { EVENTS, Scope } from './scope.ts'
import { resolveSource, resolveTable } from './sources.ts'
import { ALL_TIME } from './time.ts'

/** Uses of lets multiply; beyond this a plan is a mistake. */
const OPS_MAX = 5000

export type ResolveSetting = Omit<ResolveContext, 'knownFields' | 'lets' | 'isInner' | 'rowsOf'>

export function resolve(query: AstQuery, setting: ResolveSetting): Resolved {
  const { lets, unused } = resolveLets(query.lets, setting, (definition, seen) =>
    resolvePipeline(definition.pipeline, contextOf(setting, seen, true)),
  )
  const resolved = resolvePipeline(query.pipeline, contextOf(setting, lets, false))
  for (const { name, nameSpan } of unused()) {
    setting.hint({ code: 'H912', message: `nothing uses $${name}`, span: nameSpan })
  }
  return resolved
}

function contextOf(setting: ResolveSetting, lets: Lets, isInner: boolean): ResolveContext {
  const cx: ResolveContext = {
    ...setting,
    knownFields: null,
    lets,
    isInner,
    rowsOf: input => rowsOf(input, cx),
  }
  return cx
}

function rowsOf(input: AstInput, cx: ResolveContext): Resolved {
  switch (input.kind) {
    case 'let-input':
      return rowsOfLet(input, cx) ?? UNRESOLVED
    case 'pipeline-input':
      return resolvePipeline(input.pipeline, { ...cx, isInner: true })
    case 'lookup-input':
      return resolveTable(input, cx) ?? UNRESOLVED
  }
}

/** Any field may be there: what could not be resolved is not judged. */
const UNKNOWN = new Scope(new Map(EVENTS.fields), true)

/** In the place of rows that are not there; the query is refused for the reason that was reported. */
const UNRESOLVED: Resolved = {
  plan: {
    kind: 'scan',
    origin: NO_SPAN,
    indexes: [],
    lookup: null,
    time: ALL_TIME,
    fields: null,
    limit: null,
    nothing: null,
  },
  scope: UNKNOWN,
  knownFields: null,
}

function resolvePipeline(pipeline: AstPipeline, cx: ResolveContext): Resolved {
  const source = resolveSource(pipeline.from, { start: pipeline.span.start, end: pipeline.span.start }, cx)
  let { plan, scope, knownFields } = source
  if (pipeline.search !== null) {
    const predicate = new ExprResolver(scope, { ...cx, knownFields }).predicate(pipeline.search)
    const conjuncts = predicate.kind === 'and' ? predicate.operands : [predicate]
    plan = { kind: 'filter', origin: pipeline.search.span, input: plan, conjuncts }
  }
  let isBroken = false
  for (const stage of pipeline.stages) {
    // What a stage that could not be read would have made nobody knows: names after it are not judged.
    isBroken ||= stage.kind === 'where' && stage.predicate.kind === 'bad'
    let lacksColumn = false
    const report: ResolveContext['report'] = problem => {
      lacksColumn ||= 'aggregates' in stage && WITHOUT_COLUMN.has(problem.code)
      if (!isBroken || !UNJUDGED.has(problem.code)) cx.report(problem)
    }
    const inStage = { ...cx, report, knownFields }
    const exprs = new ExprResolver(scope, inStage)
    const lowered = lowerStage(asCore(stage), { ...inStage, input: plan, scope, exprs })
    plan = lowered.op
    scope = lowered.scope
    if (lowered.knownFields !== undefined) knownFields = lowered.knownFields
    isBroken ||= lacksColumn
  }
  if (countOps(plan) > OPS_MAX) {
    const message = `with all its lets the query has more than ${OPS_MAX} operators`
    cx.report({ code: 'E501', message, span: pipeline.span })
    return UNRESOLVED
  }
  return isBroken ? { plan, scope: UNKNOWN, knownFields: null } : { plan, scope, knownFields }
}

function countOps(plan: LogicalOp): number {
  let count = 0
  const left = [plan]
  for (let op = left.pop(); op !== undefined && count <= OPS_MAX; op = left.pop()) {
    count++
    left.push(...inputsOf(op))
  }
  return count
}

/** Of an aggregate nobody knows what column it would have made. */
const WITHOUT_COLUMN: ReadonlySet<string> = new Set(['E104', 'E201', 'E202'])

const UNJUDGED: ReadonlySet<string> = new Set(['E101', 'E106', 'E203', 'E204', 'E207'])

function asCore(stage: AstStage): CoreStage {
  const { desugar, desugarRows } = STAGE_SYNTAX[stage.kind]
  if (desugar !== undefined || desugarRows !== undefined)
    throw new Error(`the short form ${stage.kind} was not expanded`)
  return stage as CoreStage
}
