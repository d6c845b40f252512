/**
 * The face of the storage room: what the runtime scans and what the engine appends to. Implementations live beside it;
 * nothing outside the room imports anything but this file, `value.ts`, `vector.ts`, `predicate.ts` and `errors.ts`;
 * `runtime/spill/` also writes its temporary files with the encodings and the framing of `part/`.
 */
import type { EventBatch } from './ingest/event-batch.ts'
import type { ScanPredicate, TimeRange, Verdict } from './predicate.ts'
import type { DateTime, Value, ValueType } from './value.ts'
import type { TextVector, Vector } from './vector.ts'

/** What chunks of a part may be compressed with. */
export type Codec = 'zstd' | 'lz4' | 'none'

export interface StoreOptions {
  /** null: memory only (pipe mode, tests): the buffer is the store, nothing is flushed. */
  readonly directory: string | null
  /** Oldest buffered event may wait this long before a flush. Default 1000. */
  readonly flushAgeMs?: number
  /** Rows that trigger a flush. Default 1_000_000. */
  readonly flushRows?: number
  /** Approximate buffered bytes that trigger a flush; a quarter of them at the start of a flood, then half. Default 256 MiB. */
  readonly flushBytes?: number
  /** Buffered bytes (being filled plus being flushed) beyond which append throws BackpressureError. Default 1 GiB. */
  readonly bufferBytesMax?: number
  /** Rows per block. Default 65_536; tests use odd small values. */
  readonly blockRows?: number
  /** Rows per block of what is buffered and first written; merged parts have `blockRows`. Default: as many. */
  readonly bufferBlockRows?: number
  /** Default true. Parts that replace others are synced whatever this says. */
  readonly fsync?: boolean
  /** Of so many events seen last that bring their time, those that come again are not stored again. Default 0: every event is stored. */
  readonly dedupCapacity?: number
  /** How long events are kept by event time, in milliseconds, where their index says nothing else. Default null: for ever. */
  readonly retentionMs?: number | null
  /** Merges done at once in the background, each in a thread of its own. Default 1; 0: parts stay as they were written. */
  readonly compactionWorkers?: number
  /**
   * When events come faster than parts are written, those may be larger until they are merged. Default true; false where nobody will be there to
   * merge them.
   */
  readonly mayHurry?: boolean
  /** Told when a part proves damaged while the store is open; those found when it opens are in its status. */
  readonly onDamage?: (damaged: Quarantined) => void
  /** How new parts and merged ones are compressed; every part is read whatever this says. Default `zstd`, and LZ4 on a machine without. */
  readonly compression?: Codec
  /** Replaced by tests to inject faults. */
  readonly filesystem?: import('./filesystem.ts').Filesystem
  /** Milliseconds since the epoch; injected by tests. */
  readonly clock?: () => number
}

/**
 * One event on its way in. `fields` are flat: nested objects have been flattened to dotted names by the reader
 * (`storage/ingest/`), arrays stay values. `_time` and `_raw` are not in `fields`.
 */
export interface IncomingEvent {
  readonly index: string
  readonly time: DateTime
  /** The exact text that was sent, or null when the event has none. */
  readonly raw: string | null
  readonly fields: ReadonlyMap<string, Value>
}

/** Sequence numbers are dense, start at 1 and are shared by tail and views: `first … first + count - 1`. */
export interface AppendReceipt {
  readonly first: number
  /** Events stored. */
  readonly count: number
  /** Events not stored again (`StoreOptions.dedupCapacity`). */
  readonly duplicates: number
  /**
   * Settles when these events, and those they are duplicates of, are fsynced and published; rejects when the store dies first. Asking
   * has them published soon.
   */
  published(): Promise<void>
}

export interface Store {
  /** Synchronous and all-or-nothing. @throws {BackpressureError} when the buffer is full, {ClosedError} after close. */
  append(events: readonly IncomingEvent[]): AppendReceipt
  /** The same of a batch, which may be emptied and filled again afterwards. */
  appendBatch(batch: EventBatch): AppendReceipt
  /** An immutable view of everything appended so far, buffered rows included. Release it, or compaction cannot drop parts. */
  snapshot(): Snapshot
  /**
   * What is there and what comes, spliced: `snapshot` shows exactly the events before sequence number `first`, and iterating gives every
   * event from `first` on, in order of sequence, after it became visible to later snapshots. So an event is in one of the two, once.
   * Iterating ends when the subscription or the store is closed; leaving the loop closes the subscription.
   * @throws {ClosedError} after close
   */
  subscribe(options?: SubscribeOptions): Subscription
  /** Writes and publishes everything buffered. */
  flush(): Promise<void>
  /** The same of what was buffered first, which is perhaps being written already: for who goes on appending once there is room. */
  makeRoom(): Promise<void>
  /** Merges whatever would be merged in time, at once. Settles when nothing is left to merge. @throws what kept it from going on */
  compact(): Promise<void>
  /** The newest hundred merges, newest first. */
  compactions(): readonly Compaction[]
  /** Every index that holds events or has settings, by name. */
  indexes(): readonly IndexStatus[]
  /** How long events of an index are kept, in milliseconds; null: for ever. Absent: as `StoreOptions.retentionMs` says. */
  setRetention(index: string, retentionMs: number | null): Promise<void>
  /**
   * For who reads parts by their sequence numbers and has read all before `sequence`: from now on, across restarts, no part is made of
   * parts on both sides of it, so that what is left to read is whole parts (`PartReader.firstSequence`). Null takes it back.
   */
  setCut(name: string, sequence: number | null): Promise<void>
  close(): Promise<void>
  readonly documents: DocumentStore
  status(): StoreStatus
}

export interface SubscribeOptions {
  /** Events that may wait for a slow reader; then the oldest batches are dropped and counted in `Delivery.lost`. Default 20,000. */
  readonly waitingEventsMax?: number
  /** The same in bytes, counted as the buffer counts them. Default 32 MiB. */
  readonly waitingBytesMax?: number
}

/** May be iterated once. */
export interface Subscription extends AsyncIterable<Delivery> {
  /** Everything before `first`. Release it once it has been read (closing does so too): while it is held, parts cannot be dropped. */
  readonly snapshot: Snapshot
  /** Sequence number from which on events are delivered. */
  readonly first: number
  close(): void
}

/** Events of one append, sequence numbers `first … first + events.length - 1`. They are shared with other readers: not to be changed. */
export interface Delivery {
  readonly first: number
  readonly events: readonly IncomingEvent[]
  /** Events right before `first` that this reader was too slow for; they can still be queried. */
  readonly lost: number
}

export interface Snapshot {
  /** Every event with a smaller sequence number is in `parts`, and none with this or a greater one. */
  readonly nextSequence: number
  /** Parts in creation order; buffered rows appear as parts too. */
  readonly parts: readonly PartReader[]
  /** Names of all indexes known. */
  readonly indexes: readonly string[]
  release(): void
}

export interface FieldSummary {
  readonly name: string
  /** The one type all present values have, or `any` when they differ. */
  readonly type: ValueType
  /** Rows where the field is neither missing nor null. */
  readonly presentCount: number
}

export interface PartReader {
  readonly id: string
  /** Where the file is that another thread may open too; null: the part is in this thread's memory. */
  readonly path: string | null
  readonly index: string
  readonly rowCount: number
  readonly blockCount: number
  /** Its events have sequence numbers within these, both included; not every number between need be here. 0: not known. */
  readonly firstSequence: number
  readonly lastSequence: number
  /** Inclusive bounds of event time. */
  readonly minTime: DateTime
  readonly maxTime: DateTime
  readonly sizeBytes: number
  /** Every field of the part, `_time`, `_raw` and `_source` included, in order of first appearance. */
  readonly fields: readonly FieldSummary[]
  block(index: number): BlockReader
  /** A scan is about to read blocks each `step` behind the one before, negative towards the first: a file may be read ahead of it. 0: perhaps it stops. */
  willRead?(step: number): void
}

export interface BlockReader {
  readonly rowCount: number
  readonly minTime: DateTime
  readonly maxTime: DateTime
  /** True when rows are in non-decreasing event time. */
  readonly timeSorted: boolean
  /** Sound, cheap (no chunk is read): from zone maps, distinct lists and token filters. */
  verdict(predicate: ScanPredicate): Verdict
  verdictTime(range: TimeRange): Verdict
  /**
   * Decodes one column (cached by the store's chunk cache). Null when the block has no such field: every row is missing.
   * @throws {CorruptPartError} naming part, block and field; the part is quarantined first.
   */
  column(field: string, tally?: ReadTally): Vector | null
  /**
   * These rows of one column, in this order, as a column of `rows.length`. For few rows: text is put together and copied for them alone, and
   * nothing is cached. Null as of `column`. @throws {CorruptPartError}
   */
  rows(field: string, rows: Uint32Array, tally?: ReadTally): Vector | null
  /**
   * What a text column is put together from, where it is not stored as text and has not been put together lately; null: reading the
   * column is as good. @throws {CorruptPartError}
   */
  madeOf(field: string): TextParts | null
  /** A column of few values, not made whole; null: there is none, or it has many. What merges read, not queries. */
  thin?(field: string): { readonly rows: Uint32Array; readonly values: Vector } | null
  /** Statistics that answer without decoding; null when not kept for this field. */
  statistics(field: string): BlockStatistics | null
  /** Bytes on disk of the chunk of `field`, for the profile. */
  columnBytes(field: string): number
}

/** Text that is made of templates and of values of other columns. */
export interface TextParts {
  /** What stands before, between and behind values, in UTF-8, and the fields whose values these are, as JSON. */
  readonly templates: readonly { readonly pieces: readonly Uint8Array[]; readonly fields: readonly string[] }[]
  /** By row the number of its template from 1; 0: its text is among `kept`, in the order of rows. */
  readonly chosen: ArrayLike<number>
  /** A row without text has an empty one here. */
  readonly kept: TextVector
  /** Whole columns, or of a column of few values those and their rows. @throws {CorruptPartError} */
  columnOf(field: string): Vector | { readonly rows: Uint32Array; readonly values: Vector } | null
}

/** Counts what reading columns took; what lies in memory anyway is not counted. */
export interface ReadTally {
  columnsDecoded: number
  columnsCached: number
  /** Of the decoded ones: on disk, and in memory. */
  bytesRead: number
  bytesDecoded: number
}

export interface BlockStatistics {
  readonly presentCount: number
  readonly nullCount: number
  /** Of numbers or times (microseconds) only; null when there are none or types are mixed. */
  readonly min: number | null
  readonly max: number | null
  /** What the bounds are bounds of. */
  readonly bounds: 'number' | 'time' | null
  /** The present values, each once, and how often each occurs; null: too many, or not counted. */
  readonly values: readonly Value[] | null
  readonly counts: readonly number[] | null
  /** No more distinct present values than this; null: nobody knows. */
  readonly distinctMax: number | null
}

export interface Compaction {
  /** Of the part that was made. */
  readonly id: string
  readonly index: string
  /** Merges it took to make it. */
  readonly level: number
  readonly inputs: readonly string[]
  readonly output: string
  readonly rows: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly durationMs: number
  /** ISO 8601. */
  readonly startedAt: string
}

export interface IndexStatus {
  readonly name: string
  /** Milliseconds; null: for ever. */
  readonly retentionMs: number | null
  readonly eventCount: number
  readonly storageBytes: number
  /** Of event time, in microseconds; null: it holds no events. */
  readonly minMicros: number | null
  readonly maxMicros: number | null
}

/** Small named JSON documents that are not derivable from parts: saved queries, view definitions, keys. */
export interface DocumentStore {
  get(collection: string, id: string): unknown
  put(collection: string, id: string, document: unknown): Promise<void>
  delete(collection: string, id: string): Promise<boolean>
  list(collection: string): readonly { readonly id: string; readonly document: unknown }[]
}

export interface Quarantined {
  readonly part: string
  readonly reason: string
  readonly at: string
}

export interface StoreStatus {
  readonly partCount: number
  readonly blockCount: number
  readonly eventCount: number
  readonly bufferedCount: number
  readonly bufferedBytes: number
  readonly storageBytes: number
  readonly rawBytes: number
  readonly quarantined: readonly Quarantined[]
  readonly lastFlushError: string | null
  /** Nothing is accepted until there is room again: the last write failed for want of it. */
  readonly isDiskFull: boolean
  /** Events not stored again since the store was opened. */
  readonly duplicateCount: number
  readonly lastCompactionError: string | null
  /** Parts that no longer serve and whose files are kept for a query, or could not be removed yet. */
  readonly leavingCount: number
  readonly nextSequence: number
}
