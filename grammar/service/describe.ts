/** What the word under the pointer is: hover of an editor. */
import { formatDuration, parseDuration } from '../literals.ts'
import { printExpr } from '../print-expr.ts'
import { wordCondition } from '../search-words.ts'
import type { Span } from '../source.ts'
import { STAGE_SYNTAX } from '../stages/index.ts'
import { functionNamed, signatureText } from './functions.ts'
import { columnDetail, functionDocumentation, valuesLine } from './item.ts'
import type { Knowledge } from './knowledge.ts'
import { columnsAt } from './scope.ts'
import { placesAt } from './site.ts'
import { type ColouredToken, tokensOf } from './tokens.ts'

export interface Description {
  /** The word that is described. */
  readonly span: Span
  /** As code: a signature, a form, `status: int`. */
  readonly title: string
  /** Markdown; may be empty. */
  readonly documentation: string
}

type Text = Omit<Description, 'span'>

/** Null where nothing can be said. */
export function describeAt(text: string, offset: number, knowledge: Knowledge): Description | null {
  const touching = tokensOf(text).filter(token => token.start <= offset && offset <= token.end)
  // Between two words the one that begins there.
  const token = touching.at(-1)
  if (token === undefined) return null
  const word = text.slice(token.start, token.end)
  const described = describeToken(token, word, text, knowledge)
  return described === null ? null : { span: { start: token.start, end: token.end }, ...described }
}

function describeToken(token: ColouredToken, word: string, text: string, knowledge: Knowledge): Text | null {
  switch (token.kind) {
    case 'stage':
      return describeStage(word, knowledge)
    case 'function':
      return describeFunction(word, knowledge)
    case 'field':
      return describeField(word, text, token.start, knowledge)
    case 'source':
      return describeSource(word, knowledge)
    case 'variable':
      return { title: word, documentation: 'A variable: the request gives its value, or a let its rows.' }
    case 'term':
      return { title: printExpr(wordCondition(word, token)), documentation: 'What the search term means.' }
    case 'keyword':
    case 'operator':
      return describeOperator(word, knowledge)
    case 'duration':
      return describeDuration(word)
    default:
      return null
  }
}

function describeStage(word: string, knowledge: Knowledge): Text | null {
  const syntax = Object.values(STAGE_SYNTAX).find(each => each.keyword === word.toLowerCase())
  if (syntax === undefined) return null
  const known = knowledge.language.stages.find(stage => stage.name === syntax.keyword)
  const example = known?.examples[0]
  const shown = example !== undefined && 'query' in example ? `\n\`${example.query}\`` : ''
  return { title: syntax.form, documentation: (known?.documentation ?? syntax.summary) + shown }
}

function describeFunction(word: string, knowledge: Knowledge): Text | null {
  const fn = functionNamed(knowledge, word)
  return fn === null ? null : { title: signatureText(fn, word), documentation: functionDocumentation(fn) }
}

function describeField(word: string, text: string, start: number, knowledge: Knowledge): Text | null {
  const name = word.startsWith('`') ? word.slice(1, -1).replaceAll('``', '`') : word
  const [place] = placesAt(text, start)
  const column = place && columnsAt(place, knowledge).find(each => each.name === name)
  if (column === undefined) return null
  return { title: `${word}: ${columnDetail(column)}`, documentation: valuesLine(column.field?.values) }
}

function describeSource(word: string, knowledge: Knowledge): Text | null {
  const view = knowledge.views?.find(each => each.name === word)
  if (view !== undefined) return { title: `view ${word}`, documentation: view.documentation ?? '' }
  if (knowledge.indexes.includes(word)) return { title: `index ${word}`, documentation: '' }
  return /[*?]/.test(word) ? { title: word, documentation: 'Every index whose name matches.' } : null
}

function describeOperator(word: string, knowledge: Knowledge): Text | null {
  const operator = knowledge.language.operators.find(each => each.name === word.toLowerCase())
  return operator === undefined ? null : { title: operator.signature, documentation: operator.documentation }
}

function describeDuration(word: string): Text | null {
  const ns = parseDuration(word)
  return ns === null ? null : { title: `duration ${formatDuration(ns)}`, documentation: `${ns / 1e9} seconds` }
}
