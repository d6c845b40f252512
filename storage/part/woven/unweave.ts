/**
 * Woven text put together again. One loop over all codes of the block, because that is where the time goes: a code is a look-up and a copy
 * of some bytes. Arrays are plain Uint8Arrays throughout: a loop that meets a Buffer once is slower on everything from then on.
 */
import { PRESENT, type TextVector, type Vector } from '../../vector.ts'
import type { ByteSource } from '../bytes.ts'
import { readPresence } from '../encodings/presence.ts'
import { CHUNK_BYTES_MAX } from '../format.ts'
import { type Reference, referenceTo } from './references.ts'
import { LITERAL, ROW_END } from './woven.ts'

/** The entries of a dictionary as a reader has them: their bytes on end, and the reference of those that are one. */
interface Entries {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly references: readonly (Reference | null)[]
  readonly count: number
}

function readEntries(source: ByteSource, referenceOf: (field: string) => Reference): Entries {
  const count = source.count(1)
  const parts: Uint8Array[] = []
  const starts = new Uint32Array(count + 1)
  const references: (Reference | null)[] = new Array(count).fill(null)
  for (let entry = 0; entry < count; entry++) {
    const head = source.varint()
    const bytes = source.bytes(Math.floor(head / 2))
    const isField = head % 2 === 1
    if (isField) references[entry] = referenceOf(nameOf(bytes))
    else parts.push(bytes)
    starts[entry + 1] = starts[entry]! + (isField ? 0 : bytes.length)
  }
  return { bytes: new Uint8Array(Buffer.concat(parts)), starts, references, count }
}

function nameOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Copies longer than this are left to the engine: a call costs as much as this many bytes. */
const COPY_BY_HAND_MAX = 40

/** @param columnOf  the other columns of the block, decoded. @throws {RangeError} when the bytes describe no text */
export function decodeWoven(
  source: ByteSource,
  rowCount: number,
  columnOf: (field: string) => Vector | null,
): TextVector {
  const presence = readPresence(source, rowCount)
  const total = source.varint()
  if (total > CHUNK_BYTES_MAX) throw new RangeError('more text than fits a chunk')
  const entries = readEntries(source, field => {
    const column = columnOf(field)
    const reference = column === null ? null : referenceTo(column)
    if (reference === null) throw new RangeError(`a reference to ${field}, which says nothing`)
    return reference
  })
  const shortCodes = source.u8()
  const codes = source.bytes(source.varint())
  const literals = source.bytes(source.varint())
  const offsets = new Uint32Array(rowCount + 1)
  const bytes = unweave(total, presence, offsets, codes, literals, entries, shortCodes)
  return { kind: 'text', rowCount, bytes, offsets, presence }
}

function unweave(
  total: number,
  presence: Uint8Array | null,
  offsets: Uint32Array,
  codes: Uint8Array,
  literals: Uint8Array,
  { bytes, starts, references, count }: Entries,
  shortCodes: number,
): Uint8Array {
  const out = new Uint8Array(total)
  const codeCount = codes.length
  let at = 0
  let next = 0
  let literal = 0
  for (let row = 0; row < offsets.length - 1; row++) {
    offsets[row + 1] = at
    if (presence !== null && presence[row] !== PRESENT) continue
    for (;;) {
      if (next >= codeCount) throw new RangeError('codes that do not end')
      const code = codes[next++]!
      if (code === ROW_END) break
      if (code === LITERAL) {
        let length = 0
        let scale = 1
        for (let byte = 0x80; byte >= 0x80 && next < codeCount; scale *= 0x80) {
          byte = codes[next++]!
          length += (byte & 0x7f) * scale
        }
        if (literal + length > literals.length || at + length > total) throw new RangeError('a literal past the end')
        for (let end = literal + length; literal < end; ) out[at++] = literals[literal++]!
        continue
      }
      let entry = code - 1
      if (entry >= shortCodes) {
        if (next >= codeCount) throw new RangeError('half a code')
        entry = shortCodes + (entry - shortCodes) * 256 + codes[next++]!
      }
      if (entry >= count) throw new RangeError(`entry ${entry} of ${count}`)
      let start = starts[entry]!
      const end = starts[entry + 1]!
      if (start === end) {
        const reference = references[entry]!
        if (reference === null || !reference.load(row)) throw new RangeError('a reference to nothing')
        at = put(reference, out, at)
      } else if (at + end - start > total) throw new RangeError('more text than there is')
      else if (end - start > COPY_BY_HAND_MAX) {
        out.set(bytes.subarray(start, end), at)
        at += end - start
      } else while (start < end) out[at++] = bytes[start++]!
    }
    offsets[row + 1] = at
  }
  if (at !== total || next !== codeCount || literal !== literals.length)
    throw new RangeError('less text than there was')
  return out
}

function put({ bytes, start, end }: Reference, out: Uint8Array, at: number): number {
  if (at + end - start > out.length) throw new RangeError('more text than there is')
  if (end - start > COPY_BY_HAND_MAX) out.set(bytes.subarray(start, end), at)
  else for (let from = start, to = at; from < end; ) out[to++] = bytes[from++]!
  return at + end - start
}
