/** What has been said about indexes, who has read how far, and what parts that are gone have told: none of it can be derived from parts. */
import type { DocumentStore } from '../index.ts'

const COLLECTION = 'indexes'
const CUTS = 'cuts'
const STORE = 'store'
const SEQUENCE = 'sequence'

export class IndexSettings {
  private readonly documents: DocumentStore
  private readonly defaultRetentionMs: number | null
  /** Read once: it is asked of every part, and only this object writes it. */
  private readonly retention = new Map<string, number | null>()
  private readonly cutsByName = new Map<string, number>()

  constructor(documents: DocumentStore, defaultRetentionMs: number | null) {
    this.documents = documents
    this.defaultRetentionMs = defaultRetentionMs
    for (const { id, document } of documents.list(COLLECTION)) {
      const retentionMs = (document as { readonly retentionMs?: unknown } | null)?.retentionMs
      if (retentionMs === null || typeof retentionMs === 'number') this.retention.set(id, retentionMs)
    }
    for (const { id, document } of documents.list(CUTS)) {
      const sequence = (document as { readonly sequence?: unknown } | null)?.sequence
      if (typeof sequence === 'number') this.cutsByName.set(id, sequence)
    }
  }

  /** Indexes that something has been said about, whether they hold events or not. */
  get names(): readonly string[] {
    return [...this.retention.keys()]
  }

  /** Milliseconds; null: for ever. */
  retentionOf(index: string): number | null {
    const own = this.retention.get(index)
    return own === undefined ? this.defaultRetentionMs : own
  }

  /** Sequence numbers up to which someone has read by whole parts. */
  get cuts(): readonly number[] {
    return [...new Set(this.cutsByName.values())]
  }

  async setCut(name: string, sequence: number | null): Promise<void> {
    if (sequence === null) {
      this.cutsByName.delete(name)
      await this.documents.delete(CUTS, name)
      return
    }
    // From now on, and not only once it is on the disk: a merge could begin meanwhile.
    this.cutsByName.set(name, sequence)
    await this.documents.put(CUTS, name, { sequence })
  }

  /** The sequence number that followed all given out when parts were last dropped; 0: none were. */
  get keptSequence(): number {
    const kept = this.documents.get(STORE, SEQUENCE) as { readonly next?: unknown } | undefined
    return typeof kept?.next === 'number' && Number.isSafeInteger(kept.next) ? kept.next : 0
  }

  async keepSequence(next: number): Promise<void> {
    if (next > this.keptSequence) await this.documents.put(STORE, SEQUENCE, { next })
  }

  async setRetention(index: string, retentionMs: number | null): Promise<void> {
    if (retentionMs !== null && !(retentionMs > 0)) throw new RangeError(`a retention of ${retentionMs} ms`)
    await this.documents.put(COLLECTION, index, { retentionMs })
    this.retention.set(index, retentionMs)
  }
}
