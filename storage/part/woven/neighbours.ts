/**
 * Which codes of a woven text stand directly behind which: what a search may go on to from where it is, before anything is looked for. Of a
 * million codes of seeded messages 12,000 pairs are different ones. A pair is a bit, so that a block's take 9 KB; codes of two bytes are told
 * by their first, which stands for 256 entries. The chunk says it (`told.ts`), else it is found out in one walk over the codes (`code-walk.ts`; by hand 3 ms for a million).
 */
import type { PieceNeighbours } from '../../vector.ts'
import { LITERAL, ROW_END } from './code.ts'
import { type CodeWalk, PAIRS } from './code-walk.ts'

/** A row of 256 bits for each code. */
const WORDS = 8

export class Neighbours implements PieceNeighbours {
  /** What it holds on to. */
  static readonly BYTES = 256 * (WORDS + 1) * 4
  /** By the code before times 256 and the one behind it, low bits first. */
  readonly bits: Uint32Array
  readonly isLocal: boolean
  readonly counts: Uint32Array

  /** @param bits  `PAIRS` of them */
  constructor(bits: Uint32Array, { isLocal, counts }: Pick<NeighbourWalk, 'isLocal' | 'counts'>) {
    this.bits = bits
    this.isLocal = isLocal
    this.counts = counts
  }

  /** What a walk found; it may go on. */
  static found({ pairs, isLocal, counts }: Pick<CodeWalk, 'pairs' | 'isLocal' | 'counts'>): Neighbours {
    const bits = new Uint32Array(PAIRS / 32)
    for (let pair = 0; pair < pairs.length; pair++) if (pairs[pair] === 1) bits[pair >>> 5]! |= 1 << (pair & 31)
    return new Neighbours(bits, { isLocal, counts: counts.slice() })
  }

  has(code: number, next: number): boolean {
    return ((this.bits[code * WORDS + (next >>> 5)]! >>> (next & 31)) & 1) === 1
  }

  /** By hand: whatever is wrong with the codes. */
  static of(codes: Uint8Array, shortCodes: number): Neighbours {
    const pairs = new Uint8Array(PAIRS)
    const walk = { next: 0, before: ROW_END, isLocal: true, counts: new Uint32Array(256) }
    while (walk.next < codes.length) walkOn(walk, codes, shortCodes, pairs)
    return Neighbours.found({ ...walk, pairs })
  }
}

/** V8 makes a function quick that is called often, not one that loops for long: the first of these walks takes a tenth of the time this way. */
const CODES_AT_ONCE = 4096

interface NeighbourWalk {
  next: number
  before: number
  isLocal: boolean
  readonly counts: Uint32Array
}

function walkOn(walk: NeighbourWalk, codes: Uint8Array, shortCodes: number, pairs: Uint8Array): void {
  const { counts } = walk
  const end = Math.min(codes.length, walk.next + CODES_AT_ONCE)
  let { next, before } = walk
  while (next < end) {
    const code = codes[next++]!
    counts[code]!++
    if (code === LITERAL) {
      let length = 0
      for (let byte = 0x80; byte >= 0x80 && next < codes.length; length |= byte & 0x7f) {
        byte = codes[next++]!
        if (byte > shortCodes || byte >= 0x80) walk.isLocal = false
      }
      // What stands before and behind nothing stand together.
      if (length === 0) continue
    } else if (code > shortCodes && codes[next++]! > shortCodes) walk.isLocal = false
    pairs[(before << 8) | code] = 1
    before = code
  }
  walk.next = next
  walk.before = before
}
