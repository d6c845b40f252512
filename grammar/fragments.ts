/**
 * `use name` becomes the stages that were saved under the name. They take the place of the `use` in every sense: whatever is wrong with
 * one of them is told there, because that is the text the user has before them.
 */
import type { AstPipeline, AstQuery, AstStage, AstUse } from './ast.ts'
import type { Rewrite } from './desugar.ts'
import type { Diagnostic } from './diagnostics.ts'
import { parse } from './parse.ts'
import { MAX_STAGES } from './pipeline.ts'
import { printStage } from './print.ts'
import type { Span } from './source.ts'
import { mapPipelines } from './stages/inputs.ts'
import { suggestName } from './suggest.ts'
import { quoteField } from './token.ts'

/** Saved stages by name. */
export interface Fragments {
  readonly names: readonly string[]
  /** Null when there is none of that name. */
  text(name: string): string | null
}

export const NO_FRAGMENTS: Fragments = { names: [], text: () => null }

export interface Expanded {
  readonly query: AstQuery
  readonly rewrites: readonly Rewrite[]
  readonly diagnostics: readonly Diagnostic[]
  /** Where stages stand that the query does not have in its text. */
  readonly places: readonly { readonly name: string; readonly span: Span }[]
}

export function expandFragments(query: AstQuery, fragments: Fragments): Expanded {
  const expansion = new Expansion(fragments)
  const lets = query.lets.map(each => ({ ...each, pipeline: expansion.pipeline(each.pipeline, []) }))
  const pipeline = expansion.pipeline(query.pipeline, [])
  const { rewrites, diagnostics, places } = expansion
  return { query: places.length === 0 ? query : { ...query, lets, pipeline }, rewrites, diagnostics, places }
}

class Expansion {
  readonly rewrites: Rewrite[] = []
  readonly diagnostics: Diagnostic[] = []
  readonly places: { name: string; span: Span }[] = []
  readonly #fragments: Fragments
  #stageCount = 0

  constructor(fragments: Fragments) {
    this.#fragments = fragments
  }

  /** @param within  names of the fragments the pipeline stands in */
  pipeline(pipeline: AstPipeline, within: readonly string[]): AstPipeline {
    return { ...pipeline, stages: pipeline.stages.flatMap(stage => this.#stage(stage, within)) }
  }

  #stage(stage: AstStage, within: readonly string[]): readonly AstStage[] {
    if (stage.kind !== 'use') return [mapPipelines(stage, inner => this.pipeline(inner, within))]
    if (within.length === 0) this.places.push({ name: stage.name, span: stage.span })
    const stages = this.#stagesOf(stage, within)
    if (stages === null) {
      // What it would have made nobody knows.
      return [{ kind: 'where', span: stage.span, predicate: { kind: 'bad', span: stage.span }, implicit: true }]
    }
    if (within.length === 0) {
      const after = stages.map(printStage).join(' | ')
      this.rewrites.push({ before: printStage(stage), after, reason: `the saved fragment ${quoteField(stage.name)}` })
    }
    return stages
  }

  #stagesOf(stage: AstUse, within: readonly string[]): readonly AstStage[] | null {
    const { name, span } = stage
    const text = this.#fragments.text(name)
    if (text === null) return this.#unknown(stage)
    if (within.includes(name)) {
      return this.#refuse(span, `the fragment ${quoteField(name)} uses itself: ${[...within, name].join(' → ')}`)
    }
    const { query, diagnostics } = parse(text)
    const [problem] = diagnostics
    if (problem !== undefined) return this.#refuse(span, `in the fragment ${quoteField(name)}: ${problem.message}`)
    if (query.lets.length > 0 || query.pipeline.from !== null) {
      const what = query.lets.length > 0 ? 'let' : 'from'
      return this.#refuse(span, `the fragment ${quoteField(name)} begins with '${what}'; a fragment is stages alone`)
    }
    const { search, stages } = query.pipeline
    const searched: readonly AstStage[] =
      search === null ? [] : [{ kind: 'where', span: search.span, predicate: search, implicit: false }]
    this.#stageCount += stages.length
    if (this.#stageCount > MAX_STAGES)
      return this.#refuse(span, `with its fragments the query has more than ${MAX_STAGES} stages`, 'E501')
    const placed = [...searched, ...stages].map(each => movedTo(each, span))
    return placed.flatMap(each => this.#stage(each, [...within, name]))
  }

  #unknown({ name, nameSpan }: AstUse): null {
    const { names } = this.#fragments
    const near = suggestName(name, names)
    const there = names.length === 0 ? 'none is saved' : `there are ${names.slice(0, 8).map(quoteField).join(', ')}`
    const suggestion = near === null ? {} : { suggestion: near, edit: { span: nameSpan, text: quoteField(near) } }
    this.diagnostics.push({
      code: 'E111',
      message: `no saved fragment ${quoteField(name)}; ${there}`,
      span: nameSpan,
      ...suggestion,
    })
    return null
  }

  #refuse(span: Span, message: string, code: 'E111' | 'E501' = 'E111'): null {
    this.diagnostics.push({ code, message, span })
    return null
  }
}

/** The stage with all its spans at one place. */
function movedTo<T>(node: T, span: Span): T {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map(each => movedTo(each, span)) as T
  const members = Object.entries(node).map(([name, value]) => [name, /span$/i.test(name) ? span : movedTo(value, span)])
  return Object.fromEntries(members) as T
}
