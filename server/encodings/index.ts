/**
 * Content encodings of request bodies, undone. Every decoder knows how much it may produce and stops there: a small archive must not fill
 * the memory. To add one: its file, one line here.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { decodeSnappy, decodeSnappyFrames } from './snappy.ts'
import { decodeZstd } from './zstd.ts'

/** @throws {Error} with the code `ERR_BUFFER_TOO_LARGE` beyond `limit` bytes, any other for bytes that are not of the encoding. */
export type Decoder = (body: Buffer, limit: number) => Promise<Buffer>

export const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', withLimit(promisify(gunzip))],
  ['x-gzip', withLimit(promisify(gunzip))],
  ['deflate', inflateEither],
  ['br', withLimit(promisify(brotliDecompress))],
  ['zstd', decodeZstd],
  ['snappy', async (body, limit) => decodeSnappy(body, limit)],
  ['x-snappy-framed', async (body, limit) => decodeSnappyFrames(body, limit)],
])

/** What clients are told. */
export const SUPPORTED_ENCODINGS = 'gzip, deflate, br, zstd, snappy'

function withLimit(decompress: (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>): Decoder {
  return (body, limit) => decompress(body, { maxOutputLength: limit })
}

/** `deflate` means zlib by the standard and raw deflate by the habit of some clients; the first bytes tell. */
function inflateEither(body: Buffer, limit: number): Promise<Buffer> {
  const isZlib = body.length >= 2 && (body[0]! & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0
  return promisify(isZlib ? inflate : inflateRaw)(body, { maxOutputLength: limit })
}
