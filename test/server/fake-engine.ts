/** An engine that remembers what it was given and answers what it is told to: for everything a real one does only on a bad day. */
import type { Collected, Engine, ExplainOptions, Knowledge, QueryOptions, QueryRun } from '../../engine.ts'
import { batchOf, vectorOf } from '../../runtime/column-batch.ts'
import { emptyProfile as nothingMeasured, type Profile } from '../../runtime/profile.ts'
import { createMemoryDocuments } from '../../storage/catalog/documents.ts'
import { BackpressureError } from '../../storage/errors.ts'
import type { IncomingEvent, Snapshot, StoreStatus } from '../../storage/index.ts'
import type { EventBatch } from '../../storage/ingest/event-batch.ts'
import type { EventLike } from '../../storage/ingest/event-like.ts'
import type { Value } from '../../storage/value.ts'

export interface Canned {
  readonly collected?: Partial<Collected>
  readonly rows?: Iterable<Record<string, Value>>
  /** Thrown by `query` at once. */
  readonly compileError?: Error
  /** Thrown after the rows. */
  readonly runError?: Error
  /** Rows never end by themselves. */
  readonly isEndless?: boolean
  readonly run?: Partial<QueryRun>
}

export class FakeEngine implements Engine {
  readonly batches: (readonly IncomingEvent[])[] = []
  readonly queries: { readonly text: string; readonly options: QueryOptions | undefined }[] = []
  /** Events there is room for. */
  room = Number.POSITIVE_INFINITY
  roomAfterFlush = 0
  published = 0
  flushes = 0
  closes = 0
  cancels = 0
  canned: Canned = {}
  readonly directory: string | null = '/nowhere'
  readonly documents = createMemoryDocuments()

  get events(): IncomingEvent[] {
    return this.batches.flat()
  }

  ingest(likes: readonly EventLike[]) {
    const events = likes as readonly IncomingEvent[]
    if (events.length > this.room) throw new BackpressureError('the ingest buffer is full', 2)
    this.room -= events.length
    this.batches.push(events)
    const published = async () => {
      this.published++
    }
    return { first: 1, count: events.length, duplicates: 0, published }
  }

  ingestBatch(batch: EventBatch) {
    return this.ingest(batch.toEvents())
  }

  live(): never {
    throw new Error('nothing lives in a fake')
  }

  get planCache() {
    return { size: 0, max: 0, hits: 0, misses: 0, stale: 0 }
  }

  get chunkCache() {
    return { bytes: 0, maxBytes: 0, hits: 0, misses: 0 }
  }

  get storage(): never {
    throw new Error('a fake has no storage')
  }

  subscribe(): never {
    throw new Error('nobody subscribes to a fake')
  }

  query(text: string, options?: QueryOptions): QueryRun {
    this.queries.push({ text, options })
    const { compileError, runError, isEndless, rows = [], collected, run } = this.canned
    if (compileError !== undefined) throw compileError
    const cancel = () => {
      this.cancels++
    }
    const ending = async () => {
      if (isEndless) await untilAborted(options?.signal)
      if (runError !== undefined) throw runError
    }
    return {
      query: text,
      shape: collected?.shape ?? { kind: 'events', columns: null, interval: null },
      fieldsRead: null,
      rewrites: [],
      hints: [],
      profile: { ...emptyProfile(), damaged: [...(collected?.warnings ?? [])] },
      async *batches() {
        if (collected?.rows !== undefined) {
          const { columns = [], rows: given } = collected
          const vectors = columns.map((name, index) => [name, vectorOf(given.map(row => row[index]))] as const)
          yield batchOf(new Map(vectors), given.length)
        }
        for (const row of rows) {
          const columns = Object.entries(row).map(([name, value]) => [name, vectorOf([value])] as const)
          yield batchOf(new Map(columns), 1)
        }
        await ending()
      },
      async *rows() {
        yield* rows
      },
      async collect() {
        await ending()
        return { ...NOTHING, ...collected }
      },
      cancel,
      identity: null,
      preview: () => null,
      ...run,
    }
  }

  snapshot(): Snapshot {
    return { nextSequence: 1, parts: [], indexes: [], release: () => {} }
  }

  async explain(text: string, options?: ExplainOptions) {
    return { is_valid: text !== '|', text: JSON.stringify(options ?? {}) }
  }

  languageCatalog(): unknown {
    return { stages: ['where'] }
  }

  complete() {
    return { replace: { start: 0, end: 0 }, items: [] }
  }

  signatureAt() {
    return null
  }

  describeAt() {
    return null
  }

  knowledge(): Knowledge {
    return {
      language: { stages: [], functions: [], operators: [], aggregates: [], windows: [], parse_formats: [] },
      fields: [],
      indexes: [],
    }
  }

  status(): StoreStatus {
    return {
      partCount: 0,
      blockCount: 0,
      eventCount: this.events.length,
      bufferedCount: 0,
      bufferedBytes: 0,
      storageBytes: 0,
      rawBytes: 0,
      quarantined: [],
      lastFlushError: null,
      isDiskFull: false,
      duplicateCount: 0,
      lastCompactionError: null,
      leavingCount: 0,
      nextSequence: 1,
    }
  }

  async exportTo(): Promise<never> {
    throw new Error('nobody exports from a fake')
  }

  async importFrom(): Promise<never> {
    throw new Error('nobody imports into a fake')
  }

  async backup(): Promise<never> {
    throw new Error('a fake has nothing to back up')
  }

  makeRoom(): Promise<void> {
    return this.flush()
  }

  async flush(): Promise<void> {
    this.flushes++
    this.room += this.roomAfterFlush
  }

  async close(): Promise<void> {
    this.closes++
  }
}

const NOTHING: Collected = {
  shape: { kind: 'events', columns: null, interval: null },
  columns: [],
  types: [],
  rows: [],
  total: 0,
  hasMore: false,
  complete: true,
  warnings: [],
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('stopped')))
  })
}

export function emptyProfile(): Profile {
  const nothing = nothingMeasured()
  const parts = { partsTotal: 3, partsRead: 2, partsSkippedByTime: 1 }
  return { ...nothing, scan: { ...nothing.scan, ...parts, blocksTotal: 6, blocksRead: 4, rows: 100, bytes: 2000 } }
}
