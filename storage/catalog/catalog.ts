/**
 * Which parts are published, kept beside the parts so that a start need not ask each of them. Everything here is derived: a catalog that is
 * missing or damaged is made anew from the part files (`recover.ts`).
 */
import * as fs from 'node:fs'
import type { Filesystem } from '../filesystem.ts'
import type { PartDescription } from '../part/columns.ts'
import { damageOf, EnvironmentWithRoom } from './environment.ts'
import { PART_RANGE, partKey, SEQUENCE_KEY } from './keys.ts'

export interface CatalogChange {
  readonly published?: readonly PartDescription[]
  readonly dropped?: readonly string[]
  readonly nextSequence?: number
}

export interface Catalog {
  /** In order of creation. */
  parts(): PartDescription[]
  nextSequence(): number | null
  /** To be written with the next `flush`. Of several about one part the last holds. */
  note(change: CatalogChange): void
  /**
   * Writes what was noted, in one transaction. With parts that were dropped it is on the disk when this settles: their files may go
   * then. What could not be written goes along with the next one.
   */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Where there is no room for one it is empty, and written whole once there is: what was noted until then waits. */
export async function openCatalog(filesystem: Filesystem, directory: string): Promise<Catalog> {
  // Also when it opens: what was written by something else than this program is of no use.
  if ((await damageOf(directory)) !== null) fs.rmSync(directory, { recursive: true, force: true })
  const environment = new EnvironmentWithRoom(directory, filesystem)
  /** By id; null: dropped. */
  let noted = new Map<string, PartDescription | null>()
  let sequence: number | null = null
  let writing: Promise<void> = Promise.resolve()
  const write = async () => {
    const changes = noted
    const next = sequence
    if (changes.size === 0 && next === null) return
    noted = new Map()
    sequence = null
    try {
      await environment.write(database => {
        // Of a failed transaction each write may say so for itself, and all must be listened to.
        const writes: Promise<unknown>[] = []
        const all = database.batch(() => {
          for (const [id, part] of changes)
            writes.push(part === null ? database.remove(partKey(id)) : database.put(partKey(id), part))
          if (next !== null) writes.push(database.put(SEQUENCE_KEY, next))
        })
        return Promise.all([all, ...writes])
      })
      if ([...changes.values()].includes(null)) await environment.flushed()
    } catch (error) {
      for (const [id, part] of changes) if (!noted.has(id)) noted.set(id, part)
      sequence ??= next
      throw error
    }
  }
  return {
    parts: () => {
      const parts: PartDescription[] = []
      for (const { value } of environment.toRead()?.getRange(PART_RANGE) ?? [])
        if (isPartDescription(value)) parts.push(value)
      return parts
    },
    nextSequence: () => {
      const value = environment.toRead()?.get(SEQUENCE_KEY)
      return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
    },
    note: ({ published = [], dropped = [], nextSequence }) => {
      for (const part of published) noted.set(part.id, part)
      for (const id of dropped) noted.set(id, null)
      if (nextSequence !== undefined) sequence = nextSequence
    },
    flush: () => {
      const written = writing.then(write)
      writing = written.catch(() => {})
      return written
    },
    close: () => environment.close(),
  }
}

const NUMBERS = [
  'rowCount',
  'blockCount',
  'minMicros',
  'maxMicros',
  'sizeBytes',
  'rawBytes',
  'firstSequence',
  'lastSequence',
  'level',
] as const

function isPartDescription(value: unknown): value is PartDescription {
  if (typeof value !== 'object' || value === null) return false
  const part = value as Partial<Record<keyof PartDescription, unknown>>
  return (
    typeof part.id === 'string' &&
    typeof part.index === 'string' &&
    NUMBERS.every(name => Number.isFinite(part[name])) &&
    Array.isArray(part.replaces)
  )
}
