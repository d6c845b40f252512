/**
 * Where temporary files go. A space is a directory of an engine; a query takes its share of it for as long as it runs, each operator
 * writes its own files, and whatever way the run ends, its files are removed. What a killed process left behind is removed by the next
 * one to use the directory.
 */
import { randomBytes } from 'node:crypto'
import { type DiskRefusal, QueryMemoryError } from '../memory.ts'
import type { OperatorProfile } from '../profile.ts'
import { NODE_DISK, type SpillDisk } from './disk.ts'
import { SpillFile } from './spill-file.ts'

export const DEFAULT_DISK_BYTES = 10 * 1024 ** 3

/** Names this process gives: `spill_<pid>_<token>_<number>.tmp`. The token tells it from an earlier process of the same number. */
const TOKEN = randomBytes(6).toString('hex')
const NAME = /^spill_(\d+)_([0-9a-f]+)_\d+\.tmp$/
let fileCount = 0

export class SpillSpace {
  readonly directory: string
  readonly disk: SpillDisk
  #isPrepared = false

  constructor(directory: string, disk: SpillDisk = NODE_DISK) {
    this.directory = directory
    this.disk = disk
  }

  /** Removes what processes that are gone left behind. @param isOurs  nobody else uses the directory: all of it goes */
  sweep(isOurs: boolean): number {
    let removed = 0
    for (const name of this.disk.list(this.directory)) {
      const [, pid, token] = NAME.exec(name) ?? []
      if (pid === undefined || token === TOKEN) continue
      if (!isOurs && Number(pid) !== process.pid && isAlive(Number(pid))) continue
      if (this.#removed(name)) removed++
    }
    return removed
  }

  /** False: it is gone already, or not for us to remove; it costs room then, but no answer. */
  #removed(name: string): boolean {
    try {
      this.disk.remove(`${this.directory}/${name}`)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      return false
    }
  }

  /** A new file. @throws the system's error */
  create(): { readonly fd: number; readonly path: string } {
    if (!this.#isPrepared) {
      this.disk.prepare(this.directory)
      this.sweep(false)
      this.#isPrepared = true
    }
    const path = `${this.directory}/spill_${process.pid}_${TOKEN}_${fileCount++}.tmp`
    return { fd: this.disk.create(path), path }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is one all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The temporary files of one query. */
export class QuerySpill {
  readonly #space: SpillSpace | null
  readonly #budgetBytes: number
  readonly #memoryBytes: number
  readonly #files = new Set<SpillFile>()
  /** Bytes that lie there now. */
  #bytes = 0
  /** Bytes that were ever written, by stage. */
  readonly written = new Map<string, number>()

  /** @param space  null: no files are to be written */
  constructor(space: SpillSpace | null, budgetBytes: number, memoryBytes: number) {
    this.#space = budgetBytes > 0 ? space : null
    this.#budgetBytes = budgetBytes
    this.#memoryBytes = memoryBytes
  }

  /** The same, as one operator uses it: what it writes is told in its profile. */
  of(operator: OperatorProfile): Spill {
    return {
      memoryBytes: this.#memoryBytes,
      create: stage => this.#create(operator, stage),
      refuse: (stage, disk) => this.#error(stage, disk),
    }
  }

  #create(operator: OperatorProfile, stage: string): SpillFile {
    const space = this.#space
    if (space === null) throw this.#error(stage, { kind: 'not allowed' })
    const unwritable = (error: unknown): Error => {
      const reason = reasonOf(error)
      if (reason === null) return error as Error
      return this.#error(stage, { kind: 'unwritable', directory: space.directory, reason })
    }
    let made: { readonly fd: number; readonly path: string }
    try {
      made = space.create()
    } catch (error) {
      throw unwritable(error)
    }
    operator.spilledFiles++
    const file: SpillFile = new SpillFile(space.disk, made, {
      grows: bytes => {
        if (this.#bytes + bytes > this.#budgetBytes)
          throw this.#error(stage, { kind: 'budget', budgetBytes: this.#budgetBytes })
        this.#bytes += bytes
        operator.spilledBytes += bytes
        this.written.set(stage, (this.written.get(stage) ?? 0) + bytes)
      },
      failed: unwritable,
      removed: bytes => {
        this.#bytes -= bytes
        this.#files.delete(file)
      },
    })
    this.#files.add(file)
    return file
  }

  #error(stage: string, disk: DiskRefusal): QueryMemoryError {
    return new QueryMemoryError(stage, { budgetBytes: this.#memoryBytes, disk })
  }

  /** Removes every file that is left. */
  dispose(): void {
    for (const file of [...this.#files]) file.remove()
  }
}

/** What an operator is given to write to. */
export interface Spill {
  /** What the query may hold in memory: sizes of buffers follow from it. */
  readonly memoryBytes: number
  /** @throws {QueryMemoryError} when no file may be, or can be, written */
  create(stage: string): SpillFile
  refuse(stage: string, disk: DiskRefusal): QueryMemoryError
}

/** In words, where the system named an error; null: it is none of the system's. */
function reasonOf(error: unknown): string | null {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return null
  return REASONS.get(code) ?? message
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'no space is left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['EROFS', 'the file system is read-only'],
  ['EMFILE', 'too many files are open'],
])
