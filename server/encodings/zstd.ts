/**
 * Zstandard: by the runtime where it can (Node 22.15 and newer, in its own threads), else by a small package. Before that package sees a
 * byte, the frames are walked over here: it would reserve whatever window a header claims, and reads past missing bytes.
 *
 * Format: RFC 8878.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import { Decompress, decompress } from 'fzstd'
import createHasher from 'xxhash-wasm'
import { DecodedTooLargeError, DecodingError } from './errors.ts'

type Native = (
  body: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void

const { zstdDecompress } = zlib as unknown as { readonly zstdDecompress?: Native }

export function decodeZstd(body: Buffer, limit: number): Promise<Buffer> {
  return zstdDecompress === undefined ? decodeInJavaScript(body, limit) : decodeNatively(zstdDecompress, body, limit)
}

function decodeNatively(native: Native, body: Buffer, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    native(body, { maxOutputLength: limit }, (error, result) => (error === null ? resolve(result) : reject(error)))
  })
}

interface Frame {
  readonly start: number
  readonly end: number
  /** What its header says it decodes to; null: it does not say. */
  readonly claimed: number | null
  /** Null: the frame has none. */
  readonly checksum: number | null
}

const MAGIC = 0xfd2fb528
const BLOCK_BYTES_MAX = 131_072
/** RFC 9659: no content encoding needs more. Only frames that do not say their size are decoded through a window. */
const WINDOW_BYTES_MAX = 8 * 1024 * 1024
const PIECE_BYTES = 65_536

/** Exported for the tests, which run on runtimes that would never come here. */
export async function decodeInJavaScript(body: Buffer, limit: number): Promise<Buffer> {
  const { h64Raw } = await HASHER
  const pieces: Uint8Array[] = []
  let size = 0
  for (const frame of frames(body, limit)) {
    const bytes = body.subarray(frame.start, frame.end)
    const room = limit - size
    if (frame.claimed !== null && frame.claimed > room) throw new DecodedTooLargeError()
    // The package decodes into a buffer of the exact size at once; without the size it shifts a window at every block, ten times slower.
    const piece =
      frame.claimed === null ? await decodeStream(bytes, room) : decompress(bytes, new Uint8Array(frame.claimed))
    size += piece.length
    if (frame.checksum !== null && Number(h64Raw(piece) & 0xffffffffn) !== frame.checksum)
      throw new DecodingError('a checksum does not match')
    pieces.push(piece)
    await nextTurn()
  }
  return pieces.length === 1 ? Buffer.from(pieces[0]!.buffer, 0, size) : Buffer.concat(pieces, size)
}

async function decodeStream(bytes: Buffer, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  const stream = new Decompress(piece => {
    size += piece.length
    if (size > limit) throw new DecodedTooLargeError()
    pieces.push(piece)
  })
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    stream.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length)
    await nextTurn()
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

const HASHER = createHasher()

/** The frames of the body, each whole. @throws when one is cut short, or says of itself that it is too large. */
function* frames(body: Buffer, limit: number): Generator<Frame> {
  let at = 0
  while (at < body.length) {
    if (at + 8 > body.length) throw new DecodingError('a frame is cut short')
    const magic = body.readUInt32LE(at)
    if (magic >>> 4 === 0x184d2a5) {
      at += 8 + body.readUInt32LE(at + 4)
      if (at > body.length) throw new DecodingError('a skippable frame is cut short')
      continue
    }
    if (magic !== MAGIC) throw new DecodingError('this is not zstd')
    const frame = readFrame(body, at, limit)
    yield frame
    at = frame.end
  }
}

function readFrame(body: Buffer, start: number, limit: number): Frame {
  const flags = body[start + 4]!
  const isSingle = (flags & 0x20) !== 0
  if (flags & 8) throw new DecodingError('a reserved bit is set')
  const dictionaryWidth = [0, 1, 2, 4][flags & 3]!
  const sizeWidth = flags >>> 6 === 0 ? (isSingle ? 1 : 0) : 1 << (flags >>> 6)
  let at = start + 5
  if (at + 1 + dictionaryWidth + sizeWidth > body.length) throw new DecodingError('a frame header is cut short')
  let windowSize = 0
  if (!isSingle) {
    const descriptor = body[at++]!
    const least = 2 ** (10 + (descriptor >>> 3))
    windowSize = least + (least / 8) * (descriptor & 7)
  }
  if (dictionaryWidth > 0 && body.readUIntLE(at, dictionaryWidth) !== 0)
    throw new DecodingError('it needs a dictionary that nobody has')
  at += dictionaryWidth
  const claimed = sizeWidth === 0 ? null : claimedSize(body, at, sizeWidth)
  if (claimed !== null && claimed > limit) throw new DecodedTooLargeError()
  if (claimed === null && windowSize > WINDOW_BYTES_MAX) throw new DecodedTooLargeError()
  const blocks = walkBlocks(body, at + sizeWidth, limit)
  if (claimed !== null && claimed > blocks.sizeMax) throw new DecodingError('a frame claims more than it holds')
  const hasChecksum = (flags & 4) !== 0
  const end = blocks.end + (hasChecksum ? 4 : 0)
  if (end > body.length) throw new DecodingError('a frame is cut short')
  return {
    start,
    end,
    claimed,
    checksum: hasChecksum ? body.readUInt32LE(blocks.end) : null,
  }
}

function claimedSize(body: Buffer, at: number, width: number): number {
  if (width === 8) return Number(body.readBigUInt64LE(at))
  return body.readUIntLE(at, width) + (width === 2 ? 256 : 0)
}

/** `sizeMax`: what the blocks can make at most; of raw and repeated ones that is known exactly. */
function walkBlocks(body: Buffer, start: number, limit: number): { readonly end: number; readonly sizeMax: number } {
  let at = start
  let known = 0
  let compressed = 0
  for (;;) {
    if (at + 3 > body.length) throw new DecodingError('a block header is cut short')
    const header = body.readUIntLE(at, 3)
    const size = header >>> 3
    const type = (header >>> 1) & 3
    if (type === 3 || size > BLOCK_BYTES_MAX) throw new DecodingError('a block is not valid')
    at += 3 + (type === 1 ? 1 : size)
    if (at > body.length) throw new DecodingError('a block is cut short')
    if (type === 2) compressed++
    else known += size
    if (known > limit) throw new DecodedTooLargeError()
    if (header & 1) return { end: at, sizeMax: known + compressed * BLOCK_BYTES_MAX }
  }
}
