/** Short forms to what they stand for, each with the texts before and after, for `meta.rewrites` and explain. */
import type { AstPipeline, AstQuery, AstStage } from './ast.ts'
import { printStage } from './print.ts'
import { syntaxOf } from './stages/index.ts'
import { mapPipelines } from './stages/inputs.ts'

export interface Rewrite {
  readonly before: string
  readonly after: string
  readonly reason: string
}

export function desugar(query: AstQuery): { readonly query: AstQuery; readonly rewrites: readonly Rewrite[] } {
  const rewrites: Rewrite[] = []
  const lets = query.lets.map(l => ({ ...l, pipeline: desugarPipeline(l.pipeline, rewrites) }))
  const pipeline = desugarPipeline(query.pipeline, rewrites)
  return { query: { ...query, lets, pipeline }, rewrites }
}

function desugarPipeline(pipeline: AstPipeline, rewrites: Rewrite[]): AstPipeline {
  return { ...pipeline, stages: pipeline.stages.flatMap(stage => desugarStage(stage, rewrites)) }
}

function desugarStage(stage: AstStage, rewrites: Rewrite[]): readonly AstStage[] {
  const expansion = syntaxOf(stage.kind).desugar?.(stage)
  if (expansion === undefined) return [mapPipelines(stage, inner => desugarPipeline(inner, rewrites))]
  const after = expansion.stages.map(printStage).join(' | ')
  rewrites.push({ before: printStage(stage), after, reason: expansion.reason })
  return expansion.stages
}
