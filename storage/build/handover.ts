/**
 * A block of the buffer as a message to another thread: its columns are copied, because the buffer goes on serving what it holds until the part
 * does. Copying takes half a microsecond an event. Values that a message would not carry over as they are (times, durations, objects) travel in the
 * encoding of part files; a dictionary travels once, with the first block that has it, and one that has grown out of one of the part before without what
 * that had: of 100,000 users 2,000 are new in a part.
 *
 * Long columns are copied to memory that both threads hold, which the one gives back when the other has written the block. Memory that moves would
 * have V8 ask each array of either thread whether it has still got its own (`MachineLoop.room`): 512 → 544 k events/s loaded with that of both.
 */
import { ByteSink, ByteSource } from '../part/bytes.ts'
import type { BlockColumns, KnownRaw } from '../part/columns.ts'
import { readValue, writeValue } from '../part/encodings/any.ts'
import type { ReadyFilter } from '../part/ready-filter.ts'
import type { ThinColumn } from '../part/thin.ts'
import { isShared } from '../shared-copy.ts'
import { SPARE_BYTES_MIN } from '../spare-memory.ts'
import type { Value } from '../value.ts'
import type { ConstVector, Dictionary, DictVector, TextVector, Vector } from '../vector.ts'
import { WordHashes } from '../word-hashes.ts'

type PackedValues = { readonly plain: readonly Value[] } | { readonly count: number; readonly encoded: Uint8Array }

interface PackedDict {
  readonly kind: 'dict'
  readonly rowCount: number
  readonly codes: DictVector['codes']
  readonly dictionary: number
  /** With the first vector that has it. */
  readonly packed: PackedValues | null
  /** The dictionary whose values come before those; null: there are no others. */
  readonly grownFrom: number | null
  readonly isDistinct: boolean
}

type PackedVector =
  | Exclude<Vector, ConstVector | DictVector | { readonly kind: 'any' }>
  | { readonly kind: 'const' | 'any'; readonly rowCount: number; readonly packed: PackedValues }
  | PackedDict

export interface PackedBlock {
  readonly rowCount: number
  readonly columns: readonly (readonly [string, PackedVector])[]
  readonly thin: readonly (readonly [string, { readonly rows: Uint32Array; readonly values: PackedVector }])[]
  readonly raw: KnownRaw | null
  readonly filter: ReadyFilter | null
}

export interface PackedMessage<Kind> {
  readonly block: PackedBlock
  /** What long columns were copied to; the others go with the message. */
  readonly memory: readonly Kind[]
}

const PIECE_BYTES = 4 * 1024 * 1024

/** A dictionary that was packed, and how many values it had. */
interface Packed {
  readonly number: number
  readonly count: number
}

/** Packs the blocks of a part in order, and then those of the next. */
export class Packer<Kind extends ArrayBufferLike> {
  #dictionaryCount = 0
  #dictionaries = new Map<Dictionary, number>()
  /** Those that may grow, by what they share with what they grow into: of this part, and of the one before. */
  #growing = new Map<WordHashes, Packed>()
  #grewBefore = new Map<WordHashes, Packed>()
  readonly #room: (bytes: number) => Uint8Array<Kind>
  #memory: Kind[] = []

  /** @param room  so many bytes for a long column, or somewhat more, from the beginning of their buffer */
  constructor(room: (bytes: number) => Uint8Array<Kind>) {
    this.#room = room
  }

  /** Another part follows, here and there. */
  nextPart(): void {
    this.#dictionaries = new Map()
    this.#grewBefore = this.#growing
    this.#growing = new Map()
  }

  pack(block: BlockColumns): PackedMessage<Kind> {
    const steps = this.packSteps(block)
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
  }

  /** The same a column at a time, and of long texts a few megabytes: a whole block takes 30 ms. One block after the other. */
  *packSteps(block: BlockColumns): Generator<void, PackedMessage<Kind>> {
    this.#memory = []
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
    const raw = block.raw == null ? null : this.#raw(block.raw)
    const filter = block.filter == null ? null : this.#filter(block.filter)
    return { block: { rowCount: block.rowCount, columns, thin, raw, filter }, memory: this.#memory }
  }

  #raw({ chosen, rest, ...raw }: KnownRaw): KnownRaw {
    return { ...raw, chosen: this.#own(chosen), rest: { bytes: this.#own(rest.bytes), ...this.#text(rest) } }
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
        const { isDistinct = false } = vector.dictionary
        return { kind: 'dict', rowCount, codes, ...this.#dictionary(vector.dictionary), isDistinct }
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

  #dictionary(dictionary: Dictionary): Pick<PackedDict, 'dictionary' | 'packed' | 'grownFrom'> {
    const { values, words } = dictionary
    const known = this.#dictionaries.get(dictionary)
    if (known !== undefined) return { dictionary: known, packed: null, grownFrom: null }
    const number = this.#dictionaryCount++
    this.#dictionaries.set(dictionary, number)
    if (words === undefined) return { dictionary: number, packed: this.#values(values), grownFrom: null }
    const before = this.#growing.get(words) ?? this.#grewBefore.get(words)
    this.#growing.set(words, { number, count: values.length })
    const packed = this.#values(values.slice(before?.count ?? 0))
    return { dictionary: number, packed, grownFrom: before?.number ?? null }
  }

  /** All but its bytes. */
  #text({ bytes: _, ...vector }: TextVector): Omit<TextVector, 'bytes'> {
    return { ...vector, offsets: this.#own(vector.offsets), presence: this.#ownOrNull(vector.presence) }
  }

  *#ownBytes(bytes: Uint8Array): Generator<void, Uint8Array> {
    if (isShared(bytes)) return bytes
    const copy = this.#copyOf(bytes)
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
    return { count: values.length, encoded: this.#own(sink.finish()) }
  }

  #own<Elements extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(
    elements: Elements,
  ): Elements {
    if (isShared(elements)) return elements
    const copy = this.#copyOf(elements)
    copy.set(elements)
    return copy
  }

  /** As many elements, which are anything. */
  #copyOf<Elements extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(
    elements: Elements,
  ): Elements {
    if (elements.byteLength < SPARE_BYTES_MIN) return sameKind(elements, new ArrayBuffer(elements.byteLength))
    const { buffer } = this.#room(elements.byteLength)
    this.#memory.push(buffer)
    return sameKind(elements, buffer)
  }

  #ownOrNull<Elements extends Uint8Array | Uint16Array>(elements: Elements | null): Elements | null {
    return elements === null ? null : this.#own(elements)
  }
}

/** As many elements of `buffer`. */
function sameKind<Elements extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(
  elements: Elements,
  buffer: ArrayBufferLike,
): Elements {
  const { length } = elements
  if (elements instanceof Float64Array) return new Float64Array(buffer, 0, length) as Elements
  if (elements instanceof Int32Array) return new Int32Array(buffer, 0, length) as Elements
  if (elements instanceof Uint32Array) return new Uint32Array(buffer, 0, length) as Elements
  if (elements instanceof Uint16Array) return new Uint16Array(buffer, 0, length) as Elements
  return new Uint8Array(buffer, 0, length) as Elements
}

/** Unpacks blocks, in the order in which they were packed. */
export class Unpacker {
  /** Of this part, and of the one before. */
  #dictionaries = new Map<number, GrowingDictionary>()
  #dictionariesBefore = new Map<number, GrowingDictionary>()

  /** As whoever packs did. */
  nextPart(): void {
    this.#dictionariesBefore = this.#dictionaries
    this.#dictionaries = new Map()
  }

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
        const { rowCount, codes, dictionary: number, packed, grownFrom, isDistinct } = vector
        if (packed !== null) {
          const before = grownFrom === null ? null : this.#dictionary(grownFrom)
          const values = valuesOf(packed)
          this.#dictionaries.set(number, {
            values: before === null ? values : before.values.concat(values),
            words: before === null ? new WordHashes() : before.words,
            ...(isDistinct && { isDistinct }),
          })
        }
        return { kind: 'dict', rowCount, codes, dictionary: this.#dictionary(number) }
      }
      default:
        return vector
    }
  }

  #dictionary(number: number): GrowingDictionary {
    const dictionary = this.#dictionaries.get(number) ?? this.#dictionariesBefore.get(number)
    if (dictionary === undefined) throw new Error(`dictionary ${number} is not of this part or the one before`)
    return dictionary
  }
}

interface GrowingDictionary extends Dictionary {
  readonly words: WordHashes
}

function valuesOf(packed: PackedValues): readonly Value[] {
  if ('plain' in packed) return packed.plain
  const source = new ByteSource(packed.encoded)
  return Array.from({ length: packed.count }, () => readValue(source))
}
