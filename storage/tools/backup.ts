/**
 * A backup of a data directory, taken while it is in use: parts never change, so a hard link keeps one for good, whatever compaction and
 * retention do to the original. The set of parts is the one of a moment at which no merge ran through the listing (`list-parts.ts`).
 * Nothing of the directory is locked or written. Events that are in no part yet are not in the backup: flush first.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { openDocuments } from '../catalog/documents.ts'
import { readEnvironment } from '../catalog/read-only.ts'
import { NODE_FILESYSTEM } from '../filesystem.ts'
import { lockDirectory } from '../lock.ts'
import { openPartFile } from '../part/open-file.ts'
import { openStore } from '../store.ts'
import { isGone, listParts, pathOfPart } from './list-parts.ts'
import { problemOf } from './verify.ts'

export interface BackupPart {
  readonly id: string
  readonly index: string
  readonly rowCount: number
  readonly sizeBytes: number
  /** Checksum of the footer, which holds the places of everything else. */
  readonly footerCrc: number
}

export interface BackupManifest {
  readonly format: 1
  readonly createdAt: string
  readonly parts: readonly BackupPart[]
  readonly documents: readonly { readonly collection: string; readonly id: string; readonly document: unknown }[]
  /** Names of the files of lookups/. */
  readonly lookups: readonly string[]
  /** What the directory had and the backup has not, in words. */
  readonly missing: readonly string[]
}

export interface BackupReport extends BackupManifest {
  readonly linkedCount: number
  /** Where links are not possible: to another file system. */
  readonly copiedCount: number
  readonly eventCount: number
  readonly sizeBytes: number
}

export class BackupError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupError'
  }
}

const MANIFEST = 'manifest.json'
const TRIES = 8

/** @throws {BackupError} when `target` is not empty, {NoDataDirectoryError} */
export async function backupDirectory(
  directory: string,
  target: string,
  options: { readonly copy?: boolean } = {},
): Promise<BackupReport> {
  refuseUsed(target, 'a backup is written into an empty directory')
  listParts(directory)
  const mayLink = options.copy !== true
  for (let attempt = 1; ; attempt++) {
    fs.mkdirSync(`${target}/parts`, { recursive: true })
    const taken = takeParts(directory, target, mayLink)
    if (taken !== null) return await finish(directory, target, taken)
    fs.rmSync(`${target}/parts`, { recursive: true, force: true })
    if (attempt === TRIES) throw new BackupError(`the parts of ${directory} change faster than they can be linked`)
  }
}

interface Taken {
  readonly parts: readonly BackupPart[]
  readonly linkedCount: number
  readonly missing: readonly string[]
}

/** Null when a part went away before it was linked: another has its events by then. */
function takeParts(directory: string, target: string, mayLink: boolean): Taken | null {
  const { parts, damaged } = listParts(directory)
  const taken: BackupPart[] = []
  let linkedCount = 0
  for (const { id, index, rowCount, sizeBytes } of parts) {
    const to = pathOfPart(target, id)
    try {
      if (linkOrCopy(pathOfPart(directory, id), to, mayLink)) linkedCount++
    } catch (error) {
      if (isGone(error)) return null
      throw error
    }
    taken.push({ id, index, rowCount, sizeBytes, footerCrc: footerCrcOf(to) })
  }
  return { parts: taken, linkedCount, missing: damaged.map(({ part, reason }) => `part ${part}: ${reason}`) }
}

/** True when it was linked. A copy is on the disk when this returns. */
function linkOrCopy(from: string, to: string, mayLink: boolean): boolean {
  if (mayLink) {
    try {
      fs.linkSync(from, to)
      return true
    } catch (error) {
      // Another file system, or one without links.
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(String(code))) throw error
    }
  }
  fs.copyFileSync(from, to)
  sync(to)
  return false
}

function sync(file: string): void {
  const fd = fs.openSync(file, 'r')
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

function footerCrcOf(file: string): number {
  const part = openPartFile(NODE_FILESYSTEM, file)
  part.close()
  return part.footerCrc
}

/** The manifest comes last: a directory without one is no backup. */
async function finish(directory: string, target: string, taken: Taken): Promise<BackupReport> {
  const dump = await readEnvironment(`${directory}/documents`)
  const missing = [...taken.missing]
  if ('damage' in dump) missing.push(`documents: ${dump.damage}`)
  const documents =
    'entries' in dump ? dump.entries.map(([[collection, id], document]) => ({ collection, id, document })) : []
  const lookups = fs.existsSync(`${directory}/lookups`) ? fs.readdirSync(`${directory}/lookups`) : []
  if (lookups.length > 0) fs.mkdirSync(`${target}/lookups`, { recursive: true })
  // Unlike parts these are written in place: a link would change with them.
  for (const name of lookups) linkOrCopy(`${directory}/lookups/${name}`, `${target}/lookups/${name}`, false)
  const createdAt = new Date().toISOString()
  const manifest: BackupManifest = { format: 1, createdAt, parts: taken.parts, documents, lookups, missing }
  const file = path.join(target, MANIFEST)
  fs.writeFileSync(`${file}.tmp`, `${JSON.stringify(manifest, null, 1)}\n`)
  sync(`${file}.tmp`)
  sync(`${target}/parts`)
  fs.renameSync(`${file}.tmp`, file)
  sync(target)
  return {
    ...manifest,
    linkedCount: taken.linkedCount,
    copiedCount: taken.parts.length - taken.linkedCount,
    eventCount: taken.parts.reduce((sum, { rowCount }) => sum + rowCount, 0),
    sizeBytes: taken.parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }
}

/** @throws {BackupError} when there is no manifest, or none that this program reads */
export function readManifest(backup: string): BackupManifest {
  let manifest: BackupManifest
  try {
    manifest = JSON.parse(fs.readFileSync(path.join(backup, MANIFEST), 'utf8')) as BackupManifest
  } catch (error) {
    throw new BackupError(`${backup} is no complete backup: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (manifest.format !== 1) throw new BackupError(`${backup} has a manifest of format ${String(manifest.format)}`)
  return manifest
}

/**
 * Makes a data directory of a backup. Every part is read and checked before anything is written.
 * @throws {BackupError} when the backup is damaged or `directory` is not empty
 */
export async function restoreDirectory(
  backup: string,
  directory: string,
  options: { readonly copy?: boolean } = {},
): Promise<{ readonly partCount: number; readonly eventCount: number; readonly documentCount: number }> {
  const manifest = readManifest(backup)
  refuseUsed(directory, 'a backup is restored into an empty directory')
  const problems = manifest.parts.flatMap(part => problemsOf(backup, part))
  if (problems.length > 0) throw new BackupError(`${backup} is damaged: ${problems.join('; ')}`)
  fs.mkdirSync(`${directory}/parts`, { recursive: true })
  const lock = lockDirectory(directory)
  try {
    for (const { id } of manifest.parts)
      linkOrCopy(pathOfPart(backup, id), pathOfPart(directory, id), options.copy !== true)
    if (manifest.lookups.length > 0) fs.mkdirSync(`${directory}/lookups`)
    for (const name of manifest.lookups)
      linkOrCopy(
        path.join(backup, 'lookups', path.basename(name)),
        `${directory}/lookups/${path.basename(name)}`,
        false,
      )
    const documents = await openDocuments(
      NODE_FILESYSTEM,
      `${directory}/documents`,
      () => `${directory}/documents.damaged`,
    )
    for (const { collection, id, document } of manifest.documents) await documents.put(collection, id, document)
    await documents.close()
    sync(`${directory}/parts`)
  } finally {
    lock.release()
  }
  // A start makes the catalog.
  const store = await openStore({ directory, compactionWorkers: 0 })
  const { partCount, eventCount, quarantined } = store.status()
  await store.close()
  const [first] = quarantined
  if (first !== undefined) throw new BackupError(`${first.part} could not be restored: ${first.reason}`)
  return { partCount, eventCount, documentCount: manifest.documents.length }
}

function problemsOf(backup: string, { id, sizeBytes, footerCrc }: BackupPart): string[] {
  const file = pathOfPart(backup, id)
  if (!fs.existsSync(file)) return [`part ${id} is missing`]
  const problem = problemOf(NODE_FILESYSTEM, file, id)
  if (problem !== null) return [problem]
  return fs.statSync(file).size === sizeBytes && footerCrcOf(file) === footerCrc
    ? []
    : [`part ${id} is not the one that was backed up`]
}

function refuseUsed(directory: string, rule: string): void {
  if (fs.existsSync(directory) && fs.readdirSync(directory).length > 0)
    throw new BackupError(`${directory} is not empty: ${rule}`)
}
