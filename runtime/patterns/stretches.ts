/**
 * Which drafts agree but for one stretch? Every stretch of every draft is left out in turn, and what is left is hashed from both ends;
 * drafts that leave the same are found in two passes, of which the first only counts.
 */
import { type Cell, DELIMITER, MASKED, TEXT, type Vocabulary } from './cells.ts'
import type { Draft } from './split.ts'

/** Cells a stretch may have. */
const STRETCH_CELLS = 8
/** Words of the message a stretch may have. */
const STRETCH_WORDS = 2

const OPENS = 16
const CLOSES = 32

/** A draft as numbers, made once however many rounds it lives. */
export interface Row {
  readonly draft: Draft
  readonly tokens: Int32Array
  readonly flags: Uint8Array
  /** Hashes of the tokens before each place, and from each place on. */
  readonly before: Int32Array
  readonly after: Int32Array
}

/** Part of a row; what is left is its key. */
export interface Stretch {
  readonly row: Row
  readonly start: number
  readonly length: number
}

export function rowOf(draft: Draft, words: Vocabulary): Row {
  const count = draft.cells.length
  const tokens = new Int32Array(count)
  const flags = new Uint8Array(count)
  const before = new Int32Array(count + 1).fill(0x811c9dc5 | 0)
  const after = new Int32Array(count + 1)
  for (let at = 0; at < count; at++) {
    const { token } = draft.cells[at]!
    tokens[at] = token
    flags[at] = words.flagsOf(token) | bracketOf(words.texts[token]!)
    before[at + 1] = Math.imul(before[at]! ^ (token + 0x7f4a7c15), 0x01000193)
  }
  for (let at = count - 1; at >= 0; at--) after[at] = Math.imul(after[at + 1]! ^ (tokens[at]! + 0x9e3779b9), 0x01000193)
  return { draft, tokens, flags, before, after }
}

function bracketOf(text: string): number {
  if (text === '(' || text === '[' || text === '{') return OPENS
  return text === ')' || text === ']' || text === '}' ? CLOSES : 0
}

/** Stretches of different rows that leave the same tokens, two or more at a time. */
export function placesOf(rows: readonly Row[]): Stretch[][] {
  let stretches = 0
  for (const { tokens } of rows) stretches += tokens.length + 1
  // Four a cell is what lines have; more only means that more are looked at twice.
  const seen = new Uint8Array(2 ** Math.min(26, Math.max(10, Math.ceil(Math.log2(stretches * 16)))))
  const mask = seen.length - 1
  for (const row of rows) {
    forEachStretch(row, (_start, _length, hash) => {
      const slot = hash & mask
      if (seen[slot]! < 2) seen[slot]!++
    })
  }
  const buckets = new Map<number, Stretch[][]>()
  for (const row of rows) {
    forEachStretch(row, (start, length, hash) => {
      if (seen[hash & mask] === 2) collect(buckets, hash, { row, start, length })
    })
  }
  return [...buckets.values()].flat().filter(place => place.length > 1)
}

function collect(buckets: Map<number, Stretch[][]>, hash: number, stretch: Stretch): void {
  const places = buckets.get(hash)
  if (places === undefined) {
    buckets.set(hash, [[stretch]])
    return
  }
  const place = places.find(([first]) => leavesSame(first!, stretch))
  if (place === undefined) places.push([stretch])
  // A row that leaves the same twice (`a a`) stands there once.
  else if (place.at(-1)!.row !== stretch.row) place.push(stretch)
}

function leavesSame(left: Stretch, right: Stretch): boolean {
  const leftRest = left.row.tokens.length - left.start - left.length
  if (left.start !== right.start || leftRest !== right.row.tokens.length - right.start - right.length) return false
  const a = left.row.tokens
  const b = right.row.tokens
  for (let at = 0; at < left.start; at++) if (a[at] !== b[at]) return false
  for (let back = 1; back <= leftRest; back++) if (a[a.length - back] !== b[b.length - back]) return false
  return true
}

/** Every stretch that could vary: nothing, one word, or a few cells with something masked and closed brackets. */
function forEachStretch(row: Row, callback: (start: number, length: number, hash: number) => void): void {
  const { flags, before, after } = row
  const count = flags.length
  for (let start = 0; start <= count; start++) {
    let texts = 0
    let masked = 0
    let open = 0
    const last = Math.min(STRETCH_CELLS, count - start)
    for (let length = 0; length <= last; length++) {
      if (length > 0) {
        const flag = flags[start + length - 1]!
        if ((flag & TEXT) !== 0) texts++
        masked |= flag & MASKED
        if ((flag & (OPENS | CLOSES)) !== 0) open += (flag & OPENS) !== 0 ? 1 : -1
        if (open < 0 || texts > STRETCH_WORDS) break
        if (length === 1 ? (flag & DELIMITER) !== 0 : masked === 0 || open !== 0) continue
      }
      let hash = Math.imul(before[start]!, 0x85ebca6b) ^ after[start + length]!
      hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
      callback(start, length, hash ^ (hash >>> 13))
    }
  }
}

export function insideOf({ row, start, length }: Stretch): readonly Cell[] {
  return row.draft.cells.slice(start, start + length)
}

export function outsideOf({ row, start, length }: Stretch): readonly Cell[] {
  const { cells } = row.draft
  return [...cells.slice(0, start), ...cells.slice(start + length)]
}
