/** When two field names speak of the same data: `a` is also the object that `a.b` is a member of, and `*` patterns stand for many. */
import { globMatches, parseGlob } from '../../runtime/helpers/glob.ts'

/** Is one of them the other, or a member of it? */
export function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)
}

/** Would reading `field` see any of the names: itself, or a member the object `field` is assembled from? */
export function readsAny(field: string, names: Iterable<string>): boolean {
  for (const name of names) if (overlaps(field, name)) return true
  return false
}

/** Does a name or pattern of `keep` and `drop` speak of the field, in whole or in part? */
export function touches(pattern: string, field: string): boolean {
  return pattern.includes('*') ? globMatches(parseGlob(pattern), field) : overlaps(pattern, field)
}

/** Does `keep patterns except …` let the whole field through, under its name? */
export function isKept(field: string, patterns: readonly string[], except: readonly string[]): boolean {
  const isMatch = patterns.some(pattern =>
    pattern.includes('*') ? globMatches(parseGlob(pattern), field) : pattern === field,
  )
  return isMatch && !except.some(pattern => touches(pattern, field))
}
