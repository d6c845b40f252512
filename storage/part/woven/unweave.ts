/**
 * Woven text put together again. One loop over all codes of the block, because that is where the time goes: a code is a look-up and a copy
 * of some bytes. Arrays are plain Uint8Arrays throughout: a loop that meets a Buffer once is slower on everything from then on.
 */
import { pickRows } from '../../pick.ts'
import { PRESENT, type TextVector, type Vector } from '../../vector.ts'
import { ByteSource } from '../bytes.ts'
import { presenceAt, readPresence } from '../encodings/presence.ts'
import { CHUNK_BYTES_MAX } from '../format.ts'
import { behindCode, behindVarint, entryOfTwo, LITERAL, literalLength, ROW_END, ROWS_APART } from './code.ts'
import { skipRows, walkCodes } from './code-walk.ts'
import { Neighbours } from './neighbours.ts'
import { type Reference, referenceTo } from './references.ts'
import { readTold } from './told.ts'

/** The entries of a dictionary as a reader has them: their bytes on end, and the reference of those that are one. */
interface Entries {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly references: readonly (Reference | null)[]
  readonly count: number
}

/** As they stand in the chunk: of references the names of the fields. */
export interface NamedEntries extends Omit<Entries, 'references'> {
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

function bound({ bytes, starts, names, count }: NamedEntries, referenceOf: (field: string) => Reference): Entries {
  const references = names.map(field => (field === null ? null : referenceOf(field)))
  return { bytes, starts, references, count }
}

/** The column is asked for when a row refers to it. */
class LateReference implements Reference {
  bytes: Uint8Array = new Uint8Array(0)
  start = 0
  end = 0
  readonly #field: string
  readonly #columnOf: (field: string) => Vector | null
  #own: Reference | null = null

  constructor(field: string, columnOf: (field: string) => Vector | null) {
    this.#field = field
    this.#columnOf = columnOf
  }

  load(row: number): boolean {
    this.#own ??= referenceOf(this.#field, this.#columnOf)
    const says = this.#own.load(row)
    this.bytes = this.#own.bytes
    this.start = this.#own.start
    this.end = this.#own.end
    return says
  }
}

function referenceOf(field: string, columnOf: (field: string) => Vector | null): Reference {
  const column = columnOf(field)
  const reference = column === null ? null : referenceTo(column)
  if (reference === null) throw new RangeError(`a reference to ${field}, which says nothing`)
  return reference
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
  /** How often somebody would have had it whole. */
  wantedCount = 0
  #places: RowPlaces | null = null
  /** Were some rows asked for? */
  #isAsked = false
  #neighbours: Neighbours | null = null
  /** What the chunk says of both, not read yet. */
  readonly #told: Uint8Array

  constructor(source: ByteSource, rowCount: number) {
    this.rowCount = rowCount
    this.presence = readPresence(source, rowCount)
    this.total = source.varint()
    if (this.total > CHUNK_BYTES_MAX) throw new RangeError('more text than fits a chunk')
    this.entries = readEntries(source)
    this.shortCodes = source.u8()
    this.codes = source.bytes(source.varint())
    this.literals = source.bytes(source.varint())
    this.#told = source.bytes(source.remaining)
  }

  /** About what it holds on to, places and neighbours included. */
  get byteLength(): number {
    const { bytes, starts } = this.entries
    const held = this.codes.length + this.literals.length + this.#told.length + bytes.length + starts.byteLength
    return 256 + held + (this.presence?.length ?? 0) + (8 * this.rowCount) / ROWS_APART + Neighbours.BYTES
  }

  /** About what it takes when it is put together. */
  get wholeBytes(): number {
    return this.total + 5 * this.rowCount
  }

  /** @param columnOf  the other columns of the block, decoded. @throws {RangeError} when its codes describe no text */
  all(columnOf: (field: string) => Vector | null): TextVector {
    const { rowCount, presence } = this
    const offsets = new Uint32Array(rowCount + 1)
    const writer = new Unweaver(this, this.#entriesOf(columnOf), this.total)
    writer.rows(0, rowCount, 0, offsets, 0)
    const { at, next, literal } = writer
    if (at !== this.total || next !== this.codes.length || literal !== this.literals.length)
      throw new RangeError('less text than there was')
    return { kind: 'text', rowCount, bytes: writer.text(), offsets, presence }
  }

  /** Found out once. @throws {RangeError} when codes do not end */
  places(): RowPlaces {
    if (this.#places === null) this.#learn()
    this.#places ??= placesOf(this)
    return this.#places
  }

  /** Found out once. */
  neighbours(): Neighbours {
    if (this.#neighbours === null) this.#learn()
    this.#neighbours ??= Neighbours.of(this.codes, this.shortCodes)
    return this.#neighbours
  }

  /** Who wants the one mostly wants the other next. @throws {RangeError} when the chunk says what cannot be */
  #learn(): void {
    const { codes, shortCodes, rowCount, presence, literals } = this
    if (this.#told.length > 0) {
      const { neighbours, places } = readTold(new ByteSource(this.#told), rowCount, codes.length, literals.length)
      this.#neighbours ??= neighbours
      this.#places ??= places
      return
    }
    const walk = walkCodes(codes, shortCodes, rowCount, literals.length)
    if (walk === null) return
    this.#neighbours ??= Neighbours.found(walk)
    // Of rows that are not there are no codes.
    if (presence === null && walk.places !== null) this.#places ??= foundPlaces(rowCount, walk.places)
  }

  /**
   * Rows are found from places that are remembered, and each is then a block of one row. A hundred whole events from 33 blocks: 520 ms when
   * each time all codes were read, unpacked and walked and all other columns decoded, 122 where the text is kept as it is here and they are
   * kept from their second reading on.
   *
   * @param columnOf  these rows of the other columns
   */
  some(rows: Uint32Array, columnOf: (field: string) => Vector | null): TextVector {
    // Who asks once needs no more than the way there, gone once: the newest 50, the last row first, walked to each from the start took 125 ms, 103
    // of them walking. A second time, or where the chunk says them, all places are known.
    const places = this.#isAsked || this.#told.length > 0 ? this.places() : null
    this.#isAsked = true
    // References are to columns of these rows: their values are asked for by the row's number among them.
    const entries = this.#entriesOf(columnOf)
    if (places !== null || isAscending(rows)) return this.#textOf(rows, entries, places, n => n)
    const order = Uint32Array.from(rows.keys()).sort((one, other) => rows[one]! - rows[other]!)
    const text = this.#textOf(
      rows.map((_, n) => rows[order[n]!]!),
      entries,
      places,
      n => order[n]!,
    )
    const rankOf = new Uint32Array(rows.length)
    for (let rank = 0; rank < order.length; rank++) rankOf[order[rank]!] = rank
    return pickRows(text, rankOf) as TextVector
  }

  /**
   * The rows with this mark, in order.
   *
   * @param columnOf  whole columns, asked for when a row refers to one
   */
  marked(marks: Uint8Array, mark: number, columnOf: (field: string) => Vector | null): TextVector {
    const rows = rowsWith(marks, mark)
    const entries = bound(this.entries, field => new LateReference(field, columnOf))
    return this.#textOf(rows, entries, this.places(), n => rows[n]!)
  }

  #entriesOf(columnOf: (field: string) => Vector | null): Entries {
    return bound(this.entries, field => referenceOf(field, columnOf))
  }

  /** @param places  null: rows are walked to. @param numberOf  by which number references know the nth row */
  #textOf(rows: Uint32Array, entries: Entries, places: RowPlaces | null, numberOf: (n: number) => number): TextVector {
    const writer = new Unweaver(this, entries, rows.length * BYTES_EXPECTED, ANY_NUMBER)
    const offsets = new Uint32Array(rows.length + 1)
    let at = 0
    for (let n = 0; n < rows.length; n++) {
      const row = rows[n]!
      const place = places === null ? 0 : Math.floor(row / ROWS_APART)
      if (row < at || place * ROWS_APART > at) {
        at = place * ROWS_APART
        writer.next = places?.codes[place] ?? 0
        writer.literal = places?.literals[place] ?? 0
      }
      writer.skip(at, row)
      writer.rows(row, row + 1, numberOf(n), offsets, n)
      at = row + 1
    }
    const presence = this.presence === null ? null : presenceAt(this.presence, rows)
    return { kind: 'text', rowCount: rows.length, bytes: writer.text(), offsets, presence }
  }
}

function isAscending(rows: Uint32Array): boolean {
  for (let n = 1; n < rows.length; n++) if (rows[n]! < rows[n - 1]!) return false
  return true
}

/** Of a row, to begin with. */
const BYTES_EXPECTED = 128
/** A row may be asked for more than once. */
const ANY_NUMBER = Number.POSITIVE_INFINITY

function rowsWith(marks: Uint8Array, mark: number): Uint32Array {
  let count = 0
  for (let row = 0; row < marks.length; row++) if (marks[row] === mark) count++
  const rows = new Uint32Array(count)
  let at = 0
  for (let row = 0; row < marks.length; row++) if (marks[row] === mark) rows[at++] = row
  return rows
}

/** Where every `ROWS_APART`th row begins, in its codes and in its literals; and where they end. */
export interface RowPlaces {
  readonly codes: Uint32Array
  readonly literals: Uint32Array
}

function noPlaces(rowCount: number): RowPlaces {
  const count = Math.ceil(rowCount / ROWS_APART) + 1
  return { codes: new Uint32Array(count), literals: new Uint32Array(count) }
}

/** @param found  as `CodeWalk.places` */
function foundPlaces(rowCount: number, found: Uint32Array): RowPlaces {
  const places = noPlaces(rowCount)
  for (let at = 1; at < places.codes.length; at++) {
    places.codes[at] = found[2 * at - 2]!
    places.literals[at] = found[2 * at - 1]!
  }
  return places
}

function placesOf(woven: WovenText): RowPlaces {
  const { rowCount } = woven
  const places = noPlaces(rowCount)
  const walk = new Walk(woven)
  for (let at = 0; at < places.codes.length - 1; at++) {
    walk.skip(at * ROWS_APART, Math.min(rowCount, (at + 1) * ROWS_APART))
    places.codes[at + 1] = walk.next
    places.literals[at + 1] = walk.literal
  }
  if (walk.next !== woven.codes.length || walk.literal !== woven.literals.length)
    throw new RangeError('less text than there was')
  return places
}

/** Fewer rows than this are gone over in the time it takes to copy their codes. */
const FAR = 64

/** Goes over rows without following their codes. */
class Walk {
  next = 0
  literal = 0
  protected readonly woven: WovenText

  constructor(woven: WovenText) {
    this.woven = woven
  }

  skip(from: number, to: number): void {
    const { codes, shortCodes, presence } = this.woven
    let { next, literal } = this
    const skipped = presence === null && to - from >= FAR ? skipRows(codes, next, shortCodes, to - from) : null
    if (skipped !== null) {
      this.next = skipped.next
      this.literal = literal + skipped.literals
      return
    }
    for (let row = from; row < to; row++) {
      if (presence !== null && presence[row] !== PRESENT) continue
      for (let code = codes[next]; code !== ROW_END; code = codes[next]) {
        if (code === undefined) throw new RangeError('codes that do not end')
        if (code === LITERAL) literal += literalLength(codes, next + 1)
        next = behindCode(codes, next, shortCodes)
      }
      next++
    }
    this.next = next
    this.literal = literal
  }
}

/** Follows the codes of rows, which become text one behind the other. */
class Unweaver extends Walk {
  at = 0
  readonly #entries: Entries
  readonly #most: number
  #out: Uint8Array

  /** @param capacity  bytes expected, and at most written where `most` is not said to be more */
  constructor(woven: WovenText, entries: Entries, capacity: number, most = capacity) {
    super(woven)
    this.#entries = entries
    this.#out = new Uint8Array(capacity)
    this.#most = most
  }

  /** What was written so far. */
  text(): Uint8Array {
    return this.#out.length === this.at ? this.#out : this.#out.slice(0, this.at)
  }

  /** @param firstReferred  by which number references know the first row. @param ends  gets from `n` + 1 on where the rows end */
  rows(from: number, to: number, firstReferred: number, ends: Uint32Array, n: number): void {
    const { codes, literals, shortCodes, presence } = this.woven
    const { bytes, starts, references, count } = this.#entries
    const codeCount = codes.length
    let out = this.#out
    let { at, next, literal } = this
    for (let row = from; row < to; row++) {
      const end = n + 1 + row - from
      ends[end] = at
      if (presence !== null && presence[row] !== PRESENT) continue
      for (;;) {
        if (next >= codeCount) throw new RangeError('codes that do not end')
        const code = codes[next++]!
        if (code === ROW_END) break
        if (code === LITERAL) {
          const length = literalLength(codes, next)
          next = behindVarint(codes, next)
          if (literal + length > literals.length) throw new RangeError('a literal past the end')
          if (at + length > out.length) out = this.#grow(at, length)
          for (let past = literal + length; literal < past; ) out[at++] = literals[literal++]!
          continue
        }
        let entry = code - 1
        if (entry >= shortCodes) {
          if (next >= codeCount) throw new RangeError('half a code')
          entry = entryOfTwo(code, codes[next++]!, shortCodes)
        }
        if (entry >= count) throw new RangeError(`entry ${entry} of ${count}`)
        let source = bytes
        let start = starts[entry]!
        let past = starts[entry + 1]!
        if (start === past) {
          const reference = references[entry]!
          if (reference === null || !reference.load(firstReferred + row - from))
            throw new RangeError('a reference to nothing')
          source = reference.bytes
          start = reference.start
          past = reference.end
        }
        if (at + past - start > out.length) out = this.#grow(at, past - start)
        if (past - start > COPY_BY_HAND_MAX) {
          out.set(source.subarray(start, past), at)
          at += past - start
        } else while (start < past) out[at++] = source[start++]!
      }
      ends[end] = at
    }
    this.at = at
    this.next = next
    this.literal = literal
  }

  #grow(at: number, more: number): Uint8Array {
    if (at + more > this.#most) throw new RangeError('more text than there is')
    const grown = new Uint8Array(2 * (at + more))
    grown.set(this.#out.subarray(0, at))
    this.#out = grown
    return grown
  }
}
