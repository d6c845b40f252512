/**
 * OTLP in JSON, as senders write it: 64-bit integers as text or as numbers, names in either case, ids in hexadecimal (or, from generic
 * encoders, base64), enums by number or name.
 */
import { parseRequestJson } from '../../json.ts'
import {
  type Attributes,
  attributesOf,
  NESTING_MAX,
  OtlpError,
  type OtlpGroup,
  type OtlpLogs,
  type OtlpRecord,
  timeOfNanos,
} from './model.ts'

type Members = Readonly<Record<string, unknown>>

/** @throws {OtlpError} when the body as a whole is none */
export function readOtlpJson(body: Buffer): OtlpLogs {
  return new JsonReader().read(parse(body))
}

function parse(body: Buffer): Members {
  let document: unknown
  try {
    document = parseRequestJson(body.toString('utf8'))
  } catch (error) {
    throw new OtlpError(`the body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (!isMembers(document)) throw new OtlpError('the body is not an object with resourceLogs')
  return document
}

class JsonReader {
  readonly #groups: OtlpGroup[] = []
  #rejected = 0
  #problem: string | null = null

  read(request: Members): OtlpLogs {
    for (const resourceLogs of listOf(request, 'resourceLogs', 'resource_logs')) {
      if (isMembers(resourceLogs)) this.#readResource(resourceLogs)
      else this.#reject('an element of resourceLogs is not an object')
    }
    return { groups: this.#groups, rejected: this.#rejected, problem: this.#problem }
  }

  #readResource(resourceLogs: Members): void {
    const given = member(resourceLogs, 'resource')
    const resource = {
      attributes: readAttributes(isMembers(given) ? member(given, 'attributes') : undefined),
      schemaUrl: textOf(member(resourceLogs, 'schemaUrl', 'schema_url')),
    }
    for (const scopeLogs of listOf(resourceLogs, 'scopeLogs', 'scope_logs')) {
      if (!isMembers(scopeLogs)) {
        this.#reject('an element of scopeLogs is not an object')
        continue
      }
      const records: OtlpRecord[] = []
      for (const record of listOf(scopeLogs, 'logRecords', 'log_records')) {
        const read = readRecord(record)
        if (typeof read === 'string') this.#reject(read)
        else records.push(read)
      }
      this.#groups.push({ resource, scope: readScope(scopeLogs), records })
    }
  }

  #reject(problem: string): void {
    this.#rejected++
    this.#problem ??= problem
  }
}

function readScope(scopeLogs: Members): OtlpGroup['scope'] {
  const given = member(scopeLogs, 'scope')
  const scope = isMembers(given) ? given : {}
  return {
    name: textOf(scope.name),
    version: textOf(scope.version),
    attributes: readAttributes(scope.attributes),
    schemaUrl: textOf(member(scopeLogs, 'schemaUrl', 'schema_url')),
  }
}

/** @returns what is wrong with it, as text */
function readRecord(record: unknown): OtlpRecord | string {
  if (!isMembers(record)) return 'a log record is not an object'
  const time = nanosOf(member(record, 'timeUnixNano', 'time_unix_nano'))
  const observed = nanosOf(member(record, 'observedTimeUnixNano', 'observed_time_unix_nano'))
  if (time === null || observed === null) return 'timeUnixNano is not a whole number of nanoseconds'
  try {
    return {
      time: timeOfNanos(time),
      observedTime: timeOfNanos(observed),
      severityText: textOf(member(record, 'severityText', 'severity_text')),
      severityNumber: severityOf(member(record, 'severityNumber', 'severity_number')),
      body: readValue(record.body, 0),
      attributes: readAttributes(record.attributes),
      droppedAttributes: numberOf(member(record, 'droppedAttributesCount', 'dropped_attributes_count')),
      flags: numberOf(record.flags),
      traceId: idOf(member(record, 'traceId', 'trace_id'), 16),
      spanId: idOf(member(record, 'spanId', 'span_id'), 8),
      eventName: textOf(member(record, 'eventName', 'event_name')),
    }
  } catch (error) {
    if (error instanceof OtlpError) return error.message
    throw error
  }
}

function readAttributes(list: unknown, depth = 0): Attributes {
  if (!Array.isArray(list)) return {}
  return attributesOf(
    list
      .filter(attribute => isMembers(attribute) && typeof attribute.key === 'string')
      .map(({ key, value }) => [key, readValue(value, depth)]),
  )
}

/** An AnyValue: an object with one member that names its kind. @throws {OtlpError} when nested too deeply */
function readValue(value: unknown, depth: number): unknown {
  if (value === undefined || value === null) return undefined
  if (depth > NESTING_MAX) throw new OtlpError('a value is nested too deeply')
  // Not an AnyValue, but what somebody meant as one.
  if (!isMembers(value)) return value
  for (const kind in value) {
    const given = value[kind]
    switch (kind) {
      case 'stringValue':
      case 'string_value':
      case 'boolValue':
      case 'bool_value':
        return given
      case 'bytesValue':
      case 'bytes_value':
        return given
      case 'intValue':
      case 'int_value':
        return integerOf(given)
      case 'doubleValue':
      case 'double_value':
        return typeof given === 'string' && given !== '' && !Number.isNaN(Number(given)) ? Number(given) : given
      case 'arrayValue':
      case 'array_value':
        return valuesOf(given).map(element => readValue(element, depth + 1) ?? null)
      case 'kvlistValue':
      case 'kvlist_value':
        return readAttributes(valuesOf(given), depth + 1)
    }
  }
  return Object.keys(value).length === 0 ? undefined : value
}

function valuesOf(list: unknown): readonly unknown[] {
  const values = isMembers(list) ? list.values : undefined
  return Array.isArray(values) ? values : []
}

/** What is no whole number stays what it was. */
function integerOf(given: unknown): unknown {
  if (typeof given !== 'string' || !/^-?\d{1,19}$/.test(given)) return given
  const value = Number(given)
  return Number.isSafeInteger(value) ? value : BigInt(given)
}

/** Zero when there is none; null when it is none. */
function nanosOf(given: unknown): bigint | null {
  if (given === undefined || given === null || given === '') return 0n
  if (typeof given === 'bigint') return given
  if (typeof given === 'number') return Number.isFinite(given) ? BigInt(Math.trunc(given)) : null
  return typeof given === 'string' && /^\d{1,20}$/.test(given) ? BigInt(given) : null
}

const SEVERITY_NAMES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']

/** `9`, `"9"` or `"SEVERITY_NUMBER_INFO"`. */
function severityOf(given: unknown): number {
  const named = typeof given === 'string' ? /^SEVERITY_NUMBER_([A-Z]+)([2-4]?)$/.exec(given) : null
  const place = SEVERITY_NAMES.indexOf(named?.[1] ?? '')
  return place < 0 ? numberOf(given) : place * 4 + Number(named![2] || 1)
}

/** Hexadecimal as OTLP has it; base64 as generic encoders of protobuf do. */
function idOf(given: unknown, bytes: number): string {
  const text = textOf(given)
  if (/^[0-9a-f]*$/i.test(text) && text.length === bytes * 2) return /^0*$/.test(text) ? '' : text.toLowerCase()
  const decoded = Buffer.from(text, 'base64')
  return decoded.length === bytes && text.endsWith('=') ? decoded.toString('hex') : text
}

function numberOf(given: unknown): number {
  const number = typeof given === 'string' ? Number(given) : given
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : 0
}

function textOf(given: unknown): string {
  return typeof given === 'string' ? given : ''
}

function member(object: Members, ...names: readonly string[]): unknown {
  for (const name of names) if (object[name] !== undefined) return object[name]
  return undefined
}

/** @throws {OtlpError} when there is something else at its place */
function listOf(object: Members, ...names: readonly string[]): readonly unknown[] {
  const list = member(object, ...names)
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) throw new OtlpError(`${names[0]} is not an array`)
  return list
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
