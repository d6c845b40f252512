/**
 * Decoded columns (and dictionaries, and token filters) of the open parts of a thread, bounded by bytes that its thread shares with others
 * (`cache-budget.ts`). The least recently used is dropped first, until what was dropped is asked for again: who goes over a little more than
 * fits, over and over, would find nothing of it. Then any is dropped, and most of it is there. A phrase in 20 M messages of 416 MB with 448:
 * 1,830 → 1,000 ms.
 */
import { DecimalVector } from '../decimal-vector.ts'
import type { Value } from '../value.ts'
import type { Vector } from '../vector.ts'
import { CacheBudget, type CacheShare } from './cache-budget.ts'

interface Entry {
  readonly key: string
  readonly value: object
  readonly bytes: number
  /** Among all. */
  slot: number
  /** `tick` and `query` of the share then. */
  usedAt: number
  usedIn: number
  older: Entry | null
  newer: Entry | null
}

export interface ChunkCache {
  /** Of this thread. */
  readonly bytes: number
  readonly maxBytes: number
  get(part: string, block: number, field: string): object | undefined
  /** Is it there? That is no use of it. */
  has(part: string, block: number, field: string): boolean
  /** Keeps `value`, which takes about `bytes`; something larger than the whole budget is not kept. */
  set(part: string, block: number, field: string, value: object, bytes: number): void
  /**
   * Could so many bytes more be kept, and nothing would have to go that was used lately?
   *
   * @param altogether  what the caller would keep if he could go on; where that is more than half of the budget, nothing at all is to go for it
   */
  hasRoomFor(bytes: number, altogether?: number): boolean
  /** Forgets everything of one part; called when the part is closed. */
  drop(part: string): void
  /** Lets go of its share of the budget. */
  close(): void
}

export interface ChunkCacheOptions {
  /** Told when it has dropped so many bytes for another thread, with nothing else to do. */
  readonly onGivenUp?: (bytes: number) => void
}

/** A share that its thread has taken. */
export interface CacheShareOf {
  readonly budget: CacheBudget
  readonly share: number
  /** Replaced by tests. */
  readonly now?: () => number
}

/** @param budget  what threads share, or bytes for this cache alone */
export function createChunkCache(budget: number | CacheShareOf, options: ChunkCacheOptions = {}): ChunkCache {
  if (typeof budget !== 'number') return new BoundedChunkCache(budget.budget.share(budget.share, budget.now), options)
  const own = CacheBudget.of(budget, 1)
  return new BoundedChunkCache(own.share(own.take()!), null)
}

class BoundedChunkCache implements ChunkCache {
  readonly #share: CacheShare
  #bytes = 0
  readonly #entries = new Map<string, Entry>()
  /** In order of their last use. */
  #oldest: Entry | null = null
  #newest: Entry | null = null
  readonly #all: Entry[] = []
  readonly #keysOfPart = new Map<string, Set<string>>()
  /** What was dropped lately, as many as there are entries; the first longest ago. */
  readonly #dropped = new Set<string>()
  #random = 1

  /** @param listening  null: nobody else has any of the budget */
  constructor(share: CacheShare, listening: ChunkCacheOptions | null) {
    this.#share = share
    if (listening === null) return
    share.listen(() => {
      const before = this.#bytes
      this.#giveUp()
      listening.onGivenUp?.(before - this.#bytes)
    })
  }

  get bytes(): number {
    return this.#bytes
  }

  get maxBytes(): number {
    return this.#share.maxBytes
  }

  get(part: string, block: number, field: string): object | undefined {
    if (this.#share.isAsked) this.#giveUp()
    const entry = this.#entries.get(keyOf(part, block, field))
    if (entry === undefined) return undefined
    this.#share.noteHit()
    this.#unlink(entry)
    this.#link(entry)
    return entry.value
  }

  has(part: string, block: number, field: string): boolean {
    return this.#entries.has(keyOf(part, block, field))
  }

  set(part: string, block: number, field: string, value: object, bytes: number): void {
    const key = keyOf(part, block, field)
    this.#share.noteMiss()
    if (this.#share.isAsked) this.#giveUp()
    this.#remove(key)
    if (bytes > this.maxBytes) return
    const isBack = this.#dropped.delete(key)
    while (this.#share.excess(this.#bytes + bytes) > 0) {
      if (this.#share.askForOlder(bytes, this.#oldest?.usedAt ?? null)) continue
      const victim = isBack ? this.#anyEntry() : this.#oldest
      // Threads that came for the same room at once: they go over by what each was about to keep.
      if (victim === null) break
      this.#makeRoom(victim)
    }
    this.#forgetDropped()
    const entry: Entry = { key, value, bytes, slot: this.#all.length, usedAt: 0, usedIn: 0, older: null, newer: null }
    this.#all.push(entry)
    this.#entries.set(key, entry)
    this.#link(entry)
    this.#count(bytes)
    const keys = this.#keysOfPart.get(part)
    if (keys === undefined) this.#keysOfPart.set(part, new Set([key]))
    else keys.add(key)
  }

  hasRoomFor(bytes: number, altogether = bytes): boolean {
    let excess = this.#share.excess(this.#bytes + bytes)
    if (excess <= 0) return true
    if (altogether > this.maxBytes / 2) return false
    excess -= this.#share.staleElsewhere
    let entry = this.#oldest
    while (excess > 0 && entry !== null && this.#share.isStale(entry.usedAt, entry.usedIn)) {
      excess -= entry.bytes
      entry = entry.newer
    }
    return excess <= 0
  }

  drop(part: string): void {
    for (const key of [...(this.#keysOfPart.get(part) ?? [])]) this.#remove(key)
  }

  close(): void {
    this.#share.close()
  }

  /** What another thread needs more. */
  #giveUp(): void {
    const target = this.#bytes - this.#share.takeAsked()
    while (this.#oldest !== null && this.#bytes > target) {
      this.#makeRoom(this.#oldest)
    }
    this.#forgetDropped()
  }

  #makeRoom({ key, bytes }: Entry): void {
    this.#dropped.add(key)
    this.#remove(key)
    this.#share.noteDropped(bytes)
  }

  /** The same ones in each process: what is slow once can be looked at again. */
  #anyEntry(): Entry | null {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
    return this.#all[(this.#random >>> 8) % this.#all.length] ?? null
  }

  #forgetDropped(): void {
    for (const key of this.#dropped) {
      if (this.#dropped.size <= this.#entries.size) break
      this.#dropped.delete(key)
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#unlink(entry)
    this.#count(-entry.bytes)
    const last = this.#all.pop()!
    if (last !== entry) {
      this.#all[entry.slot] = last
      last.slot = entry.slot
    }
    const part = key.slice(0, key.indexOf('\0'))
    const keys = this.#keysOfPart.get(part)!
    keys.delete(key)
    if (keys.size === 0) this.#keysOfPart.delete(part)
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#share.note(this.#bytes)
  }

  /** As the newest. */
  #link(entry: Entry): void {
    entry.usedAt = this.#share.tick
    entry.usedIn = this.#share.query
    entry.older = this.#newest
    entry.newer = null
    if (this.#newest === null) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
    this.#share.noteOldest(this.#oldest!.usedAt)
  }

  #unlink({ older, newer }: Entry): void {
    if (older === null) this.#oldest = newer
    else older.newer = newer
    if (newer === null) this.#newest = older
    else newer.older = older
    if (this.#oldest !== null) this.#share.noteOldest(this.#oldest.usedAt)
  }
}

/** Part ids have no NUL; field names may have one, and come last. */
function keyOf(part: string, block: number, field: string): string {
  return `${part}\0${block}\0${field}`
}

/** About how much memory a decoded column holds on to. Its dictionary is counted once, as an entry of its own. */
export function bytesOfVector(vector: Vector): number {
  switch (vector.kind) {
    case 'const':
      return 64
    case 'dict':
      return 64 + vector.codes.byteLength
    case 'text':
      return 64 + vector.bytes.byteLength + vector.offsets.byteLength + presenceBytes(vector.presence)
    case 'time':
      return 64 + vector.micros.byteLength + (vector.nanos?.byteLength ?? 0) + presenceBytes(vector.presence)
    case 'any':
      return 64 + bytesOfValues(vector.values)
    case 'number': {
      const bytes = vector instanceof DecimalVector ? vector.byteLength : vector.values.byteLength
      return 64 + bytes + presenceBytes(vector.presence)
    }
    default:
      return 64 + vector.values.byteLength + presenceBytes(vector.presence)
  }
}

const presenceBytes = (presence: Uint8Array | null): number => presence?.byteLength ?? 0

export function bytesOfValues(values: readonly Value[]): number {
  let bytes = 0
  for (const value of values) bytes += 8 + bytesOfValue(value)
  return bytes
}

function bytesOfValue(value: Value): number {
  if (typeof value === 'string') return 16 + value.length
  if (typeof value !== 'object' || value === null) return 8
  if (Array.isArray(value)) return 32 + bytesOfValues(value)
  return 32 + bytesOfValues(Object.values(value))
}
