/**
 * The layout of a part file; docs/format.md tells the same in prose. Everything is little-endian: typed arrays are written as they lie
 * in memory, so a big-endian host is refused rather than served wrongly.
 *
 *   header    8   "QRNPART" and the version
 *   chunks        of each block: its columns, then its token filters; after the last block: the dictionaries, then one index per block
 *   footer        one chunk: what the part is, its fields, where its dictionaries and block indexes are
 *   trailer  16   u32 length of the footer chunk, u32 crc32 of those four bytes, "QRNPEND" and the version
 *
 *   chunk    16   u32 crc32 of all that follows in the chunk, u8 codec, u8 encoding, u8 kind, u8 zero, u32 stored length, u32 raw length
 *                 then `stored length` bytes
 */
import { endianness } from 'node:os'

if (endianness() !== 'LE')
  throw new Error('Quern runs on little-endian machines only: part files are mapped as they are')

/** Rises when a reader of the old layout would misread the new one. Readers of older versions stay. */
export const FORMAT_VERSION = 1

export const HEADER_BYTES = 8
export const CHUNK_HEADER_BYTES = 16
export const TRAILER_BYTES = 16

export const HEADER_MAGIC: Uint8Array = Uint8Array.from([...Buffer.from('QRNPART', 'latin1'), FORMAT_VERSION])
export const TRAILER_MAGIC: Uint8Array = Uint8Array.from([...Buffer.from('QRNPEND', 'latin1'), FORMAT_VERSION])

export const CODEC_NONE = 0
export const CODEC_LZ4 = 1
export const CODEC_ZSTD = 2
export const CODEC_PACKED = 3

/** By number; what tools and documentation call them. */
export const CODEC_NAMES: Readonly<Record<number, string>> = {
  [CODEC_NONE]: 'none',
  [CODEC_LZ4]: 'lz4',
  [CODEC_ZSTD]: 'zstd',
  [CODEC_PACKED]: 'packed',
}

/** What a chunk is, so that a misplaced one is not taken for another. */
export const KIND_COLUMN = 1
export const KIND_DICTIONARY = 2
export const KIND_FILTER = 3
export const KIND_INDEX = 4
export const KIND_FOOTER = 5

/** The `encoding` of a token filter's chunk. */
export const FILTER_BLOOM = 0
export const FILTER_FUSE = 1

/** Values of one field's dictionary in one part. User and session ids belong here: grouped by code they cost a tenth of text. */
export const DICTIONARY_VALUES_MAX = 262_144
/** Rows of a block: a reader refuses more before it allocates for them. */
export const BLOCK_ROWS_MAX = 2 ** 22
/** Raw bytes of one chunk: what LZ4 takes at once, rounded down. */
export const CHUNK_BYTES_MAX = 2 ** 30

/** A block index keeps the distinct values of a column up to this many, and this many bytes of them. */
export const DISTINCT_VALUES_MAX = 16
export const DISTINCT_BYTES_MAX = 1024
/** Which codes of a dictionary occur in a block is kept for dictionaries up to this size. */
export const CODE_BITMAP_VALUES_MAX = 8192

/** The types of the present values of a column in a block, one bit each. */
export const TYPE_INT = 1
export const TYPE_FLOAT = 2
export const TYPE_BIGINT = 4
export const TYPE_STRING = 8
export const TYPE_BOOL = 16
export const TYPE_DATETIME = 32
export const TYPE_DURATION = 64
export const TYPE_ARRAY = 128
export const TYPE_OBJECT = 256
