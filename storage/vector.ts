/**
 * Decoded column vectors: what a block's column looks like in memory, and what generated kernels are specialised to.
 * A kernel asks for `vector.kind` (and the element width) once, then runs one typed loop. Vectors are immutable once handed out.
 */
import type { Value } from './value.ts'
import type { WordHashes } from './word-hashes.ts'

/** Presence per row: 0 missing, 1 null, 2 present. A vector whose `presence` is null has every row present. */
export const MISSING = 0
export const NULL = 1
export const PRESENT = 2

/** Every row holds the same value (possibly missing or null). */
export interface ConstVector {
  readonly kind: 'const'
  readonly rowCount: number
  readonly value: Value
}

/**
 * Distinct values, shared by all blocks of a part where that pays. Object identity is the cache key for tables computed per
 * distinct value (`runtime/helpers/tabulate.ts`), so storage must hand out the same object for the same dictionary.
 */
export interface Dictionary {
  /** `values[code]`; may include `undefined` (missing) and `null`, so dictionary vectors need no presence. */
  readonly values: readonly Value[]
  /** Known to hold no value twice: of strings and what is absent, told apart as they were buffered. */
  readonly isDistinct?: true
  /** What is known of its tokens; those of a field that grow one out of another share it. */
  readonly words?: WordHashes
  /** Several codes may stand for one value: computed tables, never what storage hands out. */
  readonly repeats?: true
}

export interface DictVector {
  readonly kind: 'dict'
  readonly rowCount: number
  readonly codes: Uint8Array | Uint16Array | Uint32Array
  readonly dictionary: Dictionary
}

/** Ints (all safe) in an Int32Array where they fit, otherwise float64. Values under an absent row are 0. */
export interface NumberVector {
  readonly kind: 'number'
  readonly rowCount: number
  readonly values: Float64Array | Int32Array
  /** The same, where it is held that way (`decimal-vector.ts`): reading `values` then makes doubles of all of it. */
  readonly decimals?: Decimals
  readonly presence: Uint8Array | null
}

/** Value n is `whole[n] / divisor`, a power of ten. */
export interface Decimals {
  readonly whole: Int32Array
  readonly divisor: number
}

export interface BoolVector {
  readonly kind: 'bool'
  readonly rowCount: number
  /** 0 or 1 */
  readonly values: Uint8Array
  readonly presence: Uint8Array | null
}

/** Microseconds since the epoch, and the nanoseconds below them when any row has some (`nanos` null: all zero). */
export interface TimeVector {
  readonly kind: 'time'
  readonly rowCount: number
  readonly micros: Float64Array
  readonly nanos: Uint16Array | null
  readonly presence: Uint8Array | null
}

export interface DurationVector {
  readonly kind: 'duration'
  readonly rowCount: number
  /** nanoseconds */
  readonly values: Float64Array
  readonly presence: Uint8Array | null
}

/** UTF-8 text: row i is `bytes[offsets[i] … offsets[i + 1])`; `offsets` has rowCount + 1 entries. */
export interface TextVector {
  readonly kind: 'text'
  readonly rowCount: number
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
  readonly presence: Uint8Array | null
  /** The same as pieces, when it is held that way: reading `bytes` or `offsets` puts it together, a tenth of which is needed to search it. */
  readonly pieces?: TextPieces
}

/** Text as pieces that repeat: `storage/part/woven/`. */
export interface TextPieces {
  /** Row by row, what `code.ts` there says; no row where `presence` has none. */
  readonly codes: Uint8Array
  /** What stands in no other row, in order. */
  readonly literals: Uint8Array
  /** So many entries have codes of one byte. */
  readonly shortCodes: number
  /** Entry n is `entryBytes[entryStarts[n] … entryStarts[n + 1])`. */
  readonly entryBytes: Uint8Array
  readonly entryStarts: Uint32Array
  /** By entry: null, or the field whose value it stands for, in whatever row. */
  readonly fields: readonly (string | null)[]
  /** What it holds on to. */
  readonly byteLength: number
  /** Bytes of all the text. */
  readonly textBytes: number
  /** Is it put together by now? */
  readonly isWhole: boolean
  /** To be told whenever its text would be quicker than its pieces; answers whether that is there now, as it is for who wants it over and over, while there is room. */
  wantedWhole(): boolean
  /** Found out once. */
  neighbours(): PieceNeighbours
  /** Where every `ROWS_APART`th row begins in `codes`, and where they end. */
  rowStarts(): Uint32Array
  /** Where in `literals` the same rows begin. */
  literalStarts(): Uint32Array
  /** The column of such a field, row by row as the texts are; null: there is none. */
  columnOf(field: string): Vector | null
  /** What is known of the values of such a field. */
  valuesOf(field: string): ReferredValues
  /** Asked when the text cannot be put together: true where its rows are to be missing instead of that being thrown. */
  forgives: ((error: unknown) => boolean) | null
  /** The rows with this mark, in order. */
  textOf(marks: Uint8Array, mark: number): TextVector
}

/** What stands where in codes. */
export interface PieceNeighbours {
  /** Does `next` stand directly behind `code` anywhere? They are told by their first bytes; the end of a row stands before the next, and before the first. */
  has(code: number, next: number): boolean
  /** Only a code with more behind it is more than `shortCodes`: behind every other byte a code begins. */
  readonly isLocal: boolean
  /** How often each code stands there. */
  readonly counts: Uint32Array
}

/** The values of a field that texts refer to: all of them, or what they are made of; null: not known. */
export interface ReferredValues {
  readonly values: readonly Value[] | null
  readonly madeOf: 'hex digits' | 'numbers' | null
}

/** Anything else: mixed types, integers beyond 2^53, arrays, objects, computed strings. */
export interface AnyVector {
  readonly kind: 'any'
  readonly rowCount: number
  readonly values: readonly Value[]
  /** What a whole event shows under this name, because the rest of it stands beside as fields of its own. */
  readonly shown?: Vector
}

/** The same values, and what a whole event shows in their place. */
export function showing({ rowCount, values }: AnyVector, shown: Vector): AnyVector {
  return { kind: 'any', rowCount, values, shown }
}

export type Vector =
  | ConstVector
  | DictVector
  | NumberVector
  | BoolVector
  | TimeVector
  | DurationVector
  | TextVector
  | AnyVector
