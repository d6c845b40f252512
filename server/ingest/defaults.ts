/** What an event gets from the request around it: labels from headers, `main`, and the time it was received. */
import { BULK_TIMESTAMP_FIELDS, type EventDefaults, TIMESTAMP_FIELDS } from '../../storage/ingest/read-event.ts'
import { receiveTime } from '../../storage/ingest/receive-time.ts'
import type { DateTime } from '../../storage/value.ts'
import { RequestError } from '../errors.ts'

export const DEFAULT_INDEX = 'main'
/** Index names become names of directories and stay readable in queries. */
const INDEX_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/

export function isIndexName(name: string): boolean {
  return INDEX_NAME.test(name)
}

export function indexNameProblem(name: string): string {
  return `${JSON.stringify(name.slice(0, 140))} is not an index name: letters, digits, _ - and . (not first), up to 128 of them`
}

/** @throws {RequestError} VALIDATION_ERROR for an index that cannot be. */
export function requestDefaults(headers: Readonly<Record<string, string | string[] | undefined>>): EventDefaults {
  const index = textOf(headers['x-index']) ?? DEFAULT_INDEX
  if (!isIndexName(index)) throw new RequestError('VALIDATION_ERROR', `X-Index: ${indexNameProblem(index)}`)
  return {
    index,
    source: textOf(headers['x-source']),
    sourcetype: textOf(headers['x-source-type']),
    host: null,
    receivedAt: receiveTime(),
    timestampFields: TIMESTAMP_FIELDS,
  }
}

export function bulkDefaults(source: string | null, receivedAt: DateTime): EventDefaults {
  return {
    index: DEFAULT_INDEX,
    source,
    sourcetype: null,
    host: null,
    receivedAt,
    timestampFields: BULK_TIMESTAMP_FIELDS,
  }
}

function textOf(header: string | string[] | undefined): string | null {
  const text = Array.isArray(header) ? header[0] : header
  return text === undefined || text === '' ? null : text
}
