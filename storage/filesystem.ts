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
  /** Has the system fetch what will be read soon. Calls `done` when it has, or cannot: whoever reads it meets the reason. */
  readAhead(fd: number, position: number, length: number, done: () => void): void
  write(fd: number, from: Uint8Array, offset: number, length: number, position: number): number
  fsync(fd: number): void
  fsyncDirectory(path: string): void
  close(fd: number): void
  rename(from: string, to: string): void
  unlink(path: string): void
}

/** What is read ahead is read over each other, for nobody. */
const nowhere = Buffer.allocUnsafeSlow(256 * 1024)

/** There is no way to say so in Node: it is read, by threads that have nothing else to do. */
function readAhead(fd: number, position: number, length: number, done: () => void): void {
  let pieces = Math.ceil(length / nowhere.length)
  for (let from = 0; from < length; from += nowhere.length)
    fs.read(fd, nowhere, 0, Math.min(nowhere.length, length - from), position + from, () => {
      pieces--
      if (pieces === 0) done()
    })
}

export const NODE_FILESYSTEM: Filesystem = {
  mkdir: path => void fs.mkdirSync(path, { recursive: true }),
  readdir: path => fs.readdirSync(path),
  exists: path => fs.existsSync(path),
  sizeOf: path => fs.statSync(path).size,
  open: (path, flags) => fs.openSync(path, flags),
  read: (fd, into, offset, length, position) => fs.readSync(fd, into, offset, length, position),
  readAhead,
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
