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

/** As they stand in the chunk: of references the names of the fields. */
interface NamedEntries extends Omit<Entries, 'references'> {
  readonly names: readonly (string | null)[]
}

function readEntries(source: ByteSource): NamedEntries {
  const count = source.count(1)
  const parts: Uint8Array[] = []
  const starts = new Uint32Array(count + 1)
  const names: (string | null)[] = new Array(count).fill(null)
  for (let entry = 0; entry < count; entry++) {
    const head = source.varint()
    const bytes = source.bytes(Math.floor(head / 2))
    const isField = head % 2 === 1
    if (isField) names[entry] = nameOf(bytes)
    else parts.push(bytes)
    starts[entry + 1] = starts[entry]! + (isField ? 0 : bytes.length)
  }
  return { bytes: new Uint8Array(Buffer.concat(parts)), starts, names, count }
}

function bound({ bytes, starts, names, count }: NamedEntries, columnOf: (field: string) => Vector | null): Entries {
  const references = names.map(field => {
    if (field === null) return null
    const column = columnOf(field)
    const reference = column === null ? null : referenceTo(column)
    if (reference === null) throw new RangeError(`a reference to ${field}, which says nothing`)
    return reference
  })
  return { bytes, starts, references, count }
}

function nameOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Copies longer than this are left to the engine: a call costs as much as this many bytes. */
const COPY_BY_HAND_MAX = 40

/** A chunk of woven text, taken apart, and not put together yet. @throws {RangeError} when the bytes describe no text */
export class WovenText {
  readonly rowCount: number
  readonly presence: Uint8Array | null
  /** Bytes of all the text. */
  readonly total: number
  readonly entries: NamedEntries
  readonly shortCodes: number
  readonly codes: Uint8Array
  readonly literals: Uint8Array
  #places: RowPlaces | null = null

  constructor(source: ByteSource, rowCount: number) {
    this.rowCount = rowCount
    this.presence = readPresence(source, rowCount)
    this.total = source.varint()
    if (this.total > CHUNK_BYTES_MAX) throw new RangeError('more text than fits a chunk')
    this.entries = readEntries(source)
    this.shortCodes = source.u8()
    this.codes = source.bytes(source.varint())
    this.literals = source.bytes(source.varint())
  }

  /** About what it holds on to, places included. */
  get byteLength(): number {
    const { bytes, starts } = this.entries
    const held = this.codes.length + this.literals.length + bytes.length + starts.byteLength
    return 256 + held + (this.presence?.length ?? 0) + (8 * this.rowCount) / STRIDE
  }

  /** @param columnOf  the other columns of the block, decoded. @throws {RangeError} when its codes describe no text */
  all(columnOf: (field: string) => Vector | null): TextVector {
    const { rowCount, presence, total, codes, literals, shortCodes } = this
    const offsets = new Uint32Array(rowCount + 1)
    const entries = bound(this.entries, columnOf)
    const bytes = everyRow({ codes, literals, shortCodes, entries }, total, presence, offsets)
    return { kind: 'text', rowCount, bytes, offsets, presence }
  }

  /**
   * Rows are found from places that are remembered, and each is then a block of one row. A hundred whole events from 33 blocks: 520 ms when
   * each time all codes were read, unpacked and walked and all other columns decoded, 122 where the text is kept as it is here and they are
   * kept from their second reading on.
   *
   * @param columnOf  these rows of the other columns
   */
  some(rows: Uint32Array, columnOf: (field: string) => Vector | null): TextVector {
    const { presence, codes, literals, shortCodes } = this
    const entries = bound(this.entries, columnOf)
    const places = (this.#places ??= placesOf(this))
    const walk = new Walk()
    const texts: Uint8Array[] = []
    const offsets = new Uint32Array(rows.length + 1)
    for (let n = 0; n < rows.length; n++) {
      const row = rows[n]!
      const place = Math.floor(row / STRIDE)
      walk.next = places.codes[place]!
      walk.literal = places.literals[place]!
      walk.over(this, place * STRIDE, row)
      const { next, literal } = walk
      walk.over(this, row, row + 1)
      // References are to columns of these rows: their values are asked for by the row's number among them.
      const own = {
        codes: codes.subarray(next, walk.next),
        literals: literals.subarray(literal, walk.literal),
        shortCodes,
        entries: entriesOfRow(entries, n),
      }
      const text = own.codes.length === 0 ? own.codes : everyRow(own, lengthOf(own), null, new Uint32Array(2))
      texts.push(text)
      offsets[n + 1] = offsets[n]! + text.length
    }
    const bytes = new Uint8Array(Buffer.concat(texts))
    const own = presence === null ? null : presenceAt(presence, rows)
    return { kind: 'text', rowCount: rows.length, bytes, offsets, presence: own }
  }
}

interface Woven {
  readonly codes: Uint8Array
  readonly literals: Uint8Array
  readonly shortCodes: number
  readonly entries: Entries
}

/** Between places that are remembered: so many rows are walked to find one. */
const STRIDE = 128

/** Where every `STRIDE`th row begins, in its codes and in its literals; and where they end. */
class RowPlaces {
  readonly codes: Uint32Array
  readonly literals: Uint32Array

  constructor(rowCount: number) {
    const count = Math.ceil(rowCount / STRIDE) + 1
    this.codes = new Uint32Array(count)
    this.literals = new Uint32Array(count)
  }
}

/** Goes over rows without following their codes. */
class Walk {
  next = 0
  literal = 0

  over({ codes, shortCodes, presence }: WovenText, from: number, to: number): void {
    let next = this.next
    let literal = this.literal
    for (let row = from; row < to; row++) {
      if (presence !== null && presence[row] !== PRESENT) continue
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
    this.next = next
    this.literal = literal
  }
}

function placesOf(woven: WovenText): RowPlaces {
  const { rowCount } = woven
  const places = new RowPlaces(rowCount)
  const walk = new Walk()
  for (let at = 0; at < places.codes.length - 1; at++) {
    walk.over(woven, at * STRIDE, Math.min(rowCount, (at + 1) * STRIDE))
    places.codes[at + 1] = walk.next
    places.literals[at + 1] = walk.literal
  }
  if (walk.next !== woven.codes.length || walk.literal !== woven.literals.length)
    throw new RangeError('less text than there was')
  return places
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
