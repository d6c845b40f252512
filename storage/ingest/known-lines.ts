/**
 * Lines as they came lately, for the next one to be read like them. An event read this way is the event that reading it from nothing gives,
 * but for its fields being `ShapedFields`.
 */
import type { IncomingEvent } from '../index.ts'
import type { Value } from '../value.ts'
import { KnownShape } from './known-shape.ts'
import type { EventDefaults, ReadResult } from './read-event.ts'
import { ShapedFields } from './shape.ts'
import { isPlain, LineTemplate } from './shape-reader.ts'
import { parseTime } from './timestamp.ts'

/** Shapes tried before a line is read from nothing: sources alternate between few. */
const TRIES_MAX = 4
/** Shapes that may be learnt before one has proved useful; each line read by one earns a part of another. */
const CREDIT_MAX = 16
const CREDIT_OF_LINE = 0.05

export class KnownLines {
  /** The one that fitted last comes first. */
  readonly #known: KnownLine[] = []
  #credit = CREDIT_MAX

  /** Null when the line is not like those before. */
  read(line: string, defaults: EventDefaults): ReadResult | null {
    const known = this.#known
    if (known.length === 0 || !isPlain(line)) return null
    for (let index = 0; index < known.length; index++) {
      const event = known[index]!.read(line, defaults)
      if (event === null) continue
      if (index > 0) known.unshift(...known.splice(index, 1))
      if (this.#credit < CREDIT_MAX) this.#credit += CREDIT_OF_LINE
      return { event }
    }
    return null
  }

  /** What was read from nothing. */
  note(line: string, defaults: EventDefaults, event: IncomingEvent): void {
    if (this.#credit < 1 || event.raw !== line || !isPlain(line)) return
    this.#credit--
    const learnt = KnownLine.of(line, defaults, event)
    if (learnt === null) return
    this.#known.unshift(learnt)
    if (this.#known.length > TRIES_MAX) this.#known.pop()
  }
}

class KnownLine {
  readonly #template: LineTemplate
  readonly #known: KnownShape

  private constructor(template: LineTemplate, known: KnownShape) {
    this.#template = template
    this.#known = known
  }

  /** Null when lines like this one cannot be read this way. */
  static of(line: string, defaults: EventDefaults, event: IncomingEvent): KnownLine | null {
    const template = LineTemplate.of(line)
    const shape = template === null ? null : KnownShape.of(template, defaults, event)
    if (template === null || shape === null) return null
    const known = new KnownLine(template, shape)
    // Arrays and the like are not read this way.
    return known.read(line, defaults) === null ? null : known
  }

  read(line: string, defaults: EventDefaults): IncomingEvent | null {
    const known = this.#known
    if (!known.isFor(defaults)) return null
    const values = this.#template.read(line)
    if (values === null) return null
    const source = values[known.sourceAt]
    if (!known.takesSource(typeof source === 'string')) return null
    for (const added of known.added) values.push(added ?? source)
    const time = timeOf(known.times, values, defaults)
    return { index: defaults.index, time, raw: line, fields: new ShapedFields(known.shape, values) }
  }
}

function timeOf(times: readonly number[], values: readonly Value[], defaults: EventDefaults): IncomingEvent['time'] {
  for (const place of times) {
    const time = parseTime(values[place], defaults.receivedAt)
    if (time !== null) return time
  }
  return defaults.receivedAt
}
