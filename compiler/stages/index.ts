/** The stages that reach the compiler. The type makes the list complete: a new kind in the syntax tree is an error here. */

import { changepoint } from './changepoint.ts'
import { drop, keep, rename } from './columns.ts'
import { compare } from './compare.ts'
import { context } from './context.ts'
import { correlate } from './correlate.ts'
import { describe } from './describe.ts'
import { diff } from './diff.ts'
import { eventstats } from './eventstats.ts'
import { explode } from './explode.ts'
import { extend } from './extend.ts'
import { fill } from './fill.ts'
import { forecast } from './forecast.ts'
import { join, lookup } from './join.ts'
import { dedup, head, tail } from './limit.ts'
import { outliers } from './outliers.ts'
import { parse } from './parse.ts'
import { patterns } from './patterns.ts'
import { rollup } from './rollup.ts'
import { sample } from './sample.ts'
import { sessionize } from './sessionize.ts'
import { sort } from './sort.ts'
import type { CoreKind, CoreStage, LowerContext, Lowered, Stage } from './stage.ts'
import { stats } from './stats.ts'
import { streamstats } from './streamstats.ts'
import { tee } from './tee.ts'
import { topology } from './topology.ts'
import { trace } from './trace.ts'
import { transaction } from './transaction.ts'
import { union } from './union.ts'
import { where } from './where.ts'
import { xyseries } from './xyseries.ts'

export const STAGES: { readonly [K in CoreKind]: Stage<K> } = {
  where,
  parse,
  extend,
  keep,
  drop,
  rename,
  stats,
  eventstats,
  streamstats,
  sort,
  head,
  tail,
  dedup,
  describe,
  sample,
  fill,
  xyseries,
  rollup,
  sessionize,
  transaction,
  trace,
  topology,
  correlate,
  outliers,
  context,
  diff,
  changepoint,
  forecast,
  patterns,
  compare,
  union,
  explode,
  tee,
  join,
  lookup,
}

/** Does it give rows while it reads? */
export function streams(stage: CoreStage): boolean {
  const descriptor = STAGES[stage.kind] as unknown as Stage<CoreKind>
  return descriptor.class === 'streams' && descriptor.blocks?.(stage) !== true
}

export function lowerStage(stage: CoreStage, cx: LowerContext): Lowered {
  // The registry is keyed by the same kind, which the type system cannot follow through a union.
  const descriptor = STAGES[stage.kind] as unknown as Stage<CoreKind>
  return descriptor.lower(stage, cx)
}
