/**
 * Search terms that may have been meant otherwise. `head abc` and `level:error` are texts to look for, as any words are: nothing is said of them
 * while compiling, and only of a search that found nothing (`parse error` is what many look for).
 */
import type { AstExpr } from '../../grammar/ast.ts'
import type { Diagnostic } from '../../grammar/diagnostics.ts'
import { type SourceText, stageForm } from '../../grammar/index.ts'
import type { OperatorProfile, Profile } from '../../runtime/profile.ts'

/** `level:error`, but for addresses, paths and names of other languages. */
const FIELD_AND_VALUE = /^([A-Za-z_@][\w@.-]+):([^\s:/\\].*)$/
const KEYWORD = /^[A-Za-z]+/

/** @param search  the terms a query begins with. @returns what to say when no row passed them */
export function searchHints(source: SourceText, search: AstExpr | null): readonly Diagnostic[] {
  const words = search === null ? [] : wordsOf(search, source)
  return words.flatMap((word, index) => {
    const hint = (index === 0 ? asStage(word) : null) ?? asField(word)
    return hint === null ? [] : [hint]
  })
}

interface Word {
  readonly text: string
  readonly span: Diagnostic['span']
}

/** Terms on their own, in order; those of fields, phrases and what is negated are what they say. */
function wordsOf(expr: AstExpr, source: SourceText): readonly Word[] {
  if (expr.kind === 'binary' && (expr.operator === 'and' || expr.operator === 'or'))
    return [...wordsOf(expr.left, source), ...wordsOf(expr.right, source)]
  if (expr.kind !== 'call') return []
  const text = source.text.slice(expr.span.start, expr.span.end)
  return /^r?"/.test(text) ? [] : [{ text, span: expr.span }]
}

function asStage({ text, span }: Word): Diagnostic | null {
  const keyword = KEYWORD.exec(text)?.[0]
  const form = keyword === text ? stageForm(keyword) : null
  if (form === null) return null
  return { code: 'H916', message: `'${text}' was searched for as a word, and nothing found`, span, suggestion: form }
}

function asField({ text, span }: Word): Diagnostic | null {
  const [, field, value] = FIELD_AND_VALUE.exec(text) ?? []
  if (field === undefined) return null
  const message = `'${text}' was searched for as text, and nothing found; a field is compared with =`
  return { code: 'H916', message, span, suggestion: `${field}=${value}` }
}

/** Whether there were rows to search and none passed; without conditions for them, none can have passed either. */
export function foundNothing({ root, scan }: Profile): boolean {
  return root !== null && scan.blocksTotal > 0 && scan.rowsAnswered === 0 && scanned(root) === 0
}

/** Rows that went on from the scans. */
function scanned({ children, rowsOut }: OperatorProfile): number {
  return children.length === 0 ? rowsOut : children.reduce((sum, child) => sum + scanned(child), 0)
}
