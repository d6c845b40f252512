/** OTLP logs as both encodings are read: attribute values are plain JavaScript values, times exact to the nanosecond. */
import { DateTime } from '../../../storage/value.ts'

export type Attributes = Readonly<Record<string, unknown>>

export interface OtlpRecord {
  readonly time: DateTime | null
  readonly observedTime: DateTime | null
  readonly severityText: string
  /** 1 … 24; 0: none. */
  readonly severityNumber: number
  /** undefined: none. */
  readonly body: unknown
  readonly attributes: Attributes
  readonly droppedAttributes: number
  readonly flags: number
  /** Hexadecimal; empty: none. */
  readonly traceId: string
  readonly spanId: string
  readonly eventName: string
}

export interface OtlpScope {
  readonly name: string
  readonly version: string
  readonly attributes: Attributes
  readonly schemaUrl: string
}

export interface OtlpResource {
  readonly attributes: Attributes
  readonly schemaUrl: string
}

/** Records of one scope of one resource. */
export interface OtlpGroup {
  readonly resource: OtlpResource
  readonly scope: OtlpScope
  readonly records: readonly OtlpRecord[]
}

export interface OtlpLogs {
  readonly groups: readonly OtlpGroup[]
  /** Records that are none, and what is wrong with the first. */
  readonly rejected: number
  readonly problem: string | null
}

/** The body as a whole is not OTLP. */
export class OtlpError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OtlpError'
  }
}

/** Values nested deeper are refused: whoever reads them does so by recursion. */
export const NESTING_MAX = 100

/** Nothing sets a time of zero; it is how both encodings say that there is none. */
export function timeOfNanos(nanos: bigint): DateTime | null {
  return nanos <= 0n ? null : new DateTime(Number(nanos / 1000n), Number(nanos % 1000n))
}

/** Members of an attribute list; not by assignment, because a key may be `__proto__`. */
export function attributesOf(entries: readonly (readonly [key: string, value: unknown])[]): Attributes {
  return Object.fromEntries(entries)
}
