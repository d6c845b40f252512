/**
 * Snappy, the block format (Loki, Prometheus, OTLP) and the framed one. Ours, because the packages for it that need no compiler take a
 * block cut short for a whole one and fill the rest with zeros: events would change on the way in without a word.
 *
 * Formats: google/snappy, format_description.txt and framing_format.txt.
 */
import { DecodedTooLargeError, DecodingError } from './errors.ts'

/** No element makes more than 64 bytes of three, so a block that claims more is not one. */
const MOST_EXPANSION = 64
const STREAM_START = Buffer.from([0xff, 6, 0, 0, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59])
const CHUNK_BYTES_MAX = 65_536

/** One block, or frames: senders say `snappy` of both. */
export function decodeSnappy(body: Buffer, limit: number): Buffer {
  const isFramed = body.length >= STREAM_START.length && body.subarray(0, STREAM_START.length).equals(STREAM_START)
  return isFramed ? decodeSnappyFrames(body, limit) : decodeBlock(body, limit)
}

/** Chunks of at most 64 KiB, each with a checksum. */
export function decodeSnappyFrames(body: Buffer, limit: number): Buffer {
  if (!body.subarray(0, STREAM_START.length).equals(STREAM_START)) throw new DecodingError('no stream identifier')
  const pieces: Buffer[] = []
  let size = 0
  for (let at = STREAM_START.length; at < body.length; ) {
    if (at + 4 > body.length) throw new DecodingError('a chunk header is cut short')
    const type = body[at]!
    const end = at + 4 + body.readUIntLE(at + 1, 3)
    if (end > body.length) throw new DecodingError('a chunk is cut short')
    if (type <= 1) {
      const piece = decodeChunk(body.subarray(at + 4, end), type === 0)
      size += piece.length
      if (size > limit) throw new DecodedTooLargeError()
      pieces.push(piece)
    } else if (type < 0x80) throw new DecodingError(`chunk type ${type} is not known`)
    at = end
  }
  return Buffer.concat(pieces, size)
}

function decodeChunk(chunk: Buffer, isCompressed: boolean): Buffer {
  if (chunk.length < 4) throw new DecodingError('a chunk has no checksum')
  const bytes = isCompressed ? decodeBlock(chunk.subarray(4), CHUNK_BYTES_MAX) : chunk.subarray(4)
  if (bytes.length > CHUNK_BYTES_MAX) throw new DecodingError('a chunk is too long')
  if (maskedChecksum(bytes) !== chunk.readUInt32LE(0)) throw new DecodingError('a checksum does not match')
  return bytes
}

function decodeBlock(body: Buffer, limit: number): Buffer {
  const { length, start } = claimedLength(body)
  if (length > limit) throw new DecodedTooLargeError()
  if (length > body.length * MOST_EXPANSION) throw new DecodingError('the block is cut short')
  const output = Buffer.allocUnsafe(length)
  if (decodeElements(body, start, output) !== length) throw new DecodingError('the block is shorter than it claims')
  return output
}

/** A varint of at most 32 bits. */
function claimedLength(body: Buffer): { readonly length: number; readonly start: number } {
  let length = 0
  for (let i = 0; i < 5 && i < body.length; i++) {
    length += (body[i]! & 0x7f) * 2 ** (7 * i)
    if (body[i]! < 0x80) return { length, start: i + 1 }
  }
  throw new DecodingError('the block has no length')
}

/** @returns how many bytes were made; never more than `output` holds. */
function decodeElements(body: Buffer, start: number, output: Buffer): number {
  let at = start
  let made = 0
  while (at < body.length) {
    const tag = body[at++]!
    const kind = tag & 3
    if (kind === 0) {
      let length = (tag >>> 2) + 1
      if (length > 60) {
        const width = length - 60
        if (at + width > body.length) throw new DecodingError('a literal has no length')
        length = body.readUIntLE(at, width) + 1
        at += width
      }
      if (at + length > body.length || made + length > output.length) throw new DecodingError('a literal is too long')
      body.copy(output, made, at, at + length)
      at += length
      made += length
      continue
    }
    const width = kind === 3 ? 4 : kind
    if (at + width > body.length) throw new DecodingError('a copy has no offset')
    const length = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    const offset = kind === 1 ? ((tag >>> 5) << 8) | body[at]! : body.readUIntLE(at, width)
    at += width
    if (offset === 0 || offset > made || made + length > output.length) throw new DecodingError('a copy points nowhere')
    // Byte by byte: source and target overlap where a pattern repeats.
    for (let i = 0; i < length; i++) output[made + i] = output[made + i - offset]!
    made += length
  }
  return made
}

const CRC32C = crcTable(0x82f63b78)

function maskedChecksum(bytes: Buffer): number {
  let crc = 0xffffffff
  for (let i = 0; i < bytes.length; i++) crc = CRC32C[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8)
  crc = ~crc >>> 0
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

function crcTable(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, n) => {
    let value = n
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1
    return value
  })
}
