/** Every stage by its keyword. A new stage is a new file and a line here; the type refuses to forget one. */
import type { AstStage } from '../ast.ts'
import { countSyntax } from './count.ts'
import { dedupSyntax } from './dedup.ts'
import { describeSyntax } from './describe.ts'
import { dropSyntax } from './drop.ts'
import { everySyntax } from './every.ts'
import { extendSyntax } from './extend.ts'
import { headSyntax } from './head.ts'
import { keepSyntax } from './keep.ts'
import { parseSyntax } from './parse.ts'
import { patternsSyntax } from './patterns.ts'
import { percentilesSyntax } from './percentiles.ts'
import { rareSyntax } from './rare.ts'
import { rateSyntax } from './rate.ts'
import { renameSyntax } from './rename.ts'
import { sampleSyntax } from './sample.ts'
import { sortSyntax } from './sort.ts'
import { statsSyntax } from './stats.ts'
import type { ForeignSpelling, StageSyntax } from './syntax.ts'
import { tailSyntax } from './tail.ts'
import { topSyntax } from './top.ts'
import { whereSyntax } from './where.ts'

export type StageSyntaxes = {
  readonly [K in AstStage['kind']]: StageSyntax<Extract<AstStage, { readonly kind: K }>>
}

export const STAGE_SYNTAX: StageSyntaxes = {
  where: whereSyntax,
  parse: parseSyntax,
  extend: extendSyntax,
  keep: keepSyntax,
  drop: dropSyntax,
  rename: renameSyntax,
  stats: statsSyntax,
  sort: sortSyntax,
  head: headSyntax,
  tail: tailSyntax,
  dedup: dedupSyntax,
  describe: describeSyntax,
  sample: sampleSyntax,
  patterns: patternsSyntax,
  count: countSyntax,
  top: topSyntax,
  rare: rareSyntax,
  every: everySyntax,
  rate: rateSyntax,
  percentiles: percentilesSyntax,
}

/** The descriptor of a stage, with the kind forgotten: whoever has the stage may call it with that stage. */
export function syntaxOf(kind: AstStage['kind']): StageSyntax<AstStage> {
  return STAGE_SYNTAX[kind] as unknown as StageSyntax<AstStage>
}

export interface Foreign {
  readonly spelling: ForeignSpelling
  readonly stage: StageSyntax<AstStage>
}

export const FOREIGN_SPELLINGS: ReadonlyMap<string, Foreign> = new Map(
  Object.keys(STAGE_SYNTAX).flatMap(kind => {
    const stage = syntaxOf(kind as AstStage['kind'])
    return (stage.foreign ?? []).flatMap(spelling => spelling.words.map(word => [word, { spelling, stage }] as const))
  }),
)
