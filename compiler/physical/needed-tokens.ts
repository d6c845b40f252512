/** Whole words (tokens) that a text must hold for a search to be true: what the token filters of blocks can rule out. */
import { requiredLiteral } from '../../runtime/helpers/regex-literal.ts'
import { tokensOf } from '../../storage/tokens.ts'

/** Null: the search is not about words. Empty: no word is sure to stand whole. */
export function neededTokens(search: string, pattern: string): readonly string[] | null {
  switch (search) {
    case 'has':
      return tokensOf(pattern)
    case 'has_glob':
    case 'glob':
      return globTokens(pattern)
    case 'contains':
    case 'contains_cs':
      return innerTokens(pattern)
    case 'starts_with':
      return tokensOf(withoutLast(pattern))
    case 'ends_with':
      return tokensOf(withoutFirst(pattern))
    case 'matches':
      return regexTokens(pattern)
    default:
      return null
  }
}

/** What to say of a search none of whose words is sure to stand whole. */
export function whyNoTokens(search: string, pattern: string): string {
  const shown = JSON.stringify(pattern)
  switch (search) {
    case 'has_glob':
    case 'glob':
      return /^[*?]/.test(pattern)
        ? `${shown} begins with a wildcard, so no whole word of it can be looked up`
        : `a wildcard touches every word of ${shown}, so none can be looked up whole`
    case 'matches':
      return `the pattern ${shown} holds no word that is sure to stand whole`
    case 'has':
      return `${shown} has no word in it`
    default:
      return `${shown} may be part of longer words; has(…) looks for whole ones`
  }
}

/** Wildcards reach into the words they touch; the others stand whole. */
function globTokens(pattern: string): readonly string[] {
  return tokensOf(pattern.replace(/\\[*?]/g, ' ').replace(/[\p{L}\p{Nd}]*[*?][\p{L}\p{Nd}*?]*/gu, ' '))
}

const withoutFirst = (text: string): string => text.replace(/^[\p{L}\p{Nd}]+/u, '')
const withoutLast = (text: string): string => text.replace(/[\p{L}\p{Nd}]+$/u, '')

/** Words of a substring with delimiters on both sides; those at its edges may go on in the text. */
function innerTokens(text: string): readonly string[] {
  return tokensOf(withoutLast(withoutFirst(text)))
}

function regexTokens(pattern: string): readonly string[] {
  const literal = requiredLiteral(pattern)
  if (literal === null) return []
  const tokens = innerTokens(literal.text)
  // Without regard to case some letters beyond ASCII equal s and k, and they are other words.
  return literal.ignoreCase ? tokens.filter(token => !/[sk]/.test(token)) : tokens
}
