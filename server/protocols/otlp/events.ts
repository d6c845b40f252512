/** What a log record of OTLP is as an event. The mapping is the interface's; what it does not name is kept beside it. */
import type { EventDefaults, EventReader, ReadResult } from '../../../storage/ingest/read-event.ts'
import type { DateTime } from '../../../storage/value.ts'
import { DEFAULT_INDEX, isIndexName } from '../../ingest/defaults.ts'
import { objectIn } from '../../ingest/structured-event.ts'
import type { Attributes, OtlpGroup, OtlpRecord } from './model.ts'

/** Severity numbers come in fours. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** Reads the records of one group: labels and the fields they share are made once. */
export function groupReader(
  reader: EventReader,
  { resource, scope }: OtlpGroup,
  receivedAt: DateTime,
): (record: OtlpRecord) => ReadResult {
  const { 'service.name': service, 'host.name': host, 'deployment.environment': environment } = resource.attributes
  const index = labelOf(environment)
  const isIndex = index !== null && isIndexName(index)
  const mapped = new Set(['service.name', 'host.name', ...(isIndex ? ['deployment.environment'] : [])])
  const shared: Attributes = {
    ...prefixed('resource.', resource.attributes, mapped),
    ...(resource.schemaUrl !== '' && { 'resource.schema_url': resource.schemaUrl }),
    ...prefixed('scope.', scope.attributes, new Set()),
    ...(scope.name !== '' && { 'scope.name': scope.name }),
    ...(scope.version !== '' && { 'scope.version': scope.version }),
    ...(scope.schemaUrl !== '' && { 'scope.schema_url': scope.schemaUrl }),
  }
  const labels = {
    index: isIndex ? index : DEFAULT_INDEX,
    source: labelOf(service),
    sourcetype: null,
    host: labelOf(host),
    timestampFields: [],
  }
  return record => {
    const defaults: EventDefaults = { ...labels, receivedAt: record.time ?? record.observedTime ?? receivedAt }
    return reader.fromFields(fieldsOf(reader, record, shared, labels), rawOf(record.body), defaults)
  }
}

function fieldsOf(
  reader: EventReader,
  record: OtlpRecord,
  shared: Attributes,
  { source, host }: Pick<EventDefaults, 'source' | 'host'>,
): Attributes {
  const { body } = record
  const document = typeof body === 'string' ? objectIn(reader, body) : isMembers(body) ? reader.extract(body) : null
  const fields: Record<string, unknown> = { ...document, ...shared, ...record.attributes }
  const level = record.severityText === '' ? levelOf(record.severityNumber) : record.severityText
  const set = (name: string, value: unknown) => {
    // What the sender called by one of our names is moved aside, not overwritten.
    if (Object.hasOwn(record.attributes, name) && fields[name] !== value) fields[`attributes.${name}`] = fields[name]
    fields[name] = value
  }
  if (level !== null) set('level', level)
  if (source !== null) set('_source', source)
  if (host !== null) set('host', host)
  if (record.severityNumber !== 0) set('severity_number', record.severityNumber)
  if (record.traceId !== '') set('trace_id', record.traceId)
  if (record.spanId !== '') set('span_id', record.spanId)
  if (record.observedTime !== null) set('observed_time', record.observedTime)
  if (record.flags !== 0) set('flags', record.flags)
  if (record.eventName !== '') set('event_name', record.eventName)
  if (record.droppedAttributes !== 0) set('dropped_attributes_count', record.droppedAttributes)
  // The time is the record's, whatever stands in its body or attributes.
  if (Object.hasOwn(fields, '_time')) {
    fields['attributes._time'] = fields._time
    delete fields._time
  }
  return fields
}

function levelOf(severityNumber: number): string | null {
  return LEVELS[Math.floor((severityNumber - 1) / 4)] ?? null
}

/** Text is what was sent; anything else is written as JSON. */
function rawOf(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body, bigintAsText)
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function prefixed(prefix: string, attributes: Attributes, without: ReadonlySet<string>): Attributes {
  const kept = Object.entries(attributes).filter(([name]) => !without.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [prefix + name, value]))
}

function labelOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : null
}

function isMembers(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
