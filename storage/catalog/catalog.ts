/**
 * Which parts are published, kept beside the parts so that a start need not ask each of them. Everything here is derived: a catalog that is
 * missing or damaged is made anew from the part files (`recover.ts`).
 */
import * as fs from 'node:fs'
import type { PartDescription } from '../part/columns.ts'
import { damageOf, openEnvironment } from './environment.ts'
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
  /** One transaction. */
  change(change: CatalogChange): Promise<void>
  close(): Promise<void>
}

export async function openCatalog(directory: string): Promise<Catalog> {
  // Also when it opens: what was written by something else than this program is of no use.
  if ((await damageOf(directory)) !== null) fs.rmSync(directory, { recursive: true, force: true })
  const { database, close } = openEnvironment(directory)
  return {
    parts: () => {
      const parts: PartDescription[] = []
      for (const { value } of database.getRange(PART_RANGE)) if (isPartDescription(value)) parts.push(value)
      return parts
    },
    nextSequence: () => {
      const value = database.get(SEQUENCE_KEY)
      return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
    },
    change: async ({ published = [], dropped = [], nextSequence }) => {
      await database.batch(() => {
        for (const part of published) void database.put(partKey(part.id), part)
        for (const id of dropped) void database.remove(partKey(id))
        if (nextSequence !== undefined) void database.put(SEQUENCE_KEY, nextSequence)
      })
    },
    close,
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
