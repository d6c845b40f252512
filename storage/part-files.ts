/**
 * Part files by path, for a thread that has no store: opened when first asked for, kept open, and never written. Parts are immutable, so
 * nothing needs to be agreed on with the thread that has the store; a damaged one is that thread's to set aside.
 */
import { type Filesystem, NODE_FILESYSTEM } from './filesystem.ts'
import type { PartReader } from './index.ts'
import { type CacheShareOf, type ChunkCacheOptions, createChunkCache } from './part/chunk-cache.ts'
import { openPart } from './part/read.ts'

/** Open files, and with them footers. The one used longest ago is closed first. */
const OPEN_MAX = 256

export interface PartFiles {
  /** @throws {CorruptPartError} */
  open(path: string): PartReader
  close(): void
}

export function createPartFiles(
  budget: number | CacheShareOf,
  { filesystem = NODE_FILESYSTEM, ...options }: ChunkCacheOptions & { readonly filesystem?: Filesystem } = {},
): PartFiles {
  const cache = createChunkCache(budget, options)
  const parts = new Map<string, ReturnType<typeof openPart>>()
  return {
    open(path) {
      const part = parts.get(path) ?? openPart(filesystem, path, cache)
      parts.delete(path)
      parts.set(path, part)
      if (parts.size > OPEN_MAX) {
        const [oldest] = parts
        oldest![1].close()
        parts.delete(oldest![0])
      }
      return part
    },
    close() {
      for (const part of parts.values()) part.close()
      parts.clear()
      cache.close()
    },
  }
}
