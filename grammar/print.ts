/** Queries back as text: canonical spacing and brackets, short forms as they were written. */
import type { AstPipeline, AstQuery, AstStage } from './ast.ts'
import { printFrom } from './from.ts'
import { Parser } from './parser.ts'
import { printExpr } from './print-expr.ts'
import { printSearch } from './print-search.ts'
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

export function printPipeline({ from, search, stages }: AstPipeline): string {
  const source = from === null ? '' : printFrom(from)
  const terms = search === null ? '' : printSearch(search)
  const written = stages.map(printStage)
  // What search terms cannot say is a condition before the first stage.
  if (search !== null && terms === null) written.unshift(`where ${printExpr(search)}`)
  const opening = [source, terms === null ? '' : asTerms(terms)].filter(text => text !== '').join(' ')
  const [first = ''] = written
  const isBare = opening === '' && (first === '' || opensStage(first))
  return isBare ? written.join(' | ') : [opening, ...written].join(' | ').trimStart()
}

/** Terms that begin with the word of a stage would be read as that stage. */
function asTerms(terms: string): string {
  return opensStage(terms) || /^(?:from|let|select|search|index)\b/i.test(terms) ? `(${terms})` : terms
}

function opensStage(text: string): boolean {
  return stageOpening(new Parser({ text })) !== null
}
