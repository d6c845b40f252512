/**
 * Request bodies as bytes, whatever their content type claims: shippers label NDJSON in a dozen ways. Content encodings are undone
 * here, and the size limit holds for the encoded and for the decoded bytes, so that a small archive cannot fill the memory.
 */
import type { Readable } from 'node:stream'
import type { BodyShare } from './body-budget.ts'
import { DECODERS, SUPPORTED_ENCODINGS } from './encodings/index.ts'
import { RequestError } from './errors.ts'

/** Nobody compresses more than twice; each layer costs a pass. */
const MOST_ENCODINGS = 2

/**
 * @param share of the memory for bodies; the caller closes it when the request is over
 * @throws {RequestError} 413, 415, 503 when there is no memory for it, or 400 for a body that is not what its encoding says.
 */
export async function readBody(
  stream: Readable,
  headers: { readonly 'content-encoding'?: string | undefined; readonly 'content-length'?: string | undefined },
  limit: number,
  share: BodyShare,
): Promise<Buffer> {
  const encodings = encodingsOf(headers['content-encoding'])
  const announced = Number(headers['content-length'] ?? 0)
  if (announced > limit) throw tooLarge(limit)
  // All that is announced at once: bodies that are half here could wait for each other.
  if (announced > 0) await share.hold(announced)
  const body = await collect(stream, limit, share, announced)
  if (encodings.length === 0) return body
  return share.decoding(async () => {
    let decoded = body
    for (const encoding of encodings.reverse()) decoded = await decode(decoded, encoding, limit)
    await share.hold(decoded.length)
    return decoded
  })
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

async function collect(stream: Readable, limit: number, share: BodyShare, announced: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > limit) break
      chunks.push(chunk)
      if (size > announced) await share.hold(size)
    }
  } catch (error) {
    if (error instanceof RequestError) throw error
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
