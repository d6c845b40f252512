/**
 * Writes a part block by block: only one block's chunks, the dictionaries and the skip index are held, whatever the part's size.
 * The file appears under its own name only when it is whole and, if asked, on the disk.
 */
import type { Filesystem } from '../filesystem.ts'
import { SPARE_BYTES_MIN, spareMemory } from '../spare-memory.ts'
import type { DateTime } from '../value.ts'
import { type DictVector, type NumberVector, PRESENT, type TextVector, type Vector } from '../vector.ts'
import { type ChunkPlace, type ColumnEntry, writeBlockIndex } from './block-index.ts'
import { ByteSink } from './bytes.ts'
import { crc32 } from './checksum.ts'
import { type Compression, chunkIsWritten, FAST_COMPRESSION, frameChunk } from './chunk.ts'
import { type BlockColumns, NO_LINEAGE, type PartDescription, type PartLineage } from './columns.ts'
import { encodeColumn, encodeThin, REBUILT } from './encodings/index.ts'
import { isSparse } from './encodings/sparse.ts'
import { FieldDictionary } from './field-dictionary.ts'
import { EPOCH, earlier, type FooterBlock, type FooterDictionary, later, writeFooter } from './footer.ts'
import {
  BLOCK_ROWS_MAX,
  FILTER_FUSE,
  HEADER_MAGIC,
  KIND_COLUMN,
  KIND_DICTIONARY,
  KIND_FILTER,
  KIND_FOOTER,
  KIND_INDEX,
  TRAILER_BYTES,
  TRAILER_MAGIC,
} from './format.ts'
import { encodeKnownRaw, encodeRaw, encodeTimeOfEvent, encodeWeave, mayBeWoven, textOfTimes } from './from-others.ts'
import { writeFuseFilter } from './fuse-filter.ts'
import { PartFile } from './part-file.ts'
import type { ReadyFilter } from './ready-filter.ts'
import { shapeColumn } from './shape.ts'
import { summarise } from './summary.ts'
import { shapeThin, type ThinColumn } from './thin.ts'
import { timesOfBlock } from './time-column.ts'
import { TokenSet } from './token-filter.ts'

export interface PartToWrite {
  readonly id: string
  readonly index: string
  readonly blocks: Iterable<BlockColumns>
  readonly fsync: boolean
  /** Default FAST_COMPRESSION. */
  readonly compression?: Compression
  /**
   * More events wait: text is stored as it is, for a merge to weave, which is a third of the time a part takes. What it is merged with is waiting
   * already; in the meantime its messages take twice the bytes.
   */
  readonly isHurried?: boolean
  /** Absent: it came from nowhere. */
  readonly lineage?: PartLineage
  /** Looks at the file once it is complete and before it gets its name. What it throws keeps the part from being published. */
  readonly check?: (path: string) => Iterable<void>
}

/**
 * Writes `<id>.part` into `directory` by way of `tmp_<id>.part`. Blocks without rows are left out.
 * @throws whatever the filesystem throws; the temporary file is then removed, if that is still possible.
 */
export function writePart(filesystem: Filesystem, directory: string, part: PartToWrite): PartDescription {
  const steps = writePartSteps(filesystem, directory, part)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same a column at a time, so that other work can be done between two; a part that is given up half-way leaves nothing behind. */
export function* writePartSteps(
  filesystem: Filesystem,
  directory: string,
  part: PartToWrite,
): Generator<void, PartDescription> {
  const temporary = `${directory}/tmp_${part.id}.part`
  const file = new PartFile(filesystem, temporary)
  let description: PartDescription | null = null
  const writer = new PartWriter(file, part)
  try {
    const written = yield* writer.write()
    file.finish(part.fsync)
    if (part.check !== undefined) yield* part.check(temporary)
    filesystem.rename(temporary, `${directory}/${part.id}.part`)
    description = written
  } finally {
    writer.release()
    if (description === null) file.discard()
  }
  if (part.fsync) filesystem.fsyncDirectory(directory)
  return description
}

interface FieldSoFar {
  readonly number: number
  readonly name: string
  readonly dictionary: FieldDictionary | null
  /** Where the dictionary will be listed, once a block uses it. */
  dictionaryNumber: number
  types: number
  presentCount: number
}

/** Writes a column from what others of the block say and answers with its encoding; null when they do not say it. */
type Encode = (sink: ByteSink) => number | null

/** `_raw` is read as text whenever it is read, and hardly ever repeats. */
const isPlainText = (field: string): boolean => field === '_raw'

class PartWriter {
  readonly #file: PartFile
  readonly #part: PartToWrite
  readonly #fields = new Map<string, FieldSoFar>()
  readonly #dictionaries: FieldDictionary[] = []
  readonly #blocks: Omit<FooterBlock, 'index'>[] = []
  readonly #indexes: Uint8Array[] = []
  readonly #tokens = new TokenSet()
  /** Of one column after the other. */
  readonly #sink = new ByteSink()
  readonly #compression: Compression
  #rowCount = 0
  #rawBytes = 0
  #minTime: DateTime = EPOCH
  #maxTime: DateTime = EPOCH

  constructor(file: PartFile, part: PartToWrite) {
    this.#file = file
    this.#part = part
    const compression = part.compression ?? FAST_COMPRESSION
    this.#compression = part.isHurried === true ? { ...compression, isSampled: true } : compression
  }

  *write(): Generator<void, PartDescription> {
    this.#file.append(HEADER_MAGIC)
    for (const block of this.#part.blocks) if (block.rowCount > 0) yield* this.#writeBlock(block)
    const dictionaries = this.#dictionaries.map(dictionary => this.#writeDictionary(dictionary))
    const blocks = this.#blocks.map((block, number) => {
      const index = this.#place(this.#indexes[number]!)
      return { ...block, index }
    })
    this.#writeFooter(dictionaries, blocks)
    return {
      id: this.#part.id,
      index: this.#part.index,
      rowCount: this.#rowCount,
      blockCount: blocks.length,
      minMicros: this.#minTime.micros,
      maxMicros: this.#maxTime.micros,
      sizeBytes: this.#file.length,
      rawBytes: this.#rawBytes,
      ...(this.#part.lineage ?? NO_LINEAGE),
    }
  }

  /** What it worked with is for others. */
  release(): void {
    this.#sink.release()
    this.#tokens.release()
  }

  #place(chunk: Uint8Array): ChunkPlace {
    const offset = this.#file.length
    this.#file.append(chunk)
    chunkIsWritten(chunk)
    return { offset, length: chunk.length }
  }

  *#writeBlock(block: BlockColumns): Generator<void> {
    const { rowCount } = block
    if (rowCount > BLOCK_ROWS_MAX)
      throw new RangeError(`a block of ${rowCount} rows; at most ${BLOCK_ROWS_MAX} fit one`)
    const times = timesOfBlock(block)
    const entries: ColumnEntry[] = []
    const texts: number[] = []
    const waiting: { readonly field: FieldSoFar; readonly vector: TextVector }[] = []
    // What woven text may refer to.
    const others = new Map<string, Vector>()
    // What `_raw` may be made of: columns as they are written, so that a value is looked at once, however often it occurs.
    const shaped = new Map<string, Vector | ThinColumn>()
    /** What their lanes lie in, where it is not the block's. */
    const made: ArrayBuffer[] = []
    const indexed = new Set<string>()
    const ready = block.filter ?? null
    const isReady = (name: string): boolean => ready?.columns.has(name) === true
    const tokensOfRaw = isReady('_raw') ? null : this.#tokens
    const write = (field: FieldSoFar, vector: Vector, encode: Encode): void => {
      let addsTokens = vector.kind === 'text'
      const entry = this.#writeColumn(field, vector, sink => {
        const encoding = encode(sink)
        // Its tokens were added while it was proved.
        if (encoding === REBUILT) addsTokens = false
        return encoding
      })
      // Whoever knows the values needs no filter.
      if (vector.kind === 'text' && entry.distinct === null) {
        if (addsTokens) {
          if (!isReady(field.name)) this.#tokens.addColumn(vector)
          indexed.add(field.name)
        }
        texts.push(entries.length)
      }
      entries.push(entry)
    }
    const fromFields = {
      columnOf: (name: string) => (name === '_raw' || name === '_time' ? null : (shaped.get(name) ?? null)),
      isIndexed: (name: string) => indexed.has(name),
    }
    const known = block.raw ?? null
    // Fields are numbered as they would be if it came with the others.
    if (known !== null) for (const name of ['_time', '_raw']) this.#field(name)
    for (const [name, column] of block.columns) {
      if (column.rowCount !== rowCount)
        throw new RangeError(`${name} has ${column.rowCount} rows in a block of ${rowCount}`)
      const field = this.#field(name)
      const vector = textOfTimes(column, block) ?? shapeColumn(column, field.dictionary)
      if (vector === null) continue
      if (name === '_raw') this.#rawBytes += textBytes(vector)
      else shaped.set(name, vector)
      const lane = laneOf(vector)
      if (lane !== null && lane.buffer !== laneOf(column)?.buffer) made.push(lane.buffer as ArrayBuffer)
      if (name === '_raw' ? vector.kind === 'text' : mayBeWoven(vector)) {
        waiting.push({ field, vector: vector as TextVector })
        continue
      }
      write(field, vector, sink => encodeTimeOfEvent(sink, vector, block))
      if (name !== '_time' && !isSparse(entries.at(-1)!.presentCount, rowCount)) others.set(name, column)
      yield
    }
    for (const [name, { rows, values }] of block.thin ?? []) {
      const vector = shapeThin({ rows, values })
      shaped.set(name, { rows, values: vector })
      write(this.#field(name), vector, sink => encodeThin(sink, rows, vector))
      yield
    }
    const weave = this.#part.isHurried === true ? () => null : encodeWeave
    for (const { field, vector: text } of waiting) {
      if (field.name === '_raw') continue
      const vector = inOwnMemory(text)
      if (vector !== text) made.push(vector.bytes.buffer as ArrayBuffer)
      write(field, vector, sink => encodeTimeOfEvent(sink, vector, block) ?? weave(sink, vector, others))
      yield
    }
    // After the others: it is known then which of them have their tokens in the filter.
    const raw = waiting.find(({ field }) => field.name === '_raw')
    if (raw !== undefined) {
      const { field, vector } = raw
      write(
        field,
        vector,
        sink =>
          encodeTimeOfEvent(sink, vector, block) ??
          encodeRaw(sink, vector, fromFields, tokensOfRaw) ??
          weave(sink, vector, others),
      )
      yield
    }
    if (known !== null) {
      this.#rawBytes += known.textBytes
      write(this.#field('_raw'), known.rest, sink => encodeKnownRaw(sink, known, fromFields, tokensOfRaw))
      yield
    }
    if (texts.length > 0) {
      const filter = this.#writeFilter(ready)
      for (const entry of texts) entries[entry] = { ...entries[entry]!, filter }
    } else this.#tokens.clear()
    for (const buffer of made) spareMemory.give(buffer)
    const sink = new ByteSink()
    writeBlockIndex(sink, entries)
    this.#indexes.push(frameChunk(KIND_INDEX, 0, sink.finish(), this.#compression))
    this.#blocks.push({ rowCount, ...times })
    this.#minTime = this.#rowCount === 0 ? times.minTime : earlier(this.#minTime, times.minTime)
    this.#maxTime = this.#rowCount === 0 ? times.maxTime : later(this.#maxTime, times.maxTime)
    this.#rowCount += rowCount
  }

  #field(name: string): FieldSoFar {
    const known = this.#fields.get(name)
    if (known !== undefined) return known
    const field: FieldSoFar = {
      number: this.#fields.size,
      name,
      dictionary: isPlainText(name) ? null : new FieldDictionary(),
      dictionaryNumber: -1,
      types: 0,
      presentCount: 0,
    }
    this.#fields.set(name, field)
    return field
  }

  /** @param encode  null: the column is written by itself */
  #writeColumn(field: FieldSoFar, vector: Vector, encode: Encode): ColumnEntry {
    const summary = summarise(vector)
    field.types |= summary.types
    field.presentCount += summary.presentCount
    const sink = this.#sink
    sink.clear()
    const encoding = encode(sink) ?? encodeColumn(sink, vector, () => this.#dictionaryNumber(field))
    const chunk = this.#place(frameChunk(KIND_COLUMN, encoding, sink.finish(), this.#compression, sink.lanes))
    const dictionary = vector.kind === 'dict' ? field.dictionaryNumber : -1
    return { field: field.number, ...summary, chunk, dictionary, filter: null }
  }

  #dictionaryNumber(field: FieldSoFar): number {
    if (field.dictionaryNumber === -1) field.dictionaryNumber = this.#dictionaries.push(field.dictionary!) - 1
    return field.dictionaryNumber
  }

  /** One for all text of the block: see token-filter.ts. */
  #writeFilter(ready: ReadyFilter | null): ChunkPlace {
    const sink = new ByteSink()
    // A text that was none when the filter was made has tokens of its own.
    if (ready !== null && this.#tokens.size > 0) this.#tokens.addAll(ready.hashes)
    writeFuseFilter(sink, ready !== null && this.#tokens.size === 0 ? ready.filter : this.#tokens.takeFilter())
    return this.#place(frameChunk(KIND_FILTER, FILTER_FUSE, sink.finish()))
  }

  /** A dictionary is a column of its values, in the encoding any column would get. */
  #writeDictionary(dictionary: FieldDictionary): FooterDictionary {
    const { values } = dictionary
    const vector = shapeColumn({ kind: 'any', rowCount: values.length, values }, null)
    const sink = new ByteSink()
    const encoding = encodeColumn(sink, vector ?? { kind: 'any', rowCount: values.length, values }, () => -1)
    const chunk = frameChunk(KIND_DICTIONARY, encoding, sink.finish(), this.#compression, sink.lanes)
    const { offset, length } = this.#place(chunk)
    return { offset, length, valueCount: values.length }
  }

  #writeFooter(dictionaries: readonly FooterDictionary[], blocks: readonly FooterBlock[]): void {
    const sink = new ByteSink()
    writeFooter(sink, {
      id: this.#part.id,
      index: this.#part.index,
      rowCount: this.#rowCount,
      rawBytes: this.#rawBytes,
      minTime: this.#minTime,
      maxTime: this.#maxTime,
      fields: [...this.#fields.values()],
      dictionaries,
      blocks,
      ...(this.#part.lineage ?? NO_LINEAGE),
    })
    const footer = this.#place(frameChunk(KIND_FOOTER, 0, sink.finish(), this.#compression))
    const trailer = Buffer.alloc(TRAILER_BYTES)
    trailer.writeUInt32LE(footer.length, 0)
    trailer.writeUInt32LE(crc32(trailer.subarray(0, 4)), 4)
    trailer.set(TRAILER_MAGIC, 8)
    this.#file.append(trailer)
  }
}

/**
 * V8 copies out of memory that threads share a word at a time, and a byte at a time where the two do not lie alike, as pieces of text hardly do: 4.7 MB of
 * messages 1.6 ms, for their tokens and for their chunk; all of it, which lies alike, 0.35.
 */
function inOwnMemory(text: TextVector): TextVector {
  const { bytes } = text
  if (bytes.length < SPARE_BYTES_MIN || bytes.buffer instanceof ArrayBuffer) return text
  const own = spareMemory.elements(Uint8Array, bytes.length)
  own.set(bytes)
  return { ...text, bytes: own }
}

/** Of what `shapeColumn` makes anew. */
function laneOf(vector: Vector): DictVector['codes'] | NumberVector['values'] | null {
  if (vector.kind === 'dict') return vector.codes
  return vector.kind === 'number' ? vector.values : null
}

/** Bytes of the present texts of `_raw`, in whatever shape they came. */
function textBytes(vector: Vector): number {
  switch (vector.kind) {
    case 'text': {
      let bytes = 0
      for (let row = 0; row < vector.rowCount; row++) {
        if (vector.presence === null || vector.presence[row] === PRESENT) {
          bytes += vector.offsets[row + 1]! - vector.offsets[row]!
        }
      }
      return bytes
    }
    case 'const':
      return typeof vector.value === 'string' ? Buffer.byteLength(vector.value) * vector.rowCount : 0
    case 'any': {
      let bytes = 0
      for (const value of vector.values) if (typeof value === 'string') bytes += Buffer.byteLength(value)
      return bytes
    }
    default:
      return 0
  }
}
