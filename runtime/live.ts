/**
 * A program of row-by-row stages over events as they come, and over the newest of those that are there: the two halves of a live tail.
 * Rows leave as JSON text, made once however many tails they go to.
 */
import type { Delivery, IncomingEvent, PartReader, Snapshot } from '../storage/index.ts'
import { sizeOfEvent } from '../storage/ingest/buffer.ts'
import { MemoryPart } from '../storage/ingest/memory-part.ts'
import { DateTime } from '../storage/value.ts'
import type { Batch } from './batch.ts'
import { selectedRange } from './collect.ts'
import { withIndexShown } from './event-answer.ts'
import { execute } from './execute.ts'
import { valueAt } from './helpers/vectors.ts'
import { jsonKeys, objectToJson } from './output/json.ts'
import { type OperatorSpec, type Program, type ResultShape, type ScanSpec, scansOf } from './program.ts'
import { rowsOf } from './rows.ts'

/** A result: its event's sequence number and itself as JSON. */
export interface LiveRow {
  readonly sequence: number
  readonly text: string
}

export interface LiveRunOptions {
  readonly nowMicros: number
  readonly signal?: AbortSignal
  readonly memoryBytes?: number
}

/** Results are events as JSON text. */
export interface LiveQuery {
  /** Canonical text without `head`: queries of the same text and variables find the same. */
  readonly text: string
  /** How many results the tail may have; null: no end. */
  readonly head: number | null
  /** The newest results by event time, the oldest of them first, within the query's time range. */
  newest(snapshot: Snapshot, count: number, signal?: AbortSignal): Promise<readonly string[]>
  /** Of events as they came, in that order; `from` of the options is no bound for these. Throws as compiling does if they made the text wrong. */
  rowsOf(deliveries: readonly Delivery[]): Promise<readonly LiveRow[]>
}

/** A program, and the indexes there were when it was made. */
export interface NowCompiled {
  readonly program: Program
  readonly indexes: ReadonlySet<string>
}

/** `past` has the time range of the request, what `compileLive` gives has none. */
export function liveQuery(
  head: number | null,
  past: Program,
  compileLive: () => NowCompiled,
  running: () => LiveRunOptions,
): LiveQuery {
  let live: NowCompiled | null = null
  return {
    text: past.query,
    head,
    newest: (snapshot, count, signal) =>
      newestRows(past, snapshot.parts, count, { ...running(), ...(signal && { signal }) }),
    async rowsOf(deliveries) {
      // Of an index that is new a pattern of the query may speak too.
      const isNew = deliveries.some(({ events }) => events.some(event => live?.indexes.has(event.index) !== true))
      if (live === null || isNew) live = compileLive()
      return liveRows(live.program, deliveries, running())
    },
  }
}

const BLOCK_ROWS = 65_536

/** In order of sequence. */
async function liveRows(
  program: Program,
  deliveries: readonly Delivery[],
  options: LiveRunOptions,
): Promise<LiveRow[]> {
  const { indexes } = scanOf(program.root)
  const wanted = new Map<string, { readonly part: MemoryPart; readonly sequences: number[] }>()
  for (const { first, events } of deliveries) {
    for (const [at, event] of events.entries()) {
      if (!indexes.includes(event.index)) continue
      const { part, sequences } = entryOf(wanted, event)
      part.append(event, sizeOfEvent(event), first + at)
      sequences.push(first + at)
    }
  }
  if (wanted.size === 0) return []
  const entries = [...wanted.values()]
  const sequences = entries.flatMap(entry => entry.sequences)
  const source = { parts: () => [entries.map(({ part }) => part.snapshot())], release: () => {} }
  const rows: LiveRow[] = []
  for await (const batch of execute(program, source, options).batches()) {
    const numbers = rowNumbers(batch)
    let n = 0
    for (const text of textsOf(batch, program.result))
      rows.push({ sequence: sequences[batch.rowOrderBase + numbers[n++]!]!, text })
  }
  return entries.length === 1 ? rows : rows.sort((a, b) => a.sequence - b.sequence)
}

function entryOf(
  entries: Map<string, { readonly part: MemoryPart; readonly sequences: number[] }>,
  { index }: IncomingEvent,
): { readonly part: MemoryPart; readonly sequences: number[] } {
  let entry = entries.get(index)
  if (entry === undefined) {
    entry = { part: new MemoryPart('live', index, BLOCK_ROWS), sequences: [] }
    entries.set(index, entry)
  }
  return entry
}

interface Found {
  readonly time: DateTime
  /** Position among all events, for those of one instant. */
  readonly order: number
  readonly text: string
}

interface Place {
  readonly part: PartReader
  readonly number: number
  readonly order: number
}

/** The newest `count` results by event time, the oldest of them first. Blocks are read from the newest on, and no more than it takes. */
async function newestRows(
  program: Program,
  parts: readonly PartReader[],
  count: number,
  options: LiveRunOptions,
): Promise<string[]> {
  if (count === 0) return []
  const places = placesOf(scanOf(program.root), parts)
  let current: Place | null = null
  let found: Found[] = []
  function* blocks(): Generator<readonly PartReader[]> {
    for (const place of places) {
      const oldest = found.length < count ? undefined : found[0]
      if (oldest !== undefined && compareTimes(blockOf(place).maxTime, oldest.time) < 0) return
      current = place
      yield [asPart(place)]
    }
  }
  const run = execute(program, { parts: blocks, release: () => {} }, options)
  for await (const batch of run.batches()) {
    // Blocks are asked for one at a time, so a batch is of the one asked for last.
    const newer = newestOf(batch, current!, count, program.result)
    found = [...found, ...newer].sort(compareFound).slice(-count)
  }
  return found.map(({ text }) => text)
}

/** The newest first; of the same instant, the later. */
function placesOf({ indexes, time }: ScanSpec, parts: readonly PartReader[]): Place[] {
  const places: Place[] = []
  let order = 0
  for (const part of parts) {
    for (let number = 0; number < part.blockCount; number++) {
      const block = part.block(number)
      if (indexes.includes(part.index) && block.verdictTime(time) !== 'none') places.push({ part, number, order })
      order += block.rowCount
    }
  }
  return places.sort((a, b) => compareTimes(blockOf(b).maxTime, blockOf(a).maxTime) || b.order - a.order)
}

function blockOf({ part, number }: Place): ReturnType<PartReader['block']> {
  return part.block(number)
}

/** A part that is one block of another; all else is as it was. */
function asPart(place: Place): PartReader {
  const block = blockOf(place)
  return Object.create(place.part, {
    blockCount: { value: 1 },
    rowCount: { value: block.rowCount },
    block: { value: () => block },
  }) as PartReader
}

function newestOf(batch: Batch, place: Place, count: number, shape: ResultShape): Found[] {
  const block = blockOf(place)
  const times = block.column('_time')
  if (times === null) return []
  const numbers = rowNumbers(batch)
  const timeOf = (n: number): DateTime => {
    const time = valueAt(times, numbers[n]!)
    return time instanceof DateTime ? time : block.minTime
  }
  const first = Math.max(0, batch.selectedCount - count)
  if (block.timeSorted || first === 0) {
    const texts = textsOf(selectedRange(batch, first, batch.selectedCount), shape)
    return [...texts].map((text, at) => ({ text, time: timeOf(first + at), order: place.order + numbers[first + at]! }))
  }
  const all = Array.from({ length: batch.selectedCount }, (_, n) => ({ n, time: timeOf(n) }))
  const newest = all.sort((a, b) => compareTimes(a.time, b.time) || a.n - b.n).slice(-count)
  return newest.map(({ n, time }) => {
    const [text] = textsOf(selectedRange(batch, n, n + 1), shape)
    return { text: text!, time, order: place.order + numbers[n]! }
  })
}

function* textsOf(made: Batch, shape: ResultShape): Generator<string> {
  const batch = withIndexShown(made, shape)
  const keys = jsonKeys(batch.names)
  for (const row of rowsOf(batch)) yield objectToJson(keys, row)
}

/** Of each row that is alive, its number in the block. */
function rowNumbers({ selection, selectedCount }: Batch): ArrayLike<number> {
  return selection ?? Uint32Array.from({ length: selectedCount }, (_, row) => row)
}

/** Row-by-row stages stand on one. */
function scanOf(root: OperatorSpec): ScanSpec {
  return scansOf(root)[0]!
}

function compareTimes(a: DateTime, b: DateTime): number {
  return a.micros - b.micros || a.nanos - b.nanos
}

function compareFound(a: Found, b: Found): number {
  return compareTimes(a.time, b.time) || a.order - b.order
}
