/**
 * What an event is besides the values of its line, for all lines that look alike: the names of its fields, which values may say its time,
 * what the sender's defaults add. Told by one event that was read from nothing; whoever reads lines like that one's reads them by this.
 */
import type { IncomingEvent } from '../index.ts'
import type { Template } from '../part/rebuilt/template.ts'
import type { EventDefaults } from './read-event.ts'
import { Shape } from './shape.ts'

/** Names that an event gives a meaning of its own. */
const OWN_NAMES: readonly string[] = ['_time', '_raw']

export class KnownShape {
  readonly shape: Shape
  /** Where the values stand that may say the event's time, in the order they are asked. */
  readonly times: readonly number[]
  /** Behind the line's own values. Null: the value of `source`. */
  readonly added: readonly (string | null)[]
  readonly sourceAt: number
  /** `source` as text would be `_source` as well; as it was when this was learnt, so it has to be. Null: it makes no difference. */
  readonly #sourceIsText: boolean | null
  readonly #defaults: EventDefaults

  private constructor(fields: readonly string[], shape: Shape, defaults: EventDefaults) {
    this.shape = shape
    this.#defaults = defaults
    this.times = defaults.timestampFields.map(name => fields.indexOf(name)).filter(place => place >= 0)
    const fromDefaults: Readonly<Record<string, string | null>> = {
      _source: defaults.source,
      _sourcetype: defaults.sourcetype,
      host: defaults.host,
    }
    this.added = shape.names.slice(fields.length).map(name => fromDefaults[name] ?? null)
    this.sourceAt = fields.indexOf('source')
    const mayBeSource = this.sourceAt >= 0 && defaults.source === null && !fields.includes('_source')
    this.#sourceIsText = mayBeSource ? shape.places.has('_source') : null
  }

  /** Null when the event's fields are not simply those of its line, in that order, and defaults behind them. */
  static of({ fields }: Pick<Template, 'fields'>, defaults: EventDefaults, event: IncomingEvent): KnownShape | null {
    if (fields.length === 0 || fields.some(name => OWN_NAMES.includes(name))) return null
    const names = [...event.fields.keys()]
    if (fields.some((name, place) => names[place] !== name)) return null
    return new KnownShape(fields, new Shape(names), defaults)
  }

  /** Does a line get the same fields whose `source` is text, or is not? */
  takesSource(isText: boolean): boolean {
    return this.#sourceIsText === null || this.#sourceIsText === isText
  }

  /** Where an event goes and when it came say nothing of its fields. */
  isFor(defaults: EventDefaults): boolean {
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
