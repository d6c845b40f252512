/**
 * `_raw` that need not be stored: a JSON event whose text can be put together from its fields, byte for byte, is a template and nothing
 * else. Which rows are is found out when the part is written (`prove.ts`); a row that comes out different (a number written `1.50`, a name
 * given twice, an odd escape) is kept as it is. So nothing rests on a theory of how events are written.
 */
import type { TextVector, Vector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readIntegers, writeIntegers } from '../encodings/lane.ts'
import { presenceAt, readPresence, writePresence } from '../encodings/presence.ts'
import { CHUNK_BYTES_MAX } from '../format.ts'
import type { ThinColumn } from '../thin.ts'
import { NO_ROOM, type Renderer, rendererOf } from './render.ts'
import type { Template } from './template.ts'

/** `text` said in templates; null when storing it is better. */
export interface RebuiltText {
  readonly templates: readonly Template[]
  /** By row: 0 kept as it is (or absent), else the number of its template from 1. */
  readonly chosen: Uint16Array
  /** Of the text as a whole. */
  readonly textBytes: number
}

/** A column of few values need not be made whole. */
export type ColumnOf = (field: string) => Vector | ThinColumn | null

class Bound {
  readonly template: Template
  readonly #renderers: readonly (Renderer | null)[]

  constructor(template: Template, rendererOfField: (field: string) => Renderer | null) {
    this.template = template
    this.#renderers = template.fields.map(rendererOfField)
  }

  /** Writes the row from `at` on; negative: it cannot. */
  write(row: number, out: Uint8Array, at: number): number {
    const { pieces } = this.template
    let end = at
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index]!
      if (end + piece.length > out.length) return NO_ROOM
      for (let byte = 0; byte < piece.length; byte++) out[end + byte] = piece[byte]!
      end += piece.length
      if (index === this.#renderers.length) return end
      const render = this.#renderers[index]
      if (render == null) return -1
      end = render(row, out, end)
      if (end < 0) return end
    }
    return end
  }
}

function renderers(columnOf: ColumnOf): (field: string) => Renderer | null {
  const byField = new Map<string, Renderer | null>()
  return field => {
    let renderer = byField.get(field)
    if (renderer === undefined) {
      const vector = columnOf(field)
      renderer = vector === null ? null : rendererOf(vector)
      byField.set(field, renderer)
    }
    return renderer
  }
}

/** @param text  of which the rows that have a template are not looked at */
export function encodeRebuilt(sink: ByteSink, text: TextVector, { templates, chosen, textBytes }: RebuiltText): void {
  const { bytes, offsets } = text
  writePresence(sink, text.presence)
  sink.varint(textBytes)
  sink.varint(templates.length)
  for (const { pieces, fields } of templates) {
    sink.varint(fields.length)
    for (const [index, piece] of pieces.entries()) {
      sink.varint(piece.length)
      sink.bytes(piece)
      if (index < fields.length) sink.text(fields[index]!)
    }
  }
  writeIntegers(sink, chosen)
  const kept = rowsWithout(chosen)
  writeIntegers(
    sink,
    Uint32Array.from(kept, row => offsets[row + 1]! - offsets[row]!),
  )
  for (const row of kept) sink.bytes(bytes.subarray(offsets[row], offsets[row + 1]))
}

function rowsWithout(chosen: Uint16Array): number[] {
  const rows: number[] = []
  for (let row = 0; row < chosen.length; row++) if (chosen[row] === 0) rows.push(row)
  return rows
}

/** A chunk of text that is put together from columns, taken apart. @throws {RangeError} when the bytes describe none */
export class RebuiltChunk {
  readonly templates: readonly Template[]
  readonly chosen: ArrayLike<number>
  /** The texts kept as they were (nothing, for rows without any), in the order of their rows. */
  readonly kept: TextVector
  readonly #presence: Uint8Array | null
  readonly #total: number

  constructor(source: ByteSource, rowCount: number) {
    this.#presence = readPresence(source, rowCount)
    this.#total = source.varint()
    if (this.#total > CHUNK_BYTES_MAX) throw new RangeError('more text than fits a chunk')
    this.templates = readTemplates(source)
    this.chosen = readIntegers(source, rowCount)
    this.kept = readKept(source, this.chosen)
  }

  /** About what it holds on to. */
  get byteLength(): number {
    const { bytes, offsets } = this.kept
    const templates = this.templates.reduce(
      (sum, { pieces, fields }) => sum + pieces.reduce((all, piece) => all + piece.length, 32 * fields.length),
      0,
    )
    return 256 + 4 * this.chosen.length + bytes.length + offsets.byteLength + templates + (this.#presence?.length ?? 0)
  }

  /** @param columnOf  the other columns of the block, decoded. @throws {RangeError} when they do not make the text */
  all(columnOf: ColumnOf): TextVector {
    const text = everyRow(this.chosen, this.kept, boundTo(this.templates, columnOf), this.#total)
    return { kind: 'text', ...text, presence: this.#presence }
  }

  /** @param columnOf  these rows of the other columns. @throws {RangeError} when they do not make the text */
  some(rows: Uint32Array, columnOf: ColumnOf): TextVector {
    const room = Math.ceil((this.#total / Math.max(1, this.chosen.length)) * rows.length * 1.25) + 4096
    const text = fewRows(this.chosen, this.kept, boundTo(this.templates, columnOf), rows, room)
    return { kind: 'text', ...text, presence: presenceAt(this.#presence, rows) }
  }
}

/**
 * All of the text, where nobody has written it yet.
 *
 * @param text  empty in the rows that have a template
 * @throws {RangeError} when they and the columns do not make `textBytes` bytes
 */
export function putTogether({ templates, chosen, textBytes }: RebuiltText, text: TextVector, columnOf: ColumnOf): Rows {
  const { bytes, offsets } = text
  const kept = rowsWithout(chosen)
  const keptOffsets = new Uint32Array(kept.length + 1)
  for (const [at, row] of kept.entries()) keptOffsets[at + 1] = offsets[row + 1]!
  const keptText: TextVector = { kind: 'text', rowCount: kept.length, bytes, offsets: keptOffsets, presence: null }
  return everyRow(chosen, keptText, boundTo(templates, columnOf), textBytes)
}

function boundTo(templates: readonly Template[], columnOf: ColumnOf): readonly Bound[] {
  const rendererOfField = renderers(columnOf)
  return templates.map(template => new Bound(template, rendererOfField))
}

type Rows = Pick<TextVector, 'rowCount' | 'bytes' | 'offsets'>

function everyRow(chosen: ArrayLike<number>, kept: TextVector, bound: readonly Bound[], total: number): Rows {
  const rowCount = chosen.length
  let keptAt = 0
  // Numbers are written with room to spare.
  const bytes = Buffer.allocUnsafeSlow(total + 64)
  const offsets = new Uint32Array(rowCount + 1)
  let at = 0
  for (let row = 0; row < rowCount; row++) {
    const number = chosen[row]!
    if (number === 0) {
      const text = keptText(kept, keptAt++)
      if (at + text.length > total) throw new RangeError('more text than there is')
      bytes.set(text, at)
      at += text.length
    } else {
      at = templateOfNumber(bound, number).write(row, bytes, at)
      if (at < 0 || at > total) throw new RangeError('a text that cannot be put together')
    }
    offsets[row + 1] = at
  }
  if (at !== total) throw new RangeError('less text than there was')
  return { rowCount, bytes: bytes.subarray(0, total), offsets }
}

/** Renderers are of columns of these rows: of each its number among them is asked, not its number in the block. */
function fewRows(
  chosen: ArrayLike<number>,
  kept: TextVector,
  bound: readonly Bound[],
  rows: Uint32Array,
  expectedBytes: number,
): Rows {
  const offsets = new Uint32Array(rows.length + 1)
  let bytes = new Uint8Array(expectedBytes)
  let at = 0
  const room = (length: number): void => {
    if (at + length > CHUNK_BYTES_MAX) throw new RangeError('more text than fits a chunk')
    const longer = new Uint8Array(Math.max(2 * bytes.length, at + length))
    longer.set(bytes.subarray(0, at))
    bytes = longer
  }
  const places = keptPlaces(chosen, rows)
  for (let n = 0; n < rows.length; n++) {
    const number = chosen[rows[n]!]!
    if (number === 0) {
      const text = keptText(kept, places.get(rows[n]!)!)
      if (at + text.length > bytes.length) room(text.length)
      bytes.set(text, at)
      at += text.length
    } else {
      const template = templateOfNumber(bound, number)
      let end = template.write(n, bytes, at)
      for (; end === NO_ROOM; end = template.write(n, bytes, at)) room(2 * bytes.length)
      if (end < 0) throw new RangeError('a text that cannot be put together')
      at = end
    }
    offsets[n + 1] = at
  }
  return { rowCount: rows.length, bytes: bytes.subarray(0, at), offsets }
}

function templateOfNumber(bound: readonly Bound[], number: number): Bound {
  const template = bound[number - 1]
  if (template === undefined) throw new RangeError(`template ${number} of ${bound.length}`)
  return template
}

function readKept(source: ByteSource, chosen: ArrayLike<number>): TextVector {
  let count = 0
  for (let row = 0; row < chosen.length; row++) if (chosen[row] === 0) count++
  const lengths = readIntegers(source, count)
  const offsets = new Uint32Array(count + 1)
  for (let at = 0; at < count; at++) {
    const end = offsets[at]! + lengths[at]!
    if (!(lengths[at]! >= 0 && end <= CHUNK_BYTES_MAX)) throw new RangeError('more text than fits a chunk')
    offsets[at + 1] = end
  }
  return { kind: 'text', rowCount: count, bytes: source.bytes(offsets[count]!), offsets, presence: null }
}

function keptText({ bytes, offsets }: TextVector, at: number): Uint8Array {
  return bytes.subarray(offsets[at], offsets[at + 1])
}

/** Of those rows that have no template, the places of their texts among those that were kept. */
function keptPlaces(chosen: ArrayLike<number>, rows: Uint32Array): ReadonlyMap<number, number> {
  const places = new Map<number, number>()
  if (!rows.some(row => chosen[row] === 0)) return places
  const wanted = new Set(rows)
  let at = 0
  for (let row = 0; row < chosen.length; row++) {
    if (chosen[row] !== 0) continue
    if (wanted.has(row)) places.set(row, at)
    at++
  }
  return places
}

function readTemplates(source: ByteSource): Template[] {
  // A template is two bytes at the least.
  const count = source.count(2)
  return Array.from({ length: count }, () => {
    const fieldCount = source.count(2)
    const pieces: Uint8Array[] = []
    const fields: string[] = []
    for (let index = 0; index <= fieldCount; index++) {
      pieces.push(source.bytes(source.varint()))
      if (index < fieldCount) fields.push(source.text())
    }
    return { pieces, fields }
  })
}
