/**
 * Whether a data directory holds what it says: every byte of every part is read and held against its checksum, every column is decoded and
 * counted, and the catalog is compared with the parts. Nothing is changed, and it may run beside a server.
 */
import { readEnvironment } from '../catalog/read-only.ts'
import { CorruptPartError } from '../errors.ts'
import { type Filesystem, NODE_FILESYSTEM } from '../filesystem.ts'
import type { PartReader } from '../index.ts'
import { type ChunkPlace, readBlockIndex } from '../part/block-index.ts'
import { createChunkCache } from '../part/chunk-cache.ts'
import type { PartDescription } from '../part/columns.ts'
import { HEADER_BYTES, KIND_DICTIONARY, KIND_FILTER, KIND_INDEX, TRAILER_BYTES } from '../part/format.ts'
import { openPartFile } from '../part/open-file.ts'
import { openPart } from '../part/read.ts'
import { summarise } from '../part/summary.ts'
import { readTokenFilter } from '../part/token-filter.ts'
import { isGone, listParts, pathOfPart } from './list-parts.ts'

export interface PartVerdict {
  readonly part: string
  readonly rowCount: number
  readonly sizeBytes: number
  /** Null: sound. */
  readonly problem: string | null
}

export interface Verification {
  readonly parts: readonly PartVerdict[]
  /** `agrees`, or what the catalog says otherwise than the parts. It is derived: the next start puts it right. */
  readonly catalog: {
    readonly state: 'agrees' | 'differs' | 'damaged' | 'absent'
    readonly differences: readonly string[]
  }
  readonly isSound: boolean
}

export interface VerifyOptions {
  readonly filesystem?: Filesystem
  /** Called after each part. */
  readonly onPart?: (verdict: PartVerdict) => void
}

const CACHE_BYTES = 64 * 1024 * 1024

/** @throws {NoDataDirectoryError} */
export async function verifyDirectory(directory: string, options: VerifyOptions = {}): Promise<Verification> {
  const filesystem = options.filesystem ?? NODE_FILESYSTEM
  const { parts, damaged } = listParts(directory, filesystem)
  const verdicts: PartVerdict[] = []
  const add = (verdict: PartVerdict): void => {
    verdicts.push(verdict)
    options.onPart?.(verdict)
  }
  for (const { part, reason } of damaged) {
    const sizeBytes = filesystem.sizeOf(pathOfPart(directory, part))
    add({ part, rowCount: 0, sizeBytes, problem: reason })
  }
  for (const { id, rowCount, sizeBytes } of parts) {
    await new Promise(resolve => setImmediate(resolve))
    try {
      add({ part: id, rowCount, sizeBytes, problem: problemOf(filesystem, pathOfPart(directory, id), id) })
    } catch (error) {
      // Merged or expired since it was listed.
      if (!isGone(error)) throw error
    }
  }
  const catalog = await compareCatalog(directory, filesystem)
  const isSound = verdicts.every(({ problem }) => problem === null) && catalog.state === 'agrees'
  return { parts: verdicts, catalog, isSound }
}

/** What is wrong with the part at `path`; null: nothing. */
export function problemOf(filesystem: Filesystem, path: string, id: string): string | null {
  try {
    const part = openPart(filesystem, path, createChunkCache(CACHE_BYTES))
    try {
      if (part.id !== id) return `its footer says it is part ${part.id}`
      return strayBytesOf(filesystem, path) ?? countsOf(part)
    } finally {
      part.close()
    }
  } catch (error) {
    if (error instanceof CorruptPartError) return error.message
    throw error
  }
}

/**
 * Reads the chunks that no column leads to (filters, dictionaries), and adds up the file: every byte belongs to something that has a
 * checksum, or something is wrong. @throws {CorruptPartError}
 */
function strayBytesOf(filesystem: Filesystem, path: string): string | null {
  const file = openPartFile(filesystem, path)
  try {
    const { footer } = file
    const places = new Map<number, number>()
    const note = ({ offset, length }: ChunkPlace): void => void places.set(offset, length)
    for (const [number, dictionary] of footer.dictionaries.entries()) {
      note(dictionary)
      file.decode(dictionary, KIND_DICTIONARY, `dictionary ${number}`, () => null)
    }
    for (const [number, { index }] of footer.blocks.entries()) {
      note(index)
      for (const { chunk, filter } of file.decode(index, KIND_INDEX, `the index of block ${number}`, readBlockIndex)) {
        note(chunk)
        if (filter === null || places.has(filter.offset)) continue
        note(filter)
        file.decode(filter, KIND_FILTER, `a token filter of block ${number}`, readTokenFilter)
      }
    }
    const used = [...places.values()].reduce((sum, length) => sum + length, 0)
    const stray = file.sizeBytes - HEADER_BYTES - TRAILER_BYTES - file.footerLength - used
    return stray === 0 ? null : `${stray} bytes belong to nothing`
  } finally {
    file.close()
  }
}

/** Decodes everything; null when what is there is what the statistics say. */
function countsOf(part: PartReader): string | null {
  const present = new Map<string, number>()
  for (let number = 0; number < part.blockCount; number++) {
    const block = part.block(number)
    for (const { name } of part.fields) {
      const vector = block.column(name)
      if (vector === null) continue
      const { presentCount, nullCount } = summarise(vector)
      const said = block.statistics(name)
      if (said !== null && (said.presentCount !== presentCount || said.nullCount !== nullCount))
        return `${name} in block ${number} has ${presentCount} values and ${nullCount} nulls, its statistics say ${said.presentCount} and ${said.nullCount}`
      present.set(name, (present.get(name) ?? 0) + presentCount)
    }
  }
  for (const { name, presentCount } of part.fields) {
    const found = present.get(name) ?? 0
    if (found !== presentCount) return `${name} has ${found} values, the footer says ${presentCount}`
  }
  return null
}

const TRIES = 3
const PAUSE_MS = 200

/** A server publishes between two looks: what differs is looked at again before it is said. */
async function compareCatalog(directory: string, filesystem: Filesystem): Promise<Verification['catalog']> {
  for (let attempt = 1; ; attempt++) {
    const dump = await readEnvironment(`${directory}/catalog`)
    if ('damage' in dump) return { state: 'damaged', differences: [dump.damage] }
    const listing = listParts(directory, filesystem)
    if ('absent' in dump)
      return listing.parts.length === 0 ? { state: 'agrees', differences: [] } : { state: 'absent', differences: [] }
    const listed = new Map<string, PartDescription>()
    for (const [[kind, id], value] of dump.entries) if (kind === 'part') listed.set(id, value as PartDescription)
    const differences = differencesOf(listed, listing.parts, new Set(listing.damaged.map(({ part }) => part)))
    if (differences.length === 0) return { state: 'agrees', differences }
    if (attempt === TRIES) return { state: 'differs', differences }
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  }
}

function differencesOf(
  listed: ReadonlyMap<string, PartDescription>,
  parts: readonly PartDescription[],
  damaged: ReadonlySet<string>,
): string[] {
  const differences: string[] = []
  const found = new Set(parts.map(({ id }) => id))
  for (const id of listed.keys())
    if (!found.has(id) && !damaged.has(id)) differences.push(`the catalog lists ${id}, which has no file that serves`)
  for (const part of parts) {
    const said = listed.get(part.id)
    if (said === undefined) differences.push(`the catalog does not list ${part.id}`)
    else if (said.rowCount !== part.rowCount || said.sizeBytes !== part.sizeBytes || said.index !== part.index)
      differences.push(
        `the catalog says of ${part.id}: ${said.rowCount} events, ${said.sizeBytes} bytes; the part: ${part.rowCount}, ${part.sizeBytes}`,
      )
  }
  return differences
}
