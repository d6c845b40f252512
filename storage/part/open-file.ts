/** An open part file: its footer, and its chunks one at a time, everything checked before it is believed. */
import { CorruptPartError } from '../errors.ts'
import type { Filesystem } from '../filesystem.ts'
import type { ChunkPlace } from './block-index.ts'
import { ByteSource } from './bytes.ts'
import { crc32 } from './checksum.ts'
import { type ChunkHead, headOf, openChunk } from './chunk.ts'
import { MADE_ANEW } from './encodings/index.ts'
import { type Footer, readFooter } from './footer.ts'
import {
  CHUNK_HEADER_BYTES,
  FORMAT_VERSION,
  HEADER_BYTES,
  HEADER_MAGIC,
  KIND_FOOTER,
  TRAILER_BYTES,
  TRAILER_MAGIC,
} from './format.ts'
import './zstd-ready.ts'

export interface OpenPartFile {
  readonly footer: Footer
  readonly sizeBytes: number
  /** Of the footer's chunk, and the checksum that stands in it: with the size, what tells one part from another. */
  readonly footerLength: number
  readonly footerCrc: number
  /**
   * Reads the chunk at `place` and has `read` make something of its payload.
   * @throws {CorruptPartError} when the chunk is damaged or `read` finds that it does not make sense.
   */
  decode<T>(place: ChunkPlace, kind: number, what: string, read: (source: ByteSource, encoding: number) => T): T
  /** `make` goes on with what `decode` read from `place` earlier. @throws {CorruptPartError} when it finds that it does not make sense. */
  goOn<T>(place: ChunkPlace, what: string, make: () => T): T
  /** The header of the chunk at `place`; its payload is neither read nor checked. @throws {CorruptPartError} when there is no room for one. */
  head(place: ChunkPlace): ChunkHead
  /** Did one of the last reads wait for the disk? */
  readonly isSlow: boolean
  /** Has the system fetch the chunk at `place`, which will be read soon. */
  readAhead(place: ChunkPlace): void
  close(): void
}

/** @throws {CorruptPartError} naming the file until the footer has told the part's id. */
export function openPartFile(filesystem: Filesystem, path: string): OpenPartFile {
  const sizeBytes = filesystem.sizeOf(path)
  const fd = filesystem.open(path, 'r')
  try {
    const unnamed = new PartFileReader(filesystem, fd, nameOf(path), sizeBytes)
    const { footer, length: footerLength, crc: footerCrc } = unnamed.readFooter()
    const file = new PartFileReader(filesystem, fd, footer.id, sizeBytes)
    return {
      footer,
      sizeBytes,
      footerLength,
      footerCrc,
      decode: (place, kind, what, read) => file.decode(place, kind, what, read),
      goOn: (place, what, make) => file.goOn(place, what, make),
      head: place => file.head(place),
      get isSlow() {
        return file.isSlow
      },
      readAhead: place => file.readAhead(place),
      close: () => file.close(),
    }
  } catch (error) {
    filesystem.close(fd)
    throw error
  }
}

/** What is read of a chunk that is opened at once: 2,000 new pages of memory for 7.6 MB of them took 3 ms. Of the thread; larger chunks get memory of their own. */
const SCRATCH_BYTES = 2 ** 21
let scratch: Buffer | null = null

function scratchOf(length: number): Buffer {
  if (length > SCRATCH_BYTES) return Buffer.allocUnsafeSlow(length)
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  return scratch.subarray(0, length)
}

/** The same for what is only looked at while a column is made of it. */
let rawScratch: Uint8Array | null = null

function rawMemoryFor(encoding: number, length: number): Uint8Array {
  if (length > SCRATCH_BYTES || !MADE_ANEW.has(encoding)) return new Uint8Array(length)
  rawScratch ??= new Uint8Array(SCRATCH_BYTES)
  return rawScratch.subarray(0, length)
}

/** Memory gives a megabyte in 0.1 ms, and what is not from there takes longer than this however little it is. */
const SLOW_MS = 0.08
const SLOW_BYTES_PER_MS = 2e6
/** One slow read is told of for so many more: what was read ahead is quick. */
const SLOW_READS = 8

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.part$/, '')

class PartFileReader {
  readonly #filesystem: Filesystem
  readonly #part: string
  readonly #sizeBytes: number
  #fd: number | null
  /** Reads that are still told of as slow. */
  #slowReads = 0
  /** What the system is fetching. */
  #ahead = 0
  /** Called when that is over. */
  #whenFetched: (() => void) | null = null

  constructor(filesystem: Filesystem, fd: number, part: string, sizeBytes: number) {
    this.#filesystem = filesystem
    this.#fd = fd
    this.#part = part
    this.#sizeBytes = sizeBytes
  }

  readFooter(): { footer: Footer; length: number; crc: number } {
    const trailerOffset = this.#sizeBytes - TRAILER_BYTES
    if (trailerOffset < HEADER_BYTES + CHUNK_HEADER_BYTES) {
      throw this.#damaged(this.#sizeBytes, 'the file is too short for a part')
    }
    this.#checkMagic(this.#readAt(0, HEADER_BYTES), HEADER_MAGIC, 0, 'header')
    const trailer = this.#readAt(trailerOffset, TRAILER_BYTES)
    this.#checkMagic(trailer.subarray(8), TRAILER_MAGIC, trailerOffset + 8, 'trailer')
    if (crc32(trailer.subarray(0, 4)) !== trailer.readUInt32LE(4)) {
      throw this.#damaged(trailerOffset, 'trailer: the checksum does not match')
    }
    const length = trailer.readUInt32LE(0)
    const footer = this.decode({ offset: trailerOffset - length, length }, KIND_FOOTER, 'footer', readFooter)
    let rowCount = 0
    for (const block of footer.blocks) rowCount += block.rowCount
    if (rowCount !== footer.rowCount) throw this.#damaged(trailerOffset - length, 'footer: the rows do not add up')
    return { footer, length, crc: this.#readAt(trailerOffset - length, 4).readUInt32LE(0) }
  }

  #checkMagic(bytes: Uint8Array, magic: Uint8Array, offset: number, where: string): void {
    for (let index = 0; index < magic.length - 1; index++) {
      if (bytes[index] !== magic[index]) throw this.#damaged(offset + index, `${where}: this is not a part file`)
    }
    const version = bytes[magic.length - 1]
    if (version !== FORMAT_VERSION)
      throw this.#damaged(offset + magic.length - 1, `format version ${version} is not known`)
  }

  decode<T>(place: ChunkPlace, kind: number, what: string, read: (source: ByteSource, encoding: number) => T): T {
    const { offset, length } = place
    if (offset < HEADER_BYTES || offset + length > this.#sizeBytes - TRAILER_BYTES) {
      throw this.#damaged(offset, `${what}: outside the file`)
    }
    const bytes = this.#readAt(offset, length, scratchOf(length))
    const { raw, lanes, encoding } = openChunk(bytes, kind, this.#part, place, what, rawMemoryFor)
    return this.goOn(place, what, () => read(new ByteSource(raw, lanes), encoding))
  }

  goOn<T>(place: ChunkPlace, what: string, make: () => T): T {
    try {
      return make()
    } catch (error) {
      // A dictionary that is damaged says so itself. Anything else here is a payload that passed its checksum and makes no sense.
      if (error instanceof CorruptPartError || !(error instanceof RangeError)) throw error
      throw this.#damaged(place.offset, `${what}: ${error.message}`)
    }
  }

  head(place: ChunkPlace): ChunkHead {
    if (place.offset < HEADER_BYTES || place.offset + CHUNK_HEADER_BYTES > this.#sizeBytes - TRAILER_BYTES)
      throw this.#damaged(place.offset, 'a chunk outside the file')
    return headOf(this.#readAt(place.offset, CHUNK_HEADER_BYTES))
  }

  #readAt(offset: number, length: number, bytes: Buffer = Buffer.allocUnsafeSlow(length)): Buffer {
    if (this.#fd === null) throw new Error(`part ${this.#part} has been closed`)
    const startedAt = performance.now()
    let done = 0
    while (done < length) {
      const count = this.#filesystem.read(this.#fd, bytes, done, length - done, offset + done)
      if (count <= 0) throw this.#damaged(offset + done, 'the file ends here')
      done += count
    }
    const isSlow = performance.now() - startedAt > SLOW_MS + length / SLOW_BYTES_PER_MS
    this.#slowReads = isSlow ? SLOW_READS : Math.max(0, this.#slowReads - 1)
    return bytes
  }

  get isSlow(): boolean {
    return this.#slowReads > 0
  }

  readAhead({ offset, length }: ChunkPlace): void {
    if (this.#fd === null || offset + length > this.#sizeBytes) return
    this.#ahead++
    this.#filesystem.readAhead(this.#fd, offset, length, () => {
      this.#ahead--
      if (this.#ahead === 0) this.#whenFetched?.()
    })
  }

  close(): void {
    if (this.#fd === null) return
    const fd = this.#fd
    this.#fd = null
    // Its number may be another file's as soon as it is closed.
    if (this.#ahead > 0) this.#whenFetched = () => this.#close(fd)
    else this.#close(fd)
  }

  #close(fd: number): void {
    try {
      this.#filesystem.close(fd)
    } catch {
      // Only read from: nothing is lost with it.
    }
  }

  #damaged(offset: number, what: string): CorruptPartError {
    return new CorruptPartError(this.#part, offset, what)
  }
}
