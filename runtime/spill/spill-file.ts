/**
 * A temporary file of frames, written once from its start to its end and read frame by frame, as often as needed. A frame is a chunk as in
 * part files: a checksum, LZ4 where that saves something, and the columns of `frame.ts` inside.
 */
import { frameChunk, openChunk } from '../../storage/part/chunk.ts'
import type { SpillDisk } from './disk.ts'

/** A temporary file does not read as it was written: the disk, or somebody, changed it. */
export class SpillReadError extends Error {
  constructor(path: string, reason: string) {
    super(`the temporary file ${path} cannot be read back: ${reason}; run the query again`)
    this.name = 'SpillReadError'
  }
}

export interface FileOwner {
  /** Before so many bytes are written. @throws when they are too many */
  grows(bytes: number): void
  /** What to throw when the system fails to write. */
  failed(error: unknown): Error
  removed(bytes: number): void
}

/** Chunks of a part file have kinds of their own; these never lie in one. */
const KIND_FRAME = 64

export class SpillFile {
  readonly #disk: SpillDisk
  readonly #fd: number
  readonly #path: string
  readonly #owner: FileOwner
  /** By frame. */
  readonly #places: { readonly offset: number; readonly length: number }[] = []
  #bytes = 0
  #isRemoved = false

  constructor(disk: SpillDisk, { fd, path }: { readonly fd: number; readonly path: string }, owner: FileOwner) {
    this.#disk = disk
    this.#fd = fd
    this.#path = path
    this.#owner = owner
  }

  get frameCount(): number {
    return this.#places.length
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Returns the number of the frame. */
  write(frame: Uint8Array): number {
    const bytes = frameChunk(KIND_FRAME, 0, frame)
    this.#owner.grows(bytes.length)
    try {
      this.#disk.write(this.#fd, bytes, this.#bytes)
    } catch (error) {
      throw this.#owner.failed(error)
    }
    this.#bytes += bytes.length
    return this.#places.push({ offset: this.#bytes - bytes.length, length: bytes.length }) - 1
  }

  /** @throws {SpillReadError} */
  read(frame: number): Uint8Array {
    const place = this.#places[frame]!
    const bytes = Buffer.allocUnsafeSlow(place.length)
    try {
      this.#disk.read(this.#fd, bytes, place.offset)
      return openChunk(bytes, KIND_FRAME, this.#path, place, 'a frame').raw
    } catch (error) {
      throw new SpillReadError(this.#path, error instanceof Error ? error.message : String(error))
    }
  }

  /** May be called again. */
  remove(): void {
    if (this.#isRemoved) return
    this.#isRemoved = true
    try {
      this.#disk.close(this.#fd)
      this.#disk.remove(this.#path)
    } finally {
      this.#owner.removed(this.#bytes)
    }
  }
}
