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
}

/** A column of few values need not be made whole. */
type ColumnOf = (field: string) => Vector | ThinColumn | null

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

export function encodeRebuilt(sink: ByteSink, text: TextVector, { templates, chosen }: RebuiltText): void {
  const { rowCount, bytes, offsets } = text
  writePresence(sink, text.presence)
  sink.varint(offsets[rowCount]! - offsets[0]!)
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
  const kept = [...chosen.keys()].filter(row => chosen[row] === 0)
  writeIntegers(
    sink,
    Uint32Array.from(kept, row => offsets[row + 1]! - offsets[row]!),
  )
  for (const row of kept) sink.bytes(bytes.subarray(offsets[row], offsets[row + 1]))
}

/**
 * @param columnOf  the other columns of the block, decoded; where only `rows` are wanted, those of them
 * @throws {RangeError} when the bytes describe no text
 */
export function decodeRebuilt(
  source: ByteSource,
  rowCount: number,
  columnOf: ColumnOf,
  rows: Uint32Array | null = null,
): TextVector {
  const presence = readPresence(source, rowCount)
  const total = source.varint()
  if (total > CHUNK_BYTES_MAX) throw new RangeError('more text than fits a chunk')
  const templates = readTemplates(source)
  const chosen = readIntegers(source, rowCount)
  let keptCount = 0
  for (let row = 0; row < rowCount; row++) if (chosen[row] === 0) keptCount++
  const kept = new KeptTexts(source, readIntegers(source, keptCount))
  const rendererOfField = renderers(columnOf)
  const bound = templates.map(template => new Bound(template, rendererOfField))
  const text = rows === null ? everyRow(chosen, kept, bound, total) : fewRows(chosen, kept, bound, rows)
  return { kind: 'text', ...text, presence: rows === null ? presence : presenceAt(presence, rows) }
}

type Rows = Pick<TextVector, 'rowCount' | 'bytes' | 'offsets'>

function everyRow(chosen: ArrayLike<number>, kept: KeptTexts, bound: readonly Bound[], total: number): Rows {
  const rowCount = chosen.length
  // Numbers are written with room to spare.
  const bytes = Buffer.allocUnsafeSlow(total + 64)
  const offsets = new Uint32Array(rowCount + 1)
  let at = 0
  for (let row = 0; row < rowCount; row++) {
    const number = chosen[row]!
    if (number === 0) {
      const text = kept.next()
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
function fewRows(chosen: ArrayLike<number>, kept: KeptTexts, bound: readonly Bound[], rows: Uint32Array): Rows {
  const offsets = new Uint32Array(rows.length + 1)
  let bytes = new Uint8Array(512 * rows.length)
  let at = 0
  const room = (length: number): void => {
    if (at + length > CHUNK_BYTES_MAX) throw new RangeError('more text than fits a chunk')
    const longer = new Uint8Array(Math.max(2 * bytes.length, at + length))
    longer.set(bytes.subarray(0, at))
    bytes = longer
  }
  const texts = kept.at(chosen, rows)
  for (let n = 0; n < rows.length; n++) {
    const number = chosen[rows[n]!]!
    if (number === 0) {
      const text = texts[n]!
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

/** Texts that were kept as they were, one after the other; absent rows are among them, with none. */
class KeptTexts {
  readonly #source: ByteSource
  readonly #lengths: ArrayLike<number>
  #at = 0

  constructor(source: ByteSource, lengths: ArrayLike<number>) {
    this.#source = source
    this.#lengths = lengths
  }

  next(): Uint8Array {
    return this.#source.bytes(this.#lengths[this.#at++]!)
  }

  /** Those of these rows, by their number among them; none where a row has a template. */
  at(chosen: ArrayLike<number>, rows: Uint32Array): readonly (Uint8Array | undefined)[] {
    const wanted = new Set(rows)
    const texts = new Map<number, Uint8Array>()
    for (let row = 0; row < chosen.length; row++) {
      if (chosen[row] !== 0) continue
      const text = this.next()
      if (wanted.has(row)) texts.set(row, text)
    }
    return Array.from(rows, row => texts.get(row))
  }
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
