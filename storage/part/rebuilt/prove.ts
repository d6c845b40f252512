/**
 * Finds the templates that give `_raw`, and proves them: each row is compared, piece by piece and value by value, with what was sent. On the
 * way it adds the tokens of the text, as pieces of templates and values that occur: the text itself, which is most of a block's, need not
 * be cut into tokens then (of some 500 bytes an event 160 are left).
 */
import { PRESENT, type TextVector, type Vector } from '../../vector.ts'
import type { KnownRaw } from '../columns.ts'
import type { ThinColumn } from '../thin.ts'
import type { TokenSet } from '../token-filter.ts'
import { addKnownTokens } from './known-tokens.ts'
import { type Matcher, matcherOf } from './match.ts'
import type { RebuiltText } from './rebuilt.ts'
import { type Template, templateOf } from './template.ts'

/** Templates of one block. Events of more shapes than this are kept as they are. */
export const TEMPLATES_MAX = 1024
/** Shapes tried before the text is taken apart: the ones met last. */
const TRIES_MAX = 12
/** Bytes kept as they are beyond this share: then the text is stored as text. */
const VERBATIM_SHARE_MAX = 0.5
/** Texts taken apart in vain, at the start of a block, before the block is given up: it is no JSON. */
const HOPELESS = 64

/** What the proof knows of the block's other columns. */
export interface Others {
  columnOf(field: string): Vector | ThinColumn | null
  /** Are the tokens of this column, which is text, added to the block's filter by itself? */
  isIndexed(field: string): boolean
}

class Candidate {
  readonly template: Template
  readonly number: number
  readonly #matchers: readonly (Matcher | null)[]
  /** Where the values of the row last given begin and end. */
  readonly #places: Uint32Array
  #isAdded = false

  constructor(template: Template, number: number, matcherOfField: (field: string) => Matcher | null) {
    this.template = template
    this.number = number
    this.#matchers = template.fields.map(matcherOfField)
    this.#places = new Uint32Array(2 * template.fields.length)
  }

  /** Is the row, put together, these bytes? Compared piece by piece, so that a template of another shape is soon left. */
  gives(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { pieces } = this.template
    const matchers = this.#matchers
    const places = this.#places
    let at = start
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index]!
      const { length } = piece
      if (at + length > end) return false
      for (let byte = 0; byte < length; byte++) if (piece[byte] !== bytes[at + byte]) return false
      at += length
      if (index === matchers.length) return at === end
      const matcher = matchers[index]
      if (matcher == null) return false
      places[2 * index] = at
      at = matcher.match(row, bytes, at, end)
      if (at < 0) return false
      places[2 * index + 1] = at
    }
    return false
  }

  /** The tokens of the row last given. Values begin and end at delimiters of JSON, so no token lies across a value's edge. */
  addTokens(tokens: TokenSet, row: number, bytes: Uint8Array): void {
    if (!this.#isAdded) for (const piece of this.template.pieces) tokens.addText(piece, 0, piece.length)
    this.#isAdded = true
    const matchers = this.#matchers
    const places = this.#places
    for (let index = 0; index < matchers.length; index++) {
      matchers[index]!.addTokens?.(tokens, row, bytes, places[2 * index]!, places[2 * index + 1]!)
    }
  }
}

/**
 * `text` in templates over other columns; null when storing it is better.
 *
 * @param tokens  gets all tokens of `text`, if it is rebuilt, but for those of the columns that are indexed; else some of them
 */
export function rebuild(text: TextVector, others: Others, tokens: TokenSet | null): RebuiltText | null {
  const textBytes = text.offsets[text.rowCount]! - text.offsets[0]!
  const templates: Template[] = []
  const chosen = new Uint16Array(text.rowCount)
  const verbatim = choose(text, others, tokens, templates, chosen, HOPELESS)
  const isWorth = templates.length > 0 && verbatim <= textBytes * VERBATIM_SHARE_MAX
  return isWorth ? { templates, chosen, textBytes } : null
}

/** The same of text of which most is known. It is rebuilt whatever comes of the rest. */
export function rebuildRest(known: KnownRaw, others: Others, tokens: TokenSet | null): RebuiltText {
  const { rest, textBytes } = known
  const templates = [...known.templates]
  const chosen = known.chosen.slice()
  if (tokens !== null) addKnownTokens(known, others, tokens)
  if (chosen.includes(0)) choose(rest, others, tokens, templates, chosen, Number.POSITIVE_INFINITY)
  return { templates, chosen, textBytes }
}

/**
 * Finds templates for the rows that have none. Answers with the bytes of those that get none.
 *
 * @param hopeless  after so many at the start that nothing is found for, it is given up: all bytes
 */
function choose(
  text: TextVector,
  others: Others,
  tokens: TokenSet | null,
  templates: Template[],
  chosen: Uint16Array,
  hopeless: number,
): number {
  const { rowCount, bytes, offsets, presence } = text
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const matcherOfField = matchers(others)
  // The ones met last first: events of one source alternate between few shapes.
  const recent: Candidate[] = []
  const known = new Map<string, Candidate>()
  for (const template of templates) {
    const candidate = new Candidate(template, recent.length + 1, matcherOfField)
    recent.push(candidate)
    known.set(keyOf(template), candidate)
  }
  let verbatim = 0
  let inVain = 0
  for (let row = 0; row < rowCount; row++) {
    const start = offsets[row]!
    const end = offsets[row + 1]!
    if (chosen[row] !== 0 || (presence !== null && presence[row] !== PRESENT)) continue
    let at = -1
    for (let index = 0; index < recent.length && index < TRIES_MAX && at === -1; index++) {
      if (recent[index]!.gives(row, bytes, start, end)) at = index
    }
    if (at === -1 && templates.length < TEMPLATES_MAX) {
      const template = templateOf(buffer.toString('utf8', start, end))
      if (template !== null) {
        const key = keyOf(template)
        const met = known.get(key)
        const candidate = met ?? new Candidate(template, templates.length + 1, matcherOfField)
        if (candidate.gives(row, bytes, start, end)) {
          if (met === undefined) {
            known.set(key, candidate)
            templates.push(template)
            recent.push(candidate)
          }
          at = recent.indexOf(candidate)
        }
      }
    }
    if (at === -1) {
      verbatim += end - start
      if (++inVain === hopeless && row < 2 * hopeless) return Number.POSITIVE_INFINITY
      tokens?.addText(bytes, start, end)
      continue
    }
    const found = recent[at]!
    chosen[row] = found.number
    if (tokens !== null) found.addTokens(tokens, row, bytes)
    if (at > 0) {
      recent.splice(at, 1)
      recent.unshift(found)
    }
  }
  return verbatim
}

/** One for each field, whichever templates have it: what it has rendered and added is known to all of them. */
function matchers(others: Others): (field: string) => Matcher | null {
  const byField = new Map<string, Matcher | null>()
  return field => {
    let matcher = byField.get(field)
    if (matcher === undefined) {
      const vector = others.columnOf(field)
      matcher = vector === null ? null : matcherOf(vector, others.isIndexed(field))
      byField.set(field, matcher)
    }
    return matcher
  }
}

function keyOf({ pieces, fields }: Template): string {
  return `${pieces.map(piece => Buffer.from(piece).toString('latin1')).join('\0')}\0${fields.join('\0')}`
}
