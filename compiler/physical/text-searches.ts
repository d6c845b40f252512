/** Texts that must stand in a field for a condition to be true: where a text is put together from others, these tell which rows it is for. */
import type { TextSearch } from '../../runtime/program.ts'
import type { Expr } from '../logical/expr.ts'
import type { WhyNotStored } from './split-predicate.ts'

/** Searches that are true of no text without the pattern in it, and whether case counts. */
const HOLDS_PATTERN: Readonly<Record<string, { readonly ignoreCase: boolean }>> = {
  has: { ignoreCase: true },
  contains: { ignoreCase: true },
  contains_cs: { ignoreCase: false },
}

/** Every row that passes holds one of them; null: that cannot be said. */
export function searchesOf(expr: Expr, whyNotStored: WhyNotStored): readonly TextSearch[] | null {
  if (expr.kind === 'or') {
    const searches = expr.operands.map(operand => searchesOf(operand, whyNotStored))
    return searches.includes(null) ? null : searches.flatMap(each => each!)
  }
  if (expr.kind !== 'call') return null
  const kind = HOLDS_PATTERN[expr.function.name]
  const [subject, pattern] = expr.args
  if (kind === undefined || subject?.kind !== 'field' || pattern?.kind !== 'literal') return null
  if (typeof pattern.value !== 'string' || pattern.value === '' || whyNotStored(subject.name) !== null) return null
  return [{ field: subject.name, text: pattern.value, ...kind }]
}
