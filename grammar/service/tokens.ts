/** The text cut into coloured pieces: what each word is to the parser, comments, and a plain lexing of what it could not read. */
import { lexToken, skipTrivia } from '../lexer.ts'
import { parse } from '../parse.ts'
import { roleOf } from '../parser.ts'
import { Watch, type WordRole } from '../watch.ts'

export type TokenColour = WordRole | 'comment' | 'unknown'

export interface ColouredToken {
  readonly start: number
  readonly end: number
  readonly kind: TokenColour
}

/** In order, without overlaps; only white space lies between them. O(text). */
export function tokensOf(text: string): readonly ColouredToken[] {
  const watch = new Watch({ isWriting: false })
  parse(text, watch)
  const tokens: ColouredToken[] = []
  let at = 0
  for (const { start, end, role } of watch.marks) {
    if (start < at) continue
    readGap(text, at, start, tokens)
    tokens.push({ start, end, kind: role })
    at = end
  }
  readGap(text, at, text.length, tokens)
  return tokens
}

/** Comments, and words that nobody took because the stage had failed before them. */
function readGap(text: string, from: number, to: number, tokens: ColouredToken[]): void {
  if (text.slice(from, to).trim() === '') return
  // A gap ends where a token begins, so nothing in it reaches over its end.
  const gap = text.slice(0, to)
  for (let at = from; at < to; ) {
    const blank = at + (/^[\s\uFEFF]*/.exec(gap.slice(at, at + 1000))?.[0].length ?? 0)
    if (blank > at) {
      at = blank
      continue
    }
    const comment = commentEnd(gap, at)
    if (comment > at) {
      tokens.push({ start: at, end: comment, kind: 'comment' })
      at = comment
      continue
    }
    const token = lexToken(gap, at)
    if (token.kind === 'end') return
    const isCall = token.kind === 'name' && gap[token.end] === '('
    const kind = token.kind === 'bad' ? 'unknown' : isCall ? 'function' : roleOf(token)
    tokens.push({ start: token.start, end: token.end, kind })
    at = Math.max(token.end, at + 1)
  }
}

/** The end of the comment that begins at `at`; `at` when none does. */
export function commentEnd(text: string, at: number): number {
  if (text.startsWith('//', at)) {
    const end = text.indexOf('\n', at)
    return end === -1 ? text.length : end
  }
  if (!text.startsWith('/*', at)) return at
  const end = text.indexOf('*/', at + 2)
  return end === -1 ? skipTrivia(text, at).at : end + 2
}
