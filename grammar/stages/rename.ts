/** `rename`, and the stages by which other languages rename. */
import type { AstFieldRef, AstRename } from '../ast.ts'
import { columnNamed, withColumns } from '../columns.ts'
import { assignmentsAsRename, moveAsRename } from '../foreign/stages.ts'
import type { Parser } from '../parser.ts'
import { newNameBy } from '../renamed.ts'
import type { Span } from '../source.ts'
import { quoteField } from '../token.ts'
import { isNameToken, parseCommaList, parseFieldRef, parseName, type StageSyntax } from './syntax.ts'

export const renameSyntax: StageSyntax<AstRename> = {
  keyword: 'rename',
  form: 'rename a as b, c as d',
  summary: 'Gives fields other names.',
  opens: /^\s+\S+\s+as\s/i,
  foreign: [
    { words: ['project-rename', 'label_format'], opens: /^\s+[\w.]+\s*=/, rewrite: assignmentsAsRename },
    { words: ['mv'], opens: /^\s+\S+\s+as\s/i, rewrite: moveAsRename },
  ],
  parse(p, keyword) {
    const pairs = parseCommaList(
      p,
      () => parsePair(p),
      token => isNameToken(token, 'as'),
    )
    return { kind: 'rename', span: p.spanFrom(keyword.start), pairs }
  },
  columns({ pairs }, before) {
    const newName = newNameBy(pairs.map(({ from, to }) => ({ from: from.name, to })))
    const all = before.all.flatMap(column => {
      const name = newName(column.name)
      return name === null ? [] : [{ ...column, name }]
    })
    const unknown = pairs.map(pair => ({ ...columnNamed(before, pair.from.name), name: pair.to }))
    return withColumns({ ...before, all }, unknown)
  },
  print({ pairs }) {
    return `rename ${pairs.map(pair => `${quoteField(pair.from.name)} as ${quoteField(pair.to)}`).join(', ')}`
  },
}

function parsePair(p: Parser): { readonly from: AstFieldRef; readonly to: string; readonly toSpan: Span } {
  const from = parseFieldRef(p)
  if (p.isPunctuation('=')) return parseAssignedPair(p, from)
  if (p.acceptWord('as') === null) p.unexpected(["'as'"], "'as' and the new name")
  const { name, span } = parseName(p, 'the new name')
  return { from, to: name, toSpan: span }
}

/** KQL's `new = old`. */
function parseAssignedPair(
  p: Parser,
  to: AstFieldRef,
): { readonly from: AstFieldRef; readonly to: string; readonly toSpan: Span } {
  p.take()
  const from = parseFieldRef(p)
  const text = `${quoteField(from.name)} as ${quoteField(to.name)}`
  const span = { start: to.span.start, end: from.span.end }
  const message = "the old name comes first, then 'as' and the new one"
  p.report({ code: 'E307', message, span, suggestion: text, edit: { span, text } })
  return { from, to: to.name, toSpan: to.span }
}
