/**
 * Text predicates over a whole text column at once, from its bytes (`byte-search.ts`); hits are mapped to rows by offset. No string is
 * made for a row that does not match.
 *
 * Bytes are exact for ASCII patterns, but for `K` (Kelvin sign), `İ` and `ſ`, the only characters beyond ASCII that fold to
 * ASCII letters; they are looked for. Anything else asks the row's own text.
 */
import type { TextPieces, TextVector } from '../../storage/vector.ts'
import { PRESENT } from '../../storage/vector.ts'
import { type BytePattern, bytePattern } from './byte-pattern.ts'
import { ByteSearch, isIn, needleOf, PIECE } from './byte-search.ts'
import { mayHold } from './byte-set.ts'
import { lentBytes } from './lent.ts'
import { type NeedleEdges, type PieceNeedle, pieceNeedle } from './piece-needle.ts'
import { PieceSearch } from './piece-search.ts'
import { compileRegex } from './regex.ts'
import { requiredLiteral } from './regex-literal.ts'
import { TEXT_HELPERS } from './text.ts'
import { textAt } from './vectors.ts'

const NO = 0
const YES = 1
const UNKNOWN = 2
/** Only the row's own text can tell. */
const ASK = 3

const isAscii = (text: string): boolean => !/[^\x00-\x7f]/.test(text)

type Decide = (text: string) => boolean | null

/** Every row asked through its own text: always right, never fast. */
function rowByRow(
  vector: TextVector,
  decide: Decide,
  rows: Uint8Array,
  selection: Uint32Array | null,
  count: number,
): Uint8Array {
  return eachRow(rows, selection, count, row => decide(textAt(vector.bytes, vector.offsets, row)))
}

function eachRow(
  rows: Uint8Array,
  selection: Uint32Array | null,
  count: number,
  decide: (row: number) => boolean | null,
): Uint8Array {
  for (let n = 0; n < count; n++) {
    const row = selection === null ? n : selection[n]!
    if (rows[row] === UNKNOWN) continue
    const answer = decide(row)
    rows[row] = answer === null ? UNKNOWN : answer ? YES : NO
  }
  return rows
}

const blanks = new WeakMap<Uint8Array, Uint8Array>()

/** Where there is no text it is unknown; the same for every search of a column. */
function blankRows({ rowCount, presence }: Pick<TextVector, 'rowCount' | 'presence'>): Uint8Array {
  const rows = lentBytes(rowCount)
  if (presence === null) return rows
  let blank = blanks.get(presence)
  if (blank === undefined) blanks.set(presence, (blank = presence.map(state => (state === PRESENT ? NO : UNKNOWN))))
  rows.set(blank)
  return rows
}

interface Search {
  /** Found case-insensitively anywhere in the bytes; ASCII. */
  readonly needle: string
  readonly ignoreCase: boolean
  /** A hit that lies within one row, at bytes `[start, end)` of the column's: true, or null when only the row's text can tell. */
  accept(bytes: Uint8Array, start: number, end: number, rowStart: number, rowEnd: number): boolean | null
  readonly decide: Decide
  /** Decides the same, in the bytes. */
  readonly matcher?: BytePattern | null
  /** What `accept` asks of the bytes on either side, where that is all it asks; null: it is more, and hits in pieces are for the row's text. */
  readonly edges: NeedleEdges | null
}

function searchBlock(
  vector: TextVector,
  search: Search,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array {
  const rows = blankRows(vector)
  const count = selection === null ? vector.rowCount : selectedCount
  const { needle, ignoreCase } = search
  if (searchPieces(vector, search, selection, count, rows)) return rows
  // Few rows left to ask about: cheaper one by one than a search of the whole block.
  if (needle === '' || !isAscii(needle) || count * 16 < vector.rowCount) {
    return rowByRow(vector, search.decide, rows, selection, count)
  }
  if (ignoreCase && foldsBeyondAscii(vector, needle)) return rowByRow(vector, search.decide, rows, selection, count)
  const [first, last] = boundsOf(vector.rowCount, selection, count)
  if (markHits(vector, search, first, last, rows)) askedRows(vector, search, rows, selection, count)
  return rows
}

/** The same in text that is held as pieces. False: it has to be put together, or is. */
function searchPieces(
  vector: TextVector,
  search: Search,
  selection: Uint32Array | null,
  count: number,
  rows: Uint8Array,
): boolean {
  const { pieces, presence, rowCount } = vector
  if (pieces === undefined) return false
  const { needle, ignoreCase, edges } = search
  const isSearched = needle !== '' && isAscii(needle) && count * 16 >= rowCount
  if (!isSearched) {
    // Few rows need no others.
    if (pieces.isWhole || count * 2 > rowCount) return false
    markSelected(rows, selection, count, ASK)
  } else {
    const found = PieceSearch.of(pieces, pieceNeedleOf(needle, ignoreCase, edges ?? ANYWHERE))
    if (found === null) return false
    if (found.isNowhere) return true
    if (!found.isQuick && pieces.wantedWhole()) return false
    found.mark(rows, presence, { yes: edges === null ? ASK : YES, ask: ASK })
  }
  askPieces(vector, pieces, search, selection, count, rows)
  return true
}

/** The search for what every match of a pattern holds. Null: nothing is known to be needed, or pieces do not tell. */
export function literalInPieces(pieces: TextPieces, pattern: string): PieceSearch | null {
  const literal = requiredLiteral(pattern)
  if (literal === null || !isAscii(literal.text)) return null
  return PieceSearch.of(pieces, pieceNeedleOf(literal.text, literal.ignoreCase, ANYWHERE))
}

function pieceNeedleOf(needle: string, ignoreCase: boolean, edges: NeedleEdges): PieceNeedle {
  const foldsOddly = ignoreCase && FOLDING.some(({ letter }) => needle.toLowerCase().includes(letter))
  return pieceNeedle(needleOf(needle, ignoreCase), foldsOddly, edges)
}

/** Those of the selected rows that are to be asked, by their own text; others are not. */
function askPieces(
  vector: TextVector,
  pieces: TextPieces,
  { decide, matcher }: Search,
  selection: Uint32Array | null,
  count: number,
  rows: Uint8Array,
): void {
  if (!rows.includes(ASK)) return
  if (selection !== null) {
    const asked = rows.map(state => (state === ASK ? NO : state))
    for (let n = 0; n < count; n++) asked[selection[n]!] = rows[selection[n]!]!
    rows.set(asked)
  }
  const isApart = isBetterApart(pieces, rows, ASK)
  const { bytes, offsets } = isApart ? pieces.textOf(rows, ASK) : vector
  for (let row = 0, n = 0; row < rows.length; row++) {
    if (rows[row] !== ASK) continue
    const own = isApart ? n++ : row
    const answer = matcher?.find(bytes, offsets[own]!, offsets[own + 1]!) ?? decide(textAt(bytes, offsets, own))
    rows[row] = answer === null ? UNKNOWN : answer ? YES : NO
  }
}

/** Are the rows with this mark to be put together, and not all of them? */
export function isBetterApart(pieces: TextPieces, rows: Uint8Array, mark: number): boolean {
  if (pieces.isWhole) return false
  let marked = 0
  for (let row = 0; row < rows.length; row++) if (rows[row] === mark) marked++
  return marked * 16 < rows.length || !pieces.wantedWhole()
}

/** Of the rows that have a text. */
function markSelected(rows: Uint8Array, selection: Uint32Array | null, count: number, mark: number): void {
  for (let n = 0; n < count; n++) {
    const row = selection === null ? n : selection[n]!
    if (rows[row] === NO) rows[row] = mark
  }
}

/** Of the rows from `first` to `last`. True when some of them have to be asked. */
function markHits(
  { bytes, offsets }: TextVector,
  { needle, ignoreCase, accept }: Search,
  first: number,
  last: number,
  rows: Uint8Array,
): boolean {
  let isAsked = false
  const start = offsets[first]!
  const end = offsets[last + 1]!
  const search = new ByteSearch(bytes, needleOf(needle, ignoreCase), start, end)
  let row = first
  for (let from = start; from < end; from += PIECE) {
    const hits = search.hits(from)
    for (let n = 0; n < hits.length; n++) {
      const hit = from + hits[n]!
      if (offsets[row + 1]! <= hit) row = rowOf(offsets, hit, row + 1, last)
      if (rows[row] !== NO || hit + needle.length > offsets[row + 1]!) continue
      const verdict = accept(bytes, hit, hit + needle.length, offsets[row]!, offsets[row + 1]!)
      if (verdict === false) continue
      rows[row] = verdict === null ? ASK : YES
      if (verdict === null) isAsked = true
    }
  }
  return isAsked
}

/** The row a byte belongs to, at or after `from`. Hits are few rows apart or many: it is looked for in steps that grow. */
function rowOf(offsets: Uint32Array, byte: number, from: number, last: number): number {
  let low = from
  let step = 1
  while (low + step <= last && offsets[low + step]! <= byte) {
    low += step
    step *= 2
  }
  let high = Math.min(last, low + step)
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (offsets[middle]! <= byte) low = middle
    else high = middle - 1
  }
  // Empty rows start where the next one does; the byte belongs to the last of them.
  return low
}

/**
 * Sets to 1 the rows that hold the text, as `contains` says or `contains_cs`, and leaves the others.
 *
 * @param elsewhere  fields that are searched as well: a text that refers to their values is not asked for them, and rows that only its own text can tell are set
 */
export function markTexts(
  vector: TextVector,
  needle: string,
  ignoreCase: boolean,
  marks: Uint8Array,
  elsewhere: ReadonlySet<string> | null = null,
): void {
  const { rowCount } = vector
  if (rowCount === 0) return
  const { pieces } = vector
  if (pieces !== undefined && elsewhere !== null && isAscii(needle)) {
    const found = PieceSearch.of(pieces, pieceNeedleOf(needle, ignoreCase, ANYWHERE), elsewhere)
    if (found !== null && (found.isNowhere || found.isQuick || !pieces.wantedWhole())) {
      found.mark(marks, vector.presence, { yes: 1, ask: 1 })
      return
    }
  }
  const isWhole = pieces === undefined || pieces.isWhole
  if (isWhole && vector.presence === null && isAscii(needle) && !(ignoreCase && foldsBeyondAscii(vector, needle))) {
    if (pieces === undefined && !mayHold(vector.bytes, needleOf(needle, ignoreCase))) return
    const all: Search = { needle, ignoreCase, accept: () => true, decide: () => null, edges: ANYWHERE }
    markHits(vector, all, 0, rowCount - 1, marks)
    return
  }
  const rows = (ignoreCase ? textContains : textContainsCs)(vector, needle, null, rowCount)
  for (let row = 0; row < rowCount; row++) if (rows[row] === YES) marks[row] = 1
}

/** The first and the last row of a selection, which may be a part of a block's; in whatever order it is. */
function boundsOf(rowCount: number, selection: Uint32Array | null, count: number): readonly [number, number] {
  if (selection === null) return [0, rowCount - 1]
  let first = rowCount - 1
  let last = 0
  for (let n = 0; n < count; n++) {
    const row = selection[n]!
    if (row < first) first = row
    if (row > last) last = row
  }
  return [first, last]
}

/** Of the rows that have to be asked, those that somebody wants to know of: a hard pattern takes 50 µs a row. */
function askedRows(
  { bytes, offsets }: TextVector,
  { decide, matcher }: Search,
  rows: Uint8Array,
  selection: Uint32Array | null,
  count: number,
): void {
  for (let n = 0; n < count; n++) {
    const row = selection === null ? n : selection[n]!
    if (rows[row] !== ASK) continue
    const is = matcher?.find(bytes, offsets[row]!, offsets[row + 1]!) ?? decide(textAt(bytes, offsets, row)) === true
    rows[row] = is ? YES : NO
  }
}

/** The characters beyond ASCII that fold to letters of ASCII, by letter. */
const FOLDING = [
  ['k', '\u212a'],
  ['i', 'İ'],
  ['s', 'ſ'],
].map(([letter, character]) => ({ letter: letter!, character: needleOf(character!, false) }))

/** By letter, whether a column has the character that folds to it: found out once. */
const foldingOf = new WeakMap<Uint8Array, Map<string, boolean>>()

/** Might a character beyond ASCII stand for a letter of the needle? */
function foldsBeyondAscii({ bytes, offsets, rowCount }: TextVector, needle: string): boolean {
  const letters = needle.toLowerCase()
  let known = foldingOf.get(bytes)
  if (known === undefined) foldingOf.set(bytes, (known = new Map()))
  for (const { letter, character } of FOLDING) {
    if (!letters.includes(letter)) continue
    let is = known.get(letter)
    if (is === undefined) known.set(letter, (is = isIn(bytes, character, offsets[rowCount]!)))
    if (is) return true
  }
  return false
}

const isWordUnit = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)

function acceptToken(needle: string): Search['accept'] {
  const startsInWord = isWordUnit(needle.charCodeAt(0))
  const endsInWord = isWordUnit(needle.charCodeAt(needle.length - 1))
  return (bytes, start, end, rowStart, rowEnd) => {
    const before = startsInWord && start > rowStart ? bytes[start - 1]! : 32
    const after = endsInWord && end < rowEnd ? bytes[end]! : 32
    if (isWordUnit(before) || isWordUnit(after)) return false
    // A byte beyond ASCII beside the hit: part of a letter or of a delimiter, only the text can tell.
    return before < 128 && after < 128 ? true : null
  }
}

/** What `contains` asks of what stands around. */
const ANYWHERE: NeedleEdges = { before: null, after: null }
const noWord = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 128 && !isWordUnit(byte) ? 1 : 0))

function tokenEdges(needle: string): NeedleEdges {
  const isWordAt = (at: number) => isWordUnit(needle.charCodeAt(at))
  return { before: isWordAt(0) ? noWord : null, after: isWordAt(needle.length - 1) ? noWord : null }
}

const asBoolean = (answer: unknown): boolean | null => (typeof answer === 'boolean' ? answer : null)

function textContains(
  vector: TextVector,
  needle: string,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array {
  const decide: Decide = text => asBoolean(TEXT_HELPERS.contains(text, needle))
  return searchBlock(
    vector,
    { needle, ignoreCase: true, accept: () => true, decide, edges: ANYWHERE },
    selection,
    selectedCount,
  )
}

function textContainsCs(
  vector: TextVector,
  needle: string,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array {
  const decide: Decide = text => asBoolean(TEXT_HELPERS.containsCs(text, needle))
  return searchBlock(
    vector,
    { needle, ignoreCase: false, accept: () => true, decide, edges: ANYWHERE },
    selection,
    selectedCount,
  )
}

function textHas(vector: TextVector, word: string, selection: Uint32Array | null, selectedCount: number): Uint8Array {
  const decide: Decide = text => asBoolean(TEXT_HELPERS.has(text, word))
  return searchBlock(
    vector,
    { needle: word, ignoreCase: true, accept: acceptToken(word), decide, edges: tokenEdges(word) },
    selection,
    selectedCount,
  )
}

function textMatches(
  vector: TextVector,
  pattern: string,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array {
  const regex = compileRegex(pattern)
  const rows = blankRows(vector)
  const count = selection === null ? vector.rowCount : selectedCount
  if (typeof regex === 'string') return rows.fill(UNKNOWN)
  const decide: Decide = text => regex.test(text)
  const literal = requiredLiteral(pattern)
  const matcher = bytePattern(pattern)
  if (literal === null) {
    const { bytes, offsets } = vector
    return matcher === null
      ? rowByRow(vector, decide, rows, selection, count)
      : eachRow(rows, selection, count, row => matcher.find(bytes, offsets[row]!, offsets[row + 1]!))
  }
  const { text: needle, ignoreCase, isWhole } = literal
  const accept = () => (isWhole ? true : null)
  return searchBlock(
    vector,
    { needle, ignoreCase, accept, decide, matcher, edges: isWhole ? ANYWHERE : null },
    selection,
    selectedCount,
  )
}

/** Of the selected rows those that have a text: 1. */
export function rowsWithText(vector: TextVector, selection: Uint32Array | null, count: number): Uint8Array {
  const rows = blankRows(vector)
  markSelected(rows, selection, count, YES)
  return rows
}

/** Rows that hold what every match of a pattern must hold: 1, others cannot match. Null: nothing is known to be needed. */
export function rowsWithLiteral(
  vector: TextVector,
  pattern: string,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array | null {
  const literal = requiredLiteral(pattern)
  if (literal === null) return null
  const { text: needle, ignoreCase } = literal
  const folded = ignoreCase ? needle.toLowerCase() : needle
  // Folding as the pattern language does it, for the rows that need it.
  const decide: Decide = text => (ignoreCase ? foldedForRegex(text) : text).includes(folded)
  return searchBlock(
    vector,
    { needle, ignoreCase, accept: () => true, decide, edges: ANYWHERE },
    selection,
    selectedCount,
  )
}

function foldedForRegex(text: string): string {
  return text.toLowerCase().replaceAll('ſ', 's').replaceAll('\u212a', 'k')
}

/** `field == "text"`: lengths first, then bytes. */
function textEquals(
  vector: TextVector,
  wanted: string,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array {
  const { bytes, offsets, rowCount, presence } = vector
  const target = Buffer.from(wanted, 'utf8')
  const rows = new Uint8Array(rowCount)
  const count = selection === null ? rowCount : selectedCount
  for (let n = 0; n < count; n++) {
    const row = selection === null ? n : selection[n]!
    if (presence !== null && presence[row] !== PRESENT) {
      rows[row] = UNKNOWN
      continue
    }
    const start = offsets[row]!
    if (offsets[row + 1]! - start !== target.length) continue
    let at = 0
    while (at < target.length && bytes[start + at] === target[at]) at++
    if (at === target.length) rows[row] = YES
  }
  return rows
}

function textNotEquals(
  vector: TextVector,
  wanted: string,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array {
  const rows = textEquals(vector, wanted, selection, selectedCount)
  for (let row = 0; row < rows.length; row++) if (rows[row] !== UNKNOWN) rows[row] = 1 - rows[row]!
  return rows
}

export const TEXT_SEARCH_HELPERS = {
  textContains,
  textContainsCs,
  textHas,
  textMatches,
  textEquals,
  textNotEquals,
  rowsWithLiteral,
}
