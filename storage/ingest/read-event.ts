/**
 * Text and JSON on their way in become events: nested objects flattened to dotted names, the event time found, `_raw` kept exactly.
 * Shared by every ingest route, the command line and pipe mode, so that an event means the same however it came.
 */
import type { IncomingEvent } from '../index.ts'
import type { DateTime } from '../value.ts'

export interface EventDefaults {
  readonly index: string
  readonly source: string | null
  readonly sourcetype: string | null
  readonly host: string | null
  readonly receivedAt: DateTime
  /** Names looked for, in order, for the event's time. */
  readonly timestampFields: readonly string[]
}

/** `_timestamp timestamp @timestamp time ts datetime`: the specification's list for native routes. */
export const TIMESTAMP_FIELDS: readonly string[] = ['_timestamp', 'timestamp', '@timestamp', 'time', 'ts', 'datetime']
/** The bulk route's list. */
export const BULK_TIMESTAMP_FIELDS: readonly string[] = ['@timestamp', 'timestamp', 'time', 'ts', 'datetime']

export type ReadResult =
  | { readonly event: IncomingEvent }
  | { readonly problem: { readonly code: string; readonly message: string } }

export type EventReader = {
  /** One JSON document as sent; `_raw` is its text. A document that is not an object is a problem. */
  fromJson(text: string, defaults: EventDefaults): ReadResult
  /** One line of any text: JSON when it parses as an object (`full` mode), otherwise just `_raw` with a time found at its start if any. */
  fromLine(line: string, defaults: EventDefaults): ReadResult
  /** Fields that are already an object (OTLP, HEC, native `fields`), with the text that stands as `_raw`. */
  fromFields(fields: Readonly<Record<string, unknown>>, raw: string | null, defaults: EventDefaults): ReadResult
}
