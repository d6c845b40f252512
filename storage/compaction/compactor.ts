/**
 * The life of parts in the background: the end of those past their time, then merges where there are too many, each of parts that no
 * other reads. What fails is tried again later and keeps nobody from reading or writing.
 */
import type { LiveParts } from '../catalog/live-parts.ts'
import type { PublishedPart } from '../catalog/published-part.ts'
import { CorruptPartError } from '../errors.ts'
import type { Codec, Compaction } from '../index.ts'
import { createdAt } from '../ingest/part-id.ts'
import type { PartDescription, PartLineage } from '../part/columns.ts'
import { chooseMerge, type MergeCandidate } from './choose.ts'
import { MergeCanceledError, type Merger } from './merger.ts'
import { expiredParts } from './retention.ts'

export interface CompactorOptions {
  readonly directory: string
  readonly parts: LiveParts
  /** One merge at a time each. */
  readonly mergers: readonly Merger[]
  readonly blockRows: number
  readonly codec: Codec
  /** Whether it merges by itself; retention runs all the same. */
  readonly merges: boolean
  readonly nextId: () => string
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly retentionOf: (index: string) => number | null
  /** Sequence numbers between which parts are not merged. */
  readonly cuts: () => readonly number[]
  /** Tells the catalog what has become of the parts. */
  readonly record: () => Promise<void>
  /** Keeps in mind which sequence numbers were given out, before the parts that say so are gone. */
  readonly keepSequence: () => Promise<void>
}

/** How long after its newest part a day is tidied. */
const QUIET_MS = 5 * 60_000
/** Parts expire and days become quiet without anybody writing. */
const TICK_MS = 60_000
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000
const HISTORY_MAX = 100
/** Others are merged meanwhile. */
const AVOIDED_MS = 5 * 60_000

export class Compactor {
  lastError: string | null = null
  private readonly options: CompactorOptions
  private readonly history: Compaction[] = []
  private working: Promise<void> | null = null
  private isPoked = false
  private isClosed = false
  private retryMs = 0
  /** Parts whose files may go once the catalog has been told. */
  private unrecorded: readonly PublishedPart[] = []
  /** Parts that could not be merged, and until when nobody tries to. */
  private readonly avoided = new Map<string, number>()
  /** Inputs of the merges under way. */
  private readonly merging = new Set<string>()
  private readonly tick: NodeJS.Timeout
  private retry: NodeJS.Timeout | null = null

  constructor(options: CompactorOptions) {
    this.options = options
    this.tick = setInterval(() => this.poke(), TICK_MS).unref()
  }

  /** The newest first. */
  get compactions(): readonly Compaction[] {
    return this.history
  }

  /** Something changed: there may be work. */
  poke(): void {
    if (this.isClosed || this.retry !== null) return
    this.isPoked = true
    // What went wrong is in `lastError`, and the next try has a timer.
    if (this.working === null) this.start(false).catch(() => {})
  }

  /** Everything there is to do, days that may still be written to included. @throws what kept it from being done */
  async compact(): Promise<void> {
    while (this.working !== null) await this.working.catch(() => {})
    await this.start(true)
  }

  /** Drops what is past its time: before a start shows anything, and from then on as time passes. */
  async expire(): Promise<void> {
    const { parts, retentionOf, clock } = this.options
    const expired = expiredParts(parts.list, retentionOf, clock())
    if (expired.length === 0) return
    await this.options.keepSequence()
    await this.exchange([], expired)
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearInterval(this.tick)
    if (this.retry !== null) clearTimeout(this.retry)
    await Promise.all(this.options.mergers.map(merger => merger.close()))
    await this.working?.catch(() => {})
  }

  private start(isAll: boolean): Promise<void> {
    this.working = this.work(isAll).finally(() => {
      this.working = null
    })
    return this.working
  }

  private async work(isAll: boolean): Promise<void> {
    try {
      do {
        this.isPoked = false
        this.options.parts.sweep()
        await this.record()
        await this.expire()
        if (this.options.merges || isAll) await this.mergeAll(isAll)
      } while (this.isPoked && !this.isClosed)
      this.lastError = null
      this.retryMs = 0
    } catch (error) {
      if (error instanceof MergeCanceledError) return
      this.lastError = error instanceof Error ? error.message : String(error)
      this.retryLater()
      throw error
    }
  }

  private retryLater(): void {
    if (this.isClosed || this.retry !== null) return
    this.retryMs = Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, this.retryMs * 2))
    this.retry = setTimeout(() => {
      this.retry = null
      this.poke()
    }, this.retryMs).unref()
  }

  private async mergeAll(isAll: boolean): Promise<void> {
    const done = await Promise.allSettled(this.options.mergers.map(merger => this.mergeWith(merger, isAll)))
    for (const outcome of done) if (outcome.status === 'rejected') throw outcome.reason
  }

  private async mergeWith(merger: Merger, isAll: boolean): Promise<void> {
    while (!this.isClosed) {
      const chosen = this.choose(isAll)
      if (chosen === null) return
      for (const part of chosen) this.merging.add(part.id)
      try {
        await this.merge(merger, chosen)
      } finally {
        for (const part of chosen) this.merging.delete(part.id)
      }
    }
  }

  private choose(isAll: boolean): readonly PublishedPart[] | null {
    const { parts, clock, cuts } = this.options
    const now = clock()
    const isQuiet = (newest: MergeCandidate) => now - createdAt(newest.id) > QUIET_MS
    for (const [id, until] of this.avoided) if (until <= now) this.avoided.delete(id)
    const mergeable = parts.list.filter(part => !this.avoided.has(part.id) && !this.merging.has(part.id))
    const byId = new Map(mergeable.map(part => [part.id, part]))
    const chosen = chooseMerge(
      mergeable.map(part => part.description),
      { cuts: cuts(), isQuiet, isForced: isAll },
    )
    return chosen?.map(({ id }) => byId.get(id)!) ?? null
  }

  private async merge(merger: Merger, inputs: readonly PublishedPart[]): Promise<void> {
    const { directory, parts, nextId, clock, blockRows, codec } = this.options
    const id = nextId()
    const startedAt = clock()
    const startedMs = performance.now()
    const bytesIn = inputs.reduce((sum, part) => sum + part.sizeBytes, 0)
    let output: PartDescription
    try {
      const lineage = lineageOf(inputs, parts.remaining)
      const job = { directory, id, inputs: inputs.map(part => part.id), lineage, blockRows, codec, sizeBytes: bytesIn }
      output = await merger.merge(job)
    } catch (error) {
      // It may have got its name before it failed, and would be found beside its inputs at the next start.
      parts.discard(id)
      if (!(error instanceof CorruptPartError)) throw error
      const damaged = inputs.find(part => part.id === error.part)
      if (damaged === undefined) {
        if (!(error instanceof MergeCanceledError)) {
          for (const part of inputs) this.avoided.set(part.id, clock() + AVOIDED_MS)
        }
        throw error
      }
      parts.setAside(damaged, error.message)
      return
    }
    await this.exchange([output], inputs)
    this.history.unshift({
      id,
      index: output.index,
      level: output.level,
      inputs: inputs.map(part => part.id),
      output: id,
      rows: output.rowCount,
      bytesIn,
      bytesOut: output.sizeBytes,
      durationMs: Math.round(performance.now() - startedMs),
      startedAt: new Date(startedAt).toISOString(),
    })
    this.history.length = Math.min(this.history.length, HISTORY_MAX)
  }

  /** Readers first, then the catalog, then the files: a crash in between is one the next start completes. */
  private async exchange(added: readonly PartDescription[], removed: readonly PublishedPart[]): Promise<void> {
    this.options.parts.replace(added, removed)
    this.unrecorded = [...this.unrecorded, ...removed]
    await this.record()
  }

  private async record(): Promise<void> {
    const gone = this.unrecorded
    if (gone.length === 0) return
    this.unrecorded = []
    try {
      await this.options.record()
    } catch (error) {
      this.unrecorded = [...gone, ...this.unrecorded]
      throw error
    }
    this.options.parts.remove(gone)
  }
}

/**
 * A part names all whose events it holds and whose files may still be found beside it, also those that an input of it has replaced:
 * that input will be gone, and with it who said so.
 */
function lineageOf(inputs: readonly PublishedPart[], remaining: readonly string[]): PartLineage {
  const descriptions = inputs.map(part => part.description)
  return {
    firstSequence: Math.min(...descriptions.map(part => part.firstSequence)),
    lastSequence: Math.max(...descriptions.map(part => part.lastSequence)),
    level: 1 + Math.max(...descriptions.map(part => part.level)),
    replaces: [...new Set([...descriptions.map(part => part.id), ...remaining])],
  }
}
