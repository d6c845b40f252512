/** Queries back as text: canonical spacing and brackets, short forms as they were written. */
import type { AstPipeline, AstQuery, AstStage } from './ast.ts'
import { printFrom } from './from.ts'
import { Parser } from './parser.ts'
import { printExpr } from './print-expr.ts'
import { printSearch } from './print-search.ts'
import type { Span } from './source.ts'
import { stageOpening } from './stage.ts'
import { syntaxOf } from './stages/index.ts'

/** `parse(print(query))` is the query again, apart from spans; printing that gives the same text. */
export function print(query: AstQuery): string {
  const lets = query.lets.map(l => `let $${l.name} = ${printPipeline(l.pipeline)}; `)
  return `${lets.join('')}${printPipeline(query.pipeline)}`
}

export function printStage(stage: AstStage): string {
  return syntaxOf(stage.kind).print(stage)
}

export function printPipeline(pipeline: AstPipeline): string {
  const { opening, stages, isBare } = piecesOf(pipeline)
  const texts = stages.map(stage => stage.text)
  return isBare ? texts.join(' | ') : [opening, ...texts].join(' | ').trimStart()
}

/** A pipeline as the texts that stand between its pipes. */
export interface PipelinePieces {
  /** The source and the search terms; may be empty. */
  readonly opening: string
  readonly stages: readonly { readonly text: string; readonly span: Span }[]
  /** Nothing opens it and its first stage is known for one without a pipe before it. */
  readonly isBare: boolean
}

export function piecesOf({ from, search, stages }: AstPipeline): PipelinePieces {
  const source = from === null ? '' : printFrom(from)
  const terms = search === null ? '' : printSearch(search)
  const written = stages.map(stage => ({ text: printStage(stage), span: stage.span }))
  // What search terms cannot say is a condition before the first stage.
  if (search !== null && terms === null) written.unshift({ text: `where ${printExpr(search)}`, span: search.span })
  const opening = [source, terms === null ? '' : asTerms(terms)].filter(text => text !== '').join(' ')
  const first = written[0]?.text ?? ''
  const isBare = opening === '' && (first === '' || opensStage(first))
  return { opening, stages: written, isBare }
}

/** Terms that begin with the word of a stage would be read as that stage. */
function asTerms(terms: string): string {
  return opensStage(terms) || /^(?:from|let|select|search|index)\b/i.test(terms) ? `(${terms})` : terms
}

function opensStage(text: string): boolean {
  return stageOpening(new Parser({ text })) !== null
}
