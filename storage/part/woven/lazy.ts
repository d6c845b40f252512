/** Woven text as a column that is put together when somebody reads its bytes: who searches it can do without. */
import type { ReferredValues, TextPieces, TextVector, Vector } from '../../vector.ts'
import type { Neighbours } from './neighbours.ts'
import type { RowPlaces, WovenText } from './unweave.ts'

/**
 * Searching pieces mostly takes half as long as searching their text. Where much of them has to be followed it takes twice as long, as does putting rows
 * together each time they match, and putting all of it together takes ten times as long: it is done for who would often have it, and for a
 * few blocks each time, so that no search is a slow one.
 */
const WANTED_BEFORE = 2
const WANTED_MEANWHILE = 4

/** How the block reads what the text needs. Each may throw. */
export interface WovenSource {
  columnOf(field: string): Vector | null
  valuesOf(field: string): ReferredValues
  /** The whole text, if it has been put together. */
  held(): TextVector | null
  keep(whole: TextVector): void
  /** Would it be kept? */
  hasRoomFor(bytes: number): boolean
  /** Its number: not all blocks are put together in one search. */
  readonly block: number
  /** Runs it for the chunk: a RangeError is damage. */
  checked<Made>(make: () => Made): Made
}

export class WovenVector implements TextVector {
  readonly kind = 'text'
  readonly rowCount: number
  readonly pieces: TextPieces
  readonly #woven: WovenText
  readonly #source: WovenSource
  #whole: TextVector | null = null
  /** Around everything that is read later: who owns the part sees what goes wrong. */
  guard: <Read>(read: () => Read) => Read = read => read()

  constructor(woven: WovenText, source: WovenSource) {
    this.rowCount = woven.rowCount
    this.#woven = woven
    this.#source = source
    this.pieces = new WovenPieces(this, woven, source)
  }

  get bytes(): Uint8Array {
    return this.read().bytes
  }

  get offsets(): Uint32Array {
    return this.read().offsets
  }

  get presence(): Uint8Array | null {
    return this.#whole === null ? this.#woven.presence : this.#whole.presence
  }

  get isWhole(): boolean {
    this.#whole ??= this.#source.held()
    return this.#whole !== null
  }

  /** Puts it together, if it is not. */
  read(): TextVector {
    if (this.#whole !== null) return this.#whole
    try {
      const held = this.#source.held()
      this.#whole =
        held ?? this.guard(() => this.#source.checked(() => this.#woven.all(field => this.#source.columnOf(field))))
      if (held === null) this.#source.keep(this.#whole)
    } catch (error) {
      if (this.pieces.forgives?.(error) !== true) throw error
      this.#whole = nothing(this.rowCount)
    }
    return this.#whole
  }
}

/** Every row is missing. */
function nothing(rowCount: number): TextVector {
  return {
    kind: 'text',
    rowCount,
    bytes: new Uint8Array(0),
    offsets: new Uint32Array(rowCount + 1),
    presence: new Uint8Array(rowCount),
  }
}

class WovenPieces implements TextPieces {
  readonly codes: Uint8Array
  readonly literals: Uint8Array
  readonly shortCodes: number
  readonly entryBytes: Uint8Array
  readonly entryStarts: Uint32Array
  readonly fields: readonly (string | null)[]
  forgives: ((error: unknown) => boolean) | null = null
  readonly #vector: WovenVector
  readonly #woven: WovenText
  readonly #source: WovenSource

  constructor(vector: WovenVector, woven: WovenText, source: WovenSource) {
    const { bytes, starts, names } = woven.entries
    this.codes = woven.codes
    this.literals = woven.literals
    this.shortCodes = woven.shortCodes
    this.entryBytes = bytes
    this.entryStarts = starts
    this.fields = names
    this.#vector = vector
    this.#woven = woven
    this.#source = source
  }

  get byteLength(): number {
    return this.#woven.byteLength
  }

  get isWhole(): boolean {
    return this.#vector.isWhole
  }

  get textBytes(): number {
    return this.#woven.total
  }

  wantedWhole(): boolean {
    if (this.isWhole) return true
    const due = WANTED_BEFORE + (this.#source.block % WANTED_MEANWHILE)
    if (++this.#woven.wantedCount < due || !this.#source.hasRoomFor(this.#woven.wholeBytes)) return false
    this.#vector.read()
    return true
  }

  neighbours(): Neighbours {
    return this.#vector.guard(() => this.#source.checked(() => this.#woven.neighbours()))
  }

  rowStarts(): Uint32Array {
    return this.#places().codes
  }

  literalStarts(): Uint32Array {
    return this.#places().literals
  }

  #places(): RowPlaces {
    return this.#vector.guard(() => this.#source.checked(() => this.#woven.places()))
  }

  columnOf(field: string): Vector | null {
    return this.#vector.guard(() => this.#source.checked(() => this.#source.columnOf(field)))
  }

  valuesOf(field: string): ReferredValues {
    return this.#vector.guard(() => this.#source.valuesOf(field))
  }

  textOf(marks: Uint8Array, mark: number): TextVector {
    return this.#vector.guard(() =>
      this.#source.checked(() => this.#woven.marked(marks, mark, field => this.#source.columnOf(field))),
    )
  }
}
