/** Chunks on their way to the file and back: framed, compressed when that helps, and checked before anyone looks inside. */
import { CorruptPartError } from '../errors.ts'
import type { Codec } from '../index.ts'
import { SPARE_BYTES_MIN, spareMemory } from '../spare-memory.ts'
import type { ChunkPlace } from './block-index.ts'
import type { LanePlace } from './bytes.ts'
import { crc32 } from './checksum.ts'
import { compressBlock, decompressBlock } from './codec.ts'
import {
  CHUNK_BYTES_MAX,
  CHUNK_HEADER_BYTES,
  CODEC_LZ4,
  CODEC_NONE,
  CODEC_PACKED,
  CODEC_ZSTD,
  KIND_FILTER,
} from './format.ts'
import { pack, packingOf, unpack } from './packed.ts'
import { compressZstd, decompressZstd } from './zstd.ts'

/** How chunks are written; every reader reads all of them. */
export interface Compression {
  readonly codec: Codec
  /** Of zstd: 1 where events wait, more where they do not. */
  readonly level: number
  /** Pieces of a chunk tell whether to compress it: a merge is to come that looks at all of it. */
  readonly isSampled?: boolean
}

/** Where events wait for the part to be written. */
export const FAST_COMPRESSION: Compression = { codec: 'zstd', level: 1 }
/** Where nobody does. It reads as quickly. */
export const THOROUGH_COMPRESSION: Compression = { codec: 'zstd', level: 9 }

export interface Chunk {
  readonly encoding: number
  /** The payload as it was before compression. */
  readonly raw: Uint8Array
  /** What is known of lanes in it. */
  readonly lanes: readonly LanePlace[]
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
  /** Of numbers in it that may be packed. */
  lanes: readonly LanePlace[] = [],
): Uint8Array {
  if (raw.length > CHUNK_BYTES_MAX) throw new RangeError(`a chunk of ${raw.length} bytes is too large`)
  // The bits of a filter are as good as random.
  const { codec, stored } =
    kind === KIND_FILTER ? { codec: CODEC_NONE, stored: raw } : compressed(raw, compression, lanes)
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

/**
 * Packed lanes may be so many times as large as compressed ones: they are read ten times as quickly (`packed.ts`). Codes and lanes without order are
 * 0.9 to 1.5 times as large, 3.6 MB of the 85 of 2 M seeded events; those of real logs, which have runs, 2.5 to 19 times, and stay compressed.
 */
const PACKED_TIMES_MAX = 1.5

interface Stored {
  readonly codec: number
  readonly stored: Uint8Array
}

function compressed(raw: Uint8Array, compression: Compression, lanes: readonly LanePlace[]): Stored {
  const asItIs = { codec: CODEC_NONE, stored: raw }
  if (compression.codec === 'none' || raw.length < COMPRESS_BYTES_MIN) return asItIs
  const share = compression.isSampled === true ? shareOfSample(raw, compression) : null
  if (!areMostOf(raw, lanes)) return share === 1 ? asItIs : compressedBytes(raw, compression)
  const packing = packingOf(raw, lanes)
  // Less of them is compressed than of all of it would be: what is close is packed.
  if (share === null || packing.byteLength > PACKED_TIMES_MAX * share * raw.length) {
    const asBytes = compressedBytes(raw, compression)
    if (packing.byteLength > PACKED_TIMES_MAX * asBytes.stored.length) return asBytes
  }
  return packing.byteLength < raw.length ? { codec: CODEC_PACKED, stored: pack(raw, packing) } : asItIs
}

/** Pieces of a chunk, and the bytes of each: an eighth of 64 K codes of one byte. */
const SAMPLE_PIECES = 2
const SAMPLE_BYTES = 4096
const SAMPLED_FROM_BYTES = 4 * SAMPLE_PIECES * SAMPLE_BYTES

const sample = new Uint8Array(SAMPLE_PIECES * SAMPLE_BYTES)

/** What is left of pieces of it, compressed, of 1: 1 where that is not worth it; null: there is little of it. */
function shareOfSample(raw: Uint8Array, compression: Compression): number | null {
  if (raw.length < SAMPLED_FROM_BYTES) return null
  for (let piece = 0; piece < SAMPLE_PIECES; piece++) {
    const from = Math.floor(((2 * piece + 1) * raw.length) / (2 * SAMPLE_PIECES))
    sample.set(raw.subarray(from, from + SAMPLE_BYTES), piece * SAMPLE_BYTES)
  }
  return compressedBytes(sample, compression).stored.length / sample.length
}

/** Of text it is the text that matters. */
function areMostOf(raw: Uint8Array, lanes: readonly LanePlace[]): boolean {
  let bytes = 0
  for (const { width, count } of lanes) bytes += width * count
  return bytes >= raw.length - raw.length / 8
}

/** The raw bytes when compressing them does not save more than one in sixteen. */
function compressedBytes(raw: Uint8Array, { codec, level }: Compression): Stored {
  const asItIs = { codec: CODEC_NONE, stored: raw }
  const byZstd = codec === 'zstd' ? compressZstd(raw, level) : null
  if (byZstd !== null)
    return byZstd.length < raw.length - (raw.length >>> 4) ? { codec: CODEC_ZSTD, stored: byZstd } : asItIs
  // The block begins with the raw length, which ends a chunk's header as well: see codec.ts.
  const framed = compressBlock(raw)
  return framed === null ? asItIs : { codec: CODEC_LZ4, stored: framed.subarray(4) }
}

/**
 * Checks and opens a chunk that was read from `place`; nothing of `bytes` is held.
 *
 * @param memoryFor  for the payload of a chunk of that encoding, which may hold anything; memory of its own is made where no copy is needed
 * @throws {CorruptPartError}
 */
export function openChunk(
  bytes: Buffer,
  kind: number,
  part: string,
  place: ChunkPlace,
  what: string,
  memoryFor: (encoding: number, length: number) => Uint8Array = (_, length) => new Uint8Array(length),
): Chunk {
  const damaged = (reason: string) => new CorruptPartError(part, place.offset, `${what}: ${reason}`)
  if (bytes.length < CHUNK_HEADER_BYTES) throw damaged('shorter than a chunk header')
  if (crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) throw damaged('the checksum does not match')
  const codec = bytes[4]!
  const rawLength = bytes.readUInt32LE(12)
  if (bytes.readUInt32LE(8) !== bytes.length - CHUNK_HEADER_BYTES) throw damaged('the length does not match')
  if (bytes[6] !== kind) throw damaged(`a chunk of kind ${bytes[6]} where ${kind} belongs`)
  if (rawLength > CHUNK_BYTES_MAX) throw damaged(`${rawLength} bytes are too many`)
  const encoding = bytes[5]!
  const stored = bytes.subarray(CHUNK_HEADER_BYTES)
  try {
    if (codec === CODEC_NONE || codec === CODEC_PACKED) {
      const raw = memoryFor(encoding, codec === CODEC_NONE ? stored.length : rawLength)
      if (codec === CODEC_PACKED) return { encoding, raw, lanes: unpack(stored, raw) }
      raw.set(stored)
      return { encoding, raw, lanes: [] }
    }
    if (codec === CODEC_ZSTD) return { encoding, raw: decompressZstd(stored, rawLength), lanes: [] }
    if (codec === CODEC_LZ4)
      return { encoding, raw: decompressBlock(bytes.subarray(CHUNK_HEADER_BYTES - 4)), lanes: [] }
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error))
  }
  throw damaged(`codec ${codec} is not known`)
}
