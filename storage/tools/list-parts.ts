/**
 * The parts of a data directory, from their footers alone. Reading is safe whoever owns the directory: parts never change, and one that
 * was merged into another since the listing is left out, because the other holds its events.
 */
import { CorruptPartError } from '../errors.ts'
import { type Filesystem, NODE_FILESYSTEM } from '../filesystem.ts'
import type { PartDescription } from '../part/columns.ts'
import { describePart } from '../part/read.ts'

export interface PartListing {
  /** In order of creation, those that others replace left out. */
  readonly parts: readonly PartDescription[]
  /** Files of parts that others replace: left by a crash between a merge and its end, removed at the next start. */
  readonly replaced: readonly string[]
  /** Files whose footer cannot be read, and why. */
  readonly damaged: readonly { readonly part: string; readonly reason: string }[]
}

export const PART_SUFFIX = '.part'
const TRIES = 8

export function pathOfPart(directory: string, id: string): string {
  return `${directory}/parts/${id}${PART_SUFFIX}`
}

/** @throws {NoDataDirectoryError} {Error} when files keep going away while they are read */
export function listParts(directory: string, filesystem: Filesystem = NODE_FILESYSTEM): PartListing {
  requireDataDirectory(directory, filesystem)
  for (let attempt = 1; ; attempt++) {
    const listing = tryList(directory, filesystem)
    if (listing !== null) return listing
    if (attempt === TRIES) throw new Error(`the parts of ${directory} change faster than they can be listed`)
  }
}

/** @throws {NoDataDirectoryError} when it is none; an empty one is one as soon as a store was opened there */
export function requireDataDirectory(directory: string, filesystem: Filesystem = NODE_FILESYSTEM): void {
  if (!filesystem.exists(`${directory}/parts`)) throw new NoDataDirectoryError(directory)
}

export class NoDataDirectoryError extends Error {
  constructor(directory: string) {
    super(`${directory} is no data directory of Quern: it has no directory parts/`)
    this.name = 'NoDataDirectoryError'
  }
}

/** Null when something changed meanwhile: a listing that a merge runs through might miss both its inputs and its output. */
function tryList(directory: string, filesystem: Filesystem): PartListing | null {
  const names = namesOf(directory, filesystem)
  const all: PartDescription[] = []
  const damaged: { part: string; reason: string }[] = []
  for (const id of names) {
    try {
      all.push({ ...describePart(filesystem, pathOfPart(directory, id)), id })
    } catch (error) {
      if (isGone(error)) return null
      if (!(error instanceof CorruptPartError)) throw error
      damaged.push({ part: id, reason: error.message })
    }
  }
  if (namesOf(directory, filesystem).join() !== names.join()) return null
  const gone = new Set(all.flatMap(({ replaces }) => replaces))
  return {
    parts: all.filter(({ id }) => !gone.has(id)),
    replaced: all.map(({ id }) => id).filter(id => gone.has(id)),
    damaged,
  }
}

function namesOf(directory: string, filesystem: Filesystem): string[] {
  return filesystem
    .readdir(`${directory}/parts`)
    .filter(name => name.endsWith(PART_SUFFIX) && !name.startsWith('tmp_'))
    .map(name => name.slice(0, -PART_SUFFIX.length))
    .sort()
}

/** The file went away: its part was merged or has expired. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
