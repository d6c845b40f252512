/** Chunks on their way to the file and back: framed, compressed when that helps, and checked before anyone looks inside. */
import { CorruptPartError } from '../errors.ts'
import type { ChunkPlace } from './block-index.ts'
import { crc32 } from './checksum.ts'
import { compressBlock, decompressBlock } from './codec.ts'
import { CHUNK_BYTES_MAX, CHUNK_HEADER_BYTES, CODEC_LZ4, CODEC_NONE, KIND_FILTER } from './format.ts'

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

/** The bytes of a chunk, header included. @throws {RangeError} when the payload is too large for one. */
export function frameChunk(kind: number, encoding: number, raw: Uint8Array): Uint8Array {
  if (raw.length > CHUNK_BYTES_MAX) throw new RangeError(`a chunk of ${raw.length} bytes is too large`)
  // The bits of a filter are as good as random.
  const compressed = kind === KIND_FILTER ? null : compressBlock(raw)
  // A compressed block brings the raw length that ends the header: see codec.ts.
  const stored = compressed === null ? raw.length : compressed.length - 4
  const bytes = Buffer.allocUnsafe(CHUNK_HEADER_BYTES + stored)
  bytes[4] = compressed === null ? CODEC_NONE : CODEC_LZ4
  bytes[5] = encoding
  bytes[6] = kind
  bytes[7] = 0
  bytes.writeUInt32LE(stored, 8)
  bytes.writeUInt32LE(raw.length, 12)
  if (compressed === null) bytes.set(raw, CHUNK_HEADER_BYTES)
  else bytes.set(compressed, CHUNK_HEADER_BYTES - 4)
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0)
  return bytes
}

/** Checks and opens a chunk that was read from `place`. @throws {CorruptPartError} */
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
  if (codec === CODEC_NONE) return { encoding, raw: bytes.subarray(CHUNK_HEADER_BYTES) }
  if (codec !== CODEC_LZ4) throw damaged(`codec ${codec} is not known`)
  try {
    return { encoding, raw: decompressBlock(bytes.subarray(CHUNK_HEADER_BYTES - 4)) }
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error))
  }
}
