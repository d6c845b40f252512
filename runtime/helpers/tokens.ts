/**
 * Tokens of the text contract (language.md): lower-cased runs of Unicode letters and digits, everything else delimits. The
 * skip index is built over the same tokens (storage/tokens.ts); that they agree is what makes skipping a block right.
 */

import { type Glob, globMatches, parseGlob } from './glob.ts'

/** 1 for ASCII letters and digits. */
const ASCII_WORD = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789') ASCII_WORD[char.charCodeAt(0)] = 1

const UNICODE_WORD = /^[\p{L}\p{Nd}]$/u

/** Whether the character that starts at code unit `at` belongs to a token. */
export function isTokenAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit < 128) return ASCII_WORD[unit] === 1
  // The low half of a pair belongs to the character its high half starts.
  const start = unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at
  const point = text.codePointAt(start)
  return point !== undefined && UNICODE_WORD.test(String.fromCodePoint(point))
}

const RUN = /[\p{L}\p{Nd}]+/gu

/**
 * Lower case for searching. Two letters need care so that folding the whole text agrees with the index, which folds each token
 * by itself: `İ` would become two characters, the second a delimiter, and `Σ` looks beyond its token to choose its form.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length && !text.includes('Σ')) return lower
  return text.replace(RUN, run =>
    run
      .split('İ')
      .map(part => part.toLowerCase())
      .join('İ'),
  )
}

/** Whether `word` stands in `text` with no token character continuing it on either side. Both are lower-cased already. */
export function hasToken(text: string, word: string): boolean {
  if (word === '') return false
  const startsInToken = isTokenAt(word, 0)
  const endsInToken = isTokenAt(word, word.length - 1)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length
    if (startsInToken && at > 0 && isTokenAt(text, at - 1)) continue
    if (endsInToken && end < text.length && isTokenAt(text, end)) continue
    return true
  }
  return false
}

/** A token glob is whole-token globs and the delimiters between them: `req-4*` is `req`, `-`, `4*`. */
export type TokenGlob = readonly (Glob | string)[]

const globs = new Map<string, TokenGlob>()

export function parseTokenGlob(pattern: string): TokenGlob {
  const known = globs.get(pattern)
  if (known !== undefined) return known
  const parts: (Glob | string)[] = []
  let pending = ''
  let inToken = false
  const flush = () => {
    if (pending !== '') parts.push(inToken ? parseGlob(pending) : pending)
    pending = ''
  }
  const points = [...pattern]
  for (let i = 0; i < points.length; i++) {
    const point = points[i] as string
    // An escaped star is a delimiter like any other sign; an escaped letter is just the letter.
    const isEscaped = point === '\\' && i + 1 < points.length
    const char = isEscaped ? (points[++i] as string) : point
    const isToken = isTokenAt(char, 0) || (!isEscaped && (char === '*' || char === '?'))
    if (isToken !== inToken) flush()
    inToken = isToken
    pending += char
  }
  flush()
  if (globs.size >= 512) globs.clear()
  globs.set(pattern, parts)
  return parts
}

/** Whether the parts stand in the text one after the other, each glob taking a whole token. Lower-cased already. */
export function hasTokenGlob(text: string, parts: TokenGlob): boolean {
  const first = parts[0]
  if (first === undefined) return false
  if (typeof first === 'string') {
    for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
      if (partsMatchAt(text, at, parts)) return true
    }
    return false
  }
  for (let at = 0; at < text.length; at++) {
    if (!isTokenAt(text, at)) continue
    if (partsMatchAt(text, at, parts)) return true
    at = tokenEnd(text, at)
  }
  return false
}

function tokenEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && isTokenAt(text, end)) end++
  return end
}

function partsMatchAt(text: string, at: number, parts: TokenGlob): boolean {
  let from = at
  for (const part of parts) {
    if (typeof part === 'string') {
      if (!text.startsWith(part, from)) return false
      from += part.length
      continue
    }
    const end = tokenEnd(text, from)
    if (end === from || !globMatches(part, text, from, end)) return false
    from = end
  }
  return true
}
