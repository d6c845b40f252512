/**
 * Patterns that are one way only, matched in the bytes of a text: a row of characters and classes, each as often as its quantifier says,
 * where no byte that may follow a repeat belongs to it. Then a repeat ends in one place, nothing is ever given back, and what matches is
 * what the pattern's own machine finds; no string is made of a text to find out. Regex captures over 183 MB of messages, with the literal of the
 * pattern looked for first: 260 → 205 ms with one thread.
 */
import { Lru } from './lru.ts'
import { PLACES_MAX } from './piece-needle.ts'
import { compileRegex } from './regex.ts'
import { atomAt, quantifierAt } from './regex-shape.ts'

const NO_LIMIT = 0x7fffffff
const GROUP = /\((?:\?:|\?P?<[A-Za-z_]\w*>)?(?!\?)/y
/** Any character beyond ASCII stands for all of them: no class of the language tells them apart, as far as they are read here. */
const BEYOND_ASCII = 'é'

interface Item {
  /** By byte: 1 where it may stand here. */
  readonly bytes: Uint8Array
  readonly min: number
  readonly max: number
}

const isRepeat = ({ min, max }: Item): boolean => min !== max

/** A state that no byte leads on from; behind all others. */
export const FAILED = 255
/** The state in which all has been found with a byte, before the one in which it had been before that byte. */
const FOUND_MAX = FAILED - 4

/**
 * A byte leads from each state to one other: how far the match has come. States are numbered in the order in which a match goes through them, so that one
 * comparison says whether a group has opened, or ended, or the match has failed.
 */
export class BytePattern {
  /** By group: the state in which it opens, and the one in which it has closed. The whole match is group 0. */
  readonly opens: readonly number[]
  readonly closes: readonly number[]
  /** From this state on the match is there, or has failed. */
  readonly done: number
  /** By state, 256 each: where the byte leads to, or `FAILED`. */
  readonly next: Uint8Array
  /** By state 1 where the text may end, and be a match. */
  readonly mayEnd: Uint8Array
  /** The text has to begin with it. */
  readonly isAnchored: boolean
  /** What every match begins with: by place, 1 for bytes that may stand there; ASCII. */
  readonly lead: readonly Uint8Array[]
  /** Where the group that was asked for last begins and ends. */
  start = 0
  end = 0
  /** The state in which the first item goes on taking all that it can, where it is not the only one; -1: it does not. */
  readonly #repeats: number

  private constructor(
    states: States,
    groups: readonly (readonly [number, number])[],
    { isAnchored, endsText }: Anchors,
    lead: readonly Uint8Array[],
  ) {
    const { items, first, found } = states
    this.opens = groups.map(([open]) => first[open]!)
    this.closes = groups.map(([, close]) => first[close]!)
    // Where the text has to end, it is there when no byte is left.
    this.done = endsText ? found + 1 : found
    this.next = new Uint8Array((found + 1) * 256)
    this.mayEnd = new Uint8Array(found + 1)
    for (let state = 0; state <= found; state++) {
      this.mayEnd[state] = states.mayEnd(state) ? 1 : 0
      for (let byte = 0; byte < 256; byte++) this.next[(state << 8) | byte] = states.after(state, byte, endsText)
    }
    this.isAnchored = isAnchored
    this.lead = lead
    this.#repeats = items.length > 1 && items[0]!.max === NO_LIMIT ? first[1]! - 1 : -1
  }

  /** Null: of more states than there are numbers for. */
  static of(
    items: readonly Item[],
    groups: readonly (readonly [number, number])[],
    anchors: Anchors,
  ): BytePattern | null {
    const states = new States(items)
    return states.found > FOUND_MAX ? null : new BytePattern(states, groups, anchors, leadOf(items))
  }

  /** Is there a match in `bytes[start, end)`? The first one's group lies from `start` to `end` then. */
  find(bytes: Uint8Array, start: number, end: number, group = 0): boolean {
    if (this.isAnchored) return this.#matchesAt(bytes, start, end, group)
    const { next } = this
    for (let from = start; from < end; from++) {
      if (next[bytes[from]!] === FAILED) continue
      if (this.#matchesAt(bytes, from, end, group)) return true
      // Begun further on, the same bytes would be taken, and the same would follow.
      if (this.#repeats >= 0) from = Math.max(from, this.#endOfRepeat(bytes, from, end) - 1)
    }
    return this.#matchesAt(bytes, end, end, group)
  }

  #endOfRepeat(bytes: Uint8Array, from: number, end: number): number {
    const state = this.#repeats
    let at = from
    while (at < end && this.next[(state << 8) | bytes[at]!] === state) at++
    return at
  }

  #matchesAt(bytes: Uint8Array, from: number, end: number, group: number): boolean {
    const { next, done } = this
    const opens = this.opens[group]!
    const closes = this.closes[group]!
    let state = 0
    let at = from
    while (state < opens && at < end) state = next[(state << 8) | bytes[at++]!]!
    this.start = state > opens ? at - 1 : at
    while (state < closes && at < end) state = next[(state << 8) | bytes[at++]!]!
    this.end = state > closes ? at - 1 : at
    while (state < done && at < end) state = next[(state << 8) | bytes[at++]!]!
    return state >= done ? state !== FAILED : this.mayEnd[state] === 1
  }
}

/**
 * An item has a state for each byte that it may have taken so far; one that goes on as long as it can stays in its last. Where it may end, a byte that it
 * does not take is what follows it.
 */
class States {
  readonly items: readonly Item[]
  /** By item its first state, in which it has taken nothing; behind them the one in which all has been found. */
  readonly first: readonly number[]

  constructor(items: readonly Item[]) {
    const first = [0]
    for (const { min, max } of items) first.push(first.at(-1)! + (max === NO_LIMIT ? Math.max(min, 1) + 1 : max))
    this.items = items
    this.first = first
  }

  get found(): number {
    return this.first[this.items.length]!
  }

  after(state: number, byte: number, endsText: boolean): number {
    const { items, first } = this
    let item = this.#itemOf(state)
    if (item === items.length) return FAILED
    for (let taken = state - first[item]!; item < items.length; taken = 0) {
      const { bytes, min, max } = items[item]!
      if (bytes[byte] === 1 && taken < max)
        return max === NO_LIMIT ? Math.min(first[item]! + taken + 1, first[item + 1]! - 1) : first[item]! + taken + 1
      if (taken < min) return FAILED
      item++
    }
    return endsText ? FAILED : this.found + 1
  }

  mayEnd(state: number): boolean {
    const item = this.#itemOf(state)
    const { min = 0 } = this.items[item] ?? {}
    return state - this.first[item]! >= min && this.items.slice(item + 1).every(later => later.min === 0)
  }

  #itemOf(state: number): number {
    let item = 0
    while (item < this.items.length && this.first[item + 1]! <= state) item++
    return item
  }
}

/** The first bytes of every match, as far as each can be told from those before it; none beyond ASCII. */
function leadOf(items: readonly Item[]): readonly Uint8Array[] {
  const lead: Uint8Array[] = []
  for (const { bytes, min, max } of items) {
    if (bytes.includes(1, 128)) break
    for (let often = 0; often < min && lead.length < PLACES_MAX; often++) lead.push(bytes)
    if (min !== max || lead.length === PLACES_MAX) break
  }
  return lead
}

interface Anchors {
  readonly isAnchored: boolean
  readonly endsText: boolean
}

const KNOWN_MAX = 512
const known = new Lru<string, { readonly matcher: BytePattern | null }>(KNOWN_MAX)

/** Null: the pattern needs its own machine. */
export function bytePattern(pattern: string): BytePattern | null {
  return known.getOrMake(pattern, () => ({ matcher: read(pattern) })).matcher
}

function read(pattern: string): BytePattern | null {
  const regex = compileRegex(pattern)
  if (typeof regex === 'string' || !/^[\x20-\x7e]*$/.test(pattern)) return null
  const items: Item[] = []
  const groups: [number, number][] = [[0, -1]]
  // Of the groups that are open: their numbers, or null.
  const open: (number | null)[] = []
  const isAnchored = pattern.startsWith('^')
  let endsText = false
  for (let at = isAnchored ? 1 : 0; at < pattern.length; ) {
    if (pattern[at] === '(') {
      GROUP.lastIndex = at
      const group = GROUP.exec(pattern)
      if (group === null) return null
      open.push(group[0] === '(?:' ? null : groups.push([items.length, -1]) - 1)
      at += group[0].length
      continue
    }
    if (pattern[at] === ')') {
      const number = open.pop()
      // A group that may be left out has no place of its own.
      if (number === undefined || quantifierAt(pattern, at + 1) !== null) return null
      if (number !== null) groups[number]![1] = items.length
      at++
      continue
    }
    if (pattern[at] === '$' && at === pattern.length - 1) {
      endsText = true
      break
    }
    const atom = atomAt(pattern, at)
    if (atom === null) return null
    const bytes = bytesOf(atom.source)
    if (bytes === null) return null
    const quantifier = quantifierAt(pattern, at + atom.length)
    if (quantifier?.isLazy === true) return null
    const { min, max } = quantifier ?? { min: 1, max: 1 }
    // A character beyond ASCII is several bytes: it cannot be counted by them.
    if (bytes[128] === 1 && !(max === null && min <= 1)) return null
    items.push({ bytes, min, max: max ?? NO_LIMIT })
    at += atom.length + (quantifier?.length ?? 0)
  }
  if (items.length === 0) return null
  groups[0]![1] = items.length
  if (!items.every((item, at) => !isRepeat(item) || endsInOnePlace(items, at))) return null
  const anchors = { isAnchored, endsText }
  // What V8 may run takes time linear in the text, from every place of it; and so this way.
  return regex.machine === 'v8' || isLinear(items, anchors) ? BytePattern.of(items, groups, anchors) : null
}

/** Is no byte looked at more often than the pattern is long? */
function isLinear(items: readonly Item[], { isAnchored, endsText }: Anchors): boolean {
  if (isAnchored) return true
  const last = items.length - 1
  // Where the first one began in vain it is not begun again, and who reaches the last one has a match.
  return items.every(({ max }, at) => max !== NO_LIMIT || at === 0 || (at === last && !endsText))
}

/** Can nothing that a repeat takes be what follows it? */
function endsInOnePlace(items: readonly Item[], at: number): boolean {
  const { bytes } = items[at]!
  for (const next of items.slice(at + 1)) {
    if (next.bytes.some((is, byte) => is === 1 && bytes[byte] === 1)) return false
    if (next.min > 0) return true
  }
  return true
}

/** Null: it is no character, but a place between two. */
function bytesOf(source: string): Uint8Array | null {
  if (source === '\\b') return null
  const is = new RegExp(`^(?:${source})$`, 'u')
  const bytes = new Uint8Array(256)
  for (let byte = 0; byte < 128; byte++) if (is.test(String.fromCharCode(byte))) bytes[byte] = 1
  if (is.test(BEYOND_ASCII)) bytes.fill(1, 128)
  return bytes
}
