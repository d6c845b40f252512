/** The file a part is written to: appends are gathered, as a block of a thousand rare fields is a thousand small chunks. */
import type { Filesystem } from '../filesystem.ts'
import './zstd-ready.ts'

const GATHER_BYTES = 256 * 1024

export class PartFile {
  readonly #filesystem: Filesystem
  readonly #path: string
  #fd: number | null
  readonly #gathered = new Uint8Array(GATHER_BYTES)
  #gatheredLength = 0
  #writtenLength = 0

  constructor(filesystem: Filesystem, path: string) {
    this.#filesystem = filesystem
    this.#path = path
    this.#fd = filesystem.open(path, 'w')
  }

  /** Bytes appended so far. */
  get length(): number {
    return this.#writtenLength + this.#gatheredLength
  }

  append(bytes: Uint8Array): void {
    if (this.#gatheredLength + bytes.length > GATHER_BYTES) this.#flush()
    if (bytes.length > GATHER_BYTES) {
      this.#write(bytes)
      return
    }
    this.#gathered.set(bytes, this.#gatheredLength)
    this.#gatheredLength += bytes.length
  }

  /** Writes what is left and closes. */
  finish(fsync: boolean): void {
    this.#flush()
    if (fsync) this.#filesystem.fsync(this.#fd!)
    this.#close()
  }

  /** Closes and removes the file after a failure; another failure here would only hide the first. */
  discard(): void {
    try {
      this.#close()
    } catch {
      // The write that failed is what the caller hears of.
    }
    try {
      this.#filesystem.unlink(this.#path)
    } catch {
      // Left for the next start, which removes every `tmp_` file.
    }
  }

  #flush(): void {
    if (this.#gatheredLength === 0) return
    const length = this.#gatheredLength
    this.#gatheredLength = 0
    this.#write(this.#gathered.subarray(0, length))
  }

  #write(bytes: Uint8Array): void {
    let done = 0
    while (done < bytes.length) {
      const count = this.#filesystem.write(this.#fd!, bytes, done, bytes.length - done, this.#writtenLength)
      if (count <= 0) throw new Error(`${this.#path}: nothing more could be written`)
      done += count
      this.#writtenLength += count
    }
  }

  #close(): void {
    if (this.#fd === null) return
    const fd = this.#fd
    this.#fd = null
    this.#filesystem.close(fd)
  }
}
