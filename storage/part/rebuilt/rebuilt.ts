/**
 * `_raw` that need not be stored: a JSON event whose text can be put together from its fields, byte for byte, is a template and nothing
 * else. Each row is put together when the part is written and compared with what was sent; a row that comes out different (a number
 * written `1.50`, a name given twice, an odd escape) is kept as it is. So nothing rests on a theory of how events are written.
 */
import type { TextVector, Vector } from '../../vector.ts'
import { PRESENT } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readIntegers, writeIntegers } from '../encodings/lane.ts'
import { presenceAt, readPresence, writePresence } from '../encodings/presence.ts'
import { CHUNK_BYTES_MAX } from '../format.ts'
import { NO_ROOM, type Renderer, rendererOf } from './render.ts'
import { type Template, templateOf } from './template.ts'

/** Templates of one block. Events of more shapes than this are kept as they are. */
const TEMPLATES_MAX = 1024
/** Shapes tried before the text is taken apart: the ones met last. */
const TRIES_MAX = 12
/** Bytes kept as they are beyond this share: then the text is stored as text. */
const VERBATIM_SHARE_MAX = 0.5
/** Texts taken apart in vain, at the start of a block, before the block is given up: it is no JSON. */
const HOPELESS = 64

/** `text` said in templates; null when storing it is better. */
export interface RebuiltText {
  readonly templates: readonly Template[]
  /** By row: 0 kept as it is (or absent), else the number of its template from 1. */
  readonly chosen: Uint16Array
}

type ColumnOf = (field: string) => Vector | null

class Bound {
  readonly template: Template
  readonly number: number
  readonly #renderers: readonly (Renderer | null)[]

  constructor(template: Template, number: number, rendererOfField: (field: string) => Renderer | null) {
    this.template = template
    this.number = number
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

  /** Is the row, put together, these bytes? Compared piece by piece, so that a template of another shape is soon left. */
  gives(row: number, bytes: Uint8Array, start: number, end: number, scratch: Uint8Array): boolean {
    const { pieces } = this.template
    let at = start
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index]!
      if (at + piece.length > end || !isSame(piece, piece.length, bytes, at)) return false
      at += piece.length
      if (index === this.#renderers.length) return at === end
      const render = this.#renderers[index]
      if (render == null) return false
      const length = render(row, scratch, 0)
      if (length < 0 || at + length > end || !isSame(scratch, length, bytes, at)) return false
      at += length
    }
    return false
  }
}

function isSame(left: Uint8Array, length: number, right: Uint8Array, at: number): boolean {
  for (let index = 0; index < length; index++) if (left[index] !== right[at + index]) return false
  return true
}

export function rebuild(text: TextVector, columnOf: ColumnOf): RebuiltText | null {
  const { rowCount, bytes, offsets, presence } = text
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rendererOfField = renderers(columnOf)
  const chosen = new Uint16Array(rowCount)
  const bound: Bound[] = []
  // The ones met last first: events of one source alternate between few shapes.
  const recent: Bound[] = []
  const known = new Map<string, Bound>()
  let scratch = new Uint8Array(4096)
  let verbatim = 0
  let inVain = 0
  for (let row = 0; row < rowCount; row++) {
    const start = offsets[row]!
    const end = offsets[row + 1]!
    if (presence !== null && presence[row] !== PRESENT) continue
    // A value is never longer than the text it stands in, and a number takes at most 32 bytes.
    if (scratch.length < end - start + 64) scratch = new Uint8Array(2 * (end - start) + 64)
    let at = recent.findIndex(
      (candidate, index) => index < TRIES_MAX && candidate.gives(row, bytes, start, end, scratch),
    )
    if (at === -1 && bound.length < TEMPLATES_MAX) {
      const template = templateOf(buffer.toString('utf8', start, end))
      if (template !== null) {
        const key = keyOf(template)
        const met = known.get(key)
        const candidate = met ?? new Bound(template, bound.length + 1, rendererOfField)
        if (candidate.gives(row, bytes, start, end, scratch)) {
          if (met === undefined) {
            known.set(key, candidate)
            bound.push(candidate)
            recent.push(candidate)
          }
          at = recent.indexOf(candidate)
        }
      }
    }
    if (at === -1) {
      verbatim += end - start
      if (++inVain === HOPELESS && row < 2 * HOPELESS) return null
      continue
    }
    const found = recent[at]!
    chosen[row] = found.number
    if (at > 0) {
      recent.splice(at, 1)
      recent.unshift(found)
    }
  }
  const total = offsets[rowCount]! - offsets[0]!
  if (bound.length === 0 || verbatim > total * VERBATIM_SHARE_MAX) return null
  return { templates: bound.map(({ template }) => template), chosen }
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

function keyOf({ pieces, fields }: Template): string {
  return `${pieces.map(piece => Buffer.from(piece).toString('latin1')).join('\0')}\0${fields.join('\0')}`
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
  const bound = templates.map((template, index) => new Bound(template, index + 1, rendererOfField))
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
