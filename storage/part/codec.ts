/**
 * LZ4 behind one face. Two packages can do it and neither is certain to load: `lz4` is optional and brings a native binary that may be
 * for another machine; `lz4-napi` is a dependency. Both read and write the same bytes here: a raw LZ4 block after its raw length as a
 * little-endian u32, which is how `lz4-napi` frames it and where a chunk header ends (`format.ts`), so nothing is copied to add it.
 */
import { createRequire } from 'node:module'

interface BlockCodec {
  /** `u32 raw length` and the LZ4 block. */
  compress(raw: Buffer): Uint8Array
  /** @throws when the block does not decompress to exactly the length it names. */
  decompress(framed: Buffer): Uint8Array
}

interface Lz4Package {
  encodeBound(size: number): number
  encodeBlock(input: Buffer, output: Buffer): number
  decodeBlock(input: Buffer, output: Buffer): number
}

interface Lz4NapiPackage {
  compressSync(raw: Buffer): Buffer
  uncompressSync(framed: Buffer): Buffer
}

const require = createRequire(import.meta.url)

function fromLz4(lz4: Lz4Package): BlockCodec {
  return {
    compress(raw) {
      const framed = Buffer.allocUnsafe(4 + lz4.encodeBound(raw.length))
      framed.writeUInt32LE(raw.length, 0)
      const size = lz4.encodeBlock(raw, framed.subarray(4))
      // 0 is its way to say the block did not shrink; the caller then keeps the raw bytes.
      return size === 0 ? raw : framed.subarray(0, 4 + size)
    },
    decompress(framed) {
      const raw = Buffer.allocUnsafeSlow(framed.readUInt32LE(0))
      const size = lz4.decodeBlock(framed.subarray(4), raw)
      if (size !== raw.length) throw new Error(`LZ4 block of ${size} bytes where ${raw.length} were promised`)
      return raw
    },
  }
}

function fromLz4Napi(lz4: Lz4NapiPackage): BlockCodec {
  return {
    compress: raw => lz4.compressSync(raw),
    decompress(framed) {
      const raw = lz4.uncompressSync(framed)
      const promised = framed.readUInt32LE(0)
      if (raw.length !== promised) throw new Error(`LZ4 block of ${raw.length} bytes where ${promised} were promised`)
      return raw
    },
  }
}

/** Every codec that loads here, the preferred one first. Exported so that the tests can read each one's blocks with the other. */
export function loadCodecs(): readonly BlockCodec[] {
  const codecs: BlockCodec[] = []
  try {
    codecs.push(fromLz4(require('lz4') as Lz4Package))
  } catch {
    // Optional, and its binary may be for another machine.
  }
  try {
    codecs.push(fromLz4Napi(require('lz4-napi') as Lz4NapiPackage))
  } catch (error) {
    if (codecs.length === 0) throw error
  }
  return codecs
}

let chosen: BlockCodec | null = null

/** Loaded by the first block: most commands never see one. */
function codec(): BlockCodec {
  chosen ??= loadCodecs()[0]!
  return chosen
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Below this nothing shrinks enough to pay for decompressing it. */
const COMPRESS_BYTES_MIN = 32

/** `u32 raw length` and the compressed block; null when compressing does not save at least one byte in sixteen. */
export function compressBlock(raw: Uint8Array): Uint8Array | null {
  if (raw.length < COMPRESS_BYTES_MIN) return null
  const framed = codec().compress(asBuffer(raw))
  return framed.length - 4 < raw.length - (raw.length >>> 4) ? framed : null
}

/** The raw bytes of what `compressBlock` made. @throws when they are not what the length says. */
export function decompressBlock(framed: Uint8Array): Uint8Array {
  return codec().decompress(asBuffer(framed))
}
