/**
 * Decoded columns (and dictionaries, and token filters) of all open parts, bounded by bytes. The least recently used is dropped first, until what
 * was dropped is asked for again: who goes over a little more than fits, over and over, would find nothing of it. Then any is dropped, and most
 * of it is there. A phrase in 20 M messages of 416 MB with 448: 1,830 → 1,000 ms.
 */
import type { Value } from '../value.ts'
import type { Vector } from '../vector.ts'

interface Entry {
  readonly value: object
  readonly bytes: number
  /** Among the keys. */
  slot: number
}

export interface ChunkCache {
  readonly bytes: number
  readonly maxBytes: number
  get(part: string, block: number, field: string): object | undefined
  /** Keeps `value`, which takes about `bytes`; something larger than the whole cache is not kept. */
  set(part: string, block: number, field: string, value: object, bytes: number): void
  /** Could so many bytes more be kept, and nothing else would have to go? */
  hasRoomFor(bytes: number): boolean
  /** Forgets everything of one part; called when the part is closed. */
  drop(part: string): void
}

export function createChunkCache(maxBytes: number): ChunkCache {
  return new BoundedChunkCache(maxBytes)
}

class BoundedChunkCache implements ChunkCache {
  readonly maxBytes: number
  #bytes = 0
  /** A Map iterates in order of insertion: an entry that is used goes out and in again, so the first is the least recently used. */
  readonly #entries = new Map<string, Entry>()
  readonly #keys: string[] = []
  readonly #keysOfPart = new Map<string, Set<string>>()
  /** What was dropped lately, as many as there are entries; the first longest ago. */
  readonly #dropped = new Set<string>()
  #random = 1

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(part: string, block: number, field: string): object | undefined {
    const key = keyOf(part, block, field)
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(part: string, block: number, field: string, value: object, bytes: number): void {
    const key = keyOf(part, block, field)
    this.#remove(key)
    if (bytes > this.maxBytes) return
    const isBack = this.#dropped.delete(key)
    while (!this.hasRoomFor(bytes)) {
      const victim = isBack ? this.#anyKey() : this.#oldestKey()
      this.#remove(victim)
      this.#dropped.add(victim)
    }
    this.#forgetDropped()
    this.#entries.set(key, { value, bytes, slot: this.#keys.push(key) - 1 })
    this.#bytes += bytes
    const keys = this.#keysOfPart.get(part)
    if (keys === undefined) this.#keysOfPart.set(part, new Set([key]))
    else keys.add(key)
  }

  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.maxBytes
  }

  drop(part: string): void {
    for (const key of [...(this.#keysOfPart.get(part) ?? [])]) this.#remove(key)
  }

  #oldestKey(): string {
    return this.#entries.keys().next().value as string
  }

  /** The same ones in each process: what is slow once can be looked at again. */
  #anyKey(): string {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
    return this.#keys[(this.#random >>> 8) % this.#keys.length]!
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
    this.#bytes -= entry.bytes
    const last = this.#keys.pop()!
    if (last !== key) {
      this.#keys[entry.slot] = last
      this.#entries.get(last)!.slot = entry.slot
    }
    const part = key.slice(0, key.indexOf('\0'))
    const keys = this.#keysOfPart.get(part)!
    keys.delete(key)
    if (keys.size === 0) this.#keysOfPart.delete(part)
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
