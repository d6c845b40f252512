/**
 * What a pattern captures in texts that are held as pieces, read from where it may begin: those places are picked out of the codes sixteen at a time
 * (`piece-search.ts`), and from each the pattern follows the pieces until it fails or is done. No text is put together, and of the codes of a row only
 * those are read that the match goes through. A capture that is the whole value of a field is that field's code in its dictionary; where all
 * captures of a block have one, they are a dictionary column, and whoever groups them makes no text of any. 250,000 captures in 2 M messages, by
 * 66,000 of them: 155 → 92 ms with one thread, 105 → 59 with two.
 */
import { behindVarint, entryOfTwo, LITERAL, literalLength, ROW_END } from '../../storage/part/woven/code.ts'
import { type Reference, referenceTo } from '../../storage/part/woven/references.ts'
import type { DictVector, TextPieces, TextVector, Vector } from '../../storage/vector.ts'
import { type BytePattern, FAILED } from './byte-pattern.ts'
import { Captures } from './captures.ts'
import { DictionaryTexts } from './dictionary-texts.ts'
import { lentBytes } from './lent.ts'
import { leadNeedle } from './piece-needle.ts'
import { PieceRows } from './piece-rows.ts'
import { PieceSearch } from './piece-search.ts'
import { literalInPieces } from './text-search.ts'

/** A group of a pattern. */
interface Asked {
  readonly pattern: BytePattern
  readonly group: number
  /** What tells the pattern from others. */
  readonly name: string
}

/** The column of what the first match in each row captured, null without one. Null: the texts are better looked at themselves. */
export function pieceCaptures(
  { pieces, presence, rowCount }: TextVector,
  asked: Asked,
): TextVector | DictVector | null {
  const { pattern, name } = asked
  if (pieces === undefined || pattern.isAnchored || pattern.lead.length === 0) return null
  const search = PieceSearch.of(pieces, leadNeedle(pattern.lead, `lead of ${name}`))
  if (search === null || !isWorthIt(search.beginningCount, pieces, rowCount, name)) return null
  const places = search.beginnings()
  const captures = new Captures(rowCount, places.length)
  const rows = new PieceRows(pieces, presence, pieces.neighbours().isLocal)
  return new PieceReader(pieces, rowCount, rows, asked).read(places, captures) ? captures.vector() : null
}

/** In as many places as this it is as well to put the text together. */
const BEGINNINGS_PER_ROW_MAX = 4
/** With this many to a place that the pattern's literal may stand in, it is the literal that should be looked for. */
const BEGINNINGS_PER_LITERAL_MAX = 2
/** A tenth as many as rows of a hundred bytes are followed in no time, however much rarer the literal is. */
const TEXT_BYTES_PER_BEGINNING = 1000

function isWorthIt(beginningCount: number, pieces: TextPieces, rowCount: number, pattern: string): boolean {
  if (beginningCount * TEXT_BYTES_PER_BEGINNING < pieces.textBytes) return true
  const literal = literalInPieces(pieces, pattern)
  if (literal === null || !literal.isQuick) return beginningCount < BEGINNINGS_PER_ROW_MAX * rowCount
  return beginningCount < BEGINNINGS_PER_LITERAL_MAX * literal.heardCount
}

/** A field that texts refer to: by row its code, where its dictionary is laid out; else what it says. */
interface Referred {
  readonly texts: DictionaryTexts | null
  readonly codes: DictVector['codes'] | null
  readonly reference: Reference | null
  /** By state, the steps over each of its values. */
  readonly steps: (Uint8Array | undefined)[]
}

/** More values than so many times the rows of a block are not laid out for it. */
const VALUES_PER_ROW_MAX = 4

function referred(column: Vector | null, rowCount: number): Referred {
  if (column?.kind === 'dict') {
    const { codes, dictionary } = column
    if (DictionaryTexts.isKnown(dictionary) || dictionary.values.length <= VALUES_PER_ROW_MAX * rowCount)
      return { texts: DictionaryTexts.of(dictionary), codes, reference: null, steps: [] }
  }
  return { texts: null, codes: null, reference: column === null ? null : referenceTo(column), steps: [] }
}

/*
 * A step over a piece: the state that it leads to, and 1 more. It is found out once for each piece and state: a row then takes a look-up for each
 * of its pieces, and no byte of theirs is looked at. More than that is to be known only where the group opens or closes within the piece.
 */
const UNKNOWN = 0
const WITHIN = 254
const LEADS_NOWHERE = 255

/** What a piece is. */
const DAMAGED = 0
const ENTRY = 1
/** Of a field whose dictionary is laid out. */
const VALUE = 2
const BYTES = 3

/** Where the bytes of a value lie that nobody has looked at. */
const LATER = -1
/** Of a value that is not there from its first byte on. */
const NO_CODE = -1

/** Of a match, where it begins or ends in no byte of a piece, but before it. */
const BEFORE = -1

/** Follows the codes of one block. */
class PieceReader {
  readonly #pieces: TextPieces
  readonly #rowCount: number
  readonly #rows: PieceRows
  readonly #key: string
  readonly #pattern: BytePattern
  readonly #opens: number
  readonly #closes: number
  /** By state and entry. */
  readonly #steps: Uint8Array
  /** By entry. */
  readonly #fields: (Referred | undefined)[] = []
  /** Where the match at hand began, and in which row; -1: not known yet. */
  #place = 0
  #row = -1
  /** Where the literals are at the next code; -1: not known yet. */
  #literal = -1
  /** The code behind the last piece; what entry that is, and of which field. */
  #next = 0
  #entry = 0
  #field: Referred | null = null
  /** The pieces of the match at hand, of which the last is looked at: its bytes; or the texts and the code that has them. */
  #count = 0
  readonly #bytes: Uint8Array[] = []
  readonly #froms: number[] = []
  readonly #tos: number[] = []
  readonly #texts: (DictionaryTexts | null)[] = []
  readonly #codes: number[] = []
  /** Between which pieces, and bytes of those, the group lies; -1: not known yet. */
  #startPiece = -1
  #startByte = BEFORE
  #endPiece = -1
  #endByte = BEFORE

  constructor(pieces: TextPieces, rowCount: number, rows: PieceRows, { pattern, group, name }: Asked) {
    this.#pieces = pieces
    this.#rowCount = rowCount
    this.#rows = rows
    this.#key = `${group} ${name}`
    this.#pattern = pattern
    this.#opens = pattern.opens[group]!
    this.#closes = pattern.closes[group]!
    this.#steps = lentBytes(pattern.mayEnd.length * pieces.fields.length)
  }

  /** False: the codes describe no text, which is for those to tell who put it together. */
  read(places: Uint32Array, captures: Captures): boolean {
    const { next: after } = this.#pattern
    for (let n = 0; n < places.length; n++) {
      this.#place = places[n]!
      this.#row = -1
      this.#literal = -1
      this.#count = 0
      if (this.#load(this.#place) === DAMAGED) return false
      this.#layOut(0)
      const bytes = this.#bytes[0]!
      const from = this.#froms[0]!
      const to = this.#tos[0]!
      const code = this.#codes[0]!
      const next = this.#next
      const literal = this.#literal
      for (let begin = from; begin < to; begin++) {
        if (after[bytes[begin]!] === FAILED) continue
        this.#count = 1
        this.#froms[0] = begin
        this.#codes[0] = begin === from ? code : NO_CODE
        this.#next = next
        this.#literal = literal
        const found = this.#match()
        if (found === null) return false
        if (!found) continue
        const row = this.#rowAt()
        if (row !== captures.lastRow) this.#capture(row, captures)
        break
      }
    }
    return true
  }

  #rowAt(): number {
    if (this.#row < 0) this.#row = this.#rows.rowAt(this.#place)
    return this.#row
  }

  /** Is there a match from the first piece on? Null: the codes describe no text. */
  #match(): boolean | null {
    const { mayEnd, done } = this.#pattern
    const { codes } = this.#pieces
    const opens = this.#opens
    const closes = this.#closes
    this.#startPiece = opens === 0 ? 0 : -1
    this.#startByte = BEFORE
    this.#endPiece = closes === 0 ? 0 : -1
    this.#endByte = BEFORE
    let state = this.#within(0, 0)
    while (state < done) {
      if (codes[this.#next] === ROW_END) {
        if (mayEnd[state] === 0) return false
        break
      }
      const piece = this.#count
      const kind = this.#load(this.#next)
      if (kind === DAMAGED) return null
      const step = kind === ENTRY ? this.#stepOverEntry(state) : kind === VALUE ? this.#stepOverValue(state) : WITHIN
      if (step === LEADS_NOWHERE) return false
      if (step === WITHIN) state = this.#within(state, piece)
      else {
        state = step - 1
        if (this.#startPiece < 0 && state >= opens) this.#startPiece = state === opens ? piece + 1 : piece
        if (this.#endPiece < 0 && state >= closes) this.#endPiece = state === closes ? piece + 1 : piece
      }
    }
    if (state === FAILED) return false
    if (this.#startPiece < 0) this.#startPiece = this.#count
    if (this.#endPiece < 0) this.#endPiece = this.#count
    return true
  }

  #layOut(piece: number): void {
    if (this.#froms[piece] !== LATER) return
    const { offsets } = this.#texts[piece]!
    const code = this.#codes[piece]!
    this.#froms[piece] = offsets[code]!
    this.#tos[piece] = offsets[code + 1]!
  }

  #stepOverEntry(state: number): number {
    const steps = this.#steps
    const at = state * this.#pieces.fields.length + this.#entry
    if (steps[at] === UNKNOWN) steps[at] = this.#stepOver(state)
    return steps[at]!
  }

  #stepOverValue(state: number): number {
    const { steps, texts } = this.#field!
    const code = this.#codes[this.#count - 1]!
    const known = (steps[state] ??= texts!.table(`${state} ${this.#key}`))
    if (known[code] === UNKNOWN) known[code] = this.#stepOver(state)
    return known[code]!
  }

  /** Over the last piece. */
  #stepOver(before: number): number {
    const { next: after, done } = this.#pattern
    const piece = this.#count - 1
    this.#layOut(piece)
    const bytes = this.#bytes[piece]!
    const from = this.#froms[piece]!
    const to = this.#tos[piece]!
    let state = before
    let at = from
    for (const edge of [this.#opens, this.#closes]) {
      if (before >= edge) continue
      while (state < edge && at < to) state = after[(state << 8) | bytes[at++]!]!
      if (state === FAILED) return LEADS_NOWHERE
      // With its last byte the next piece begins, before its first one this.
      if (state === edge ? at < to : state > edge && at - 1 > from) return WITHIN
    }
    while (state < done && at < to) state = after[(state << 8) | bytes[at++]!]!
    return state === FAILED ? LEADS_NOWHERE : state + 1
  }

  /** The same byte by byte, and where the group opens and closes. @returns  the state behind the piece */
  #within(before: number, piece: number): number {
    const { next: after, done } = this.#pattern
    const opens = this.#opens
    const closes = this.#closes
    this.#layOut(piece)
    const bytes = this.#bytes[piece]!
    const to = this.#tos[piece]!
    let state = before
    let at = this.#froms[piece]!
    while (state < opens && at < to) state = after[(state << 8) | bytes[at++]!]!
    if (this.#startPiece < 0 && state >= opens) {
      const byte = state > opens ? at - 1 : at
      this.#startPiece = byte === to ? piece + 1 : piece
      this.#startByte = byte === to ? BEFORE : byte
    }
    while (state < closes && at < to) state = after[(state << 8) | bytes[at++]!]!
    if (this.#endPiece < 0 && state >= closes) {
      const byte = state > closes ? at - 1 : at
      this.#endPiece = byte === to ? piece + 1 : piece
      this.#endByte = byte === to ? BEFORE : byte
    }
    while (state < done && at < to) state = after[(state << 8) | bytes[at++]!]!
    return state
  }

  #capture(row: number, captures: Captures): void {
    const piece = this.#startPiece
    if (piece < this.#count && this.#endPiece === piece + 1 && this.#endByte === BEFORE) {
      const texts = this.#texts[piece] ?? null
      const code = this.#codes[piece]!
      const isWhole = this.#startByte === BEFORE || this.#startByte === this.#froms[piece]
      if (texts !== null && isWhole && code !== NO_CODE && texts.isText[code] === 1) {
        captures.addCode(row, texts, code)
        return
      }
    }
    let length = 0
    for (let each = piece; each < this.#count && each <= this.#endPiece; each++) {
      this.#layOut(each)
      const from = each === piece && this.#startByte !== BEFORE ? this.#startByte : this.#froms[each]!
      const to = each < this.#endPiece ? this.#tos[each]! : this.#endByte
      if (length + to - from > text.length) text = enlarged(text, length + to - from)
      const bytes = this.#bytes[each]!
      for (let byte = from; byte < to; ) text[length++] = bytes[byte++]!
    }
    captures.add(row, text, 0, length)
  }

  /** Makes the piece at `place` the last one. @returns  what it is */
  #load(place: number): number {
    const { codes, literals, shortCodes, fields, entryBytes, entryStarts } = this.#pieces
    const piece = this.#count++
    let next = place
    const code = codes[next++]
    if (code === undefined || code === ROW_END) return DAMAGED
    this.#texts[piece] = null
    if (code === LITERAL) {
      this.#next = behindVarint(codes, next)
      if (this.#literal < 0) {
        this.#rowAt()
        this.#literal = this.#rows.literalAt(place)
      }
      this.#bytes[piece] = literals
      this.#froms[piece] = this.#literal
      this.#literal += literalLength(codes, next)
      this.#tos[piece] = this.#literal
      return this.#literal <= literals.length ? BYTES : DAMAGED
    }
    const entry = code <= shortCodes ? code - 1 : entryOfTwo(code, codes[next++] ?? 0, shortCodes)
    this.#next = next
    this.#entry = entry
    const field = fields[entry]
    if (field === undefined) return DAMAGED
    if (field !== null) return this.#loadValue(piece, entry, field)
    this.#bytes[piece] = entryBytes
    this.#froms[piece] = entryStarts[entry]!
    this.#tos[piece] = entryStarts[entry + 1]!
    return ENTRY
  }

  #loadValue(piece: number, entry: number, name: string): number {
    const field = (this.#fields[entry] ??= referred(this.#pieces.columnOf(name), this.#rowCount))
    const { texts, codes, reference } = field
    const row = this.#rowAt()
    if (texts !== null && codes !== null) {
      const code = codes[row]!
      this.#field = field
      this.#bytes[piece] = texts.bytes
      this.#froms[piece] = LATER
      this.#codes[piece] = code
      this.#texts[piece] = texts
      return texts.says(code) ? VALUE : DAMAGED
    }
    if (reference === null || !reference.load(row)) return DAMAGED
    this.#bytes[piece] = reference.bytes
    this.#froms[piece] = reference.start
    this.#tos[piece] = reference.end
    return BYTES
  }
}

const TEXT_MIN = 256
/** Texts that are put together of several pieces. */
let text: Uint8Array = new Uint8Array(TEXT_MIN)

function enlarged(old: Uint8Array, length: number): Uint8Array {
  const larger = new Uint8Array(2 * length)
  larger.set(old)
  return larger
}
