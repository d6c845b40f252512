/**
 * Columns as bytes and back, for files that live as long as a query: each column in one of the encodings of part files, with its dictionary
 * beside it. Besides the named columns, which are a batch's, a frame has `extras` by number: sort keys, orders, states.
 *
 *     varint rows · varint extras · varint columns · varint how many of these are names of the batch · extras · columns, each after its
 *     name (a value); those that are no names of the batch may be read all the same
 *     column: u32 length of what follows · u8 encoding · its bytes; of 255: varint distinct values · values · codes
 *             u8 1 and another column where an event shows less than what is read (`AnyVector.shown`), else u8 0
 */
import { sizeOf, valueIn } from '../../storage/dictionary.ts'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import { readValue, writeValue } from '../../storage/part/encodings/any.ts'
import { decodeDictionary, encodeDictionary } from '../../storage/part/encodings/dictionary.ts'
import { decodeColumn, encodeColumn } from '../../storage/part/encodings/index.ts'
import type { Value } from '../../storage/value.ts'
import { type DictVector, showing, type Vector } from '../../storage/vector.ts'

export type NamedColumn = readonly [name: string, vector: Vector]

const WITH_DICTIONARY = 255

/** Smaller frames cost more than what is in them; larger ones gain nothing. */
const FRAME_BYTES_MIN = 1024
const FRAME_BYTES_MAX = 256 * 1024

/** So many rows of `width` bytes, one at least, are a frame of about so many bytes. */
export function rowsInFrame(width: number, bytes: number): number {
  const wanted = Math.min(FRAME_BYTES_MAX, Math.max(FRAME_BYTES_MIN, bytes))
  return Math.max(1, Math.floor(wanted / Math.max(1, width)))
}

export function encodeFrame(
  rowCount: number,
  extras: readonly Vector[],
  columns: readonly NamedColumn[] = [],
  nameCount: number = columns.length,
): Uint8Array {
  const sink = new ByteSink()
  sink.varint(rowCount)
  sink.varint(extras.length)
  sink.varint(columns.length)
  sink.varint(nameCount)
  for (const extra of extras) writeColumn(sink, extra)
  for (const [name, vector] of columns) {
    writeValue(sink, name)
    writeColumn(sink, vector)
  }
  return sink.finish()
}

function writeColumn(sink: ByteSink, vector: Vector): void {
  const inner = new ByteSink()
  if (vector.kind === 'dict') writeCodes(inner, vector)
  else {
    // The encoding is known once it is written, and stands before its bytes.
    const bytes = new ByteSink()
    inner.u8(encodeColumn(bytes, vector, refuseDictionary))
    inner.bytes(bytes.finish())
  }
  sink.u32(inner.length)
  sink.bytes(inner.finish())
  const shown = vector.kind === 'any' ? vector.shown : undefined
  sink.u8(shown === undefined ? 0 : 1)
  if (shown !== undefined) writeColumn(sink, shown)
}

function refuseDictionary(): number {
  throw new Error('a dictionary column is written with its dictionary')
}

/** Only the values these rows have: the dictionary may be that of a whole part. */
function writeCodes(sink: ByteSink, { codes, dictionary }: DictVector): void {
  const known = new Int32Array(sizeOf(dictionary)).fill(-1)
  const values: Value[] = []
  const dense = new Uint32Array(codes.length)
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!
    let own = known[code]!
    if (own < 0) known[code] = own = values.push(valueIn(dictionary, code)) - 1
    dense[row] = own
  }
  sink.u8(WITH_DICTIONARY)
  sink.varint(values.length)
  for (const value of values) writeValue(sink, value)
  encodeDictionary(sink, dense, 0)
}

function readColumn(bytes: Uint8Array, rowCount: number, shown: Vector | null): Vector {
  const source = new ByteSource(bytes)
  const vector = decode(source, rowCount)
  return shown !== null && vector.kind === 'any' ? showing(vector, shown) : vector
}

function decode(source: ByteSource, rowCount: number): Vector {
  const encoding = source.u8()
  if (encoding === WITH_DICTIONARY) {
    const values = Array.from({ length: source.count(1) }, () => readValue(source))
    // Several codes of the first dictionary may have stood for one value.
    return decodeDictionary(source, rowCount, () => ({ values, repeats: true }))
  }
  return decodeColumn(encoding, source, rowCount, refuseDictionary as never, () => null)
}

/** A column in the bytes of a frame, not looked at yet. */
interface Stretch {
  readonly bytes: Uint8Array
  readonly shown: Stretch | null
}

/** A frame that was read; columns are decoded when they are asked for. */
export class Frame {
  readonly rowCount: number
  readonly names: readonly string[]
  readonly bytes: number
  readonly #extras: readonly Stretch[]
  readonly #columns = new Map<string, Stretch>()
  readonly #decodedExtras: (Vector | undefined)[] = []

  constructor(raw: Uint8Array) {
    const source = new ByteSource(raw)
    this.bytes = raw.length
    this.rowCount = source.varint()
    const extraCount = source.varint()
    const columnCount = source.varint()
    const nameCount = source.varint()
    this.#extras = Array.from({ length: extraCount }, () => stretchOf(source))
    for (let n = 0; n < columnCount; n++) {
      const name = readValue(source) as string
      this.#columns.set(name, stretchOf(source))
    }
    this.names = [...this.#columns.keys()].slice(0, nameCount)
  }

  extra(index: number): Vector {
    return (this.#decodedExtras[index] ??= this.#decode(this.#extras[index]!))
  }

  /** Decoded anew every time: whoever asks keeps it. Null: the frame has no such column. */
  column(name: string): Vector | null {
    const stretch = this.#columns.get(name)
    return stretch === undefined ? null : this.#decode(stretch)
  }

  #decode({ bytes, shown }: Stretch): Vector {
    return readColumn(bytes, this.rowCount, shown === null ? null : this.#decode(shown))
  }
}

function stretchOf(source: ByteSource): Stretch {
  const bytes = source.bytes(source.u32())
  return { bytes, shown: source.u8() === 0 ? null : stretchOf(source) }
}
