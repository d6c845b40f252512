/**
 * The buffered events of one index and one UTC day: complete blocks and one that fills. A reader of it is a view of what is there:
 * it remembers row counts, never copies rows, and later events do not show through it.
 */
import type { BlockReader, BlockStatistics, FieldSummary, IncomingEvent, PartReader } from '../index.ts'
import type { BlockColumns, KnownRaw, PartLineage } from '../part/columns.ts'
import { makeFilterSteps, type ReadyFilter } from '../part/ready-filter.ts'
import { isBefore } from '../part/summary.ts'
import type { ThinColumn } from '../part/thin.ts'
import type { TokenSet } from '../part/token-filter.ts'
import { pickRows } from '../pick.ts'
import type { ScanPredicate, TimeRange, Verdict } from '../predicate.ts'
import { leaveToCollector } from '../spare-memory.ts'
import type { DateTime } from '../value.ts'
import type { Vector } from '../vector.ts'
import { type ColumnBuilder, FieldState } from './column-builder.ts'
import type { EventBatch } from './event-batch.ts'
import type { FieldDictionary, FrozenDictionaries } from './field-dictionary.ts'
import { MemoryBlock, type TimeBounds } from './memory-block.ts'
import { type VerdictSource, verdictOf, verdictOfTime } from './memory-verdict.ts'
import { TextSizes } from './text-sizes.ts'

/** What a column of a block takes besides its values. */
const COLUMN_BYTES = 1024

export class MemoryPart {
  readonly id: string
  readonly index: string
  rowCount = 0
  sizeBytes = 0
  firstSequence = 0
  lastSequence = 0
  private readonly blockRows: number
  private readonly sizes: TextSizes
  private readonly blocks: MemoryBlock[] = []
  private open: MemoryBlock
  private readonly fields = new Map<string, FieldState>()
  /** Of the part before. */
  private readonly dictionaries: ReadonlyMap<string, FieldDictionary>
  /** Of a block. */
  private readonly expected = { rows: 0 }
  private rawCount = 0
  private reader: PartReader | null = null
  /** Who has a reader may have it for as long as they like. */
  private wasRead = false
  private readonly fieldOf = (name: string): FieldState | null => {
    let field = this.fields.get(name)
    if (field === undefined) {
      if (name === '_time' || name === '_raw') return null
      field = new FieldState(name, this.sizes.expected(name), this.expected)
      field.dictionary = this.dictionaries.get(name) ?? null
      this.fields.set(name, field)
    }
    return field
  }

  /** @param before  of the same index and day, full; it may be read and written, and nothing is appended to it any more */
  constructor(id: string, index: string, blockRows: number, sizes = new TextSizes(), before: MemoryPart | null = null) {
    this.id = id
    this.index = index
    this.blockRows = blockRows
    this.sizes = sizes
    this.dictionaries = before === null ? new Map() : before.dictionariesToGoOn()
    this.open = this.newBlock()
    this.blocks.push(this.open)
  }

  /** Answers by how many bytes it has grown: those the event is counted as, and those of columns it is the first to have. */
  append(event: IncomingEvent, bytes: number, sequence: number): number {
    this.makeRoom()
    const columnsBefore = this.open.columns.size
    this.open.append(event, this.fieldOf)
    if (event.raw !== null) this.rawCount++
    return this.grow(1, bytes + (this.open.columns.size - columnsBefore) * COLUMN_BYTES, sequence)
  }

  /** Lines of one shape: `[from, to)` of the batch, the first of which has the number `sequence`. Answers as `append`. */
  appendLines(batch: EventBatch, from: number, to: number, sequence: number): number {
    let grown = 0
    for (let at = from; at < to; ) {
      this.makeRoom()
      const { open } = this
      const columnsBefore = open.columns.size
      const last = Math.min(to, at + this.blockRows - open.rowCount)
      // A line at the least, as one event is always taken.
      const end = batch.endOfRoom(at, last, open.rawRoom)
      let bytes = batch.sizeOfLines(at, end)
      open.appendLines(batch, at, end, this.fieldOf)
      this.rawCount += end - at
      bytes += (open.columns.size - columnsBefore) * COLUMN_BYTES
      grown += this.grow(end - at, bytes, sequence + at - from)
      at = end
    }
    return grown
  }

  private makeRoom(): void {
    if (this.open.rowCount < this.blockRows && this.open.rawRoom > 0) return
    this.open.finish(!this.wasRead)
    // One was full: the next will be, too. Growing to it, its arrays would be made, copied and left to collect three times each.
    this.expected.rows = this.open.rowCount
    this.open = this.newBlock()
    this.blocks.push(this.open)
  }

  private grow(rows: number, bytes: number, sequence: number): number {
    if (this.rowCount === 0) this.firstSequence = sequence
    this.lastSequence = sequence + rows - 1
    this.rowCount += rows
    this.sizeBytes += bytes
    this.reader = null
    return bytes
  }

  /** What is there now. The same reader until something is appended. */
  snapshot(): PartReader {
    this.wasRead = true
    this.reader ??= this.makeReader()
    return this.reader
  }

  get fieldCount(): number {
    return this.fields.size
  }

  get lineage(): PartLineage {
    return { firstSequence: this.firstSequence, lastSequence: this.lastSequence, level: 0, replaces: [] }
  }

  /** Every block, for the part writer; nothing may be appended any more. */
  *columns(): Iterable<BlockColumns> {
    const names = ['_time', '_raw', ...this.fields.keys()]
    for (const name of names) this.sizes.note(name, Math.max(...this.blocks.map(block => block.textBytes(name))))
    // As they are now: the part that follows may add to them meanwhile. What the last block lacks at its end is told first.
    for (const column of this.open.columns.values()) column.view(this.open.rowCount, null)
    const frozen: FrozenDictionaries = new Map()
    for (const block of this.blocks) {
      block.isHandedOver = true
      yield this.columnsOf(block, names, frozen)
    }
  }

  private dictionariesToGoOn(): ReadonlyMap<string, FieldDictionary> {
    const dictionaries = new Map<string, FieldDictionary>()
    for (const { name, dictionary, isText } of this.fields.values())
      if (!isText && dictionary?.mayGoOn() === true) dictionaries.set(name, dictionary)
    return dictionaries
  }

  /**
   * Blocks that no writer has yet, and that have no filter.
   * @param isSealed  no row follows, not even in the last one
   */
  blocksToCome(isSealed: boolean): readonly MemoryBlock[] {
    const isToCome = (block: MemoryBlock) => !block.isHandedOver && block.filter === null && block.rowCount > 0
    return this.blocks.filter(block => isToCome(block) && (isSealed || block !== this.open))
  }

  /** Of a block of it. */
  makeFilterSteps(block: MemoryBlock, tokens: TokenSet): Generator<void, ReadyFilter> {
    return makeFilterSteps(this.columnsOf(block, ['_time', '_raw', ...block.columns.keys()]), tokens)
  }

  private columnsOf(
    block: MemoryBlock,
    names: readonly string[],
    frozen: FrozenDictionaries | null = null,
  ): BlockColumns {
    const thin = thinColumnsOf(block)
    const raw = block.knownRaw()
    const columns = new BlockColumnMap(block, names, thin, raw, frozen)
    return { rowCount: block.rowCount, columns, thin, raw, filter: block.filter }
  }

  /** A file serves in its place. */
  release(): void {
    if (this.wasRead) leaveToCollector(this.sizeBytes)
    else for (const block of this.blocks) block.release()
  }

  private newBlock(): MemoryBlock {
    return new MemoryBlock(this.sizes.expected('_raw'), this.expected.rows)
  }

  private makeReader(): PartReader {
    // Dictionaries of complete blocks hold every code they use; the open block's may still be growing.
    const frozen: FrozenDictionaries = new Map()
    const blocks = this.blocks.map(block => new MemoryBlockReader(block, block === this.open ? null : frozen))
    let min = blocks[0]?.minTime as DateTime
    let max = min
    for (const block of blocks) {
      if (isBefore(block.minTime, min)) min = block.minTime
      if (isBefore(max, block.maxTime)) max = block.maxTime
    }
    const fields: FieldSummary[] = [{ name: '_time', type: 'datetime', presentCount: this.rowCount }]
    if (this.rawCount > 0) fields.push({ name: '_raw', type: 'string', presentCount: this.rawCount })
    for (const { name, type, presentCount } of this.fields.values()) fields.push({ name, type, presentCount })
    return {
      path: null,
      id: this.id,
      index: this.index,
      rowCount: this.rowCount,
      blockCount: blocks.length,
      firstSequence: this.firstSequence,
      lastSequence: this.lastSequence,
      minTime: min,
      maxTime: max,
      sizeBytes: this.sizeBytes,
      fields,
      block: at => {
        const block = blocks[at]
        if (block === undefined) throw new RangeError(`part ${this.id} has ${blocks.length} blocks, not ${at + 1}`)
        return block
      },
    }
  }
}

function thinColumnsOf(block: MemoryBlock): ReadonlyMap<string, ThinColumn> {
  const columns = new Map<string, ThinColumn>()
  for (const [name, column] of block.columns) {
    const thin = column.thin(block.rowCount)
    if (thin !== null) columns.set(name, thin)
  }
  return columns
}

/** Values are counted when a part is written. */
const UNCOUNTED = { values: null, counts: null } as const

class MemoryBlockReader implements BlockReader, VerdictSource {
  readonly rowCount: number
  readonly bounds: TimeBounds
  private readonly source: MemoryBlock
  private readonly frozen: FrozenDictionaries | null
  private readonly vectors = new Map<string, Vector | null>()

  constructor(source: MemoryBlock, frozen: FrozenDictionaries | null) {
    this.source = source
    this.frozen = frozen
    this.rowCount = source.rowCount
    this.bounds = source.bounds
  }

  get minTime(): DateTime {
    return this.bounds.min
  }

  get maxTime(): DateTime {
    return this.bounds.max
  }

  get timeSorted(): boolean {
    return this.bounds.sorted
  }

  get countsAreExact(): boolean {
    return this.source.rowCount === this.rowCount
  }

  verdict(predicate: ScanPredicate): Verdict {
    return verdictOf(this, predicate)
  }

  verdictTime(range: TimeRange): Verdict {
    return verdictOfTime(this.bounds, range)
  }

  column(field: string): Vector | null {
    let vector = this.vectors.get(field)
    if (vector === undefined) {
      vector = this.source.view(field, this.rowCount, this.frozen)
      this.vectors.set(field, vector)
    }
    return vector
  }

  rows(field: string, rows: Uint32Array): Vector | null {
    const vector = this.column(field)
    return vector === null ? null : pickRows(vector, rows)
  }

  madeOf(): null {
    return null
  }

  statistics(field: string): BlockStatistics | null {
    if (field === '_time') {
      const { min, max } = this.bounds
      const hasNanos = min.nanos !== 0 || max.nanos !== 0
      const bounds = hasNanos
        ? ({ min: null, max: null, bounds: null } as const)
        : ({ min: min.micros, max: max.micros, bounds: 'time' } as const)
      return { presentCount: this.rowCount, nullCount: 0, ...bounds, ...UNCOUNTED, distinctMax: null }
    }
    const column = this.source.columns.get(field)
    if (column === undefined || !this.countsAreExact) return null
    const { presentCount, nullCount } = column
    const bounds = column.numberBounds()
    const distinctMax = column.distinctMax()
    if (bounds === null) return { presentCount, nullCount, min: null, max: null, bounds, ...UNCOUNTED, distinctMax }
    return { presentCount, nullCount, ...bounds, bounds: 'number', ...UNCOUNTED, distinctMax }
  }

  columnBytes(field: string): number {
    return this.source.columnBytes(field)
  }

  builderOf(field: string): ColumnBuilder | null {
    return this.source.columns.get(field) ?? null
  }

  hasFieldBelow(prefix: string): boolean {
    for (const name of this.source.columns.keys()) if (name.startsWith(prefix)) return true
    return false
  }
}

/**
 * The columns of a block as the part writer asks for them, made one at a time: thousands of sparse fields of a block must not all be
 * dense at once.
 */
class BlockColumnMap implements ReadonlyMap<string, Vector> {
  private readonly block: MemoryBlock
  private readonly names: readonly string[]
  private readonly frozen: FrozenDictionaries | null

  constructor(
    block: MemoryBlock,
    names: readonly string[],
    thin: ReadonlyMap<string, ThinColumn>,
    raw: KnownRaw | null,
    frozen: FrozenDictionaries | null,
  ) {
    this.block = block
    this.frozen = frozen
    this.names = names.filter(name => this.has(name) && !thin.has(name) && (raw === null || name !== '_raw'))
  }

  get size(): number {
    return this.names.length
  }

  has(name: string): boolean {
    if (name === '_time') return true
    return name === '_raw' ? this.block.hasRaw : this.block.columns.has(name)
  }

  get(name: string): Vector | undefined {
    return this.block.view(name, this.block.rowCount, this.frozen) ?? undefined
  }

  forEach(callback: (vector: Vector, name: string, map: ReadonlyMap<string, Vector>) => void): void {
    for (const [name, vector] of this) callback(vector, name, this)
  }

  *entries(): MapIterator<[string, Vector]> {
    for (const name of this.names) yield [name, this.get(name) as Vector]
  }

  keys(): MapIterator<string> {
    return this.names.values()
  }

  *values(): MapIterator<Vector> {
    for (const [, vector] of this) yield vector
  }

  [Symbol.iterator](): MapIterator<[string, Vector]> {
    return this.entries()
  }
}
