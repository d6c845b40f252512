/** Where in a text somebody is writing: the word under the cursor, what of it has been typed, and what the parser expects there. */
import { lexToken } from '../lexer.ts'
import { parse } from '../parse.ts'
import { VALUE_WORD, WORD } from '../search-words.ts'
import type { Span } from '../source.ts'
import { type Lexis, type Place, Watch } from '../watch.ts'

export interface Site {
  readonly places: readonly Place[]
  /** The word under the cursor, to be replaced by what is chosen. */
  readonly replace: Span
  /** What candidates are compared with: the word up to the cursor, without its opening quote. */
  readonly typed: string
  /** How the word was begun; only what can be written so fits. */
  readonly quote: '"' | '`' | '$' | ''
  readonly text: string
}

/** Null where nothing can be completed: in a comment, in a text that is no pipeline. O(text). */
export function siteAt(text: string, offset: number): Site | null {
  // `http.` is the beginning of `http.status`.
  const places = placesAt(text, /[\w@]\.$/.test(text.slice(0, offset)) ? offset - 1 : offset)
  if (places.length === 0) return null
  const start = Math.min(...places.map(place => place.start))
  const here = places.filter(place => place.start === start)
  const written = text.slice(start, offset)
  const opening = /^(?:r?["']|[`$])/.exec(written)?.[0] ?? ''
  const quote = opening === '`' || opening === '$' ? opening : opening === '' ? '' : '"'
  const end = endOfWord(text, start, offset, lexisOf(here), opening)
  // A `$` is part of the name of a variable as it is listed.
  const typed = quote === '$' ? written : written.slice(opening.length).replace(/["'`]$/, '')
  return { places: here, replace: { start, end }, typed, quote, text }
}

/** Everything the parser would accept behind the text before the cursor. */
export function placesAt(text: string, offset: number): readonly Place[] {
  const watch = new Watch({ isWriting: true })
  parse(text.slice(0, offset), watch)
  return watch.places
}

/** Search terms and tokens may be expected in one place; the wider word is meant. */
function lexisOf(places: readonly Place[]): Lexis {
  const order: readonly Lexis[] = ['term', 'value', 'source', 'time-point', 'token']
  return order.find(lexis => places.some(place => place.lexis === lexis)) ?? 'token'
}

const SOURCE_REST = /[\w@.*?:-]*/y
const TIME_REST = /[\w@:+-]*/y

/** The word goes on behind the cursor as far as its lexis lets it. */
function endOfWord(text: string, start: number, offset: number, lexis: Lexis, opening: string): number {
  if (opening === '`') return endBehind(/[^`|\n]*`/y, text, offset)
  // A quote further on more likely begins the next string than ends this one.
  if (opening !== '' && opening !== '$')
    return isClosed(text, start, offset) ? offset : endBehind(/[\w.:/@*-]*["']/y, text, offset)
  switch (lexis) {
    case 'term':
      return start === offset ? offset : endFrom(WORD, text, start, offset)
    case 'value':
      return start === offset ? offset : endFrom(VALUE_WORD, text, start, offset)
    case 'source':
      return endBehind(SOURCE_REST, text, offset)
    case 'time-point':
      return endBehind(TIME_REST, text, offset)
    case 'token':
      return start === offset ? offset : Math.max(offset, lexToken(text, start).end)
  }
}

function isClosed(text: string, start: number, offset: number): boolean {
  const token = lexToken(text.slice(0, offset), start)
  return token.problem?.code !== 'E302' && token.end === offset
}

function endBehind(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return offset + (pattern.exec(text)?.[0].length ?? 0)
}

function endFrom(pattern: RegExp, text: string, start: number, offset: number): number {
  pattern.lastIndex = start
  return Math.max(offset, start + (pattern.exec(text)?.[0].length ?? 0))
}
