/**
 * Request bodies as bytes, whatever their content type claims: shippers label NDJSON in a dozen ways. Content encodings are undone
 * here, and the size limit holds for the encoded and for the decoded bytes, so that a small archive cannot fill the memory.
 */
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { RequestError } from './errors.ts'

type Decoder = (body: Buffer, limit: number) => Promise<Buffer>

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', withLimit(promisify(gunzip))],
  ['x-gzip', withLimit(promisify(gunzip))],
  ['deflate', inflateEither],
  ['br', withLimit(promisify(brotliDecompress))],
])
/** Nobody compresses more than twice; each layer costs a pass. */
const MOST_ENCODINGS = 2

/** @throws {RequestError} 413, 415, or 400 for a body that is not what its encoding says. */
export async function readBody(
  stream: Readable,
  headers: { readonly 'content-encoding'?: string | undefined; readonly 'content-length'?: string | undefined },
  limit: number,
): Promise<Buffer> {
  const encodings = encodingsOf(headers['content-encoding'])
  if (Number(headers['content-length']) > limit) throw tooLarge(limit)
  let body = await collect(stream, limit)
  for (const encoding of encodings.reverse()) body = await decode(body, encoding, limit)
  return body
}

function encodingsOf(header: string | undefined): string[] {
  const names = (header ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  const unknown = names.find(name => !DECODERS.has(name))
  if (unknown !== undefined || names.length > MOST_ENCODINGS) {
    throw new RequestError('UNSUPPORTED_MEDIA_TYPE', `content encoding ${names.join(', ')} is not supported`, {
      suggestion: 'gzip, deflate, br or none',
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    })
  }
  return names
}

async function collect(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > limit) break
      chunks.push(chunk)
    }
  } catch {
    // Nobody hears this any more, but it is not our failure and must not be logged as one.
    throw new RequestError('INVALID_REQUEST', 'the connection closed before the body was complete')
  }
  if (size > limit) throw tooLarge(limit)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}

async function decode(body: Buffer, encoding: string, limit: number): Promise<Buffer> {
  try {
    return await DECODERS.get(encoding)!(body, limit)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw new RequestError('INVALID_REQUEST', `the body is not valid ${encoding}`)
  }
}

function withLimit(decompress: (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>): Decoder {
  return (body, limit) => decompress(body, { maxOutputLength: limit })
}

/** `deflate` means zlib by the standard and raw deflate by the habit of some clients; the first byte tells. */
function inflateEither(body: Buffer, limit: number): Promise<Buffer> {
  const isZlib = body.length >= 2 && (body[0]! & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0
  return promisify(isZlib ? inflate : inflateRaw)(body, { maxOutputLength: limit })
}

function tooLarge(limit: number): RequestError {
  return new RequestError('PAYLOAD_TOO_LARGE', `the body is larger than ${limit} bytes`, {
    suggestion: 'send fewer events per request, or raise ingest.max_body_size',
  })
}
