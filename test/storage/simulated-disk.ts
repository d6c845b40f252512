/**
 * A disk in memory that does what disks do: what was written and not synced may be lost or torn when the machine stops, names that were
 * not synced may be missing or still there, and any operation may fail. After a crash it holds what a real one could hold.
 */
import type { Filesystem } from '../../storage/filesystem.ts'

/** The machine stopped: every operation from then on throws it, until `restart`. */
export class CrashError extends Error {
  constructor() {
    super('the machine stopped')
    this.name = 'CrashError'
  }
}

export type Fault = 'crash before' | 'crash after' | 'EIO' | 'ENOSPC'

/** What becomes of operation number `at` (counted from 0 since the plan was made), and of `count` operations in all. */
export interface FaultPlan {
  readonly at: number
  readonly count: number
  readonly fault: Fault
}

interface FileData {
  bytes: Buffer
  length: number
  durable: Buffer
  /** Ranges written since the last sync, in order. */
  unsynced: { readonly start: number; readonly end: number }[]
}

/** A change of names that a crash may undo until its directory is synced. */
type NameChange =
  | { readonly kind: 'set'; readonly path: string; readonly file: FileData }
  | { readonly kind: 'remove'; readonly path: string }

const NEEDS_ROOM: ReadonlySet<string> = new Set(['write', 'create', 'mkdir', 'fsync', 'rename'])

export class SimulatedDisk implements Filesystem {
  /** Operations since the last plan. */
  operations = 0
  /** By name, since the disk was made. */
  readonly counts = new Map<string, number>()
  plan: FaultPlan | null = null
  hasFaulted = false
  /** Part files removed since the last plan. */
  removedParts = 0
  private readonly random: () => number
  private names = new Map<string, FileData>()
  private durableNames = new Map<string, FileData>()
  private changes: NameChange[] = []
  private readonly directories = new Set<string>()
  private descriptors = new Map<number, { readonly file: FileData; readonly isWritable: boolean }>()
  private nextDescriptor = 3
  private isDown = false

  /** `random` gives numbers in [0, 1); it decides what a crash leaves. */
  constructor(random: () => number) {
    this.random = random
  }

  arm(plan: FaultPlan | null): void {
    this.plan = plan
    this.operations = 0
    this.hasFaulted = false
    this.removedParts = 0
  }

  get openDescriptors(): number {
    return this.descriptors.size
  }

  get isCrashed(): boolean {
    return this.isDown
  }

  /** From now on every operation throws. */
  crash(): void {
    this.isDown = true
  }

  /** What is left after a crash is all there is; with `machine` only what was synced is sure to be. */
  restart(kind: 'process' | 'machine'): void {
    this.isDown = false
    this.plan = null
    this.descriptors = new Map()
    if (kind === 'process') return
    const left = this.durableNames
    for (const change of this.changes) {
      if (this.random() < 0.5) continue
      if (change.kind === 'set') left.set(change.path, change.file)
      else left.delete(change.path)
    }
    this.names = new Map(left)
    this.durableNames = left
    this.changes = []
    for (const file of new Set(left.values())) this.tear(file)
  }

  files(directory: string): string[] {
    return [...this.names.keys()].filter(path => path.startsWith(`${directory}/`))
  }

  mkdir(path: string): void {
    this.operation('mkdir', () => void this.directories.add(path))
  }

  readdir(path: string): string[] {
    return this.operation('readdir', () => {
      const within = this.files(path).map(each => each.slice(path.length + 1))
      return within.filter(name => !name.includes('/'))
    })
  }

  exists(path: string): boolean {
    return this.operation('exists', () => this.names.has(path) || this.directories.has(path))
  }

  sizeOf(path: string): number {
    return this.operation('sizeOf', () => this.fileAt(path).length)
  }

  open(path: string, flags: 'r' | 'w'): number {
    return this.operation(flags === 'w' ? 'create' : 'open', () => {
      if (flags === 'w') {
        const file: FileData = { bytes: Buffer.alloc(0), length: 0, durable: Buffer.alloc(0), unsynced: [] }
        this.setName(path, file)
      }
      const descriptor = this.nextDescriptor++
      this.descriptors.set(descriptor, { file: this.fileAt(path), isWritable: flags === 'w' })
      return descriptor
    })
  }

  read(fd: number, into: Uint8Array, offset: number, length: number, position: number): number {
    return this.operation('read', () => {
      const { bytes, length: size } = this.fileOf(fd)
      const end = Math.min(size, position + length)
      if (end <= position) return 0
      into.set(bytes.subarray(position, end), offset)
      return end - position
    })
  }

  /** It is all in memory. */
  readAhead(_fd: number, _position: number, _length: number, done: () => void): void {
    done()
  }

  write(fd: number, from: Uint8Array, offset: number, length: number, position: number): number {
    return this.operation('write', () => {
      const file = this.fileOf(fd)
      const end = position + length
      if (end > file.bytes.length) {
        const grown = Buffer.alloc(Math.max(end, file.bytes.length * 2))
        file.bytes.copy(grown)
        file.bytes = grown
      }
      file.bytes.set(from.subarray(offset, offset + length), position)
      file.length = Math.max(file.length, end)
      file.unsynced.push({ start: position, end })
      return length
    })
  }

  fsync(fd: number): void {
    this.operation('fsync', () => {
      const file = this.fileOf(fd)
      file.durable = Buffer.from(file.bytes.subarray(0, file.length))
      file.unsynced = []
    })
  }

  fsyncDirectory(path: string): void {
    this.operation('fsyncDirectory', () => {
      const within = (change: NameChange) => change.path.startsWith(`${path}/`)
      for (const change of this.changes.filter(within)) {
        if (change.kind === 'set') this.durableNames.set(change.path, change.file)
        else this.durableNames.delete(change.path)
      }
      this.changes = this.changes.filter(change => !within(change))
    })
  }

  close(fd: number): void {
    this.operation('close', () => {
      if (!this.descriptors.delete(fd)) throw failure('EBADF', 'close')
    })
  }

  rename(from: string, to: string): void {
    this.operation('rename', () => {
      const file = this.fileAt(from)
      this.names.delete(from)
      this.setName(to, file)
      this.changes.push({ kind: 'remove', path: from })
    })
  }

  unlink(path: string): void {
    this.operation('unlink', () => {
      this.fileAt(path)
      if (!path.includes('/tmp_')) this.removedParts++
      this.names.delete(path)
      this.changes.push({ kind: 'remove', path })
    })
  }

  private setName(path: string, file: FileData): void {
    this.names.set(path, file)
    this.changes.push({ kind: 'set', path, file })
  }

  private operation<Result>(name: string, act: () => Result): Result {
    if (this.isDown) throw new CrashError()
    const { plan } = this
    const number = this.operations++
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    if (plan === null || number < plan.at || number >= plan.at + plan.count) return act()
    if (plan.fault === 'EIO' || plan.fault === 'ENOSPC') {
      // A full disk still reads, closes and removes.
      if (plan.fault === 'ENOSPC' && !NEEDS_ROOM.has(name)) return act()
      this.hasFaulted = true
      throw failure(plan.fault, name)
    }
    this.hasFaulted = true
    if (plan.fault === 'crash after') act()
    this.isDown = true
    throw new CrashError()
  }

  private fileAt(path: string): FileData {
    const file = this.names.get(path)
    if (file === undefined) throw failure('ENOENT', path)
    return file
  }

  private fileOf(fd: number): FileData {
    const open = this.descriptors.get(fd)
    if (open === undefined) throw failure('EBADF', `descriptor ${fd}`)
    return open.file
  }

  /** Of what was not synced some writes arrived, some did not, and one may have arrived in part. */
  private tear(file: FileData): void {
    if (file.unsynced.length === 0) return
    const { bytes } = file
    let left = Buffer.from(file.durable)
    for (const { start, end } of file.unsynced) {
      const fate = this.random()
      if (fate < 0.3) continue
      const stop = fate < 0.6 ? start + Math.floor(this.random() * (end - start)) : end
      if (stop > left.length) left = Buffer.concat([left, Buffer.alloc(stop - left.length)])
      bytes.copy(left, start, start, stop)
    }
    file.bytes = left
    file.length = left.length
    file.durable = Buffer.from(left)
    file.unsynced = []
  }
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: simulated, ${what}`), { code })
}
