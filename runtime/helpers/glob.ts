/**
 * Globs: `*` any run of characters, `?` one character, a backslash makes the next character literal. Matched by the two-pointer
 * walk that only ever goes back to the last star, over pieces split once and cached.
 */

/** A glob as the literal pieces between its stars; within a piece `null` stands for `?`. */
export interface Glob {
  readonly pieces: readonly (readonly (string | null)[])[]
  /** The whole glob is one literal: equality will do. */
  readonly literal: string | null
}

const CACHE_LIMIT = 512
const cache = new Map<string, Glob>()

export function parseGlob(pattern: string): Glob {
  const known = cache.get(pattern)
  if (known !== undefined) return known
  const pieces: (string | null)[][] = [[]]
  const points = [...pattern]
  for (let i = 0; i < points.length; i++) {
    const point = points[i] as string
    const piece = pieces[pieces.length - 1] as (string | null)[]
    if (point === '*') pieces.push([])
    else if (point === '?') piece.push(null)
    else if (point === '\\' && i + 1 < points.length) piece.push(points[++i] as string)
    else piece.push(point)
  }
  const only = pieces.length === 1 ? (pieces[0] as (string | null)[]) : null
  const glob = { pieces, literal: only?.every(char => char !== null) ? only.join('') : null }
  if (cache.size >= CACHE_LIMIT) cache.clear()
  cache.set(pattern, glob)
  return glob
}

/** How many code units `piece` takes at `at`, or -1. */
function pieceAt(text: string, at: number, end: number, piece: readonly (string | null)[]): number {
  let i = at
  for (const char of piece) {
    if (i >= end) return -1
    if (char === null) i += (text.codePointAt(i) as number) > 0xffff ? 2 : 1
    else if (text.startsWith(char, i)) i += char.length
    else return -1
    if (i > end) return -1
  }
  return i - at
}

/** Whether the glob matches all of text[start, end). */
export function globMatches(glob: Glob, text: string, start = 0, end = text.length): boolean {
  const { pieces } = glob
  const last = pieces.length - 1
  const first = pieceAt(text, start, end, pieces[0] as readonly (string | null)[])
  if (first < 0) return false
  let at = start + first
  if (last === 0) return at === end
  // Pieces between stars may take their leftmost place: any other choice leaves less room for the rest.
  for (let p = 1; p < last; p++) {
    const piece = pieces[p] as readonly (string | null)[]
    let length = -1
    while (at <= end && (length = pieceAt(text, at, end, piece)) < 0) at++
    if (length < 0) return false
    at += length
  }
  return endsWithPiece(text, at, end, pieces[last] as readonly (string | null)[])
}

/** The last piece must end the text; it is read backwards because `?` may be one or two code units. */
function endsWithPiece(text: string, from: number, end: number, piece: readonly (string | null)[]): boolean {
  let i = end
  for (let c = piece.length - 1; c >= 0; c--) {
    const char = piece[c] as string | null
    if (i <= from) return false
    const low = text.charCodeAt(i - 1)
    const isPair = low >= 0xdc00 && low <= 0xdfff && i - 2 >= from && (text.charCodeAt(i - 2) & 0xfc00) === 0xd800
    const width = isPair ? 2 : 1
    if (char !== null && text.slice(i - width, i) !== char) return false
    i -= width
  }
  return i >= from
}
