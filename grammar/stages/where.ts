import type { AstWhere } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { grepAsWhere, regexAsWhere } from '../foreign/stages.ts'
import { Parser } from '../parser.ts'
import { printExpr } from '../print-expr.ts'
import { parseSearch } from '../search.ts'
import { FOREIGN_WORDS, isStageWord } from './names.ts'
import { OPENS_NEVER, type StageSyntax } from './syntax.ts'

export const whereSyntax: StageSyntax<AstWhere> = {
  keyword: 'where',
  form: 'where <predicate>',
  summary: 'Keeps the events for which the predicate is true.',
  opens: /^\s*[^\s|;]/,
  foreign: [
    { words: ['filter'], isFunction: true, opens: /^\s+\S+\s*[=!<>(]/, rewrite: filterAsWhere },
    { words: ['having'], opens: /^\s+[\w@.()*]+\s*(?:[<>]|!=|==)/i, rewrite: 'keyword' },
    { words: ['regex'], opens: OPENS_NEVER, rewrite: regexAsWhere },
    { words: ['grep'], opens: OPENS_NEVER, rewrite: grepAsWhere },
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

/** LogsQL's `filter level:error` takes search terms, other languages' an expression. */
function filterAsWhere(body: string): string | null {
  return /^[\w@.]+:[^\s|:]+$/.test(body) ? searchAsWhere(body.replace(':', '=')) : `where ${body}`
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
