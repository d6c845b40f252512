/**
 * Lines as they came lately, for the next one to be read like them. An event read this way is the event that reading it from nothing gives,
 * but for its fields being `ShapedFields`.
 */
import type { IncomingEvent } from '../index.ts'
import type { Value } from '../value.ts'
import type { EventDefaults, ReadResult } from './read-event.ts'
import { Shape, ShapedFields } from './shape.ts'
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

/** Names that an event gives a meaning of its own. */
const OWN_NAMES: readonly string[] = ['_time', '_raw']

class KnownLine {
  readonly #template: LineTemplate
  readonly #shape: Shape
  readonly #defaults: EventDefaults
  /** Where the values stand that may say the event's time, in the order they are asked. */
  readonly #times: readonly number[]
  /** Behind the line's own values. Null: the value of `source`. */
  readonly #added: readonly (string | null)[]
  readonly #sourceAt: number
  /** `source` as text would be `_source` as well; as it was when this was learnt, so it has to be. Null: it makes no difference. */
  readonly #sourceIsText: boolean | null

  private constructor(template: LineTemplate, shape: Shape, defaults: EventDefaults) {
    this.#template = template
    this.#shape = shape
    this.#defaults = defaults
    const { fields } = template
    this.#times = defaults.timestampFields.map(name => fields.indexOf(name)).filter(place => place >= 0)
    const fromDefaults: Readonly<Record<string, string | null>> = {
      _source: defaults.source,
      _sourcetype: defaults.sourcetype,
      host: defaults.host,
    }
    this.#added = shape.names.slice(fields.length).map(name => fromDefaults[name] ?? null)
    this.#sourceAt = fields.indexOf('source')
    const mayBeSource = this.#sourceAt >= 0 && defaults.source === null && !fields.includes('_source')
    this.#sourceIsText = mayBeSource ? shape.places.has('_source') : null
  }

  /** Null when its fields are not simply what stands in the line, in that order, and defaults behind them. */
  static of(line: string, defaults: EventDefaults, event: IncomingEvent): KnownLine | null {
    const template = LineTemplate.of(line)
    if (template === null || template.fields.some(name => OWN_NAMES.includes(name))) return null
    const names = [...event.fields.keys()]
    const { fields } = template
    if (fields.length === 0 || fields.some((name, place) => names[place] !== name)) return null
    const known = new KnownLine(template, new Shape(names), defaults)
    // Arrays and the like are not read this way.
    return known.read(line, defaults) === null ? null : known
  }

  read(line: string, defaults: EventDefaults): IncomingEvent | null {
    if (!this.#isFor(defaults)) return null
    const values = this.#template.read(line)
    if (values === null) return null
    const source = values[this.#sourceAt]
    if (this.#sourceIsText !== null && this.#sourceIsText !== (typeof source === 'string')) return null
    for (const added of this.#added) values.push(added ?? source)
    const time = this.#timeOf(values, defaults)
    return { index: defaults.index, time, raw: line, fields: new ShapedFields(this.#shape, values) }
  }

  #timeOf(values: readonly Value[], defaults: EventDefaults): IncomingEvent['time'] {
    for (const place of this.#times) {
      const time = parseTime(values[place], defaults.receivedAt)
      if (time !== null) return time
    }
    return defaults.receivedAt
  }

  /** Where an event goes and when it came say nothing of its fields. */
  #isFor(defaults: EventDefaults): boolean {
    const own = this.#defaults
    return (
      own === defaults ||
      (own.source === defaults.source &&
        own.sourcetype === defaults.sourcetype &&
        own.host === defaults.host &&
        own.timestampFields === defaults.timestampFields)
    )
  }
}
