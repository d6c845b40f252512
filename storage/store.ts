/**
 * The store: a buffer in front of part files. Every event is visible from the moment it is appended, once: in the buffer until its part
 * is on disk, in the part from then on.
 */
import { type Catalog, openCatalog } from './catalog/catalog.ts'
import { createMemoryDocuments, type OpenDocuments, openDocuments } from './catalog/documents.ts'
import { PublishedPart, type PublishedPartHooks } from './catalog/published-part.ts'
import { Quarantine } from './catalog/quarantine.ts'
import { recoverParts } from './catalog/recover.ts'
import { BackpressureError, ClosedError, CorruptPartError } from './errors.ts'
import { type Filesystem, NODE_FILESYSTEM } from './filesystem.ts'
import type {
  AppendReceipt,
  DocumentStore,
  IncomingEvent,
  PartReader,
  Snapshot,
  Store,
  StoreOptions,
  StoreStatus,
  SubscribeOptions,
  Subscription,
} from './index.ts'
import { Generation, sizeOfEvent } from './ingest/buffer.ts'
import type { MemoryPart } from './ingest/memory-part.ts'
import { PartIds } from './ingest/part-id.ts'
import { Publisher } from './ingest/publisher.ts'
import { Subscriptions } from './ingest/subscriptions.ts'
import { type DirectoryLock, lockDirectory } from './lock.ts'
import { createChunkCache } from './part/chunk-cache.ts'
import type { PartDescription } from './part/columns.ts'
import { describePart, openPart } from './part/read.ts'
import { writePart } from './part/write.ts'

export interface OpenStoreOptions extends StoreOptions {
  /** Decoded columns and skip indexes kept in memory. Default 256 MiB. */
  readonly cacheBytes?: number
}

const MIB = 1024 * 1024
const MAX_BLOCK_ROWS = 65_536

/** @throws {LockedError} when another process owns the directory. Damaged data is no reason to throw: see `status().quarantined`. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { directory } = options
  if (directory === null) return new BufferedStore(options, null)
  const filesystem = options.filesystem ?? NODE_FILESYSTEM
  filesystem.mkdir(directory)
  const lock = lockDirectory(directory)
  try {
    return new BufferedStore(options, await openDisk(directory, filesystem, options, lock))
  } catch (error) {
    lock.release()
    throw error
  }
}

/** What a store with a directory has beyond the buffer. */
interface Disk {
  readonly filesystem: Filesystem
  readonly partsDirectory: string
  readonly catalog: Catalog
  readonly documents: OpenDocuments
  readonly quarantine: Quarantine
  readonly lock: DirectoryLock
  readonly parts: readonly PartDescription[]
  readonly unchecked: readonly string[]
}

async function openDisk(
  directory: string,
  filesystem: Filesystem,
  options: OpenStoreOptions,
  lock: DirectoryLock,
): Promise<Disk> {
  const partsDirectory = `${directory}/parts`
  filesystem.mkdir(partsDirectory)
  const clock = options.clock ?? Date.now
  const quarantine = new Quarantine(filesystem, `${directory}/quarantine`, clock)
  const [catalog, documents] = await Promise.all([
    openCatalog(`${directory}/catalog`),
    openDocuments(`${directory}/documents`, () => `${directory}/quarantine/documents-${clock()}`),
  ])
  const { damage } = documents
  if (damage !== null) quarantine.report('documents', `${damage.reason}; moved to ${damage.movedTo}`)
  const recovered = await recoverParts({ filesystem, directory: partsDirectory, catalog, quarantine })
  return { filesystem, partsDirectory, catalog, documents, quarantine, lock, ...recovered }
}

class BufferedStore implements Store {
  readonly documents: DocumentStore
  private readonly disk: Disk | null
  private readonly openDocuments: OpenDocuments
  private readonly clock: () => number
  private readonly fsync: boolean
  private readonly bufferBytesMax: number
  private readonly publisher: Publisher
  private readonly hooks: PublishedPartHooks
  private readonly subscriptions = new Subscriptions()
  private live: readonly PublishedPart[]
  private next: number
  private closing: Promise<void> | null = null
  private isClosed = false

  constructor(options: OpenStoreOptions, disk: Disk | null) {
    this.disk = disk
    this.clock = options.clock ?? Date.now
    this.fsync = options.fsync ?? true
    // Without a directory the buffer is the store: only a limit that was asked for limits it.
    this.bufferBytesMax = options.bufferBytesMax ?? (disk === null ? Number.POSITIVE_INFINITY : 1024 * MIB)
    this.openDocuments = disk?.documents ?? createMemoryDocuments()
    this.documents = this.openDocuments
    const cache = createChunkCache(options.cacheBytes ?? 256 * MIB)
    this.hooks = {
      pathOf: ({ id }) => this.pathOf(id),
      open: ({ id }) => openPart(this.onDisk().filesystem, this.pathOf(id), cache),
      damaged: (part, error) => this.setAside(part, error.message),
    }
    this.live = (disk?.parts ?? []).map(part => new PublishedPart(part, this.hooks))
    const known = this.live.reduce((sum, part) => sum + part.rowCount, 0)
    this.next = Math.max(known + 1, disk?.catalog.nextSequence() ?? 1)
    const ids = new PartIds(this.clock, disk?.parts.at(-1)?.id ?? null)
    const blockRows = Math.max(1, Math.min(MAX_BLOCK_ROWS, options.blockRows ?? MAX_BLOCK_ROWS))
    this.publisher = new Publisher(
      {
        flushAgeMs: options.flushAgeMs ?? 1000,
        flushRows: options.flushRows ?? 1_000_000,
        flushBytes: options.flushBytes ?? 256 * MIB,
      },
      {
        publish: part => this.publish(part),
        record: published => this.onDisk().catalog.change({ published, nextSequence: this.next }),
        newGeneration: () => new Generation(blockRows, () => ids.next()),
        now: this.clock,
      },
    )
    if (disk !== null && disk.unchecked.length > 0) void this.checkFooters(disk.unchecked)
  }

  append(events: readonly IncomingEvent[]): AppendReceipt {
    if (this.isClosed) throw new ClosedError()
    let bytes = 0
    const sizes: number[] = []
    for (const event of events) {
      if (!Number.isFinite(event.time.micros)) throw new TypeError('an event needs a time')
      const size = sizeOfEvent(event)
      sizes.push(size)
      bytes += size
    }
    const buffered = this.bufferedBytes
    // A request larger than the whole buffer is let into an empty one; it could never be taken otherwise.
    if (buffered > 0 && buffered + bytes > this.bufferBytesMax) {
      throw new BackpressureError(`the ingest buffer is full (${buffered} bytes wait to be written)`)
    }
    const group = this.publisher.filling
    const now = this.clock()
    let at = 0
    for (const event of events) group.generation.append(event, sizes[at++] ?? 0, now)
    const first = this.next
    this.next += events.length
    if (events.length > 0) this.subscriptions.appended(first, events, bytes)
    if (this.disk === null || events.length === 0) return { first, count: events.length, published: async () => {} }
    this.publisher.appended()
    return { first, count: events.length, published: () => group.published }
  }

  snapshot(): Snapshot {
    if (this.isClosed) throw new ClosedError()
    const held = this.live
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
    if (this.disk !== null) await this.publisher.flush()
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  status(): StoreStatus {
    const sum = (of: (part: PartDescription) => number) =>
      this.live.reduce((all, part) => all + of(part.description), 0)
    const { sealed, filling } = this.publisher
    const bufferedCount = filling.generation.rowCount + (sealed?.generation.rowCount ?? 0)
    return {
      partCount: this.live.length,
      blockCount: sum(part => part.blockCount),
      eventCount: sum(part => part.rowCount) + bufferedCount,
      bufferedCount,
      bufferedBytes: this.bufferedBytes,
      storageBytes: sum(part => part.sizeBytes),
      rawBytes: sum(part => part.rawBytes),
      quarantined: [...(this.disk?.quarantine.list ?? [])],
      lastFlushError: this.publisher.lastError,
      nextSequence: this.next,
    }
  }

  private get bufferedBytes(): number {
    const { sealed, filling } = this.publisher
    return filling.generation.bytes + (sealed?.generation.bytes ?? 0)
  }

  private publish(part: MemoryPart): PartDescription {
    const { filesystem, partsDirectory } = this.onDisk()
    const { id, index } = part
    const description = writePart(filesystem, partsDirectory, { id, index, blocks: part.columns(), fsync: this.fsync })
    this.live = [...this.live, new PublishedPart(description, this.hooks)]
    return description
  }

  /** A part that proved damaged while it was read, or while it was checked. */
  private setAside(part: PublishedPart, reason: string): void {
    const { quarantine, catalog } = this.onDisk()
    this.live = this.live.filter(each => each !== part)
    quarantine.move(part.id, this.pathOf(part.id), reason)
    part.retire()
    // The catalog is derived: should this fail, the next start finds the file missing.
    if (!this.isClosed) catalog.change({ dropped: [part.id] }).catch(() => {})
  }

  private async checkFooters(ids: readonly string[]): Promise<void> {
    const waiting = new Set(ids)
    for (const part of this.live) {
      if (!waiting.has(part.id)) continue
      await new Promise(resolve => setImmediate(resolve))
      if (this.isClosed) return
      try {
        describePart(this.onDisk().filesystem, this.pathOf(part.id))
      } catch (error) {
        if (error instanceof CorruptPartError && this.live.includes(part)) this.setAside(part, error.message)
      }
    }
  }

  private async shutDown(): Promise<void> {
    this.isClosed = true
    this.subscriptions.close()
    if (this.disk === null) return
    const { catalog, documents, lock } = this.disk
    let failure: unknown = null
    try {
      await this.publisher.flush()
    } catch (error) {
      failure = error
    }
    this.publisher.stop(failure instanceof Error ? failure : new ClosedError())
    for (const part of this.live) part.close()
    try {
      await catalog.change({ nextSequence: this.next })
    } catch (error) {
      failure ??= error
    }
    await Promise.allSettled([catalog.close(), documents.close()])
    lock.release()
    if (failure !== null) throw failure
  }

  private pathOf(id: string): string {
    return `${this.onDisk().partsDirectory}/${id}.part`
  }

  private onDisk(): Disk {
    if (this.disk === null) throw new Error('a store without a directory has no parts')
    return this.disk
  }
}
