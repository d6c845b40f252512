/**
 * Makes a data directory serve again, losing nothing that can be read: damaged parts are moved aside with their reason, remains of broken-off
 * writes go, and the catalog is made anew from the parts. Needs the directory for itself.
 */
import * as fs from 'node:fs'
import { Quarantine } from '../catalog/quarantine.ts'
import { NODE_FILESYSTEM } from '../filesystem.ts'
import { lockDirectory } from '../lock.ts'
import { openStore } from '../store.ts'
import { listParts, pathOfPart } from './list-parts.ts'
import { type PartVerdict, problemOf, type VerifyOptions } from './verify.ts'

export interface Repair {
  /** Sound parts, which serve. */
  readonly partCount: number
  readonly eventCount: number
  /** Set aside now, with what was wrong. Their files are in `quarantine/`. */
  readonly quarantined: readonly { readonly part: string; readonly reason: string }[]
  /** Documents that had to be set aside: where they are now, and why. */
  readonly documents: string | null
}

/**
 * @throws {LockedError} when another process owns the directory
 * @throws {NoDataDirectoryError}
 */
export async function repairDirectory(directory: string, options: Pick<VerifyOptions, 'onPart'> = {}): Promise<Repair> {
  listParts(directory)
  const lock = lockDirectory(directory)
  const quarantined: { part: string; reason: string }[] = []
  let before: number
  try {
    const quarantine = new Quarantine(NODE_FILESYSTEM, `${directory}/quarantine`, Date.now)
    before = quarantine.list.length
    // A part that another replaces is looked at as well: if the other is damaged, it is all there is.
    const { parts, replaced, damaged } = listParts(directory)
    const look = (part: string, rowCount: number, known: string | null): void => {
      const path = pathOfPart(directory, part)
      const sizeBytes = NODE_FILESYSTEM.sizeOf(path)
      const verdict: PartVerdict = {
        part,
        rowCount,
        sizeBytes,
        problem: known ?? problemOf(NODE_FILESYSTEM, path, part),
      }
      options.onPart?.(verdict)
      if (verdict.problem === null) return
      quarantine.move(part, path, verdict.problem)
      quarantined.push({ part, reason: verdict.problem })
    }
    for (const { part, reason } of damaged) look(part, 0, reason)
    for (const { id, rowCount } of parts) look(id, rowCount, null)
    if (quarantined.length > 0) for (const id of replaced) look(id, 0, null)
    fs.rmSync(`${directory}/catalog`, { recursive: true, force: true })
  } finally {
    lock.release()
  }
  // A start does the rest, as every start does.
  const store = await openStore({ directory, compactionWorkers: 0 })
  try {
    const { partCount, eventCount, quarantined: all } = store.status()
    for (const { part, reason } of all.slice(before + quarantined.length))
      if (part !== 'documents') quarantined.push({ part, reason })
    const documents = all.slice(before).find(({ part }) => part === 'documents')?.reason ?? null
    return { partCount, eventCount, quarantined, documents }
  } finally {
    await store.close()
  }
}
