/**
 * A block of the buffer as a message to another thread: columns copied into memory that moves, because the buffer goes on serving what it
 * holds until the part does. Copying takes half a microsecond an event. Values that a message would not carry over as they are (times,
 * durations, objects) travel in the encoding of part files; a dictionary travels once, with the first block that has it.
 */
import { ByteSink, ByteSource } from '../part/bytes.ts'
import type { BlockColumns, KnownRaw } from '../part/columns.ts'
import { readValue, writeValue } from '../part/encodings/any.ts'
import type { ReadyFilter } from '../part/ready-filter.ts'
import type { ThinColumn } from '../part/thin.ts'
import { SPARE_BYTES_MIN, type SpareMemory } from '../spare-memory.ts'
import type { Value } from '../value.ts'
import type { ConstVector, Dictionary, DictVector, TextVector, Vector } from '../vector.ts'

type PackedValues =
  | { readonly plain: readonly Value[] }
  | { readonly count: number; readonly encoded: Uint8Array<ArrayBuffer> }

type PackedVector =
  | Exclude<Vector, ConstVector | DictVector | { readonly kind: 'any' }>
  | { readonly kind: 'const' | 'any'; readonly rowCount: number; readonly packed: PackedValues }
  | {
      readonly kind: 'dict'
      readonly rowCount: number
      readonly codes: DictVector['codes']
      readonly dictionary: number
      /** With the first vector that has it. */
      readonly packed: PackedValues | null
      readonly isDistinct: boolean
    }

export interface PackedBlock {
  readonly rowCount: number
  readonly columns: readonly (readonly [string, PackedVector])[]
  readonly thin: readonly (readonly [string, { readonly rows: Uint32Array; readonly values: PackedVector }])[]
  readonly raw: KnownRaw | null
  readonly filter: ReadyFilter | null
}

export interface PackedMessage {
  readonly block: PackedBlock
  readonly transfer: readonly ArrayBuffer[]
}

const PIECE_BYTES = 4 * 1024 * 1024

/** Packs the blocks of one part, in order. */
export class Packer {
  readonly #dictionaries = new Map<Dictionary, number>()
  readonly #spare: SpareMemory | null
  #transfer: ArrayBuffer[] = []

  /** @param spare  memory to copy to; null: fresh */
  constructor(spare: SpareMemory | null = null) {
    this.#spare = spare
  }

  /** The message, and the memory that moves with it. */
  pack(block: BlockColumns): PackedMessage {
    const steps = this.packSteps(block)
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
  }

  /** The same a column at a time, and of long texts a few megabytes: a whole block takes 30 ms. One block after the other. */
  *packSteps(block: BlockColumns): Generator<void, PackedMessage> {
    this.#transfer = []
    const columns: [string, PackedVector][] = []
    for (const [name, vector] of block.columns) {
      if (vector.kind === 'text')
        columns.push([name, { bytes: yield* this.#ownBytes(vector.bytes), ...this.#text(vector) }])
      else columns.push([name, this.#vector(vector)])
      yield
    }
    const thin: PackedBlock['thin'][number][] = []
    for (const [name, { rows, values }] of block.thin ?? []) {
      thin.push([name, { rows: this.#own(rows), values: this.#vector(values) }])
      yield
    }
    const raw = block.raw ?? null
    // Made for this message: nobody else has it.
    if (raw !== null)
      this.#transfer.push(
        raw.chosen.buffer as ArrayBuffer,
        raw.rest.bytes.buffer as ArrayBuffer,
        raw.rest.offsets.buffer as ArrayBuffer,
      )
    const filter = block.filter == null ? null : this.#filter(block.filter)
    return { block: { rowCount: block.rowCount, columns, thin, raw, filter }, transfer: this.#transfer }
  }

  #filter({ columns, hashes, filter }: ReadyFilter): ReadyFilter {
    return {
      columns,
      hashes: this.#own(hashes),
      filter: { ...filter, fingerprints: this.#own(filter.fingerprints) },
    }
  }

  #vector(vector: Vector): PackedVector {
    const { rowCount } = vector
    switch (vector.kind) {
      case 'const':
        return { kind: 'const', rowCount, packed: this.#values([vector.value]) }
      case 'any':
        return { kind: 'any', rowCount, packed: this.#values(vector.values) }
      case 'dict': {
        const codes = this.#own(vector.codes)
        const { values, isDistinct = false } = vector.dictionary
        const known = this.#dictionaries.get(vector.dictionary)
        if (known !== undefined) return { kind: 'dict', rowCount, codes, dictionary: known, packed: null, isDistinct }
        const dictionary = this.#dictionaries.size
        this.#dictionaries.set(vector.dictionary, dictionary)
        return { kind: 'dict', rowCount, codes, dictionary, packed: this.#values(values), isDistinct }
      }
      case 'text':
        return { bytes: this.#own(vector.bytes), ...this.#text(vector) }
      case 'time': {
        const { micros, nanos, presence } = vector
        return {
          ...vector,
          micros: this.#own(micros),
          nanos: this.#ownOrNull(nanos),
          presence: this.#ownOrNull(presence),
        }
      }
      case 'number':
        return { ...vector, values: this.#own(vector.values), presence: this.#ownOrNull(vector.presence) }
      case 'bool':
        return { ...vector, values: this.#own(vector.values), presence: this.#ownOrNull(vector.presence) }
      case 'duration':
        return { ...vector, values: this.#own(vector.values), presence: this.#ownOrNull(vector.presence) }
    }
  }

  /** All but its bytes. */
  #text({ bytes: _, ...vector }: TextVector): Omit<TextVector, 'bytes'> {
    return { ...vector, offsets: this.#own(vector.offsets), presence: this.#ownOrNull(vector.presence) }
  }

  *#ownBytes(bytes: Uint8Array): Generator<void, Uint8Array> {
    const copy = this.#room(bytes.length).subarray(0, bytes.length)
    this.#transfer.push(copy.buffer)
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      copy.set(bytes.subarray(at, at + PIECE_BYTES), at)
      yield
    }
    return copy
  }

  #values(values: readonly Value[]): PackedValues {
    if (values.every(value => value === null || typeof value !== 'object')) return { plain: values }
    const sink = new ByteSink()
    for (const value of values) writeValue(sink, value)
    return { count: values.length, encoded: this.#own(sink.finish()) as Uint8Array<ArrayBuffer> }
  }

  #own<Elements extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(
    elements: Elements,
  ): Elements {
    // Not a Buffer's `slice`: that shares the memory.
    if (this.#spare !== null && elements.byteLength >= SPARE_BYTES_MIN) {
      const { buffer } = this.#room(elements.byteLength)
      const copy = sameKind(elements, buffer)
      copy.set(elements)
      this.#transfer.push(buffer)
      return copy
    }
    const copy = (elements instanceof Uint8Array ? new Uint8Array(elements) : elements.slice()) as Elements
    this.#transfer.push(copy.buffer as ArrayBuffer)
    return copy
  }

  #room(bytes: number): Uint8Array<ArrayBuffer> {
    return this.#spare?.take(bytes) ?? new Uint8Array(bytes)
  }

  #ownOrNull<Elements extends Uint8Array | Uint16Array>(elements: Elements | null): Elements | null {
    return elements === null ? null : this.#own(elements)
  }
}

/** As many elements of `buffer`. */
function sameKind<Elements extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(
  elements: Elements,
  buffer: ArrayBuffer,
): Elements {
  const { length } = elements
  if (elements instanceof Float64Array) return new Float64Array(buffer, 0, length) as Elements
  if (elements instanceof Int32Array) return new Int32Array(buffer, 0, length) as Elements
  if (elements instanceof Uint32Array) return new Uint32Array(buffer, 0, length) as Elements
  if (elements instanceof Uint16Array) return new Uint16Array(buffer, 0, length) as Elements
  return new Uint8Array(buffer, 0, length) as Elements
}

/** Unpacks the blocks of one part, in the order in which they were packed. */
export class Unpacker {
  readonly #dictionaries: Dictionary[] = []

  unpack({ rowCount, columns, thin, raw, filter }: PackedBlock): BlockColumns {
    return {
      rowCount,
      raw,
      filter,
      columns: new Map(columns.map(([name, vector]) => [name, this.#vector(vector)])),
      thin: thin.map(([name, { rows, values }]): readonly [string, ThinColumn] => [
        name,
        { rows, values: this.#vector(values) },
      ]),
    }
  }

  #vector(vector: PackedVector): Vector {
    switch (vector.kind) {
      case 'const':
        return { kind: 'const', rowCount: vector.rowCount, value: valuesOf(vector.packed)[0] }
      case 'any':
        return { kind: 'any', rowCount: vector.rowCount, values: valuesOf(vector.packed) }
      case 'dict': {
        const { rowCount, codes, dictionary, packed, isDistinct } = vector
        if (packed !== null)
          this.#dictionaries[dictionary] = { values: valuesOf(packed), ...(isDistinct && { isDistinct }) }
        return { kind: 'dict', rowCount, codes, dictionary: this.#dictionaries[dictionary]! }
      }
      default:
        return vector
    }
  }
}

function valuesOf(packed: PackedValues): readonly Value[] {
  if ('plain' in packed) return packed.plain
  const source = new ByteSource(packed.encoded)
  return Array.from({ length: packed.count }, () => readValue(source))
}
