/** Decoded columns (and dictionaries, and token filters) of all open parts, the least recently used dropped first, bounded by bytes. */
import type { Value } from '../value.ts'
import type { Vector } from '../vector.ts'

interface Entry {
  readonly value: object
  readonly bytes: number
}

export interface ChunkCache {
  readonly bytes: number
  readonly maxBytes: number
  get(part: string, block: number, field: string): object | undefined
  /** Keeps `value`, which takes about `bytes`; something larger than the whole cache is not kept. */
  set(part: string, block: number, field: string, value: object, bytes: number): void
  /** The same, but only while nothing else has to go: of what can be made again from something that is kept. */
  setIfRoom(part: string, block: number, field: string, value: object, bytes: number): void
  /** Forgets everything of one part; called when the part is closed. */
  drop(part: string): void
}

export function createChunkCache(maxBytes: number): ChunkCache {
  return new LruChunkCache(maxBytes)
}

class LruChunkCache implements ChunkCache {
  readonly maxBytes: number
  #bytes = 0
  /** A Map iterates in order of insertion: an entry that is used goes out and in again, so the first is the least recently used. */
  readonly #entries = new Map<string, Entry>()
  readonly #keysOfPart = new Map<string, Set<string>>()

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
    this.#remove(part, key)
    if (bytes > this.maxBytes) return
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes + bytes <= this.maxBytes) break
      this.#remove(oldest.slice(0, oldest.indexOf('\0')), oldest)
    }
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    const keys = this.#keysOfPart.get(part)
    if (keys === undefined) this.#keysOfPart.set(part, new Set([key]))
    else keys.add(key)
  }

  setIfRoom(part: string, block: number, field: string, value: object, bytes: number): void {
    if (this.#bytes + bytes <= this.maxBytes) this.set(part, block, field, value, bytes)
  }

  drop(part: string): void {
    for (const key of this.#keysOfPart.get(part) ?? []) {
      this.#bytes -= this.#entries.get(key)!.bytes
      this.#entries.delete(key)
    }
    this.#keysOfPart.delete(part)
  }

  #remove(part: string, key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
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
