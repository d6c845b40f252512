/**
 * What is on disk, made to agree with what the catalog says. Part files are the truth: the catalog follows them, a part without a sound
 * footer is set aside with its reason, and everything else serves.
 */
import { CorruptPartError } from '../errors.ts'
import type { Filesystem } from '../filesystem.ts'
import type { PartDescription } from '../part/columns.ts'
import { describePart } from '../part/read.ts'
import type { Catalog } from './catalog.ts'
import type { Quarantine } from './quarantine.ts'

/** Time a start spends on footers the catalog already vouches for; the others are checked while the store serves. */
const CHECK_BUDGET_MS = 500

export interface Recovered {
  /** In order of creation. */
  readonly parts: readonly PartDescription[]
  /** Taken from the catalog as they are; `describePart` has yet to read their footers. */
  readonly unchecked: readonly string[]
  /** Files of parts that were replaced and could not be removed. */
  readonly remaining: readonly string[]
  /** The greatest id there is a file of, readable or not: a new part must not take the place of another. Null: there is none. */
  readonly newestId: string | null
  /** Files that could not be read, though they may be sound: nobody knows whose events they hold. */
  readonly hasUnread: boolean
}

export interface RecoverOptions {
  readonly filesystem: Filesystem
  /** Where part files lie. */
  readonly directory: string
  readonly catalog: Catalog
  readonly quarantine: Quarantine
  readonly checkBudgetMs?: number
}

export async function recoverParts(options: RecoverOptions): Promise<Recovered> {
  const { filesystem, directory, catalog, quarantine } = options
  const files = new Set<string>()
  for (const name of filesystem.readdir(directory)) {
    // The remains of a write that was cut off: its events were never acknowledged as published.
    if (name.startsWith('tmp_')) tryUnlink(filesystem, `${directory}/${name}`)
    else if (name.endsWith('.part')) files.add(name.slice(0, -'.part'.length))
  }
  const listed = new Map(catalog.parts().map(part => [part.id, part]))
  const dropped: string[] = []
  let parts: PartDescription[] = []
  let hasUnread = false
  const published: PartDescription[] = []
  const unchecked: string[] = []
  const deadline = performance.now() + (options.checkBudgetMs ?? CHECK_BUDGET_MS)
  for (const id of [...files].sort()) {
    const path = `${directory}/${id}.part`
    const known = listed.get(id)
    try {
      // What stands in for files that are still there must be known to be sound.
      const isTrusted = known !== undefined && !known.replaces.some(each => files.has(each))
      if (isTrusted && performance.now() > deadline && filesystem.sizeOf(path) === known.sizeBytes) {
        parts.push(known)
        unchecked.push(id)
        continue
      }
      const part = describePart(filesystem, path)
      // A copy of a part under another name would show its events twice.
      if (part.id !== id)
        throw new CorruptPartError(id, 0, `the file is named ${id}, but its footer says it is part ${part.id}`)
      parts.push(part)
      if (known === undefined || JSON.stringify(known) !== JSON.stringify(part)) published.push(part)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (error instanceof CorruptPartError) quarantine.move(id, path, reason)
      else {
        quarantine.report(id, reason)
        hasUnread = true
      }
      if (known !== undefined) dropped.push(id)
    }
  }
  const newestId = [...files].sort().at(-1) ?? null
  // A merge that was cut off behind the moment its part got its name is completed: the part serves, what it was made of goes.
  const replaced = new Set(parts.flatMap(part => part.replaces))
  const remaining: string[] = []
  for (const id of files) {
    if (replaced.has(id) && !tryUnlink(filesystem, `${directory}/${id}.part`)) remaining.push(id)
  }
  parts = parts.filter(part => !replaced.has(part.id))
  for (const id of listed.keys()) {
    if (replaced.has(id)) dropped.push(id)
    else if (!files.has(id)) {
      quarantine.report(id, 'the catalog lists this part, but its file is missing')
      dropped.push(id)
    }
  }
  const isServed = new Set(parts.map(part => part.id))
  // A name that a cut-off write gave and did not sync may still be lost; what the catalog lists must not be.
  const isNamed = published.length === 0 || trySync(filesystem, directory)
  const added = isNamed ? published.filter(part => isServed.has(part.id)) : []
  if (added.length > 0 || dropped.length > 0) {
    catalog.note({ published: added, dropped })
    // Where there is no room for it, it is written with the next change, which tells of what still goes wrong.
    await catalog.flush().catch(() => {})
  }
  return { parts, unchecked: unchecked.filter(id => isServed.has(id)), remaining, newestId, hasUnread }
}

function trySync(filesystem: Filesystem, directory: string): boolean {
  try {
    filesystem.fsyncDirectory(directory)
    return true
  } catch {
    return false
  }
}

/** What cannot be removed now is met again at the next start. */
function tryUnlink(filesystem: Filesystem, path: string): boolean {
  try {
    filesystem.unlink(path)
    return true
  } catch {
    return false
  }
}
