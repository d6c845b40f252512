/** What a store with a directory has beyond the buffer, opened in the order in which one thing relies on another. */
import { createPartBuilder, type PartBuilder } from './build/builder.ts'
import { type Catalog, openCatalog } from './catalog/catalog.ts'
import { type OpenDocuments, openDocuments } from './catalog/documents.ts'
import { IndexSettings } from './catalog/index-settings.ts'
import { LiveParts } from './catalog/live-parts.ts'
import { Quarantine } from './catalog/quarantine.ts'
import { recoverParts } from './catalog/recover.ts'
import { Compactor } from './compaction/compactor.ts'
import { createMerger } from './compaction/merger.ts'
import { CorruptPartError } from './errors.ts'
import { type Filesystem, NODE_FILESYSTEM } from './filesystem.ts'
import type { StoreOptions } from './index.ts'
import { MAX_BLOCK_ROWS } from './ingest/buffer.ts'
import { PartIds } from './ingest/part-id.ts'
import { type DirectoryLock, lockDirectory } from './lock.ts'
import { FAST_COMPRESSION } from './part/chunk.ts'
import { type CacheShareOf, createChunkCache } from './part/chunk-cache.ts'
import { describePart } from './part/read.ts'

export interface OpenStoreOptions extends StoreOptions {
  /** Decoded columns and skip indexes kept in memory: so many bytes, or a share of what threads have together. Default 256 MiB. */
  readonly cache?: number | CacheShareOf
  /** Replaced by tests. */
  readonly builder?: PartBuilder
}

export interface Disk {
  readonly filesystem: Filesystem
  readonly partsDirectory: string
  readonly catalog: Catalog
  readonly documents: OpenDocuments
  readonly settings: IndexSettings
  readonly quarantine: Quarantine
  readonly lock: DirectoryLock
  readonly parts: LiveParts
  readonly partIds: PartIds
  readonly compactor: Compactor
  readonly builder: PartBuilder
  /** Reads the footers that the start had no time for. */
  checkFooters(): Promise<void>
  /** Nothing happens by itself any more. The store closes the rest once its buffer is written. */
  closing(): Promise<void>
}

const MIB = 1024 * 1024

/** @throws {LockedError} when another process owns the directory. */
export async function openDisk(directory: string, options: OpenStoreOptions): Promise<Disk> {
  const filesystem = options.filesystem ?? NODE_FILESYSTEM
  filesystem.mkdir(directory)
  const lock = lockDirectory(directory)
  try {
    return await openLocked(directory, filesystem, options, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openLocked(
  directory: string,
  filesystem: Filesystem,
  options: OpenStoreOptions,
  lock: DirectoryLock,
): Promise<Disk> {
  filesystem.mkdir(`${directory}/parts`)
  const clock = options.clock ?? Date.now
  const quarantine = new Quarantine(filesystem, `${directory}/quarantine`, clock)
  const [catalog, documents] = await Promise.allSettled([
    openCatalog(filesystem, `${directory}/catalog`),
    openDocuments(filesystem, `${directory}/documents`, () => `${directory}/quarantine/documents-${clock()}`),
  ])
  try {
    if (catalog.status === 'rejected') throw catalog.reason
    if (documents.status === 'rejected') throw documents.reason
    return await openAll(directory, filesystem, options, {
      lock,
      quarantine,
      catalog: catalog.value,
      documents: documents.value,
    })
  } catch (error) {
    // LMDB opens no directory a second time in one process, and whoever failed may try again.
    await Promise.allSettled(
      [catalog, documents].map(each => (each.status === 'fulfilled' ? each.value.close() : null)),
    )
    throw error
  }
}

async function openAll(
  directory: string,
  filesystem: Filesystem,
  options: OpenStoreOptions,
  { lock, quarantine, catalog, documents }: Pick<Disk, 'lock' | 'quarantine' | 'catalog' | 'documents'>,
): Promise<Disk> {
  const partsDirectory = `${directory}/parts`
  const clock = options.clock ?? Date.now
  const { damage } = documents
  if (damage !== null) quarantine.report('documents', `${damage.reason}; moved to ${damage.movedTo}`)
  const recovered = await recoverParts({ filesystem, directory: partsDirectory, catalog, quarantine })
  let isClosed = false
  const parts = new LiveParts(
    {
      filesystem,
      directory: partsDirectory,
      quarantine,
      cache: createChunkCache(options.cache ?? 256 * MIB),
      onDamage: options.onDamage,
      note: change => {
        catalog.note(change)
        // A part that was set aside; should this fail, the next start finds the file missing.
        if (change.published === undefined && !isClosed) catalog.flush().catch(() => {})
      },
    },
    recovered,
  )
  const settings = new IndexSettings(documents, options.retentionMs ?? null)
  const partIds = new PartIds(clock, recovered.newestId)
  const workers = options.compactionWorkers ?? 1
  const compactor = new Compactor({
    directory: partsDirectory,
    parts,
    mergers: Array.from({ length: Math.max(1, workers) }, () => createMerger(filesystem)),
    blockRows: options.blockRows ?? MAX_BLOCK_ROWS,
    codec: options.compression ?? FAST_COMPRESSION.codec,
    // An unread file may be what a merge of the parts beside it made: merging those again would show their events twice.
    merges: workers > 0 && !recovered.hasUnread,
    nextId: () => partIds.next(),
    clock,
    retentionOf: index => settings.retentionOf(index),
    cuts: () => settings.cuts,
    record: () => catalog.flush(),
    keepSequence: async () => {
      const next = 1 + parts.list.reduce((greatest, part) => Math.max(greatest, part.lastSequence), 0)
      await settings.keepSequence(next)
    },
  })
  // What keeps it from being done, a full disk for one, is told when the store's first poke tries it again.
  await compactor.expire().catch(() => {})
  const checkFooters = async () => {
    for (const id of recovered.unchecked) {
      await new Promise(resolve => setImmediate(resolve))
      const part = parts.list.find(each => each.id === id)
      if (isClosed || part === undefined) continue
      try {
        describePart(filesystem, parts.pathOf(id))
      } catch (error) {
        if (error instanceof CorruptPartError) parts.setAside(part, error.message)
      }
    }
  }
  const close = async () => {
    isClosed = true
    await compactor.close()
  }
  return {
    filesystem,
    partsDirectory,
    catalog,
    documents,
    settings,
    quarantine,
    lock,
    parts,
    partIds,
    compactor,
    builder: options.builder ?? createPartBuilder(filesystem),
    checkFooters,
    closing: close,
  }
}
