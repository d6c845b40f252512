/**
 * The store: a buffer in front of part files. Every event is visible from the moment it is appended, once: in the buffer until its part
 * is on disk, in the part from then on.
 */
import { FiltersAhead } from './build/ahead.ts'
import { createMemoryDocuments } from './catalog/documents.ts'
import type { Disk, OpenStoreOptions } from './disk.ts'
import { BackpressureError, ClosedError, UnwrittenEventsError } from './errors.ts'
import type {
  AppendReceipt,
  Compaction,
  DocumentStore,
  IncomingEvent,
  IndexStatus,
  PartReader,
  Snapshot,
  Store,
  StoreStatus,
  SubscribeOptions,
  Subscription,
} from './index.ts'
import { Generation, MAX_BLOCK_ROWS, sizeOfEvent } from './ingest/buffer.ts'
import { Duplicates } from './ingest/duplicates.ts'
import type { EventBatch } from './ingest/event-batch.ts'
import type { MemoryPart } from './ingest/memory-part.ts'
import { PartIds } from './ingest/part-id.ts'
import { Publisher } from './ingest/publisher.ts'
import { RecentParts } from './ingest/recent-parts.ts'
import { Subscriptions } from './ingest/subscriptions.ts'
import { TextSizes } from './ingest/text-sizes.ts'
import { type Compression, FAST_COMPRESSION } from './part/chunk.ts'
import type { PartDescription } from './part/columns.ts'
import { indexStatuses } from './status.ts'
import { mustGiveWay } from './turns.ts'

export type { OpenStoreOptions } from './disk.ts'

const MIB = 1024 * 1024

/** @throws {LockedError} when another process owns the directory. Damaged data is no reason to throw: see `status().quarantined`. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  if (options.directory === null) return new BufferedStore(options, null)
  // Loaded when it is needed: a store in memory has no use for LMDB.
  const { openDisk } = await import('./disk.ts')
  return new BufferedStore(options, await openDisk(options.directory, options))
}

class BufferedStore implements Store {
  readonly documents: DocumentStore
  private readonly disk: Disk | null
  private readonly clock: () => number
  private readonly fsync: boolean
  private readonly compression: Compression
  /** What is left undone in a hurry is done by a merge. */
  private readonly mayHurry: boolean
  private readonly bufferBytesMax: number
  private readonly publisher: Publisher
  private readonly filtersAhead = new FiltersAhead(
    () => ({
      begun: this.publisher.sealed?.generation.parts ?? [],
      next: this.publisher.filling.generation.parts,
    }),
    () => this.disk?.builder.isWaiting === true,
  )
  private readonly subscriptions = new Subscriptions()
  private readonly duplicates: Duplicates | null
  private duplicateCount = 0
  private next: number
  private closing: Promise<void> | null = null
  private isClosed = false

  constructor(options: OpenStoreOptions, disk: Disk | null) {
    this.disk = disk
    this.clock = options.clock ?? Date.now
    this.fsync = options.fsync ?? true
    this.compression = { ...FAST_COMPRESSION, ...(options.compression && { codec: options.compression }) }
    this.mayHurry = options.compactionWorkers !== 0 && options.mayHurry !== false
    this.duplicates = options.dedupCapacity ? new Duplicates(options.dedupCapacity) : null
    // Without a directory the buffer is the store: only a limit that was asked for limits it.
    this.bufferBytesMax = options.bufferBytesMax ?? (disk === null ? Number.POSITIVE_INFINITY : 1024 * MIB)
    this.documents = disk?.documents ?? createMemoryDocuments()
    this.next = nextSequenceOf(disk)
    const ids = disk?.partIds ?? new PartIds(this.clock, null)
    const blockRows = Math.max(
      1,
      Math.min(MAX_BLOCK_ROWS, options.bufferBlockRows ?? options.blockRows ?? MAX_BLOCK_ROWS),
    )
    const sizes = new TextSizes()
    const recent = new RecentParts()
    this.publisher = new Publisher(
      {
        flushAgeMs: options.flushAgeMs ?? 1000,
        flushRows: options.flushRows ?? 1_000_000,
        flushBytes: options.flushBytes ?? 256 * MIB,
      },
      {
        publish: (part, isHurried, replaced) => this.publish(part, isHurried, replaced),
        record: () => this.record(),
        newGeneration: () => new Generation(blockRows, () => ids.next(), sizes, recent),
        now: this.clock,
      },
    )
    if (disk === null) return
    void disk.checkFooters()
    disk.compactor.poke()
  }

  append(given: readonly IncomingEvent[]): AppendReceipt {
    if (this.isClosed) throw new ClosedError()
    const { fresh: events, remember } = this.duplicates?.without(given) ?? { fresh: given, remember: () => {} }
    let bytes = 0
    const sizes: number[] = []
    for (const event of events) {
      if (!Number.isFinite(event.time.micros)) throw new TypeError('an event needs a time')
      const size = sizeOfEvent(event)
      sizes.push(size)
      bytes += size
    }
    this.checkRoomFor(bytes)
    const group = this.publisher.filling
    const now = this.clock()
    const first = this.next
    let at = 0
    for (const event of events) {
      group.generation.append(event, sizes[at] ?? 0, first + at, now)
      at++
    }
    remember()
    const duplicates = given.length - events.length
    this.duplicateCount += duplicates
    return this.appended(events.length, duplicates, () => this.subscriptions.appended(first, events, bytes))
  }

  appendBatch(batch: EventBatch): AppendReceipt {
    // Whoever looks at each event has events.
    if (this.duplicates !== null || this.subscriptions.count > 0) return this.append(batch.toEvents())
    if (this.isClosed) throw new ClosedError()
    if (!batch.hasTimes()) throw new TypeError('an event needs a time')
    this.checkRoomFor(batch.size())
    if (batch.count > 0) this.publisher.filling.generation.appendBatch(batch, this.next, this.clock())
    return this.appended(batch.count, 0)
  }

  /** So many are in the generation that fills. */
  private appended(count: number, duplicates: number, tell = () => {}): AppendReceipt {
    const group = this.publisher.filling
    const first = this.next
    this.next += count
    if (count > 0) tell()
    if (this.disk === null || count + duplicates === 0) return { first, count, duplicates, published: async () => {} }
    if (count > 0) this.publisher.appended()
    // What a duplicate is a duplicate of may still be on its way.
    const published = () => this.publisher.waitFor(duplicates > 0 ? this.publisher.newest : group)
    return { first, count, duplicates, published }
  }

  snapshot(): Snapshot {
    if (this.isClosed) throw new ClosedError()
    const held = this.disk?.parts.list ?? []
    for (const part of held) part.hold()
    const { sealed, filling } = this.publisher
    const parts: PartReader[] = [...held, ...(sealed?.generation.snapshot() ?? []), ...filling.generation.snapshot()]
    let isReleased = false
    return {
      nextSequence: this.next,
      parts,
      indexes: [...new Set(parts.map(part => part.index))].sort(),
      release: () => {
        if (isReleased) return
        isReleased = true
        for (const part of held) part.letGo()
      },
    }
  }

  subscribe(options: SubscribeOptions = {}): Subscription {
    return this.subscriptions.add(this.snapshot(), this.next, options)
  }

  async flush(): Promise<void> {
    if (this.isClosed) throw new ClosedError()
    if (this.disk !== null) await this.whileWaiting(this.disk, this.publisher.flush())
  }

  async makeRoom(): Promise<void> {
    if (this.isClosed) throw new ClosedError()
    if (this.disk !== null) await this.whileWaiting(this.disk, this.publisher.flushOldest())
  }

  /** Who waits here has nothing else for this thread to do, unless it serves others. */
  private whileWaiting({ builder }: Disk, writing: Promise<void>): Promise<void> {
    return builder.isApart && !mustGiveWay() ? this.filtersAhead.during(writing) : writing
  }

  async compact(): Promise<void> {
    if (this.isClosed) throw new ClosedError()
    await this.disk?.compactor.compact()
  }

  compactions(): readonly Compaction[] {
    return [...(this.disk?.compactor.compactions ?? [])]
  }

  indexes(): readonly IndexStatus[] {
    const snapshot = this.snapshot()
    try {
      return indexStatuses(snapshot.parts, this.disk?.settings ?? null)
    } finally {
      snapshot.release()
    }
  }

  async setRetention(index: string, retentionMs: number | null): Promise<void> {
    const { settings, compactor } = this.onDisk()
    await settings.setRetention(index, retentionMs)
    compactor.poke()
  }

  async setCut(name: string, sequence: number | null): Promise<void> {
    await this.disk?.settings.setCut(name, sequence)
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  status(): StoreStatus {
    const parts = this.disk?.parts.list ?? []
    const sum = (of: (part: PartDescription) => number) => parts.reduce((all, part) => all + of(part.description), 0)
    const { bufferedCount } = this.publisher
    return {
      partCount: parts.length,
      blockCount: sum(part => part.blockCount),
      eventCount: sum(part => part.rowCount) + bufferedCount,
      bufferedCount,
      bufferedBytes: this.bufferedBytes,
      storageBytes: sum(part => part.sizeBytes),
      rawBytes: sum(part => part.rawBytes),
      quarantined: [...(this.disk?.quarantine.list ?? [])],
      lastFlushError: this.publisher.lastError,
      isDiskFull: this.publisher.isDiskFull,
      duplicateCount: this.duplicateCount,
      lastCompactionError: this.disk?.compactor.lastError ?? null,
      leavingCount: this.disk?.parts.remaining.length ?? 0,
      nextSequence: this.next,
    }
  }

  /** @throws {BackpressureError} */
  private checkRoomFor(bytes: number): void {
    if (this.publisher.isDiskFull) {
      const waiting = `${this.bufferedBytes} bytes accepted before wait in memory`
      throw new BackpressureError(`the disk is full: nothing more is accepted until there is room, ${waiting}`, 5)
    }
    const buffered = this.bufferedBytes
    // A request larger than the whole buffer is let into an empty one; it could never be taken otherwise.
    if (buffered > 0 && buffered + bytes > this.bufferBytesMax) {
      throw new BackpressureError(`the ingest buffer is full (${buffered} bytes wait to be written)`)
    }
  }

  private get bufferedBytes(): number {
    const { sealed, filling } = this.publisher
    return filling.generation.bytes + (sealed?.generation.bytes ?? 0)
  }

  private async publish(part: MemoryPart, isHurried: boolean, replaced: () => void): Promise<PartDescription> {
    const { builder, partsDirectory, parts, compactor } = this.onDisk()
    const { id, index, lineage } = part
    const { fsync, compression } = this
    return builder.build(
      { directory: partsDirectory, id, index, lineage, fsync, compression, isHurried: isHurried && this.mayHurry },
      { blocks: () => part.columns(), bytes: part.sizeBytes, fieldCount: part.fieldCount },
      description => {
        parts.replace([description], [])
        replaced()
        compactor.poke()
      },
    )
  }

  private record(): Promise<void> {
    const { catalog } = this.onDisk()
    catalog.note({ nextSequence: this.next })
    return catalog.flush()
  }

  private async shutDown(): Promise<void> {
    this.isClosed = true
    this.subscriptions.close()
    if (this.disk === null) return
    const { catalog, documents, lock, parts } = this.disk
    let failure: UnwrittenEventsError | null = null
    await this.disk.closing()
    try {
      await this.publisher.flush()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      failure = new UnwrittenEventsError(this.publisher.bufferedCount, reason)
    }
    this.publisher.stop(failure ?? new ClosedError())
    await this.disk.builder.close()
    parts.close()
    // What the catalog misses the next start reads from the parts.
    await this.record().catch(() => {})
    await Promise.allSettled([catalog.close(), documents.close()])
    lock.release()
    if (failure !== null) throw failure
  }

  private onDisk(): Disk {
    if (this.disk === null) throw new Error('a store without a directory has no parts')
    return this.disk
  }
}

/** Every event on disk has a smaller one; and so has every event the last start knew of, if it ended in order. */
function nextSequenceOf(disk: Disk | null): number {
  let rows = 0
  let last = 0
  for (const { rowCount, lastSequence } of disk?.parts.list ?? []) {
    rows += rowCount
    last = Math.max(last, lastSequence)
  }
  // Parts from before they told of sequence numbers count by their rows.
  return Math.max(rows + 1, last + 1, disk?.catalog.nextSequence() ?? 1, disk?.settings.keptSequence ?? 1)
}
