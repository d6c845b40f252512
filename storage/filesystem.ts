/** Every byte storage writes or reads goes through this interface; tests replace it to tear writes, lose unsynced data, or fail. */
import * as fs from 'node:fs'

export interface Filesystem {
  mkdir(path: string): void
  readdir(path: string): string[]
  exists(path: string): boolean
  sizeOf(path: string): number
  open(path: string, flags: 'r' | 'w'): number
  /** Reads up to `length` bytes at `position`; returns how many were read. */
  read(fd: number, into: Uint8Array, offset: number, length: number, position: number): number
  write(fd: number, from: Uint8Array, offset: number, length: number, position: number): number
  fsync(fd: number): void
  fsyncDirectory(path: string): void
  close(fd: number): void
  rename(from: string, to: string): void
  unlink(path: string): void
}

export const NODE_FILESYSTEM: Filesystem = {
  mkdir: path => void fs.mkdirSync(path, { recursive: true }),
  readdir: path => fs.readdirSync(path),
  exists: path => fs.existsSync(path),
  sizeOf: path => fs.statSync(path).size,
  open: (path, flags) => fs.openSync(path, flags),
  read: (fd, into, offset, length, position) => fs.readSync(fd, into, offset, length, position),
  write: (fd, from, offset, length, position) => fs.writeSync(fd, from, offset, length, position),
  fsync: fd => fs.fsyncSync(fd),
  fsyncDirectory: path => {
    const fd = fs.openSync(path, 'r')
    try {
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  },
  close: fd => fs.closeSync(fd),
  rename: (from, to) => fs.renameSync(from, to),
  unlink: path => fs.unlinkSync(path),
}
