/**
 * Where the bytes of a part go: per column its encodings, its codecs, and what its chunks, its dictionary and its token filters take.
 * Reads the footer, the block indexes and the headers of chunks, no payload: as quick on a part of a gigabyte as on a small one.
 */
import type { Filesystem } from '../filesystem.ts'
import { readBlockIndex } from '../part/block-index.ts'
import type { PartDescription } from '../part/columns.ts'
import { ENCODING_NAMES } from '../part/encodings/index.ts'
import { CODEC_NAMES, FORMAT_VERSION, HEADER_BYTES, KIND_INDEX, TRAILER_BYTES } from '../part/format.ts'
import { type OpenPartFile, openPartFile } from '../part/open-file.ts'
import { descriptionOf } from '../part/read.ts'
import { typeOfBits } from '../part/summary.ts'
import type { ValueType } from '../value.ts'

export interface ColumnInspection {
  readonly field: string
  readonly type: ValueType
  readonly presentCount: number
  /** Blocks that have the column. */
  readonly blockCount: number
  /** Blocks by the name of their encoding, and by that of their codec. */
  readonly encodings: Readonly<Record<string, number>>
  readonly codecs: Readonly<Record<string, number>>
  /** Bytes of the column's chunks in the file, and as they were before compression. */
  readonly chunkBytes: number
  readonly rawBytes: number
  readonly dictionaryBytes: number
  readonly dictionaryValues: number
  /** Of the token filters that no column before it shares. */
  readonly filterBytes: number
  /** All of the above that lies in the file. */
  readonly totalBytes: number
}

export interface PartInspection {
  readonly part: PartDescription
  readonly formatVersion: number
  /** In order of first appearance. */
  readonly columns: readonly ColumnInspection[]
  /** Block indexes, with everything that zone maps and distinct lists take. */
  readonly indexBytes: number
  readonly filterBytes: number
  /** Header, footer and trailer. */
  readonly frameBytes: number
}

interface Tally {
  blockCount: number
  readonly encodings: Record<string, number>
  readonly codecs: Record<string, number>
  chunkBytes: number
  rawBytes: number
  filterBytes: number
  readonly dictionaries: Set<number>
}

/** @throws {CorruptPartError} when the footer, an index or a header is damaged */
export function inspectPart(filesystem: Filesystem, path: string): PartInspection {
  const file = openPartFile(filesystem, path)
  try {
    return inspect(file)
  } finally {
    file.close()
  }
}

function inspect(file: OpenPartFile): PartInspection {
  const { footer } = file
  const tallies = footer.fields.map(
    (): Tally => ({
      blockCount: 0,
      encodings: {},
      codecs: {},
      chunkBytes: 0,
      rawBytes: 0,
      filterBytes: 0,
      dictionaries: new Set(),
    }),
  )
  let indexBytes = 0
  // The text columns of a block share one filter: it counts for the first of them.
  const filters = new Set<number>()
  for (const [number, block] of footer.blocks.entries()) {
    indexBytes += block.index.length
    const entries = file.decode(block.index, KIND_INDEX, `the index of block ${number}`, readBlockIndex)
    for (const { field, chunk, dictionary, filter } of entries) {
      const tally = tallies[field]
      if (tally === undefined) continue
      const { encoding, codec, rawLength } = file.head(chunk)
      count(tally.encodings, ENCODING_NAMES[encoding] ?? `encoding ${encoding}`)
      count(tally.codecs, CODEC_NAMES[codec] ?? `codec ${codec}`)
      tally.blockCount++
      tally.chunkBytes += chunk.length
      tally.rawBytes += rawLength
      if (filter !== null && !filters.has(filter.offset)) {
        filters.add(filter.offset)
        tally.filterBytes += filter.length
      }
      if (dictionary !== -1) tally.dictionaries.add(dictionary)
    }
  }
  const columns = footer.fields.map(({ name, types, presentCount }, field): ColumnInspection => {
    const { dictionaries, ...tally } = tallies[field]!
    const held = [...dictionaries].map(number => footer.dictionaries[number])
    const dictionaryBytes = held.reduce((sum, dictionary) => sum + (dictionary?.length ?? 0), 0)
    return {
      field: name,
      type: typeOfBits(types),
      presentCount,
      ...tally,
      dictionaryBytes,
      dictionaryValues: held.reduce((sum, dictionary) => sum + (dictionary?.valueCount ?? 0), 0),
      totalBytes: tally.chunkBytes + tally.filterBytes + dictionaryBytes,
    }
  })
  const columnBytes = columns.reduce((sum, column) => sum + column.totalBytes, 0)
  const filterBytes = columns.reduce((sum, column) => sum + column.filterBytes, 0)
  return {
    part: descriptionOf(file),
    formatVersion: FORMAT_VERSION,
    columns,
    indexBytes,
    filterBytes,
    frameBytes: Math.max(HEADER_BYTES + TRAILER_BYTES, file.sizeBytes - columnBytes - indexBytes),
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
