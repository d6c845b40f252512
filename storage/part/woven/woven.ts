/**
 * Text as codes: of the block's own dictionary of pieces, and of fields whose value stands there. Frequent pieces take one byte, others two,
 * and what repeats nowhere stands aside as it is. Seeded messages (88 bytes) take 13 bytes after zstd where their text takes 23, and
 * a code is a copy of some bytes when it is read, as one of LZ4 is.
 */
import { PRESENT, type TextVector, type Vector } from '../../vector.ts'
import { type ByteSink, grown } from '../bytes.ts'
import { writePresence } from '../encodings/presence.ts'
import { CODES, firstByteOf, LITERAL, ROW_END } from './code.ts'
import { type Cut, cut, END_OF_ROW, FIRST_REFERENCE } from './cut.ts'
import { type Reference, referenceTo } from './references.ts'
import { writeTold } from './told.ts'

const ENTRIES_MAX = 30_000

/** More than this share of the text's bytes is left: the text is stored as text. */
const SHARE_MAX = 0.6
const ROWS_MIN = 32
/** Fewer codes are walked in the time it takes to read what was told of them (`told.ts`). */
const TOLD_CODES_MIN = 65_536
const ROWS_SAMPLED = 512

export interface Weave {
  readonly text: TextVector
  readonly entries: readonly (Uint8Array | string)[]
  readonly shortCodes: number
  readonly codes: Uint8Array
  readonly literals: Uint8Array
}

/** `text` as codes, or null when its bytes are better. @param others  columns of the block that the text may refer to */
export function weave(text: TextVector, others: ReadonlyMap<string, Vector>): Weave | null {
  const { rowCount, offsets } = text
  if (rowCount < ROWS_MIN) return null
  const total = offsets[rowCount]! - offsets[0]!
  if (total === 0) return null
  const used = referencesUsed(text, others)
  const taken = cut(
    text,
    used.map(({ reference }) => reference),
    null,
  )
  const woven = emit(
    text,
    taken,
    used.map(({ name }) => name),
  )
  const size = woven.entries.reduce((sum, entry) => sum + entry.length + 2, woven.codes.length + woven.literals.length)
  return size <= total * SHARE_MAX ? woven : null
}

interface Named {
  readonly name: string
  readonly reference: Reference
}

/** The columns that a sample of the rows does refer to. */
function referencesUsed(text: TextVector, others: ReadonlyMap<string, Vector>): Named[] {
  const all: Named[] = []
  for (const [name, vector] of others) {
    // A constant is a piece like any other.
    const reference = vector.kind === 'const' ? null : referenceTo(vector)
    if (reference !== null) all.push({ name, reference })
  }
  if (all.length === 0) return []
  const step = Math.max(1, Math.floor(text.rowCount / ROWS_SAMPLED))
  const rows = Uint32Array.from({ length: Math.floor(text.rowCount / step) }, (_, index) => index * step)
  const { hits } = cut(
    text,
    all.map(({ reference }) => reference),
    rows,
  )
  return all.filter((_, index) => hits[index]! > rows.length >>> 8)
}

/** Bytes an entry of the dictionary costs besides its own. */
const ENTRY_COST = 2

function emit(text: TextVector, { ops, count, pieces, hits }: Cut, names: readonly string[]): Weave {
  // What is an entry: number of the piece, or of the reference as ops have it.
  const chosen: number[] = []
  for (let piece = 0; piece < pieces.size; piece++) {
    const repeats = pieces.counts[piece]!
    const length = pieces.lengths[piece]!
    if (repeats > 3 && repeats * length > (length + ENTRY_COST) * 2) chosen.push(piece)
  }
  for (let index = 0; index < names.length; index++) if (hits[index]! > 0) chosen.push(FIRST_REFERENCE - index)
  const repeatsOf = (op: number): number => (op >= 0 ? pieces.counts[op]! : hits[FIRST_REFERENCE - op]!)
  chosen.sort((a, b) => repeatsOf(b) - repeatsOf(a) || b - a)
  chosen.length = Math.min(chosen.length, ENTRIES_MAX)
  const shortCodes = chosen.length <= CODES ? CODES : CODES - Math.ceil((chosen.length - CODES) / 255)
  const entryOfPiece = new Int32Array(pieces.size).fill(-1)
  const entryOfReference = new Int32Array(names.length).fill(-1)
  for (const [entry, op] of chosen.entries()) {
    if (op >= 0) entryOfPiece[op] = entry
    else entryOfReference[FIRST_REFERENCE - op] = entry
  }
  const { bytes, offsets, presence } = text
  let out = new Uint8Array(count * 2 + 16)
  let to = 0
  const literals = new Output(1024)
  let op = 0
  for (let row = 0; row < text.rowCount; row++) {
    if (presence !== null && presence[row] !== PRESENT) continue
    let at = offsets[row]!
    // Literal text of this row that is not written yet ends at `at`.
    let literalStart = at
    for (let next = ops[op++]!; next !== END_OF_ROW; next = ops[op++]!) {
      const isPiece = next >= 0
      const entry = isPiece ? entryOfPiece[next]! : entryOfReference[FIRST_REFERENCE - next]!
      const length = isPiece ? pieces.lengths[next]! : ops[op++]!
      if (entry !== -1) {
        // Literal text, and a code of two bytes.
        if (to + LITERAL_HEAD_MAX + 2 > out.length) out = grown(out, out.length * 2)
        if (literalStart < at) to = writeLiteral(out, to, literals, bytes, literalStart, at)
        out[to++] = firstByteOf(entry, shortCodes)
        if (entry >= shortCodes) out[to++] = (entry - shortCodes) & 255
        literalStart = at + length
      }
      at += length
    }
    if (to + LITERAL_HEAD_MAX + 1 > out.length) out = grown(out, out.length * 2)
    if (literalStart < at) to = writeLiteral(out, to, literals, bytes, literalStart, at)
    out[to++] = ROW_END
  }
  const entries = chosen.map(op =>
    op >= 0
      ? bytes.subarray(pieces.starts[op]!, pieces.starts[op]! + pieces.lengths[op]!)
      : names[FIRST_REFERENCE - op]!,
  )
  return { text, entries, shortCodes, codes: out.subarray(0, to), literals: literals.finish() }
}

/** The code of literal text and the varint of its length, which is below 2^32. */
const LITERAL_HEAD_MAX = 6

/** Answers where the codes go on. */
function writeLiteral(
  out: Uint8Array,
  at: number,
  literals: Output,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let to = at
  out[to++] = LITERAL
  let rest = end - start
  for (; rest >= 0x80; rest >>>= 7) out[to++] = (rest & 0x7f) | 0x80
  out[to++] = rest
  literals.add(bytes, start, end)
  return to
}

class Output {
  #bytes: Uint8Array
  #length = 0

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > this.#bytes.length) this.#bytes = grown(this.#bytes, Math.max(length, this.#bytes.length * 2))
    const own = this.#bytes
    let to = this.#length
    for (let at = start; at < end; at++) own[to++] = bytes[at]!
    this.#length = to
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

export function encodeWoven(sink: ByteSink, weave: Weave): void {
  const { text, entries, shortCodes, codes, literals } = weave
  writePresence(sink, text.presence)
  sink.varint(text.offsets[text.rowCount]! - text.offsets[0]!)
  sink.varint(entries.length)
  for (const entry of entries) {
    const isField = typeof entry === 'string'
    const bytes = isField ? Buffer.from(entry) : entry
    sink.varint(bytes.length * 2 + (isField ? 1 : 0))
    sink.bytes(bytes)
  }
  sink.u8(shortCodes)
  sink.varint(codes.length)
  sink.bytes(codes)
  sink.varint(literals.length)
  sink.bytes(literals)
  if (codes.length >= TOLD_CODES_MIN) writeTold(sink, text.rowCount, weave)
}
