/**
 * Any value at all, one after another with its tag: what no narrower encoding takes. Also how dictionaries of mixed types, distinct
 * lists and constants are written. Strings with lone surrogates have no UTF-8 and are kept as UTF-16 units.
 */
import { DateTime, Duration, type Value } from '../../value.ts'
import type { AnyVector } from '../../vector.ts'
import { type ByteSink, type ByteSource, isWellFormed } from '../bytes.ts'

const MISSING = 0
const NULL = 1
const FALSE = 2
const TRUE = 3
const POSITIVE = 4
const NEGATIVE = 5
const FLOAT = 6
const BIGINT = 7
const TEXT = 8
const UNITS = 9
const TIME = 10
const DURATION = 11
const ARRAY = 12
const OBJECT = 13

export function encodeAny(sink: ByteSink, vector: AnyVector): void {
  for (let row = 0; row < vector.rowCount; row++) writeValue(sink, vector.values[row])
}

export function decodeAny(source: ByteSource, rowCount: number): AnyVector {
  if (rowCount > source.remaining) throw new RangeError(`${rowCount} values cannot follow`)
  const values: Value[] = new Array(rowCount)
  for (let row = 0; row < rowCount; row++) values[row] = readValue(source)
  return { kind: 'any', rowCount, values }
}

export function writeValue(sink: ByteSink, value: Value): void {
  switch (typeof value) {
    case 'undefined':
      sink.u8(MISSING)
      return
    case 'boolean':
      sink.u8(value ? TRUE : FALSE)
      return
    case 'number':
      writeNumber(sink, value)
      return
    case 'bigint':
      sink.u8(BIGINT)
      sink.i64(value)
      return
    case 'string':
      writeString(sink, value)
      return
    default:
      if (value === null) sink.u8(NULL)
      else writeBoxed(sink, value)
  }
}

function writeNumber(sink: ByteSink, value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    sink.u8(value < 0 ? NEGATIVE : POSITIVE)
    sink.varint(Math.abs(value))
  } else {
    sink.u8(FLOAT)
    sink.f64(value)
  }
}

function writeString(sink: ByteSink, value: string): void {
  if (isWellFormed(value)) {
    sink.u8(TEXT)
    sink.text(value)
  } else {
    const units = Buffer.from(value, 'utf16le')
    sink.u8(UNITS)
    sink.varint(units.length)
    sink.bytes(units)
  }
}

function writeBoxed(
  sink: ByteSink,
  value: Exclude<Value, undefined | null | boolean | number | bigint | string>,
): void {
  if (value instanceof DateTime) {
    sink.u8(TIME)
    sink.f64(value.micros)
    sink.varint(value.nanos)
  } else if (value instanceof Duration) {
    sink.u8(DURATION)
    sink.f64(value.ns)
  } else if (isArray(value)) {
    sink.u8(ARRAY)
    sink.varint(value.length)
    for (const element of value) writeValue(sink, element)
  } else {
    const entries = Object.entries(value)
    sink.u8(OBJECT)
    sink.varint(entries.length)
    for (const [key, member] of entries) {
      writeString(sink, key)
      writeValue(sink, member)
    }
  }
}

/** `Array.isArray` does not narrow a union that has a readonly array in it. */
function isArray(value: object): value is readonly Value[] {
  return Array.isArray(value)
}

export function readValue(source: ByteSource): Value {
  const tag = source.u8()
  switch (tag) {
    case MISSING:
      return undefined
    case NULL:
      return null
    case FALSE:
      return false
    case TRUE:
      return true
    case POSITIVE:
      return source.varint()
    case NEGATIVE:
      return -source.varint()
    case FLOAT:
      return source.f64()
    case BIGINT:
      return source.i64()
    case TEXT:
    case UNITS:
      return readText(source, tag)
    case TIME: {
      const micros = source.f64()
      return new DateTime(micros, source.varint())
    }
    case DURATION:
      return new Duration(source.f64())
    case ARRAY: {
      const length = source.count(1)
      const elements: Value[] = []
      for (let index = 0; index < length; index++) elements.push(readValue(source))
      return elements
    }
    case OBJECT:
      return readObject(source)
    default:
      throw new RangeError(`value tag ${tag} is not known`)
  }
}

function readText(source: ByteSource, tag: number): string {
  if (tag === TEXT) return source.text()
  if (tag !== UNITS) throw new RangeError(`tag ${tag} where a string belongs`)
  return Buffer.from(source.bytes(source.count(1))).toString('utf16le')
}

function readObject(source: ByteSource): Value {
  const count = source.count(2)
  const members: Record<string, Value> = {}
  for (let index = 0; index < count; index++) {
    const key = readText(source, source.u8())
    const value = readValue(source)
    // Assigning `__proto__` would set the prototype instead of a member.
    if (key !== '__proto__') members[key] = value
    else Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return members
}
