import type { AstWhere } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { Parser } from '../parser.ts'
import { printExpr } from '../print-expr.ts'
import { parseSearch } from '../search.ts'
import { FOREIGN_WORDS, isStageWord } from './names.ts'
import type { StageSyntax } from './syntax.ts'

export const whereSyntax: StageSyntax<AstWhere> = {
  keyword: 'where',
  form: 'where <predicate>',
  summary: 'Keeps the events for which the predicate is true.',
  opens: /^\s*[^\s|;]/,
  foreign: [
    { words: ['filter'], opens: /^\s+\S+\s*[=!<>(]/, rewrite: 'keyword' },
    { words: ['search'], opens: /^\s+\S/, rewrite: searchAsWhere },
  ],
  parse(p, keyword) {
    const predicate = parseExpression(p)
    return { kind: 'where', span: p.spanFrom(keyword.start), predicate, implicit: false }
  },
  print({ predicate, implicit }) {
    const text = printExpr(predicate)
    if (!implicit) return `where ${text}`
    return canStandAlone(text) ? text : `(${text})`
  },
}

/** SPL's `search` further down the pipeline takes search terms; here they are a condition like any other. */
function searchAsWhere(body: string): string | null {
  const p = new Parser({ text: body })
  const terms = p.speculate(() => parseSearch(p))
  return terms === null ? null : `where ${printExpr(terms)}`
}

/** A bare predicate that begins with the word of a stage would be read as that stage. */
function canStandAlone(text: string): boolean {
  const word = /^[A-Za-z]+/.exec(text)?.[0]
  return word === undefined || !(isStageWord(word) || FOREIGN_WORDS.has(word.toLowerCase()))
}
