/** Short forms to what they stand for, each with the texts before and after, for `meta.rewrites` and explain. */
import type { AstFrom, AstLet, AstPipeline, AstQuery, AstStage } from './ast.ts'
import { printPipeline, printStage } from './print.ts'
import type { Span } from './source.ts'
import { syntaxOf } from './stages/index.ts'
import { mapPipelines } from './stages/inputs.ts'

export interface Rewrite {
  readonly before: string
  readonly after: string
  readonly reason: string
}

export function desugar(query: AstQuery): { readonly query: AstQuery; readonly rewrites: readonly Rewrite[] } {
  const expansion = new Expansion(query.lets)
  for (const definition of query.lets) expansion.add(definition)
  const pipeline = expansion.pipeline(query.pipeline)
  const { lets, rewrites } = expansion
  return { query: { ...query, lets, pipeline }, rewrites }
}

class Expansion {
  readonly rewrites: Rewrite[] = []
  /** Those of the query, each behind those it has come to need. */
  readonly lets: AstLet[] = []
  readonly #taken: Set<string>

  constructor(lets: readonly AstLet[]) {
    this.#taken = new Set(lets.map(({ name }) => name))
  }

  add(definition: AstLet): void {
    this.lets.push({ ...definition, pipeline: this.pipeline(definition.pipeline) })
  }

  pipeline(pipeline: AstPipeline): AstPipeline {
    let expanded: AstPipeline = { ...pipeline, stages: [] }
    for (const stage of pipeline.stages) expanded = this.#with(stage, expanded)
    return expanded
  }

  #with(stage: AstStage, before: AstPipeline): AstPipeline {
    const syntax = syntaxOf(stage.kind)
    const expansion = syntax.desugar?.(stage)
    if (expansion !== undefined) {
      const after = expansion.stages.map(printStage).join(' | ')
      this.rewrites.push({ before: printStage(stage), after, reason: expansion.reason })
      return { ...before, stages: [...before.stages, ...expansion.stages] }
    }
    if (syntax.desugarRows !== undefined) return this.#fromRows(stage, before)
    return { ...before, stages: [...before.stages, mapPipelines(stage, inner => this.pipeline(inner))] }
  }

  /** What stands before the stage gets a name, so that it can be read several times. */
  #fromRows(stage: AstStage, before: AstPipeline): AstPipeline {
    const name = this.#freshName()
    const { span } = stage
    this.lets.push({ kind: 'let', span, name, nameSpan: span, pipeline: before })
    const from = fromLet(name, span)
    const { stages, reason } = syntaxOf(stage.kind).desugarRows!(stage, from)
    const pipeline: AstPipeline = { ...before, from, search: null, stages }
    this.rewrites.push({
      before: printStage(stage),
      after: `let $${name} = ${printPipeline(before)}; ${printPipeline(pipeline)}`,
      reason,
    })
    return pipeline
  }

  #freshName(): string {
    for (let n = 1; ; n++) {
      const name = n === 1 ? 'rows' : `rows${n}`
      if (this.#taken.has(name)) continue
      this.#taken.add(name)
      return name
    }
  }
}

function fromLet(name: string, span: Span): AstFrom {
  return {
    kind: 'from',
    span,
    sources: [{ kind: 'source', span, pattern: name, exclude: false, isLet: true }],
    ranges: [],
  }
}
