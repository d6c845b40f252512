/** Every content encoding: what it decodes, where it stops, and that damage is never taken for data. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { compress } from 'snappyjs'
import { DECODERS, type Decoder } from '../../../server/encodings/index.ts'
import { decodeInJavaScript } from '../../../server/encodings/zstd.ts'
import { TEXT, ZSTD_BOMB, ZSTD_STREAMED, ZSTD_WHOLE } from './fixtures.ts'

const LIMIT = 1_000_000
const BYTES = Buffer.from(TEXT)

/** `snappyjs` makes blocks only; frames are a header, and chunks with checksums. */
function frame(pieces: readonly Buffer[]): Buffer {
  const chunks = pieces.map(piece => {
    const body = Buffer.concat([Buffer.alloc(4), compress(piece)])
    body.writeUInt32LE(maskedCrc32c(piece), 0)
    return Buffer.concat([Buffer.from([0, body.length & 0xff, (body.length >> 8) & 0xff, body.length >> 16]), body])
  })
  const padding = Buffer.from([0xfe, 2, 0, 0, 9, 9])
  return Buffer.concat([Buffer.from('ff060000734e61507059', 'hex'), padding, ...chunks])
}

function maskedCrc32c(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  crc = ~crc >>> 0
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

const decoderOf = (name: string): Decoder => {
  const decoder = DECODERS.get(name)
  assert.ok(decoder, name)
  return decoder
}

const ENCODED: readonly (readonly [name: string, decoder: Decoder, body: Buffer])[] = [
  ['gzip', decoderOf('gzip'), gzipSync(BYTES)],
  ['x-gzip', decoderOf('x-gzip'), gzipSync(BYTES)],
  [
    'gzip of several members',
    decoderOf('gzip'),
    Buffer.concat([gzipSync(BYTES.subarray(0, 99)), gzipSync(BYTES.subarray(99))]),
  ],
  ['deflate with a header', decoderOf('deflate'), deflateSync(BYTES)],
  ['deflate without one', decoderOf('deflate'), deflateRawSync(BYTES)],
  ['br', decoderOf('br'), brotliCompressSync(BYTES)],
  ['zstd', decoderOf('zstd'), ZSTD_WHOLE],
  ['zstd in JavaScript', decodeInJavaScript, ZSTD_WHOLE],
  ['zstd that does not say its size', decodeInJavaScript, ZSTD_STREAMED],
  ['snappy, a block', decoderOf('snappy'), compress(BYTES)],
  ['snappy, frames', decoderOf('snappy'), frame([BYTES.subarray(0, 500), BYTES.subarray(500)])],
  ['x-snappy-framed', decoderOf('x-snappy-framed'), frame([BYTES])],
]

describe('content encodings', () => {
  for (const [name, decode, body] of ENCODED) {
    test(`${name} comes back as it was, and stops at the limit`, async () => {
      assert.equal((await decode(body, LIMIT)).toString(), TEXT)
      assert.equal((await decode(body, BYTES.length)).toString(), TEXT)
      await assert.rejects(decode(body, BYTES.length - 1), { code: 'ERR_BUFFER_TOO_LARGE' })
    })

    test(`${name} cut short is refused, wherever it was cut`, async () => {
      for (let end = body.length - 1; end >= 0; end -= 7) {
        // Some prefixes are whole: one of several members or frames, or nothing at all.
        const decoded = await decode(body.subarray(0, end), LIMIT).then(
          bytes => bytes.toString(),
          () => '',
        )
        assert.ok(TEXT.startsWith(decoded) && decoded.length < TEXT.length, `${end} of ${body.length} bytes`)
      }
    })
  }

  for (const [name, decode, body] of ENCODED.filter(([name]) => /zstd|frame|gzip/.test(name))) {
    test(`${name}: a changed byte never changes the text unnoticed`, async () => {
      for (let at = 0; at < body.length; at += 3) {
        const damaged = Buffer.from(body)
        damaged[at]! ^= 0x55
        const decoded = await decode(damaged, LIMIT).then(
          bytes => bytes.toString(),
          () => null,
        )
        assert.ok(decoded === null || TEXT.startsWith(decoded), `byte ${at}`)
      }
    })
  }

  test('two zstd frames and a skippable one between them are one body', async () => {
    const skippable = Buffer.from([0x52, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
    const body = Buffer.concat([ZSTD_WHOLE, skippable, ZSTD_STREAMED])
    assert.equal((await decodeInJavaScript(body, LIMIT)).toString(), TEXT + TEXT)
  })

  test('bombs stop at the limit: zstd that repeats, a window of gigabytes, a snappy block that claims much', async () => {
    const tooLarge = { code: 'ERR_BUFFER_TOO_LARGE' }
    await assert.rejects(decodeInJavaScript(ZSTD_BOMB, LIMIT), tooLarge)
    // A window descriptor of 2 GiB and an empty last block.
    await assert.rejects(decodeInJavaScript(Buffer.from('28b52ffd00a8010000', 'hex'), LIMIT), tooLarge)
    // 200 blocks that repeat one byte 131072 times.
    const repeat = Buffer.from('02001041', 'hex')
    const blocks = Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), ...Array<Buffer>(200).fill(repeat)])
    await assert.rejects(decodeInJavaScript(blocks, LIMIT), tooLarge)
    const before = process.memoryUsage().arrayBuffers
    await assert.rejects(decoderOf('snappy')(Buffer.from('80e1eb17', 'hex'), 100_000_000), /cut short/)
    assert.ok(process.memoryUsage().arrayBuffers - before < 10_000_000)
  })

  test('no bytes make a decoder throw anything but an error, hang, or go beyond the limit', async () => {
    const bodies = ENCODED.map(([, , body]) => body)
    const mutated = fc
      .tuple(fc.constantFrom(...bodies), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 }), fc.nat(400))
      .map(([body, changes, cut]) => {
        const copy = Buffer.from(body.subarray(0, Math.max(1, body.length - (cut > 300 ? cut - 300 : 0))))
        for (const [at, byte] of changes) copy[at % copy.length] = byte
        return copy
      })
    const random = fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutated, random), async body => {
        for (const decode of [...DECODERS.values(), decodeInJavaScript]) {
          const size = await decode(body, 20_000).then(
            bytes => bytes.length,
            error => assert.ok(error instanceof Error),
          )
          assert.ok(size === undefined || size <= 20_000)
        }
      }),
      { numRuns: 150, seed: 7 },
    )
  })
})
