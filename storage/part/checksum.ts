/**
 * CRC-32 (IEEE, as zlib and gzip use it): `node:zlib` computes it natively from Node 20.15 on; older runtimes use the table below.
 */
import * as zlib from 'node:zlib'

const TABLE = new Int32Array(256)
for (let index = 0; index < 256; index++) {
  let remainder = index
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  TABLE[index] = remainder
}

/** Exported for the test that holds it against the native one. */
export function crc32ByTable(bytes: Uint8Array): number {
  let crc = -1
  for (let index = 0; index < bytes.length; index++) crc = TABLE[(crc ^ bytes[index]!) & 0xff]! ^ (crc >>> 8)
  return (crc ^ -1) >>> 0
}

const native = (zlib as { crc32?: (bytes: Uint8Array) => number }).crc32

export const crc32: (bytes: Uint8Array) => number = native === undefined ? crc32ByTable : bytes => native(bytes)
