/**
 * The parts that serve, and those that no longer do but whose files are still there because a query reads them. Changes are of one
 * turn of the event loop, so that a snapshot shows what a merge replaced or what replaced it, never both and never neither.
 */
import type { Filesystem } from '../filesystem.ts'
import type { StoreOptions } from '../index.ts'
import type { ChunkCache } from '../part/chunk-cache.ts'
import type { PartDescription } from '../part/columns.ts'
import { openPart } from '../part/read.ts'
import type { CatalogChange } from './catalog.ts'
import { PublishedPart, type PublishedPartHooks } from './published-part.ts'
import type { Quarantine } from './quarantine.ts'

/** Files open at once, each with its footer in memory. Those that a query holds stay open beyond that. */
const OPEN_MAX = 512

export interface LivePartsOptions {
  readonly filesystem: Filesystem
  readonly directory: string
  readonly quarantine: Quarantine
  readonly cache: ChunkCache
  readonly onDamage: StoreOptions['onDamage']
  /** What the catalog is to be told, in the turn in which it becomes so. */
  note(change: CatalogChange): void
}

export class LiveParts {
  /** In order of creation. */
  list: readonly PublishedPart[]
  private readonly options: LivePartsOptions
  private readonly hooks: PublishedPartHooks
  private readonly leaving = new Set<string>()
  /** Those of them that a snapshot may still hold, or that the catalog does not know of yet. */
  private readonly held = new Set<string>()
  /** The same as objects: their files are open. */
  private readonly retired = new Set<PublishedPart>()
  /** The one opened longest ago comes first. */
  private readonly opened = new Set<PublishedPart>()

  /** `remaining`: files of parts that serve no more, left over from before. */
  constructor(
    options: LivePartsOptions,
    { parts, remaining }: { readonly parts: readonly PartDescription[]; readonly remaining: readonly string[] },
  ) {
    this.options = options
    const { filesystem, cache } = options
    this.hooks = {
      pathOf: ({ id }) => this.pathOf(id),
      open: ({ id }) => openPart(filesystem, this.pathOf(id), cache),
      opened: part => this.limitOpen(part),
      damaged: (part, error) => this.setAside(part, error.message),
    }
    this.list = parts.map(part => new PublishedPart(part, this.hooks))
    for (const id of remaining) this.leaving.add(id)
  }

  pathOf(id: string): string {
    return `${this.options.directory}/${id}.part`
  }

  /** Ids of parts that serve no more and whose files could not be removed yet. */
  get remaining(): readonly string[] {
    return [...this.leaving]
  }

  /** Parts that serve from now on, and parts that do not any more; of those the files stay until `remove`. */
  replace(added: readonly PartDescription[], removed: readonly PublishedPart[]): void {
    const gone = new Set(removed)
    for (const part of removed) {
      this.leaving.add(part.id)
      this.held.add(part.id)
      this.retired.add(part)
    }
    const kept = this.list.filter(part => !gone.has(part))
    this.list = [...kept, ...added.map(part => new PublishedPart(part, this.hooks))]
    this.options.note({ published: added, dropped: removed.map(part => part.id) })
  }

  /** Removes the files of parts that were replaced, now or once no snapshot holds them. Call it when the catalog knows. */
  remove(parts: readonly PublishedPart[]): void {
    for (const part of parts) {
      part.retire(() => {
        this.held.delete(part.id)
        this.retired.delete(part)
        this.opened.delete(part)
        this.unlink(part.id)
      })
    }
  }

  /** Of a file that nobody is to read, because what wrote it did not get to its end. */
  discard(id: string): void {
    this.leaving.add(id)
    this.unlink(id)
  }

  /** Tries again to remove what could not be removed. */
  sweep(): void {
    for (const id of this.leaving) if (!this.held.has(id)) this.unlink(id)
  }

  /** A part that proved damaged while it was read, or while it was checked. */
  setAside(part: PublishedPart, reason: string): void {
    if (!this.list.includes(part)) return
    this.list = this.list.filter(each => each !== part)
    const report = this.options.quarantine.move(part.id, this.pathOf(part.id), reason)
    this.retired.add(part)
    part.retire(() => {
      this.retired.delete(part)
      this.opened.delete(part)
    })
    this.options.note({ dropped: [part.id] })
    this.options.onDamage?.(report)
  }

  /** Of files that replaced parts have left behind the next start takes care. */
  close(): void {
    for (const part of [...this.list, ...this.retired]) part.close()
    this.options.cache.close()
  }

  private unlink(id: string): void {
    const { filesystem } = this.options
    try {
      if (filesystem.exists(this.pathOf(id))) filesystem.unlink(this.pathOf(id))
      this.leaving.delete(id)
    } catch {
      // Still in `leaving`: a part made meanwhile names it as replaced, and it is tried again.
    }
  }

  private limitOpen(part: PublishedPart): void {
    this.opened.delete(part)
    this.opened.add(part)
    if (this.opened.size <= OPEN_MAX) return
    for (const each of this.opened) {
      if (each.isHeld) continue
      each.close()
      this.opened.delete(each)
      if (this.opened.size <= OPEN_MAX) return
    }
  }
}
