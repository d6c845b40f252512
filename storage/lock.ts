/**
 * One process owns a data directory. The lock file names its owner: pid and the moment that process started, because a pid alone is
 * handed out again (in a container it is 1 every time). Created whole by link(2), so that no one ever reads half of it. On a disk without
 * room for a file it is a symbolic link that says the same: that takes a name and no block, and a full disk is no reason not to serve.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { isOutOfRoom, LockedError } from './errors.ts'

export interface DirectoryLock {
  release(): void
}

interface Owner {
  readonly pid: number
  /** As the system tells it; null where it does not. */
  readonly started: string | null
  readonly since: string
}

const held = new Set<string>()

/** @throws {LockedError} naming the owner. */
export function lockDirectory(directory: string): DirectoryLock {
  const file = path.join(fs.realpathSync(directory), 'LOCK')
  if (held.has(file)) throw new LockedError(directory, `this process (pid ${process.pid})`)
  const own: Owner = { pid: process.pid, started: startOf(process.pid), since: new Date().toISOString() }
  const draft = `${file}.${process.pid}`
  const hasRoom = drafted(draft, own)
  try {
    for (let tries = 0; !(hasRoom ? linked(draft, file) : pointed(own, file)); tries++) {
      const found = readOwner(file)
      if (tries === 3 || (found !== null && isAlive(found))) throw new LockedError(directory, describe(found))
      takeAway(file, found)
    }
  } finally {
    fs.rmSync(draft, { force: true })
  }
  held.add(file)
  return {
    release: () => {
      if (!held.delete(file)) return
      if (readOwner(file)?.pid === process.pid) fs.rmSync(file, { force: true })
    },
  }
}

/** False: there is no room for it. */
function drafted(draft: string, own: Owner): boolean {
  try {
    fs.writeFileSync(draft, `${JSON.stringify(own)}\n`)
    return true
  } catch (error) {
    if (!isOutOfRoom(error)) throw error
    return false
  }
}

function linked(draft: string, file: string): boolean {
  return unlessThere(() => fs.linkSync(draft, file))
}

/** Short, because ext4 keeps up to 60 bytes of it beside the name. */
function pointed({ pid, started }: Owner, file: string): boolean {
  return unlessThere(() => fs.symlinkSync(`${pid} ${started ?? ''}`, file))
}

function unlessThere(create: () => void): boolean {
  try {
    create()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Removes the lock of a dead owner; a lock that another process took in the meantime is put back. */
function takeAway(file: string, dead: Owner | null): void {
  const aside = `${file}.stale.${process.pid}`
  try {
    fs.renameSync(file, aside)
  } catch {
    return
  }
  const taken = readOwner(aside)
  if (taken !== null && JSON.stringify(taken) !== JSON.stringify(dead)) {
    if (fs.lstatSync(aside).isSymbolicLink()) pointed(taken, file)
    else linked(aside, file)
  }
  fs.rmSync(aside, { force: true })
}

/** Null for a lock that says nothing sensible: no version of this program wrote it. */
function readOwner(file: string): Owner | null {
  try {
    if (fs.lstatSync(file).isSymbolicLink()) {
      const [, pid, started] = /^(\d+) (.*)$/.exec(fs.readlinkSync(file)) ?? []
      return pid === undefined ? null : { pid: Number(pid), started: started || null, since: '' }
    }
    const owner: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    if (typeof owner !== 'object' || owner === null || !('pid' in owner) || typeof owner.pid !== 'number') return null
    const started = 'started' in owner && typeof owner.started === 'string' ? owner.started : null
    const since = 'since' in owner && typeof owner.since === 'string' ? owner.since : ''
    return { pid: owner.pid, started, since }
  } catch {
    return null
  }
}

function isAlive(owner: Owner): boolean {
  if (!Number.isSafeInteger(owner.pid) || owner.pid <= 0) return false
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // EPERM: alive, and someone else's.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  // Ended, and not yet collected by its parent: where process 1 is no init, a killed server stays like that for ever.
  if (/^[ZX]/.test(statOf(owner.pid)[0] ?? '')) return false
  const started = startOf(owner.pid)
  return owner.started === null || started === null || started === owner.started
}

/** Boot and clock ticks since then: two processes never share both. */
function startOf(pid: number): string | null {
  try {
    const ticks = statOf(pid)[19]
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    return ticks === undefined ? null : `${boot}/${ticks}`
  } catch {
    return null
  }
}

/** What Linux tells of a process, from its state on; nothing elsewhere. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command may hold spaces and parentheses; the fields after it start behind the last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

function describe(owner: Owner | null): string {
  return owner === null
    ? 'another process'
    : `process ${owner.pid}${owner.since === '' ? '' : ` (since ${owner.since})`}`
}
