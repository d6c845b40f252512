/**
 * One syslog message as an event. What stands where is known to the parse format `syslog`, once: the listener and a query that parses the
 * text name the same fields. Text that is no syslog is kept as text.
 */
import { createExtractor } from '../../../runtime/formats/index.ts'
import type { EventDefaults, EventReader, ReadResult } from '../../../storage/ingest/read-event.ts'
import { parseTime } from '../../../storage/ingest/timestamp.ts'
import type { DateTime, Value } from '../../../storage/value.ts'
import { DEFAULT_INDEX } from '../../ingest/defaults.ts'
import { objectIn } from '../../ingest/structured-event.ts'

/** By severity; the severity itself is kept beside it. */
const LEVELS: Readonly<Record<string, string>> = {
  emerg: 'fatal',
  alert: 'fatal',
  crit: 'fatal',
  err: 'error',
  warning: 'warn',
  notice: 'info',
  info: 'info',
  debug: 'debug',
}
const SOURCETYPE = 'syslog'
/** `[quern@32473 token="…"]`: how a sender that has nothing else shows its key. */
const TOKEN = / ?\[quern(?:@\d+)? token="([^"\]\\]{1,200})"\]/

const RFC_5424 = /^<\d{1,3}>1 /

export interface SyslogMessage {
  /** Without the key, which is nobody's business but ours. */
  readonly text: string
  readonly token: string | null
}

/** The text of a frame or datagram, and the key in its structured data. */
export function messageOf(frame: Buffer): SyslogMessage {
  const text = frame.toString('utf8', startOf(frame), endOf(frame))
  const found = text.includes('[quern') && RFC_5424.test(text) ? TOKEN.exec(text) : null
  if (found === null) return { text, token: null }
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  // Structured data that held nothing else is `-`.
  const isLast = !after.startsWith('[') && !before.endsWith(']')
  const isAlone = after.startsWith('[') && found[0].startsWith(' ')
  return { text: `${before}${isLast ? ' -' : isAlone ? ' ' : ''}${after}`, token: found[1]! }
}

export class SyslogReader {
  readonly #reader: EventReader
  readonly #extractor = createExtractor({ format: 'syslog', pattern: null, options: {}, alternatives: [] })

  constructor(reader: EventReader) {
    this.#reader = reader
  }

  /** @param peer the address it came from: the host of messages that name none */
  read(text: string, peer: string, receivedAt: DateTime): ReadResult {
    const defaults = defaultsOf(peer, receivedAt)
    const asText = () => this.#reader.fromLine(text, { ...defaults, source: SOURCETYPE })
    if (this.#extractor.read(text) !== null) return asText()
    const fields: Record<string, Value> = {}
    this.#extractor.emit({
      wants: () => true,
      add: (name, value) => {
        fields[name] = value
      },
    })
    const { timestamp, severity, hostname, appname } = fields
    // A time and a word are the beginning of many lines; only a program's name makes one without a PRI syslog.
    if (severity === undefined && appname === undefined) return asText()
    // It is the event's time; its text stands in `_raw`.
    delete fields.timestamp
    const level = typeof severity === 'string' ? LEVELS[severity] : undefined
    if (level !== undefined) fields.level = level
    const message = textOf(fields.message)?.replace(/^\ufeff/, '')
    if (message !== undefined) fields.message = message
    // What the header says counts, whatever a document in the message says.
    fields.host = textOf(hostname) ?? peer
    fields._source = textOf(appname) ?? SOURCETYPE
    return this.#reader.fromFields({ ...documentIn(this.#reader, message), ...fields }, text, {
      ...defaults,
      receivedAt: parseTime(timestamp, receivedAt) ?? receivedAt,
      timestampFields: [],
    })
  }
}

function defaultsOf(host: string, receivedAt: DateTime): EventDefaults {
  return { index: DEFAULT_INDEX, source: null, sourcetype: SOURCETYPE, host, receivedAt, timestampFields: [] }
}

/** Programs that log JSON, with the cookie of CEE before it or without. */
function documentIn(reader: EventReader, message: string | undefined): Readonly<Record<string, unknown>> | null {
  if (message === undefined) return null
  const document = objectIn(reader, message.replace(/^@cee:\s*/, ''))
  if (document === null || !Object.hasOwn(document, '_time')) return document
  const { _time: _, ...others } = document
  return others
}

function textOf(value: Value): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
}

/** After a byte order mark, if there is one. */
function startOf(frame: Buffer): number {
  return frame[0] === 0xef && frame[1] === 0xbb && frame[2] === 0xbf ? 3 : 0
}

/** Before line ends and NULs: many senders end a datagram with one. */
function endOf(frame: Buffer): number {
  let end = frame.length
  while (end > 0 && (frame[end - 1] === 10 || frame[end - 1] === 13 || frame[end - 1] === 0)) end--
  return end
}
