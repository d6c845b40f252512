/** The stages that reach the compiler. The type makes the list complete: a new kind in the syntax tree is an error here. */
import { drop, keep, rename } from './columns.ts'
import { describe } from './describe.ts'
import { extend } from './extend.ts'
import { dedup, head, tail } from './limit.ts'
import { parse } from './parse.ts'
import { patterns } from './patterns.ts'
import { sample } from './sample.ts'
import { sort } from './sort.ts'
import type { CoreKind, CoreStage, LowerContext, Lowered, Stage } from './stage.ts'
import { stats } from './stats.ts'
import { where } from './where.ts'

export const STAGES: { readonly [K in CoreKind]: Stage<K> } = {
  where,
  parse,
  extend,
  keep,
  drop,
  rename,
  stats,
  sort,
  head,
  tail,
  dedup,
  describe,
  sample,
  patterns,
}

export function lowerStage(stage: CoreStage, cx: LowerContext): Lowered {
  // The registry is keyed by the same kind, which the type system cannot follow through a union.
  const descriptor = STAGES[stage.kind] as unknown as Stage<CoreKind>
  return descriptor.lower(stage, cx)
}
