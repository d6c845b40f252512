/**
 * Lines of a buffer into a batch: what looks like a line before is read from its bytes, and nothing is made of it but the places of its
 * values (1.6 → 0.6 µs a seeded event, and nothing to collect). Whatever is not plainly such a line (a character by its number, an exponent, another name, bytes that
 * are no UTF-8) goes the way every line can go, so this reader decides nothing: a property test holds the two together.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingEvent } from '../index.ts'
import { templateOf } from '../part/rebuilt/template.ts'
import { ByteTemplate, READ } from './byte-template.ts'
import type { EventBatch, LineShape } from './event-batch.ts'
import { isoMicrosLike, isoNanos } from './iso-time.ts'
import { KnownShape } from './known-shape.ts'
import { ESCAPED, isText, LITERAL, LineCells, TEXT } from './line-cells.ts'
import { endOfLine, endOfText } from './line-end.ts'
import { type ByteSpan, lineLoop } from './line-loop.ts'
import type { EventDefaults, EventReader, ReadResult } from './read-event.ts'
import { parseTime } from './timestamp.ts'

/** Shapes tried before a line is read from nothing: sources alternate between few, those of Windows between a dozen. */
const TRIES_MAX = 16
/** Of those, by the machine code, which has room for as many. */
const LOOP_TRIES_MAX = 4
/** Shapes that may be learnt before one has proved useful; each line read by one earns a part of another. */
const CREDIT_MAX = 16
const CREDIT_OF_LINE = 0.05

export type Problem = Extract<ReadResult, { readonly problem: unknown }>['problem']

export interface Lines extends ByteSpan {
  /** What lines that look like no line before are read as. */
  readonly isJson: boolean
  readonly defaults: EventDefaults
  /** The batch is full then. */
  readonly rowsMax: number
  /** Of each line that is no event. */
  refused(problem: Problem): void
}

export class LineReader {
  readonly #reader: EventReader
  /** The one that fitted last comes first. */
  readonly #known: LineShape[] = []
  #credit = CREDIT_MAX

  constructor(reader: EventReader) {
    this.#reader = reader
  }

  /** As `EventReader.fromJson`, of `bytes[start … end)`. What is an event is in the batch then; else the answer says why not. */
  fromJson(batch: EventBatch, bytes: Buffer, start: number, end: number, defaults: EventDefaults): Problem | null {
    if (this.readKnown(batch, bytes, start, end, defaults)) return null
    const text = bytes.toString('utf8', start, end)
    return this.#note(batch, text, bytes.subarray(start, end), defaults, this.#reader.fromJson(text, defaults))
  }

  /** As `EventReader.fromLine`. */
  fromLine(batch: EventBatch, bytes: Buffer, start: number, end: number, defaults: EventDefaults): Problem | null {
    if (this.readKnown(batch, bytes, start, end, defaults)) return null
    const text = bytes.toString('utf8', start, end)
    return this.#note(batch, text, bytes.subarray(start, end), defaults, this.#reader.fromLine(text, defaults))
  }

  /**
   * All lines of `bytes[start … end)` but empty ones, which end with LF or CR LF, until the batch is full. Answers where the next one begins. Until the batch is
   * cleared the bytes are to stay what they are.
   */
  readLines(batch: EventBatch, bytes: Buffer, lines: Lines): number {
    const { end, isJson, defaults, rowsMax } = lines
    let at = lines.start
    while (at < end && batch.count < rowsMax) {
      const next = this.#readAlike(batch, bytes, at, lines)
      if (next > at) {
        at = next
        continue
      }
      const stop = endOfLine(bytes, at, end)
      const to = endOfText(bytes, at, stop)
      const problem =
        to === at
          ? null
          : isJson
            ? this.fromJson(batch, bytes, at, to, defaults)
            : this.fromLine(batch, bytes, at, to, defaults)
      if (problem !== null) lines.refused(problem)
      at = stop + 1
    }
    return Math.min(at, end)
  }

  /** Those from `at` on that are like one before: where the first begins that is not. */
  #readAlike(batch: EventBatch, bytes: Buffer, at: number, { end, rowsMax, defaults }: Lines): number {
    const known = this.#known
    const loop = known.length === 0 ? null : lineLoop()
    if (loop === null || (batch.bytes !== bytes && batch.cellCount > 0)) return at
    const span = { start: at, end }
    for (let index = 0, tries = 0; index < known.length && tries < LOOP_TRIES_MAX; index++) {
      const shape = known[index]!
      if (shape.isOdd || !shape.known.isFor(defaults)) continue
      tries++
      const firstRow = batch.count
      const firstCell = batch.cellCount
      const next = loop.read(shape, batch, bytes, span, rowsMax, defaults)
      if (next === at) continue
      const placeCount = shape.template.fields.length
      const { times } = shape.known
      const noteOne = (row: number): void =>
        noteTime(times, batch, row, firstCell + (row - firstRow) * placeCount, defaults)
      if (times.length > 0) loop.readTimes(batch, firstRow, times[0]!, placeCount, noteOne)
      else for (let row = firstRow; row < batch.count; row++) batch.setReceived(row, defaults.receivedAt)
      if (index > 0) known.unshift(...known.splice(index, 1))
      this.#credit = Math.min(CREDIT_MAX, this.#credit + CREDIT_OF_LINE * (batch.count - firstRow))
      return next
    }
    return at
  }

  /** The line, if it is like those before; false: it is not. */
  readKnown(batch: EventBatch, bytes: Buffer, start: number, end: number, defaults: EventDefaults): boolean {
    const known = this.#known
    // The lines of a batch lie in one buffer.
    if (known.length === 0 || (batch.bytes !== bytes && batch.cellCount > 0)) return false
    for (let index = 0; index < known.length; index++) {
      const shape = known[index]!
      if (!readAs(shape, batch, bytes, start, end, defaults)) continue
      if (index > 0) known.unshift(...known.splice(index, 1))
      if (this.#credit < CREDIT_MAX) this.#credit += CREDIT_OF_LINE
      return true
    }
    return false
  }

  #note(batch: EventBatch, text: string, line: Buffer, defaults: EventDefaults, result: ReadResult): Problem | null {
    if ('problem' in result) return result.problem
    const { event } = result
    batch.addEvent(event)
    if (this.#credit < 1 || event.raw !== text) return null
    this.#credit--
    const shape = shapeOf(text, line, defaults, event)
    if (shape === null) return null
    this.#known.unshift(shape)
    if (this.#known.length > TRIES_MAX) this.#known.pop()
    return null
  }
}

/** Null when lines like this one cannot be read this way: arrays and the like. */
function shapeOf(text: string, line: Buffer, defaults: EventDefaults, event: IncomingEvent): LineShape | null {
  const template = templateOf(text)
  const known = template === null ? null : KnownShape.of(template, defaults, event)
  if (template === null || known === null) return null
  const placeCount = template.fields.length
  const bytes = new ByteTemplate(template.pieces, new Uint8Array(placeCount).fill(READ), true)
  const cells = new LineCells(placeCount)
  if (bytes.read(line, 0, line.length, cells, 0) !== line.length) return null
  return { known, bytes, template, isOdd: cells.kinds.includes(ESCAPED) || cells.kinds.includes(LITERAL) }
}

function readAs(
  shape: LineShape,
  batch: EventBatch,
  bytes: Buffer,
  start: number,
  end: number,
  defaults: EventDefaults,
): boolean {
  const { known, bytes: template } = shape
  const placeCount = shape.template.fields.length
  const { cells } = batch
  const first = batch.cellCount
  cells.reserve(first + placeCount)
  if (!known.isFor(defaults) || template.read(bytes, start, end, cells, first) !== end) return false
  if (!known.takesSource(isText(cells.kinds[first + known.sourceAt]))) return false
  // What is no UTF-8 becomes other text than its bytes.
  if (!template.isAscii && !isUtf8(bytes.subarray(start, end))) return false
  const row = batch.addLine(shape, bytes, start, end, defaults)
  batch.isCanonical[row] = template.isCanonical ? 1 : 0
  batch.isEscaped[row] = template.isEscaped ? 1 : 0
  noteTime(known.times, batch, row, first, defaults)
  return true
}

/** The first value that states a time. */
function noteTime(
  places: readonly number[],
  batch: EventBatch,
  row: number,
  first: number,
  { receivedAt }: EventDefaults,
): void {
  const { cells, bytes, words } = batch
  for (let index = 0; index < places.length; index++) {
    const cell = first + places[index]!
    const micros =
      cells.kinds[cell] === TEXT ? isoMicrosLike(bytes, words, cells.starts[cell]!, cells.ends[cell]!) : Number.NaN
    if (!Number.isNaN(micros)) {
      batch.setTime(row, micros, isoNanos())
      return
    }
    const time = parseTime(cells.valueAt(cell, bytes), receivedAt)
    if (time !== null) {
      batch.setTime(row, time.micros, time.nanos)
      return
    }
  }
  batch.setReceived(row, receivedAt)
}
