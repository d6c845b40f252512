/**
 * Text predicates over a whole text column at once, from its bytes. No string is made for a row that does not match: the block is
 * viewed as one Latin-1 string (a copy of bytes, kept while the vector lives) and V8's own search runs over it; hits are mapped to
 * rows by offset. Measured on a 13 MB block: 0.5 ns/byte for the first search, 0.2 after it, against 9 for a string per row.
 *
 * A byte view is exact for ASCII patterns, with two exceptions that are looked for: `K` (Kelvin sign) and `İ`, the only
 * characters beyond ASCII that fold to ASCII letters. Anything else asks the row's own text.
 */
import type { TextVector } from '../../storage/vector.ts'
import { PRESENT } from '../../storage/vector.ts'
import { compileRegex } from './regex.ts'
import { TEXT_HELPERS } from './text.ts'
import { textAt } from './vectors.ts'

const NO = 0
const YES = 1
const UNKNOWN = 2

const latin1 = new WeakMap<TextVector, string>()

function byteText(vector: TextVector): string {
  let text = latin1.get(vector)
  if (text === undefined) {
    const { bytes } = vector
    const end = vector.offsets[vector.rowCount]!
    text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, end)
    latin1.set(vector, text)
  }
  return text
}

const KELVIN = '\xe2\x84\xaa'
const DOTTED_I = '\xc4\xb0'

const isAscii = (text: string): boolean => !/[^\x00-\x7f]/.test(text)
const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

type Decide = (text: string) => boolean | null

/** Every row asked through its own text: always right, never fast. */
function rowByRow(
  vector: TextVector,
  decide: Decide,
  rows: Uint8Array,
  selection: Uint32Array | null,
  count: number,
): Uint8Array {
  for (let n = 0; n < count; n++) {
    const row = selection === null ? n : selection[n]!
    if (rows[row] === UNKNOWN) continue
    const answer = decide(textAt(vector.bytes, vector.offsets, row))
    rows[row] = answer === null ? UNKNOWN : answer ? YES : NO
  }
  return rows
}

function blankRows({ rowCount, presence }: TextVector): Uint8Array {
  const rows = new Uint8Array(rowCount)
  if (presence !== null) for (let row = 0; row < rowCount; row++) if (presence[row] !== PRESENT) rows[row] = UNKNOWN
  return rows
}

/** The last row that starts at or before the byte. */
function rowOf(offsets: Uint32Array, byte: number, from: number, rowCount: number): number {
  let low = from
  let high = rowCount - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (offsets[middle]! <= byte) low = middle
    else high = middle - 1
  }
  // Empty rows start where the next one does; the byte belongs to the last of them.
  return low
}

interface Search {
  /** Found case-insensitively anywhere in the bytes; ASCII. */
  readonly needle: string
  readonly ignoreCase: boolean
  /** A hit that lies within one row, at byte range `[start, end)` of `text`: true, or null when only the row's text can tell. */
  accept(text: string, start: number, end: number, rowStart: number, rowEnd: number): boolean | null
  readonly decide: Decide
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
  // Few rows left to ask about: cheaper one by one than a search of the whole block.
  if (needle === '' || !isAscii(needle) || count * 16 < vector.rowCount) {
    return rowByRow(vector, search.decide, rows, selection, count)
  }
  const text = byteText(vector)
  if (ignoreCase && ((/k/i.test(needle) && text.includes(KELVIN)) || (/i/i.test(needle) && text.includes(DOTTED_I)))) {
    return rowByRow(vector, search.decide, rows, selection, count)
  }
  const { offsets, rowCount } = vector
  const find = finder(needle, ignoreCase)
  let row = 0
  for (let hit = find(text, 0); hit >= 0; ) {
    row = rowOf(offsets, hit, row, rowCount)
    const rowEnd = offsets[row + 1]!
    const end = hit + needle.length
    let next = hit + 1
    if (end <= rowEnd && rows[row] !== UNKNOWN) {
      const verdict = search.accept(text, hit, end, offsets[row]!, rowEnd)
      const accepted = verdict ?? search.decide(textAt(vector.bytes, offsets, row)) === true
      if (accepted) {
        rows[row] = YES
        next = rowEnd
      } else if (verdict === null) next = rowEnd
    }
    hit = next >= text.length ? -1 : find(text, next)
  }
  return rows
}

type Find = (text: string, from: number) => number

/** Case-insensitive search through V8's regular expressions: their Boyer-Moore handles both cases of a letter at once. */
function finder(needle: string, ignoreCase: boolean): Find {
  if (!ignoreCase || !/[a-z]/i.test(needle)) return (text, from) => text.indexOf(needle, from)
  const pattern = new RegExp(escapeRegex(needle), 'gi')
  return (text, from) => {
    pattern.lastIndex = from
    // `test` makes no match object; where it ended says where it began, because the pattern is as long as what it finds.
    return pattern.test(text) ? pattern.lastIndex - needle.length : -1
  }
}

const isWordUnit = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)

function acceptToken(needle: string): Search['accept'] {
  const startsInWord = isWordUnit(needle.charCodeAt(0))
  const endsInWord = isWordUnit(needle.charCodeAt(needle.length - 1))
  return (text, start, end, rowStart, rowEnd) => {
    const before = startsInWord && start > rowStart ? text.charCodeAt(start - 1) : 32
    const after = endsInWord && end < rowEnd ? text.charCodeAt(end) : 32
    if (isWordUnit(before) || isWordUnit(after)) return false
    // A byte beyond ASCII beside the hit: part of a letter or of a delimiter, only the text can tell.
    return before < 128 && after < 128 ? true : null
  }
}

const asBoolean = (answer: unknown): boolean | null => (typeof answer === 'boolean' ? answer : null)

function textContains(
  vector: TextVector,
  needle: string,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array {
  const decide: Decide = text => asBoolean(TEXT_HELPERS.contains(text, needle))
  return searchBlock(vector, { needle, ignoreCase: true, accept: () => true, decide }, selection, selectedCount)
}

function textContainsCs(
  vector: TextVector,
  needle: string,
  selection: Uint32Array | null,
  selectedCount: number,
): Uint8Array {
  const decide: Decide = text => asBoolean(TEXT_HELPERS.containsCs(text, needle))
  return searchBlock(vector, { needle, ignoreCase: false, accept: () => true, decide }, selection, selectedCount)
}

function textHas(vector: TextVector, word: string, selection: Uint32Array | null, selectedCount: number): Uint8Array {
  const decide: Decide = text => asBoolean(TEXT_HELPERS.has(text, word))
  return searchBlock(
    vector,
    { needle: word, ignoreCase: true, accept: acceptToken(word), decide },
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
  return rowByRow(vector, text => regex.test(text), rows, selection, count)
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

export const TEXT_SEARCH_HELPERS = { textContains, textContainsCs, textHas, textMatches, textEquals, textNotEquals }
