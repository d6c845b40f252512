/** The file operations spilling needs, behind an interface that tests replace: to run out of room, to damage, to count what is left. */
import * as fs from 'node:fs'

export interface SpillDisk {
  /** Makes the directory where it is missing. Only its owner may look inside: rows of events lie there. */
  prepare(directory: string): void
  /** Names in the directory; none when there is no such directory. */
  list(directory: string): readonly string[]
  /** A new file, to be written and read. */
  create(path: string): number
  /** Writes all of it. @throws the system's error (ENOSPC, …) when that fails */
  write(fd: number, bytes: Uint8Array, position: number): void
  /** Fills `into`. @throws when the file ends before */
  read(fd: number, into: Uint8Array, position: number): void
  close(fd: number): void
  remove(path: string): void
}

export const NODE_DISK: SpillDisk = {
  prepare: directory => void fs.mkdirSync(directory, { recursive: true, mode: 0o700 }),
  list: directory => (fs.existsSync(directory) ? fs.readdirSync(directory) : []),
  create: path => fs.openSync(path, 'wx+', 0o600),
  write(fd, bytes, position) {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at, bytes.length - at, position + at)
  },
  read(fd, into, position) {
    for (let at = 0; at < into.length; ) {
      const count = fs.readSync(fd, into, at, into.length - at, position + at)
      if (count === 0) throw new Error(`the file ends at byte ${position + at}`)
      at += count
    }
  },
  close: fd => fs.closeSync(fd),
  remove: path => fs.unlinkSync(path),
}
