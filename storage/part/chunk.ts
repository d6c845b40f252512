/** Chunks on their way to the file and back: framed, compressed when that helps, and checked before anyone looks inside. */
import { CorruptPartError } from '../errors.ts'
import type { Codec } from '../index.ts'
import { SPARE_BYTES_MIN, spareMemory } from '../spare-memory.ts'
import type { ChunkPlace } from './block-index.ts'
import { crc32 } from './checksum.ts'
import { compressBlock, decompressBlock } from './codec.ts'
import { CHUNK_BYTES_MAX, CHUNK_HEADER_BYTES, CODEC_LZ4, CODEC_NONE, CODEC_ZSTD, KIND_FILTER } from './format.ts'
import { compressZstd, decompressZstd } from './zstd.ts'

/** How chunks are written; every reader reads all of them. */
export interface Compression {
  readonly codec: Codec
  /** Of zstd: 1 where events wait, more where they do not. */
  readonly level: number
}

/** Where events wait for the part to be written. */
export const FAST_COMPRESSION: Compression = { codec: 'zstd', level: 1 }
/** Where nobody does. It reads as quickly. */
export const THOROUGH_COMPRESSION: Compression = { codec: 'zstd', level: 9 }

export interface Chunk {
  readonly encoding: number
  /** The payload as it was before compression; memory of its own. */
  readonly raw: Uint8Array
}

/** What a chunk says of itself before its payload. */
export interface ChunkHead {
  readonly codec: number
  readonly encoding: number
  readonly kind: number
  readonly storedLength: number
  readonly rawLength: number
}

/** @param bytes  a chunk, or its header alone */
export function headOf(bytes: Buffer): ChunkHead {
  return {
    codec: bytes[4]!,
    encoding: bytes[5]!,
    kind: bytes[6]!,
    storedLength: bytes.readUInt32LE(8),
    rawLength: bytes.readUInt32LE(12),
  }
}

/** The bytes of a chunk, header included, in memory that may be spare: `chunkIsWritten` gives it back. @throws {RangeError} when the payload is too large for one. */
export function frameChunk(
  kind: number,
  encoding: number,
  raw: Uint8Array,
  compression: Compression = FAST_COMPRESSION,
): Uint8Array {
  if (raw.length > CHUNK_BYTES_MAX) throw new RangeError(`a chunk of ${raw.length} bytes is too large`)
  // The bits of a filter are as good as random.
  const { codec, stored } = kind === KIND_FILTER ? { codec: CODEC_NONE, stored: raw } : compressed(raw, compression)
  const length = CHUNK_HEADER_BYTES + stored.length
  const bytes =
    length < SPARE_BYTES_MIN ? Buffer.allocUnsafe(length) : Buffer.from(spareMemory.take(length).buffer, 0, length)
  bytes[4] = codec
  bytes[5] = encoding
  bytes[6] = kind
  bytes[7] = 0
  bytes.writeUInt32LE(stored.length, 8)
  bytes.writeUInt32LE(raw.length, 12)
  bytes.set(stored, CHUNK_HEADER_BYTES)
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0)
  return bytes
}

/** Nobody looks at it any more. */
export function chunkIsWritten(chunk: Uint8Array): void {
  if (chunk.length >= SPARE_BYTES_MIN) spareMemory.give(chunk.buffer as ArrayBuffer)
}

/** Below this nothing shrinks enough to pay for decompressing it. */
const COMPRESS_BYTES_MIN = 32

/** The raw bytes when compressing them does not save more than one in sixteen. */
function compressed(raw: Uint8Array, { codec, level }: Compression): { codec: number; stored: Uint8Array } {
  const asItIs = { codec: CODEC_NONE, stored: raw }
  if (codec === 'none' || raw.length < COMPRESS_BYTES_MIN) return asItIs
  const byZstd = codec === 'zstd' ? compressZstd(raw, level) : null
  if (byZstd !== null)
    return byZstd.length < raw.length - (raw.length >>> 4) ? { codec: CODEC_ZSTD, stored: byZstd } : asItIs
  // The block begins with the raw length, which ends a chunk's header as well: see codec.ts.
  const framed = compressBlock(raw)
  return framed === null ? asItIs : { codec: CODEC_LZ4, stored: framed.subarray(4) }
}

/** Checks and opens a chunk that was read from `place`; nothing of `bytes` is held. @throws {CorruptPartError} */
export function openChunk(bytes: Buffer, kind: number, part: string, place: ChunkPlace, what: string): Chunk {
  const damaged = (reason: string) => new CorruptPartError(part, place.offset, `${what}: ${reason}`)
  if (bytes.length < CHUNK_HEADER_BYTES) throw damaged('shorter than a chunk header')
  if (crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) throw damaged('the checksum does not match')
  const codec = bytes[4]!
  const rawLength = bytes.readUInt32LE(12)
  if (bytes.readUInt32LE(8) !== bytes.length - CHUNK_HEADER_BYTES) throw damaged('the length does not match')
  if (bytes[6] !== kind) throw damaged(`a chunk of kind ${bytes[6]} where ${kind} belongs`)
  if (rawLength > CHUNK_BYTES_MAX) throw damaged(`${rawLength} bytes are too many`)
  const encoding = bytes[5]!
  if (codec === CODEC_NONE) return { encoding, raw: new Uint8Array(bytes.subarray(CHUNK_HEADER_BYTES)) }
  if (codec !== CODEC_LZ4 && codec !== CODEC_ZSTD) throw damaged(`codec ${codec} is not known`)
  try {
    if (codec === CODEC_ZSTD) return { encoding, raw: decompressZstd(bytes.subarray(CHUNK_HEADER_BYTES), rawLength) }
    return { encoding, raw: decompressBlock(bytes.subarray(CHUNK_HEADER_BYTES - 4)) }
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error))
  }
}
