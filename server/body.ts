/**
 * Request bodies as bytes, whatever their content type claims: shippers label NDJSON in a dozen ways. Content encodings are undone
 * here, and the size limit holds for the encoded and for the decoded bytes, so that a small archive cannot fill the memory.
 */
import type { Readable } from 'node:stream'
import { DECODERS, SUPPORTED_ENCODINGS } from './encodings/index.ts'
import { RequestError } from './errors.ts'

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
      suggestion: `${SUPPORTED_ENCODINGS} or none`,
      headers: { 'Accept-Encoding': SUPPORTED_ENCODINGS },
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

function tooLarge(limit: number): RequestError {
  return new RequestError('PAYLOAD_TOO_LARGE', `the body is larger than ${limit} bytes`, {
    suggestion: 'send fewer events per request, or raise ingest.max_body_size',
  })
}
