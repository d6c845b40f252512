/**
 * The index of one block: which columns it has, where their chunks are, and what the skip index knows of each.
 * It is a chunk of its own after the last block, so that opening a part reads no more than its footer.
 */
import { DateTime, type Value } from '../value.ts'
import { ByteSink, type ByteSource } from './bytes.ts'
import { readValue, writeValue } from './encodings/any.ts'
import { DISTINCT_BYTES_MAX } from './format.ts'
import type { ColumnSummary, Zone } from './summary.ts'

/** Where a chunk lies, its header included. */
export interface ChunkPlace {
  readonly offset: number
  readonly length: number
}

export interface ColumnEntry extends ColumnSummary {
  /** Number of the field in the footer. */
  readonly field: number
  readonly chunk: ChunkPlace
  /** Number of the dictionary that the column's codes are of, or -1. */
  readonly dictionary: number
  readonly filter: ChunkPlace | null
}

const HAS_DICTIONARY = 1
const HAS_FILTER = 2
const HAS_DISTINCT = 4
const HAS_BITMAP = 8
const ZONE_SHIFT = 4
const ZONES = ['none', 'number', 'duration', 'time'] as const

export function writeBlockIndex(sink: ByteSink, entries: readonly ColumnEntry[]): void {
  sink.varint(entries.length)
  const withDistinct = entries.filter(entry => writeEntry(sink, entry))
  // Readers that do not know of counts stop before them.
  for (const { counts } of withDistinct) {
    sink.u8(counts === null ? 0 : 1)
    for (const count of counts ?? []) sink.varint(count)
  }
}

/** Answers whether its distinct values were written. */
function writeEntry(sink: ByteSink, entry: ColumnEntry): boolean {
  const distinct = entry.distinct === null ? null : encodeDistinct(entry.distinct)
  const zone = ZONES.indexOf(entry.zone?.kind ?? 'none')
  sink.varint(entry.field)
  sink.u8(
    (entry.dictionary === -1 ? 0 : HAS_DICTIONARY) |
      (entry.filter === null ? 0 : HAS_FILTER) |
      (distinct === null ? 0 : HAS_DISTINCT) |
      (entry.codeBitmap === null ? 0 : HAS_BITMAP) |
      (zone << ZONE_SHIFT),
  )
  writePlace(sink, entry.chunk)
  sink.varint(entry.presentCount)
  sink.varint(entry.nullCount)
  sink.varint(entry.types)
  if (entry.zone !== null) writeZone(sink, entry.zone)
  if (entry.dictionary !== -1) sink.varint(entry.dictionary)
  if (entry.filter !== null) writePlace(sink, entry.filter)
  if (distinct !== null) {
    sink.varint(entry.distinct!.length)
    sink.bytes(distinct)
  }
  if (entry.codeBitmap !== null) {
    sink.varint(entry.codeBitmap.length)
    sink.bytes(entry.codeBitmap)
  }
  return distinct !== null
}

/** Null when the values are few but long: the index is to stay small. */
function encodeDistinct(values: readonly Value[]): Uint8Array | null {
  const sink = new ByteSink()
  for (const value of values) {
    if (typeof value === 'string' && value.length > DISTINCT_BYTES_MAX) return null
    writeValue(sink, value)
  }
  return sink.length <= DISTINCT_BYTES_MAX ? sink.finish() : null
}

function writePlace(sink: ByteSink, place: ChunkPlace): void {
  sink.varint(place.offset)
  sink.varint(place.length)
}

function writeZone(sink: ByteSink, zone: Zone): void {
  if (zone.kind === 'time') {
    writeTime(sink, zone.min)
    writeTime(sink, zone.max)
  } else {
    sink.f64(zone.min)
    sink.f64(zone.max)
  }
}

export function writeTime(sink: ByteSink, time: DateTime): void {
  sink.f64(time.micros)
  sink.varint(time.nanos)
}

export function readTime(source: ByteSource): DateTime {
  const micros = source.f64()
  return new DateTime(micros, source.varint())
}

export function readBlockIndex(source: ByteSource): ColumnEntry[] {
  const count = source.count(6)
  const entries: ColumnEntry[] = []
  for (let index = 0; index < count; index++) entries.push(readEntry(source))
  // Parts written before values were counted end here.
  return source.remaining === 0 ? entries : entries.map(entry => withCounts(entry, source))
}

function withCounts(entry: ColumnEntry, source: ByteSource): ColumnEntry {
  if (entry.distinct === null || source.u8() === 0) return entry
  return { ...entry, counts: entry.distinct.map(() => source.varint()) }
}

function readEntry(source: ByteSource): ColumnEntry {
  const field = source.varint()
  const flags = source.u8()
  const chunk = readPlace(source)
  const presentCount = source.varint()
  const nullCount = source.varint()
  const types = source.varint()
  const zone = readZone(source, flags >>> ZONE_SHIFT)
  const dictionary = flags & HAS_DICTIONARY ? source.varint() : -1
  const filter = flags & HAS_FILTER ? readPlace(source) : null
  const distinct = flags & HAS_DISTINCT ? readDistinct(source) : null
  const codeBitmap = flags & HAS_BITMAP ? source.u8Array(source.varint()) : null
  return { field, chunk, presentCount, nullCount, types, zone, dictionary, filter, distinct, counts: null, codeBitmap }
}

function readDistinct(source: ByteSource): Value[] {
  const count = source.count(1)
  const values: Value[] = []
  for (let index = 0; index < count; index++) values.push(readValue(source))
  return values
}

export function readPlace(source: ByteSource): ChunkPlace {
  const offset = source.varint()
  return { offset, length: source.varint() }
}

function readZone(source: ByteSource, number: number): Zone | null {
  const kind = ZONES[number]
  if (kind === undefined) throw new RangeError(`zone ${number} is not known`)
  if (kind === 'none') return null
  if (kind !== 'time') {
    const min = source.f64()
    return { kind, min, max: source.f64() }
  }
  const min = readTime(source)
  return { kind, min, max: readTime(source) }
}
