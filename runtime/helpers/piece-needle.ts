/**
 * What is looked for in pieces (`piece-search.ts`), as bits: a search is a set of them, one for each beginning of the needle that the bytes so
 * far end with, and a byte makes of it `((bits << 1) | 1) & steps[byte]`. Bits go their ways alone, so what bytes make of a set is what
 * they make of each of its bits, together.
 */
import type { Needle } from './byte-search.ts'

/** What is looked for, a set of bytes at each place; so many of them. */
export interface PieceNeedle {
  /** By byte, a bit for each place where it may stand. */
  readonly steps: Int32Array
  readonly length: number
  /** A text begins, or ends, with what may stand at the first place, or the last. */
  readonly beginsWithText: boolean
  readonly endsWithText: boolean
  /** False: there is more of it, and who has this may not have that. */
  readonly isWhole: boolean
  /** Bytes beyond ASCII may decide, which are not looked at here. */
  readonly isAsciiOnly: boolean
  /** What tells it from others. */
  readonly key: string
}

/** One bit is the sign. */
export const PLACES_MAX = 31

export interface NeedleEdges {
  /** By byte 1 where it may stand before the needle, as the beginning of a text may; null: anything may. */
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/** @param needle  not empty */
export function pieceNeedle(
  { bytes, masks }: Needle,
  isAsciiOnly: boolean,
  { before, after }: NeedleEdges,
): PieceNeedle {
  const steps = new Int32Array(256)
  const edges = (before === null ? 0 : 1) + (after === null ? 0 : 1)
  const isWhole = bytes.length + edges <= PLACES_MAX
  let place = 0
  const allow = (isAllowed: (byte: number) => boolean): void => {
    for (let byte = 0; byte < 256; byte++) if (isAllowed(byte)) steps[byte]! |= 1 << place
    place++
  }
  if (before !== null) allow(byte => before[byte] === 1)
  for (let at = 0; at < bytes.length && place < PLACES_MAX; at++) allow(byte => (byte | masks[at]!) === bytes[at])
  if (isWhole && after !== null) allow(byte => after[byte] === 1)
  return {
    steps,
    length: place,
    beginsWithText: before !== null,
    endsWithText: isWhole && after !== null,
    isWhole,
    isAsciiOnly: isAsciiOnly || edges > 0,
    key: `${edges}${before === null} ${bytes.join()} ${masks.join()}`,
  }
}

/** What texts begin with that match a pattern, a set of bytes at each place, none of them beyond ASCII. @param key  what tells it from others */
export function leadNeedle(lead: readonly Uint8Array[], key: string): PieceNeedle {
  const steps = new Int32Array(256)
  for (const [place, bytes] of lead.entries())
    for (let byte = 0; byte < 256; byte++) if (bytes[byte] === 1) steps[byte]! |= 1 << place
  const { length } = lead
  return { steps, length, beginsWithText: false, endsWithText: false, isWhole: false, isAsciiOnly: false, key }
}

/** Every search that a value of such bytes may make of one. */
export function everyAfter(state: number, madeOf: number): number {
  let all = ((state << 1) | 1) & madeOf
  for (;;) {
    const more = all | (((all << 1) | 1) & madeOf)
    if (more === all) return all
    all = more
  }
}

export function bitsOf(bytes: Uint8Array, { steps }: PieceNeedle): number {
  let bits = 0
  for (let byte = 0; byte < 256; byte++) if (bytes[byte] === 1) bits |= steps[byte]!
  return bits
}
