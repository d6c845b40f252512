/** A disk in memory that can run out of room, be damaged and be looked at, and what else the tests of spilling share. */
import { MemoryBudget } from '../../../runtime/memory.ts'
import type { OperatorProfile } from '../../../runtime/profile.ts'
import type { SpillDisk } from '../../../runtime/spill/disk.ts'
import { QuerySpill, type Spill, SpillSpace } from '../../../runtime/spill/space.ts'
import type { SortOptions } from '../../../runtime/spill/spilling-sort.ts'

export interface MemoryDisk extends SpillDisk {
  /** By path. */
  readonly files: Map<string, MemoryFile>
  /** Files that were ever made, and descriptors that are open. */
  made: number
  readonly open: Set<number>
  /** Bytes there is room for. */
  room: number
}

/** The first `length` bytes are written. */
export interface MemoryFile {
  bytes: Uint8Array
  length: number
}

export function memoryDisk(room = Number.POSITIVE_INFINITY): MemoryDisk {
  const paths: string[] = []
  const disk: MemoryDisk = {
    files: new Map(),
    made: 0,
    open: new Set(),
    room,
    prepare() {},
    list: directory =>
      [...disk.files.keys()]
        .filter(path => path.startsWith(`${directory}/`))
        .map(path => path.slice(directory.length + 1)),
    create(path) {
      disk.files.set(path, { bytes: new Uint8Array(4096), length: 0 })
      disk.made++
      disk.open.add(paths.length)
      return paths.push(path) - 1
    },
    write(fd, bytes, position) {
      const used = [...disk.files.values()].reduce((sum, file) => sum + file.length, 0)
      if (used + bytes.length > disk.room)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      const file = disk.files.get(paths[fd]!)!
      const end = position + bytes.length
      if (end > file.bytes.length) {
        const grown = new Uint8Array(2 * end)
        grown.set(file.bytes)
        file.bytes = grown
      }
      file.bytes.set(bytes, position)
      file.length = Math.max(file.length, end)
    },
    read(fd, into, position) {
      const file = disk.files.get(paths[fd]!)!
      if (position + into.length > file.length) throw new Error('the file ends')
      into.set(file.bytes.subarray(position, position + into.length))
    },
    close: fd => void disk.open.delete(fd),
    remove: path => void disk.files.delete(path),
  }
  return disk
}

export function operatorProfile(): OperatorProfile {
  return {
    op: 'sort',
    label: 'sort',
    rowsIn: 0,
    rowsOut: 0,
    durationNs: 0,
    decodeNs: 0,
    memoryBytes: 0,
    spilledBytes: 0,
    spilledFiles: 0,
    children: [],
  }
}

export function spillTo(disk: SpillDisk, memoryBytes: number): { readonly spill: Spill; readonly query: QuerySpill } {
  const query = new QuerySpill(new SpillSpace('/spill', disk), 2 ** 40, memoryBytes)
  return { spill: query.of(operatorProfile()), query }
}

export function sortOptions(
  disk: SpillDisk,
  memoryBytes: number,
  { descending, limit }: Pick<SortOptions, 'descending' | 'limit'>,
): SortOptions {
  const memory = new MemoryBudget(memoryBytes).of({ memoryBytes: 0 })
  return { memory, spill: spillTo(disk, memoryBytes).spill, stage: 'sort', descending, limit }
}
