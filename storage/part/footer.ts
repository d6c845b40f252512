/** The footer: everything a part says about itself. The catalog is rebuilt from it alone. */
import { DateTime } from '../value.ts'
import { type ChunkPlace, readPlace, readTime, writeTime } from './block-index.ts'
import type { ByteSink, ByteSource } from './bytes.ts'
import { NO_LINEAGE, type PartLineage } from './columns.ts'
import { readValue, writeValue } from './encodings/any.ts'
import { BLOCK_ROWS_MAX } from './format.ts'

export interface FooterField {
  readonly name: string
  /** `TYPE_*` bits of the present values. */
  readonly types: number
  readonly presentCount: number
}

export interface FooterDictionary extends ChunkPlace {
  readonly valueCount: number
}

export interface FooterBlock {
  readonly rowCount: number
  readonly minTime: DateTime
  readonly maxTime: DateTime
  readonly timeSorted: boolean
  readonly index: ChunkPlace
}

export interface Footer extends PartLineage {
  readonly id: string
  readonly index: string
  readonly rowCount: number
  readonly rawBytes: number
  readonly minTime: DateTime
  readonly maxTime: DateTime
  readonly fields: readonly FooterField[]
  readonly dictionaries: readonly FooterDictionary[]
  readonly blocks: readonly FooterBlock[]
}

export function writeFooter(sink: ByteSink, footer: Footer): void {
  writeValue(sink, footer.id)
  writeValue(sink, footer.index)
  sink.varint(footer.rowCount)
  sink.varint(footer.rawBytes)
  writeTime(sink, footer.minTime)
  writeTime(sink, footer.maxTime)
  sink.varint(footer.fields.length)
  for (const field of footer.fields) {
    writeValue(sink, field.name)
    sink.varint(field.types)
    sink.varint(field.presentCount)
  }
  sink.varint(footer.dictionaries.length)
  for (const dictionary of footer.dictionaries) {
    sink.varint(dictionary.offset)
    sink.varint(dictionary.length)
    sink.varint(dictionary.valueCount)
  }
  sink.varint(footer.blocks.length)
  for (const block of footer.blocks) {
    sink.varint(block.rowCount)
    writeTime(sink, block.minTime)
    writeTime(sink, block.maxTime)
    sink.u8(block.timeSorted ? 1 : 0)
    sink.varint(block.index.offset)
    sink.varint(block.index.length)
  }
  writeLineage(sink, footer)
}

function writeLineage(sink: ByteSink, { firstSequence, lastSequence, level, replaces }: PartLineage): void {
  sink.varint(firstSequence)
  sink.varint(lastSequence)
  sink.varint(level)
  sink.varint(replaces.length)
  for (const id of replaces) writeValue(sink, id)
}

/** Files from before parts were merged end without. */
function readLineage(source: ByteSource): PartLineage {
  if (source.remaining === 0) return NO_LINEAGE
  const firstSequence = source.varint()
  const lastSequence = source.varint()
  const level = source.varint()
  const replaces: string[] = []
  for (let count = source.count(2); count > 0; count--) replaces.push(readName(source))
  return { firstSequence, lastSequence, level, replaces }
}

export function readFooter(source: ByteSource): Footer {
  const id = readName(source)
  const index = readName(source)
  const rowCount = source.varint()
  const rawBytes = source.varint()
  const minTime = readTime(source)
  const maxTime = readTime(source)
  const fields: FooterField[] = []
  for (let count = source.count(3); count > 0; count--) {
    const name = readName(source)
    const types = source.varint()
    fields.push({ name, types, presentCount: source.varint() })
  }
  const dictionaries: FooterDictionary[] = []
  for (let count = source.count(3); count > 0; count--) {
    const { offset, length } = readPlace(source)
    dictionaries.push({ offset, length, valueCount: source.varint() })
  }
  const blocks: FooterBlock[] = []
  for (let count = source.count(20); count > 0; count--) blocks.push(readBlock(source))
  const lineage = readLineage(source)
  return { id, index, rowCount, rawBytes, minTime, maxTime, fields, dictionaries, blocks, ...lineage }
}

function readName(source: ByteSource): string {
  const name = readValue(source)
  if (typeof name !== 'string') throw new RangeError('a name that is not a string')
  return name
}

function readBlock(source: ByteSource): FooterBlock {
  const rowCount = source.varint()
  if (rowCount > BLOCK_ROWS_MAX) throw new RangeError(`a block of ${rowCount} rows`)
  const minTime = readTime(source)
  const maxTime = readTime(source)
  const timeSorted = source.u8() === 1
  return { rowCount, minTime, maxTime, timeSorted, index: readPlace(source) }
}

/** The bounds of the parts so far, widened by one more. */
export function earlier(left: DateTime, right: DateTime): DateTime {
  if (left.micros !== right.micros) return left.micros < right.micros ? left : right
  return left.nanos <= right.nanos ? left : right
}

export function later(left: DateTime, right: DateTime): DateTime {
  return earlier(left, right) === left ? right : left
}

export const EPOCH: DateTime = new DateTime(0)
