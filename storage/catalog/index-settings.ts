/** What has been said about an index. It cannot be derived from parts, so it lies with the documents. */
import type { DocumentStore } from '../index.ts'

const COLLECTION = 'indexes'

export class IndexSettings {
  private readonly documents: DocumentStore
  private readonly defaultRetentionMs: number | null
  /** Read once: it is asked of every part, and only this object writes it. */
  private readonly retention = new Map<string, number | null>()

  constructor(documents: DocumentStore, defaultRetentionMs: number | null) {
    this.documents = documents
    this.defaultRetentionMs = defaultRetentionMs
    for (const { id, document } of documents.list(COLLECTION)) {
      const retentionMs = (document as { readonly retentionMs?: unknown } | null)?.retentionMs
      if (retentionMs === null || typeof retentionMs === 'number') this.retention.set(id, retentionMs)
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

  async setRetention(index: string, retentionMs: number | null): Promise<void> {
    if (retentionMs !== null && !(retentionMs > 0)) throw new RangeError(`a retention of ${retentionMs} ms`)
    await this.documents.put(COLLECTION, index, { retentionMs })
    this.retention.set(index, retentionMs)
  }
}
