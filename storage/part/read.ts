/**
 * Reads a part file: opening one reads and checks its footer; indexes, dictionaries and columns are read when a query wants them,
 * each checked against its checksum first. Whatever does not add up is a CorruptPartError, and never a wrong answer.
 */
import { DecimalVector } from '../decimal-vector.ts'
import { TextDictionary } from '../dictionary.ts'
import { CorruptPartError } from '../errors.ts'
import type { Filesystem } from '../filesystem.ts'
import type { BlockReader, BlockStatistics, FieldSummary, PartReader, ReadTally, TextParts } from '../index.ts'
import { pickRows } from '../pick.ts'
import type { ScanPredicate, TimeRange, Verdict } from '../predicate.ts'
import type { DateTime, Value } from '../value.ts'
import { type Dictionary, NULL, PRESENT, type ReferredValues, type TextVector, type Vector } from '../vector.ts'
import { type ChunkPlace, type ColumnEntry, readBlockIndex } from './block-index.ts'
import type { ByteSource } from './bytes.ts'
import { bytesOfValues, bytesOfVector, type ChunkCache } from './chunk-cache.ts'
import type { PartDescription } from './columns.ts'
import { HexChunk } from './encodings/hex.ts'
import {
  decodeColumn,
  decodeRows,
  decodeThin,
  FROM_OTHERS,
  HEX,
  REBUILT,
  type RowMemo,
  TIME_TEXT,
  WOVEN,
} from './encodings/index.ts'
import { isSparse } from './encodings/sparse.ts'
import type { Footer, FooterBlock } from './footer.ts'
import { KIND_COLUMN, KIND_DICTIONARY, KIND_FILTER, KIND_INDEX } from './format.ts'
import { type OpenPartFile, openPartFile } from './open-file.ts'
import { ReadAhead } from './read-ahead.ts'
import { RebuiltChunk } from './rebuilt/rebuilt.ts'
import { typeOfBits } from './summary.ts'
import type { ThinColumn } from './thin.ts'
import { readTokenFilter, type TokenFilter } from './token-filter.ts'
import { type BlockFacts, verdictOf } from './verdict.ts'
import { WovenVector } from './woven/lazy.ts'
import { WovenText } from './woven/unweave.ts'

/** What the catalog keeps of the part at `path`. @throws {CorruptPartError} */
export function describePart(filesystem: Filesystem, path: string): PartDescription {
  const file = openPartFile(filesystem, path)
  try {
    return descriptionOf(file)
  } finally {
    file.close()
  }
}

export function descriptionOf({ footer, sizeBytes }: OpenPartFile): PartDescription {
  return {
    id: footer.id,
    index: footer.index,
    rowCount: footer.rowCount,
    blockCount: footer.blocks.length,
    minMicros: footer.minTime.micros,
    maxMicros: footer.maxTime.micros,
    sizeBytes,
    rawBytes: footer.rawBytes,
    firstSequence: footer.firstSequence,
    lastSequence: footer.lastSequence,
    level: footer.level,
    replaces: footer.replaces,
  }
}

/** Opens the part at `path`; it holds a file descriptor until it is closed. @throws {CorruptPartError} */
export function openPart(filesystem: Filesystem, path: string, cache: ChunkCache): PartReader & { close(): void } {
  return new FilePart(openPartFile(filesystem, path), path, cache)
}

/** Blocks are cached under their numbers; the part's dictionaries under this one, and a block's token filters below it. */
const DICTIONARIES = -1
const filtersOf = (block: number): number => -2 - block
/** The columns of a block share filters: they are kept by where they are. */
const filterKey = (place: ChunkPlace): string => String(place.offset)
/** Of a block, texts that are not stored as such, taken apart: between two blocks. */
const apartOf = (block: number): number => block + 0.5

class FilePart implements PartReader {
  readonly id: string
  readonly path: string
  readonly index: string
  readonly rowCount: number
  readonly blockCount: number
  readonly firstSequence: number
  readonly lastSequence: number
  readonly minTime: DateTime
  readonly maxTime: DateTime
  readonly sizeBytes: number
  readonly fields: readonly FieldSummary[]
  readonly file: OpenPartFile
  readonly cache: ChunkCache
  readonly #footer: Footer
  readonly #blocks: (FileBlock | undefined)[]
  /** While anyone holds a dictionary it stays the same object, even when the cache has dropped it. */
  readonly #dictionaries = new Map<number, WeakRef<Dictionary>>()
  /** Every proper prefix of a dotted field name: `a` and `a.b` for `a.b.c`. */
  readonly #parents = new Set<string>()
  readonly columnsAhead = new ReadAhead((field, number) => this.#fetch(number, block => block.columnToRead(field)))
  readonly filtersAhead = new ReadAhead((field, number) => this.#fetch(number, block => block.filterToRead(field)))

  constructor(file: OpenPartFile, path: string, cache: ChunkCache) {
    const { footer } = file
    this.path = path
    this.file = file
    this.cache = cache
    this.#footer = footer
    this.id = footer.id
    this.index = footer.index
    this.rowCount = footer.rowCount
    this.blockCount = footer.blocks.length
    this.firstSequence = footer.firstSequence
    this.lastSequence = footer.lastSequence
    this.minTime = footer.minTime
    this.maxTime = footer.maxTime
    this.sizeBytes = file.sizeBytes
    this.fields = footer.fields.map(({ name, types, presentCount }) => ({
      name,
      type: typeOfBits(types),
      presentCount,
    }))
    this.#blocks = new Array(footer.blocks.length)
    for (const { name } of footer.fields) {
      for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1))
        this.#parents.add(name.slice(0, dot))
    }
  }

  willRead(step: number): void {
    this.columnsAhead.expect(step)
    this.filtersAhead.expect(step)
  }

  block(index: number): BlockReader {
    const block = this.#block(index)
    if (block === null) throw new RangeError(`part ${this.id} has no block ${index}`)
    return block
  }

  #block(index: number): FileBlock | null {
    const described = this.#footer.blocks[index]
    if (described === undefined) return null
    let block = this.#blocks[index]
    if (block === undefined) this.#blocks[index] = block = new FileBlock(this, described, index)
    return block
  }

  #fetch(number: number, placeIn: (block: FileBlock) => ChunkPlace | null): boolean {
    const block = this.#block(number)
    if (block === null) return false
    try {
      const place = placeIn(block)
      if (place !== null) this.file.readAhead(place)
      return true
    } catch (error) {
      // Of a block that nobody asked for yet: who does meets it.
      if (error instanceof CorruptPartError) return false
      throw error
    }
  }

  fieldName(number: number): string {
    const field = this.#footer.fields[number]
    if (field === undefined) throw new RangeError(`field ${number} is not in the footer`)
    return field.name
  }

  hasMembers(field: string): boolean {
    return this.#parents.has(field)
  }

  dictionary(number: number): Dictionary {
    const held = this.#dictionaries.get(number)?.deref()
    if (held !== undefined) return held
    const place = this.#footer.dictionaries[number]
    if (place === undefined) throw new RangeError(`dictionary ${number} is not in the footer`)
    const stored = this.file.decode(place, KIND_DICTIONARY, `dictionary ${number}`, (source, encoding) =>
      decodeColumn(encoding, source, place.valueCount, noDictionary, noColumn),
    )
    const key = String(number)
    let dictionary: Dictionary
    let bytes: number
    if (stored.kind === 'text' && stored.presence === null) {
      const storedBytes = bytesOfVector(stored)
      const texts = new TextDictionary(stored, values => {
        // Of a part that was closed meanwhile nothing is kept.
        if (!this.cache.has(this.id, DICTIONARIES, key)) return
        this.cache.set(this.id, DICTIONARIES, key, texts, storedBytes + bytesOfValues(values))
      })
      dictionary = texts
      bytes = storedBytes
    } else {
      const values = this.file.goOn(place, `dictionary ${number}`, () => valuesOf(stored))
      dictionary = { values }
      bytes = bytesOfValues(values)
    }
    this.cache.set(this.id, DICTIONARIES, key, dictionary, bytes)
    this.#dictionaries.set(number, new WeakRef(dictionary))
    return dictionary
  }

  dictionarySize(number: number): number | null {
    return this.#footer.dictionaries[number]?.valueCount ?? null
  }

  close(): void {
    this.file.close()
    this.cache.drop(this.id)
  }
}

function noColumn(): null {
  throw new RangeError('a dictionary put together from columns')
}

function noDictionary(): Dictionary {
  throw new RangeError('a dictionary of codes')
}

/** The values of the columns a dictionary may be stored as: text, numbers, any, or one value. */
function valuesOf(vector: Vector): readonly Value[] {
  if (vector.kind === 'any') return vector.values
  if (vector.kind === 'const') return new Array(vector.rowCount).fill(vector.value)
  if (vector.kind === 'number') {
    const { presence } = vector
    return Array.from(vector.values, (value, row) => {
      const state = presence === null ? PRESENT : presence[row]
      return state === PRESENT ? value : state === NULL ? null : undefined
    })
  }
  if (vector.kind !== 'text') throw new RangeError(`a dictionary of ${vector.kind} values`)
  const { bytes, offsets, presence } = vector
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values: Value[] = new Array(vector.rowCount)
  for (let row = 0; row < vector.rowCount; row++) {
    const state = presence === null ? PRESENT : presence[row]
    if (state === PRESENT) values[row] = text.toString('utf8', offsets[row], offsets[row + 1])
    else values[row] = state === NULL ? null : undefined
  }
  return values
}

class FileBlock implements BlockReader, BlockFacts {
  readonly rowCount: number
  readonly minTime: DateTime
  readonly maxTime: DateTime
  readonly timeSorted: boolean
  readonly #part: FilePart
  readonly #number: number
  readonly #indexPlace: ChunkPlace
  #entries: ReadonlyMap<string, ColumnEntry> | null = null
  /** Columns of which few rows were asked for. */
  readonly #asked = new Set<string>()
  /** What was read of rows that somebody still asks about: `_raw` is put together from columns he reads as well. */
  readonly #few = new WeakMap<Uint32Array, Map<string, Vector | null>>()

  constructor(part: FilePart, described: FooterBlock, number: number) {
    this.#part = part
    this.#number = number
    this.#indexPlace = described.index
    this.rowCount = described.rowCount
    this.minTime = described.minTime
    this.maxTime = described.maxTime
    this.timeSorted = described.timeSorted
  }

  get index(): string {
    return this.#part.index
  }

  entry(field: string): ColumnEntry | null {
    if (this.#entries === null) this.#entries = this.#readIndex()
    return this.#entries.get(field) ?? null
  }

  /** Null: it is in the cache, or there is none. */
  columnToRead(field: string): ChunkPlace | null {
    const { cache, id } = this.#part
    if (cache.has(id, this.#number, field) || cache.has(id, apartOf(this.#number), field)) return null
    return this.entry(field)?.chunk ?? null
  }

  /** The same for the token filter of a column. */
  filterToRead(field: string): ChunkPlace | null {
    const { cache, id } = this.#part
    const place = this.entry(field)?.filter ?? null
    return place === null || cache.has(id, filtersOf(this.#number), filterKey(place)) ? null : place
  }

  #decode<Made>(field: string, { chunk }: ColumnEntry, read: (source: ByteSource, encoding: number) => Made): Made {
    this.#part.columnsAhead.note(field, this.#number, this.#part.file.isSlow)
    return this.#part.file.decode(chunk, KIND_COLUMN, `${field} in block ${this.#number}`, read)
  }

  #readIndex(): ReadonlyMap<string, ColumnEntry> {
    return this.#part.file.decode(this.#indexPlace, KIND_INDEX, `the index of block ${this.#number}`, source => {
      const entries = new Map<string, ColumnEntry>()
      for (const entry of readBlockIndex(source)) entries.set(this.#part.fieldName(entry.field), entry)
      return entries
    })
  }

  dictionary(id: number): Dictionary {
    return this.#part.dictionary(id)
  }

  hasMembers(field: string): boolean {
    return this.#part.hasMembers(field)
  }

  filter(entry: ColumnEntry): TokenFilter | null {
    if (entry.filter === null) return null
    const { cache, id, file } = this.#part
    const key = filterKey(entry.filter)
    const held = cache.get(id, filtersOf(this.#number), key)
    if (held !== undefined) return held as TokenFilter
    const what = `the token filter of ${this.#part.fieldName(entry.field)} in block ${this.#number}`
    this.#part.filtersAhead.note(this.#part.fieldName(entry.field), this.#number, file.isSlow)
    const filter = file.decode(entry.filter, KIND_FILTER, what, readTokenFilter)
    cache.set(id, filtersOf(this.#number), key, filter, filter.byteLength)
    return filter
  }

  verdict(predicate: ScanPredicate): Verdict {
    return verdictOf(predicate, this)
  }

  verdictTime(range: TimeRange): Verdict {
    const from = range.fromMicros ?? Number.NEGATIVE_INFINITY
    const to = range.toMicros ?? Number.POSITIVE_INFINITY
    if (this.maxTime.micros < from || this.minTime.micros >= to) return 'none'
    return this.minTime.micros >= from && this.maxTime.micros < to ? 'all' : 'some'
  }

  thin(field: string): ThinColumn | null {
    const entry = this.entry(field)
    if (entry === null || entry.dictionary !== -1) return null
    if (!isSparse(entry.presentCount + entry.nullCount, this.rowCount)) return null
    return this.#decode(field, entry, (source, encoding) => decodeThin(encoding, source, this.rowCount))
  }

  column(field: string, tally?: ReadTally): Vector | null {
    const entry = this.entry(field)
    if (entry === null) return null
    const { cache, id } = this.#part
    const held = cache.get(id, this.#number, field) as Vector | undefined
    // Only text is ever held as pieces, beside what it is put together or instead.
    const apart = held === undefined || held.kind === 'text' ? cache.get(id, apartOf(this.#number), field) : undefined
    const found = apart instanceof WovenText ? this.#unread(field, entry, apart) : held
    if (found !== undefined) {
      if (tally !== undefined) tally.columnsCached++
      return found
    }
    const decoded = this.#decode(field, entry, (source, encoding) =>
      encoding === WOVEN
        ? new WovenText(source, this.rowCount)
        : decodeColumn(
            encoding,
            source,
            this.rowCount,
            number => this.#part.dictionary(number),
            name => this.column(this.#sibling(field, encoding, name)),
            name => this.#thinUnlessHeld(this.#sibling(field, encoding, name)),
          ),
    )
    const isWoven = decoded instanceof WovenText
    const vector = isWoven ? this.#unread(field, entry, decoded) : decoded
    const bytes = isWoven ? decoded.byteLength : bytesOfVector(vector)
    if (isWoven) cache.set(id, apartOf(this.#number), field, decoded, bytes)
    else this.#keepWhole(field, vector)
    if (tally !== undefined) {
      tally.columnsDecoded++
      tally.bytesRead += entry.chunk.length
      tally.bytesDecoded += bytes
    }
    return vector
  }

  /** Woven text; put together it is kept where there is room for it. */
  #unread(field: string, entry: ColumnEntry, woven: WovenText): WovenVector {
    const { cache, id, file, blockCount } = this.#part
    const what = `${field} in block ${this.#number}`
    // Of one block as of the others: text of 20 M events would push out the pieces it is made of (captures 2.1 → 3.6 s).
    const hasRoomFor = (bytes: number): boolean => cache.hasRoomFor(bytes, bytes * blockCount)
    const sibling = (name: string): string => file.goOn(entry.chunk, what, () => this.#sibling(field, WOVEN, name))
    return new WovenVector(woven, {
      columnOf: name => this.column(sibling(name)),
      valuesOf: name => this.#referredValues(sibling(name)),
      held: () => (cache.get(id, this.#number, field) as TextVector | undefined) ?? null,
      keep: whole => {
        const bytes = bytesOfVector(whole)
        if (hasRoomFor(bytes)) cache.set(id, this.#number, field, whole, bytes)
      },
      hasRoomFor,
      block: this.#number,
      checked: make => file.goOn(entry.chunk, what, make),
    })
  }

  #referredValues(field: string): ReferredValues {
    const entry = this.entry(field)
    if (entry === null) return { values: [], madeOf: null }
    if (entry.dictionary !== -1) return { values: this.#part.dictionary(entry.dictionary).values, madeOf: null }
    if (entry.distinct !== null) return { values: entry.distinct, madeOf: null }
    if (entry.zone?.kind === 'number') return { values: null, madeOf: 'numbers' }
    return { values: null, madeOf: this.#part.file.head(entry.chunk).encoding === HEX ? 'hex digits' : null }
  }

  madeOf(field: string): TextParts | null {
    const entry = this.entry(field)
    const { cache, id, file } = this.#part
    if (entry === null || cache.get(id, this.#number, field) !== undefined) return null
    let apart = cache.get(id, apartOf(this.#number), field)
    const what = `${field} in block ${this.#number}`
    if (apart === undefined) {
      if (file.head(entry.chunk).encoding !== REBUILT) return null
      const chunk = this.#decode(field, entry, source => new RebuiltChunk(source, this.rowCount))
      cache.set(id, apartOf(this.#number), field, chunk, chunk.byteLength)
      apart = chunk
    }
    if (!(apart instanceof RebuiltChunk)) return null
    const { templates, chosen, kept } = apart
    const columnOf = (name: string): Vector | ThinColumn | null => {
      const own = file.goOn(entry.chunk, what, () => this.#sibling(field, REBUILT, name))
      return this.#thinUnlessHeld(own) ?? this.column(own)
    }
    return { templates, chosen, kept, columnOf }
  }

  /** Of ten thousand fields an event has a few: whole columns of all of them would be gigabytes. */
  #thinUnlessHeld(name: string): ThinColumn | null {
    return this.#part.cache.get(this.#part.id, this.#number, name) === undefined ? this.thin(name) : null
  }

  rows(field: string, rows: Uint32Array, tally?: ReadTally): Vector | null {
    let read = this.#few.get(rows)
    if (read === undefined) this.#few.set(rows, (read = new Map()))
    let vector = read.get(field)
    if (vector === undefined) {
      vector = this.#rows(field, rows, tally)
      read.set(field, vector)
    }
    return vector
  }

  #rows(field: string, rows: Uint32Array, tally?: ReadTally): Vector | null {
    const entry = this.entry(field)
    if (entry === null) return null
    const { cache, id, file } = this.#part
    const held = cache.get(id, this.#number, field)
    if (held !== undefined) {
      if (tally !== undefined) tally.columnsCached++
      return pickRows(held as Vector, rows)
    }
    const what = `${field} in block ${this.#number}`
    const columnOf = (encoding: number) => (name: string) =>
      this.rows(this.#sibling(field, encoding, name), rows, tally)
    const apart = cache.get(id, apartOf(this.#number), field) as RowMemo['apart']
    if (apart !== undefined) {
      if (tally !== undefined) tally.columnsCached++
      const encoding = apart instanceof RebuiltChunk ? REBUILT : WOVEN
      return file.goOn(entry.chunk, what, () => apart.some(rows, columnOf(encoding)))
    }
    const memo: RowMemo = {}
    const vector = this.#decode(field, entry, (source, encoding) =>
      decodeRows(
        encoding,
        source,
        this.rowCount,
        rows,
        number => this.#part.dictionary(number),
        columnOf(encoding),
        memo,
      ),
    )
    this.#keep(field, memo)
    if (tally !== undefined) {
      tally.columnsDecoded++
      tally.bytesRead += entry.chunk.length
      tally.bytesDecoded += bytesOfVector(vector)
    }
    return vector
  }

  /** What the next reader of few rows needs: text that is taken apart, and of other columns all there is once they are asked for a second time. */
  #keep(field: string, { apart, whole }: RowMemo): void {
    const { cache, id } = this.#part
    const isAsked = this.#asked.has(field)
    this.#asked.add(field)
    if (apart !== undefined && (isAsked || !(apart instanceof HexChunk)))
      cache.set(id, apartOf(this.#number), field, apart, apart.byteLength)
    if (whole !== undefined && isAsked) this.#keepWhole(field, whole)
  }

  #keepWhole(field: string, vector: Vector): void {
    const { cache, id } = this.#part
    const keep = (): void => cache.set(id, this.#number, field, vector, bytesOfVector(vector))
    keep()
    if (vector instanceof DecimalVector) vector.whenRead = keep
  }

  /**
   * `name`, if it is a column that one of `encoding` may be put together from: `_raw` from any other, woven text only from those that are not
   * put together themselves, or from `_time` alone. So reading one always ends.
   */
  #sibling(field: string, encoding: number, name: string): string {
    if (encoding === REBUILT && field === '_raw' && name !== '_raw') return name
    const entry = encoding === REBUILT ? null : this.entry(name)
    const own = entry === null ? null : this.#part.file.head(entry.chunk).encoding
    const ends = own !== null && (!FROM_OTHERS.has(own) || (own === TIME_TEXT && encoding === WOVEN))
    if (!ends) throw new RangeError(`${field} put together from ${name}`)
    return name
  }

  statistics(field: string): BlockStatistics | null {
    const entry = this.entry(field)
    if (entry === null) return null
    const { presentCount, nullCount, zone, distinct: values, counts } = entry
    const distinctMax = this.#distinctMax(entry)
    let min: number | null = null
    let max: number | null = null
    let bounds: BlockStatistics['bounds'] = null
    if (zone?.kind === 'number') {
      ;({ kind: bounds, min, max } = zone)
    } else if (zone?.kind === 'time' && zone.min.nanos === 0 && zone.max.nanos === 0) {
      // Microseconds cannot tell of the nanoseconds below them: where there are any, the rows must be asked.
      bounds = 'time'
      min = zone.min.micros
      max = zone.max.micros
    }
    return { presentCount, nullCount, min, max, bounds, values, counts, distinctMax }
  }

  #distinctMax({ distinct, dictionary }: ColumnEntry): number | null {
    if (distinct !== null) return distinct.length
    return dictionary === -1 ? null : this.#part.dictionarySize(dictionary)
  }

  columnBytes(field: string): number {
    return this.entry(field)?.chunk.length ?? 0
  }
}
