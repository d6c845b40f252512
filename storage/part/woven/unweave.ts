/**
 * Woven text put together again. One loop over all codes of the block, because that is where the time goes: a code is a look-up and a copy
 * of some bytes. Arrays are plain Uint8Arrays throughout: a loop that meets a Buffer once is slower on everything from then on.
 */
import { PRESENT, type TextVector, type Vector } from '../../vector.ts'
import type { ByteSource } from '../bytes.ts'
import { presenceAt, readPresence } from '../encodings/presence.ts'
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

/**
 * @param columnOf  the other columns of the block, decoded; where only `rows` are wanted, those of them
 * @throws {RangeError} when the bytes describe no text
 */
export function decodeWoven(
  source: ByteSource,
  rowCount: number,
  columnOf: (field: string) => Vector | null,
  rows: Uint32Array | null = null,
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
  const woven = { codes, literals, entries, shortCodes }
  if (rows !== null) return fewRows(woven, presence, rowCount, rows)
  const offsets = new Uint32Array(rowCount + 1)
  return { kind: 'text', rowCount, bytes: everyRow(woven, total, presence, offsets), offsets, presence }
}

interface Woven {
  readonly codes: Uint8Array
  readonly literals: Uint8Array
  readonly entries: Entries
  readonly shortCodes: number
}

/**
 * Rows are found by walking the codes without following them, and each is then a block of one row. References are to columns of these
 * rows, so their values are asked for by the row's number among them.
 */
function fewRows(woven: Woven, presence: Uint8Array | null, rowCount: number, rows: Uint32Array): TextVector {
  const { codes, literals, entries, shortCodes } = woven
  const codeStarts = new Uint32Array(rowCount + 1)
  const literalStarts = new Uint32Array(rowCount + 1)
  let next = 0
  let literal = 0
  for (let row = 0; row < rowCount; row++) {
    if (presence === null || presence[row] === PRESENT) {
      for (let code = codes[next++]; code !== ROW_END; code = codes[next++]) {
        if (code === undefined) throw new RangeError('codes that do not end')
        if (code === LITERAL) {
          for (let scale = 1, byte = 0x80; byte >= 0x80 && next < codes.length; scale *= 0x80) {
            byte = codes[next++]!
            literal += (byte & 0x7f) * scale
          }
        } else if (code > shortCodes) next++
      }
    }
    codeStarts[row + 1] = next
    literalStarts[row + 1] = literal
  }
  if (next !== codes.length || literal !== literals.length) throw new RangeError('less text than there was')
  const texts: Uint8Array[] = []
  const offsets = new Uint32Array(rows.length + 1)
  for (let n = 0; n < rows.length; n++) {
    const row = rows[n]!
    const ownCodes = codes.subarray(codeStarts[row]!, codeStarts[row + 1]!)
    const ownLiterals = literals.subarray(literalStarts[row]!, literalStarts[row + 1]!)
    const own = { codes: ownCodes, literals: ownLiterals, shortCodes, entries: entriesOfRow(entries, n) }
    const text = ownCodes.length === 0 ? ownCodes : everyRow(own, lengthOf(own), null, new Uint32Array(2))
    texts.push(text)
    offsets[n + 1] = offsets[n]! + text.length
  }
  const bytes = new Uint8Array(Buffer.concat(texts))
  const own = presence === null ? null : presenceAt(presence, rows)
  return { kind: 'text', rowCount: rows.length, bytes, offsets, presence: own }
}

/** The same entries, their references bound to one row. */
function entriesOfRow(entries: Entries, row: number): Entries {
  const { bytes, starts, references, count } = entries
  const bound = references.map(reference => (reference === null ? null : boundTo(reference, row)))
  return { bytes, starts, references: bound, count }
}

function boundTo(reference: Reference, row: number): Reference {
  const says = reference.load(row)
  return { bytes: reference.bytes, start: reference.start, end: reference.end, load: () => says }
}

/** The bytes that one row of codes comes to. */
function lengthOf({ codes, literals, entries, shortCodes }: Woven): number {
  let length = literals.length
  for (let next = 0; next < codes.length - 1; ) {
    const code = codes[next++]!
    if (code === LITERAL) while ((codes[next++] ?? 0) >= 0x80);
    else {
      const entry = code <= shortCodes ? code - 1 : shortCodes + (code - 1 - shortCodes) * 256 + codes[next++]!
      const reference = entries.references[entry]
      if (reference == null) length += (entries.starts[entry + 1] ?? 0) - (entries.starts[entry] ?? 0)
      else length += reference.end - reference.start
    }
  }
  return length
}

function everyRow(
  { codes, literals, entries, shortCodes }: Woven,
  total: number,
  presence: Uint8Array | null,
  offsets: Uint32Array,
): Uint8Array {
  const { bytes, starts, references, count } = entries
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
