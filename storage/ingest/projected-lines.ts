/**
 * Lines of JSON for a query that reads few of their fields: the bytes of a line are held against those of one before, and of its values
 * only those become values that are read. No line becomes a string. Whatever is not plainly like the line before (an escape, another name,
 * another order) goes the way every line can go, so this reader decides nothing: what it gives is what `project` leaves of that.
 */
import type { IncomingEvent } from '../index.ts'
import { templateOf } from '../part/rebuilt/template.ts'
import type { DateTime, Value } from '../value.ts'
import { ByteTemplate, HASHED, READ } from './byte-template.ts'
import { LineCells, TEXT } from './line-cells.ts'
import { endOfLine, endOfText, NEWLINE, RETURN } from './line-end.ts'
import { namesWanted, project } from './project.ts'
import type { EventDefaults, EventReader, ReadResult } from './read-event.ts'
import { Shape, ShapedFields } from './shape.ts'
import { isPlain } from './shape-reader.ts'
import { TextCache } from './text-cache.ts'
import { parseTime } from './timestamp.ts'

/** What somebody reads of events. */
export interface Wanted {
  /** Members of an object are read with it. */
  readonly fields: ReadonlySet<string>
  /** Is it of interest when they happened? */
  readonly time: boolean
}

/** Lines alternate between few shapes. */
const TRIES_MAX = 4
/** Shapes that may be learnt in all: lines of which no two are alike are read the other way. */
const SHAPES_MAX = 200

interface Known {
  readonly template: ByteTemplate
  /** The values of the line that was read last, and which of them are fields, in the order of the shape. */
  readonly cells: LineCells
  readonly places: readonly number[]
  /** By place. */
  readonly texts: readonly (TextCache | null)[]
  readonly shape: Shape
  /** Behind the line's own values. */
  readonly added: readonly Value[]
  /** Where the values stand that may say the event's time. */
  readonly times: readonly number[]
}

export class ProjectedLines {
  readonly #reader: EventReader
  readonly #wanted: Wanted
  readonly #defaults: EventDefaults
  readonly #known: Known[] = []
  #learnt = 0

  constructor(reader: EventReader, wanted: Wanted, defaults: EventDefaults) {
    this.#reader = reader
    this.#wanted = wanted
    this.#defaults = defaults
  }

  /** Can events be read for it this way at all? The text of a line is all of it. */
  static fits(wanted: Wanted, defaults: EventDefaults): boolean {
    // `source` in a line may be the source of its event, which is decided line by line.
    return !wanted.fields.has('_raw') && !(wanted.fields.has('_source') && defaults.source === null)
  }

  /**
   * Every line in `bytes[0, end)`, which ends with one; empty lines are none.
   *
   * @param onRead  told of each line that was read the long way, with all its fields
   */
  read(bytes: Buffer, end: number, onRead: (result: ReadResult) => void): IncomingEvent[] {
    const events: IncomingEvent[] = []
    let at = 0
    while (at < end) {
      const next = this.#readKnown(bytes, at, end, events)
      if (next >= 0) {
        at = next
        continue
      }
      const stop = endOfLine(bytes, at, end)
      const textEnd = endOfText(bytes, at, stop)
      if (textEnd > at) {
        const line = bytes.toString('utf8', at, textEnd)
        const result = this.#reader.fromLine(line, this.#defaults)
        onRead(result)
        if ('event' in result) {
          events.push(this.#projected(result.event))
          this.#learn(line, result.event, bytes.subarray(at, stop))
        }
      }
      at = stop + 1
    }
    return events
  }

  #projected(event: IncomingEvent): IncomingEvent {
    const projected = project(event, this.#wanted.fields)
    return this.#wanted.time ? projected : { ...projected, time: this.#defaults.receivedAt }
  }

  /** Where the next line begins; -1 when the line is not like those before. */
  #readKnown(bytes: Buffer, at: number, end: number, events: IncomingEvent[]): number {
    const known = this.#known
    for (let index = 0; index < known.length; index++) {
      const one = known[index]!
      const stop = one.template.read(bytes, at, end, one.cells, 0)
      if (stop < 0) continue
      let next = stop
      if (next < end && bytes[next] === RETURN) next++
      if (next < end && bytes[next] !== NEWLINE) continue
      if (index > 0) known.unshift(...known.splice(index, 1))
      events.push(this.#eventOf(one, bytes))
      return next + 1
    }
    return -1
  }

  #eventOf({ cells, places, texts, shape, added, times }: Known, bytes: Buffer): IncomingEvent {
    const values = new Array<Value>(places.length)
    for (let index = 0; index < places.length; index++) {
      const place = places[index]!
      const isText = cells.kinds[place] === TEXT
      values[index] = isText
        ? texts[place]!.get(bytes, cells.starts[place]!, cells.ends[place]!, cells.hashes[place]!)
        : cells.valueAt(place, bytes)
    }
    for (const value of added) values.push(value)
    let time: DateTime | null = null
    for (const place of times) {
      time = parseTime(cells.valueAt(place, bytes), this.#defaults.receivedAt)
      if (time !== null) break
    }
    const fields = new ShapedFields(shape, values)
    return { index: this.#defaults.index, time: time ?? this.#defaults.receivedAt, raw: null, fields }
  }

  #learn(line: string, event: IncomingEvent, bytes: Buffer): void {
    if (this.#learnt >= SHAPES_MAX || event.raw !== line || !isPlain(line)) return
    this.#learnt++
    const known = this.#knownOf(line, event)
    if (known === null) return
    // Arrays and the like are not read this way; and no other line is, if this one is not what it was.
    if (known.template.read(bytes, 0, bytes.length, known.cells, 0) < 0) return
    if (!isSame(this.#eventOf(known, bytes), this.#projected(event))) return
    this.#known.unshift(known)
    if (this.#known.length > TRIES_MAX) this.#known.pop()
  }

  /** Null when its fields are not simply what stands in the line, in that order, and defaults behind them. */
  #knownOf(line: string, event: IncomingEvent): Known | null {
    const template = templateOf(line)
    if (template === null || template.fields.length === 0) return null
    const { fields, pieces } = template
    const names = [...event.fields.keys()]
    if (fields.some((name, place) => names[place] !== name || name === '_time' || name === '_raw')) return null
    // Which it is when nothing else says so, and then another line may say so.
    if (fields.includes('source') && !fields.includes('_source') && names.includes('_source')) {
      if (this.#defaults.source === null) return null
    }
    const wanted = namesWanted(names, this.#wanted.fields)
    const own = wanted.filter(name => fields.includes(name))
    const others = wanted.filter(name => !fields.includes(name))
    const times = this.#wanted.time
      ? this.#defaults.timestampFields.map(name => fields.indexOf(name)).filter(place => place >= 0)
      : []
    const places = own.map(name => fields.indexOf(name))
    const use = new Uint8Array(fields.length)
    for (const place of times) use[place] = READ
    for (const place of places) use[place] = HASHED
    return {
      template: new ByteTemplate(pieces, use),
      cells: new LineCells(fields.length),
      places,
      texts: fields.map((_, place) => (use[place] === HASHED ? new TextCache() : null)),
      shape: new Shape([...own, ...others]),
      added: others.map(name => event.fields.get(name)),
      times,
    }
  }
}

function isSame(a: IncomingEvent, b: IncomingEvent): boolean {
  if (a.time.micros !== b.time.micros || a.time.nanos !== b.time.nanos) return false
  const fields = [...a.fields]
  return fields.length === b.fields.size && fields.every(([name, value]) => Object.is(value, b.fields.get(name)))
}
