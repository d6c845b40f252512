/** `quern parts`: what parts there are, or where the bytes of one go. Reads only, so it may run beside a server. */
import { byteCount, counted } from '../../compiler/explain/figures.ts'
import { inspectPart, listParts, pathOfPart } from '../../engine.ts'
import { NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import type { Value } from '../../storage/value.ts'
import { dataHome } from '../data-home.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { type ListFormat, listFormat, printObjects } from '../print-objects.ts'

export interface PartsOptions {
  readonly data?: string
  readonly format?: ListFormat
}

export async function parts(id: string | undefined, options: PartsOptions): Promise<void> {
  const directory = options.data ?? dataHome()
  const format = listFormat(options.format)
  if (id === undefined) list(directory, format)
  else inspect(directory, id, format)
}

function list(directory: string, format: ListFormat): void {
  const listing = listParts(directory)
  const rows = listing.parts.map(part => ({
    part: part.id,
    index: part.index,
    from: iso(part.minMicros),
    to: iso(part.maxMicros),
    events: part.rowCount,
    blocks: part.blockCount,
    level: part.level,
    bytes: part.sizeBytes,
    raw_bytes: part.rawBytes,
    ratio: ratio(part.rawBytes, part.sizeBytes),
  }))
  printObjects(rows, format)
  const sum = (of: (part: (typeof rows)[number]) => number): number => rows.reduce((all, row) => all + of(row), 0)
  const [events, bytes, raw] = [sum(row => row.events), sum(row => row.bytes), sum(row => row.raw_bytes)]
  note(
    `${counted(rows.length, 'part')}, ${counted(events, 'event')}, ${byteCount(bytes)} for ${byteCount(raw)} of text` +
      `${bytes > 0 ? ` (${ratio(raw, bytes)}×)` : ''}`,
  )
  if (listing.replaced.length > 0)
    note(
      `${counted(listing.replaced.length, 'merged part waits', 'merged parts wait')} for the next start to be removed`,
    )
  for (const { reason } of listing.damaged) note(reason)
  if (listing.damaged.length > 0)
    throw new CommandError(
      EXIT.general,
      `${counted(listing.damaged.length, 'part is', 'parts are')} damaged: quern repair sets aside what is`,
    )
}

function inspect(directory: string, id: string, format: ListFormat): void {
  const path = pathOfPart(directory, id)
  if (!NODE_FILESYSTEM.exists(path))
    throw new CommandError(EXIT.usage, `${directory} has no part ${id}; quern parts lists them`)
  const { part, columns, indexBytes, filterBytes, frameBytes, formatVersion } = inspectPart(NODE_FILESYSTEM, path)
  const rows = [...columns]
    .sort((a, b) => b.totalBytes - a.totalBytes)
    .map(
      (column): Record<string, Value> => ({
        field: column.field,
        type: column.type,
        values: column.presentCount,
        encodings: names(column.encodings),
        codecs: names(column.codecs),
        bytes: column.totalBytes,
        chunks: column.chunkBytes,
        uncompressed: column.rawBytes,
        dictionary: column.dictionaryBytes,
        distinct: column.dictionaryValues,
        filter: column.filterBytes,
        bytes_per_event: round(column.totalBytes / Math.max(1, part.rowCount)),
      }),
    )
  printObjects(rows, format)
  note(
    `part ${part.id} of ${part.index}, format ${formatVersion}: ${counted(part.rowCount, 'event')} in ${counted(part.blockCount, 'block')}, ` +
      `${byteCount(part.sizeBytes)} for ${byteCount(part.rawBytes)} of text (${ratio(part.rawBytes, part.sizeBytes)}×); ` +
      `token filters ${byteCount(filterBytes)}, other indexes ${byteCount(indexBytes)}, frame ${frameBytes} bytes`,
  )
}

/** `dictionary` where all blocks agree, `dictionary 5, text 3` where they do not. */
function names(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts)
  return entries.length === 1 ? entries[0]![0] : entries.map(([name, count]) => `${name} ${count}`).join(', ')
}

function iso(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString()
}

function ratio(raw: number, stored: number): number {
  return stored === 0 ? 0 : round(raw / stored)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Beside the rows, so that a pipe gets rows alone. */
function note(text: string): void {
  process.stderr.write(`${text}\n`)
}
