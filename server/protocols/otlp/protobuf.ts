/**
 * OTLP in protobuf, read field by field into the same model as JSON: nothing is built twice, and 64-bit numbers keep every bit.
 * Field numbers: opentelemetry/proto/{collector/logs,logs,common,resource}/v1.
 */
import type { Reader, Writer } from 'protobufjs/minimal.js'
import { protobuf } from '../protobuf.ts'
import {
  type Attributes,
  attributesOf,
  NESTING_MAX,
  OtlpError,
  type OtlpGroup,
  type OtlpLogs,
  type OtlpRecord,
  type OtlpResource,
  type OtlpScope,
  timeOfNanos,
} from './model.ts'

/** @throws {OtlpError} when the bytes are not the message: of a damaged message nothing can be trusted. */
export function readOtlpProtobuf(body: Buffer): OtlpLogs {
  const groups: OtlpGroup[] = []
  try {
    eachField(new Bytes(body), {
      1: bytes => groups.push(...readResourceLogs(bytes.message())),
    })
  } catch (error) {
    if (error instanceof OtlpError) throw error
    // The reader has one kind of failure: it says where the bytes ended too soon.
    throw new OtlpError(`the body is not the message: ${error instanceof Error ? error.message : error}`)
  }
  return { groups, rejected: 0, problem: null }
}

/** `ExportLogsServiceResponse`; empty when everything was stored. */
export function writeOtlpResponse(rejected: number, message: string): Buffer {
  if (rejected === 0) return Buffer.alloc(0)
  const writer = newWriter()
  writer.uint32(0x0a).fork().uint32(0x08).int64(rejected).uint32(0x12).string(message).ldelim()
  return Buffer.from(writer.finish())
}

/** `google.rpc.Status`, with how long to wait where that is known. */
export function writeStatus(code: number, message: string, retryAfterSeconds: number | null): Buffer {
  const writer = newWriter()
  writer.uint32(0x08).int32(code).uint32(0x12).string(message)
  if (retryAfterSeconds !== null) {
    const delay = newWriter().uint32(0x0a).fork().uint32(0x08).int64(retryAfterSeconds).ldelim().finish()
    writer.uint32(0x1a).fork().uint32(0x0a).string('type.googleapis.com/google.rpc.RetryInfo')
    writer.uint32(0x12).bytes(delay).ldelim()
  }
  return Buffer.from(writer.finish())
}

function newWriter(): Writer {
  return new (protobuf().Writer)()
}

/** What may be asked of the field that comes next. */
class Bytes {
  readonly #reader: Reader
  wireType = 0

  constructor(body: Uint8Array) {
    this.#reader = protobuf().Reader.create(body)
  }

  /** Of the next field; 0: there is none. */
  field(): number {
    if (this.#reader.pos >= this.#reader.len) return 0
    const tag = this.#reader.uint32()
    this.wireType = tag & 7
    const field = tag >>> 3
    if (field === 0) throw new OtlpError('a field has the number 0')
    return field
  }

  skip(): void {
    this.#reader.skipType(this.wireType)
  }

  message(): Bytes {
    return new Bytes(this.bytes())
  }

  bytes(): Uint8Array {
    this.#expect(2)
    return this.#reader.bytes()
  }

  text(): string {
    this.#expect(2)
    return this.#reader.string()
  }

  bool(): boolean {
    this.#expect(0)
    return this.#reader.bool()
  }

  uint32(): number {
    this.#expect(0)
    return this.#reader.uint32()
  }

  fixed32(): number {
    this.#expect(5)
    return this.#reader.fixed32()
  }

  double(): number {
    this.#expect(1)
    return this.#reader.double()
  }

  fixed64(): bigint {
    this.#expect(1)
    const low = this.#reader.fixed32()
    return (BigInt(this.#reader.fixed32()) << 32n) | BigInt(low)
  }

  int64(): number | bigint {
    this.#expect(0)
    const { low, high } = this.#reader.int64() as unknown as { readonly low: number; readonly high: number }
    const value = high * 2 ** 32 + (low >>> 0)
    return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low >>> 0)
  }

  #expect(wireType: number): void {
    if (this.wireType !== wireType) throw new OtlpError(`a field has wire type ${this.wireType}, not ${wireType}`)
  }
}

type FieldReaders = Readonly<Record<number, (bytes: Bytes) => void>>

function eachField(bytes: Bytes, readers: FieldReaders): void {
  for (let field = bytes.field(); field !== 0; field = bytes.field()) {
    const read = readers[field]
    if (read === undefined) bytes.skip()
    else read(bytes)
  }
}

type Entries = [key: string, value: unknown][]

function readResourceLogs(bytes: Bytes): OtlpGroup[] {
  const entries: Entries = []
  const resource = { attributes: {}, schemaUrl: '' } as { attributes: Attributes; schemaUrl: string }
  const groups: OtlpGroup[] = []
  eachField(bytes, {
    1: each => eachField(each.message(), { 1: attribute => entries.push(readAttribute(attribute.message(), 0)) }),
    2: each => groups.push(readScopeLogs(each.message(), resource)),
    3: each => {
      resource.schemaUrl = each.text()
    },
  })
  // Nothing says that the resource comes first.
  resource.attributes = attributesOf(entries)
  return groups
}

function readScopeLogs(bytes: Bytes, resource: OtlpResource): OtlpGroup {
  let scope: Omit<OtlpScope, 'schemaUrl'> = { name: '', version: '', attributes: {} }
  let schemaUrl = ''
  const records: OtlpRecord[] = []
  eachField(bytes, {
    1: each => {
      scope = readScope(each.message())
    },
    2: each => records.push(readRecord(each.message())),
    3: each => {
      schemaUrl = each.text()
    },
  })
  return { resource, scope: { ...scope, schemaUrl }, records }
}

function readScope(bytes: Bytes): Omit<OtlpScope, 'schemaUrl'> {
  const entries: Entries = []
  let name = ''
  let version = ''
  eachField(bytes, {
    1: each => {
      name = each.text()
    },
    2: each => {
      version = each.text()
    },
    3: each => entries.push(readAttribute(each.message(), 0)),
  })
  return { name, version, attributes: attributesOf(entries) }
}

/** One switch, not a table of readers: this runs once per record. */
function readRecord(bytes: Bytes): OtlpRecord {
  const entries: Entries = []
  let time = 0n
  let observed = 0n
  let severityNumber = 0
  let severityText = ''
  let body: unknown
  let droppedAttributes = 0
  let flags = 0
  let traceId = ''
  let spanId = ''
  let eventName = ''
  for (let field = bytes.field(); field !== 0; field = bytes.field()) {
    switch (field) {
      case 1:
        time = bytes.fixed64()
        break
      case 2:
        severityNumber = bytes.uint32()
        break
      case 3:
        severityText = bytes.text()
        break
      case 5:
        body = readValue(bytes.message(), 0)
        break
      case 6:
        entries.push(readAttribute(bytes.message(), 0))
        break
      case 7:
        droppedAttributes = bytes.uint32()
        break
      case 8:
        flags = bytes.fixed32()
        break
      case 9:
        traceId = idOf(bytes.bytes())
        break
      case 10:
        spanId = idOf(bytes.bytes())
        break
      case 11:
        observed = bytes.fixed64()
        break
      case 12:
        eventName = bytes.text()
        break
      default:
        bytes.skip()
    }
  }
  return {
    time: timeOfNanos(time),
    observedTime: timeOfNanos(observed),
    severityText,
    severityNumber,
    body,
    attributes: attributesOf(entries),
    droppedAttributes,
    flags,
    traceId,
    spanId,
    eventName,
  }
}

function idOf(id: Uint8Array): string {
  return id.every(byte => byte === 0) ? '' : Buffer.from(id).toString('hex')
}

function readAttribute(bytes: Bytes, depth: number): [key: string, value: unknown] {
  let key = ''
  let value: unknown
  for (let field = bytes.field(); field !== 0; field = bytes.field()) {
    if (field === 1) key = bytes.text()
    else if (field === 2) value = readValue(bytes.message(), depth)
    else bytes.skip()
  }
  return [key, value]
}

function readValue(bytes: Bytes, depth: number): unknown {
  if (depth > NESTING_MAX) throw new OtlpError('a value is nested too deeply')
  let value: unknown
  for (let field = bytes.field(); field !== 0; field = bytes.field()) {
    switch (field) {
      case 1:
        value = bytes.text()
        break
      case 2:
        value = bytes.bool()
        break
      case 3:
        value = bytes.int64()
        break
      case 4:
        value = bytes.double()
        break
      case 5:
        value = readArray(bytes.message(), depth + 1)
        break
      case 6:
        value = readMembers(bytes.message(), depth + 1)
        break
      case 7:
        value = Buffer.from(bytes.bytes()).toString('base64')
        break
      default:
        bytes.skip()
    }
  }
  return value
}

function readArray(bytes: Bytes, depth: number): unknown[] {
  const values: unknown[] = []
  eachField(bytes, { 1: each => values.push(readValue(each.message(), depth) ?? null) })
  return values
}

function readMembers(bytes: Bytes, depth: number): Attributes {
  const entries: Entries = []
  eachField(bytes, { 1: each => entries.push(readAttribute(each.message(), depth)) })
  return attributesOf(entries)
}
