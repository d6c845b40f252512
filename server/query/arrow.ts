/** Rows as an Arrow IPC stream: columns of the narrowest type that holds every value exactly; what has no such type is its JSON text. */
import {
  Bool,
  DurationNanosecond,
  Float64,
  Int64,
  makeData,
  makeVector,
  Null,
  Table,
  TimestampNanosecond,
  tableToIPC,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow'
import { valueToJson } from '../../runtime/output/json.ts'
import { type DateTime, type Duration, typeOf, type Value } from '../../storage/value.ts'

export function rowsToArrow(columns: readonly string[], rows: readonly (readonly Value[])[]): Buffer {
  const vectors: Record<string, Vector> = {}
  for (const [index, name] of columns.entries()) vectors[name] = columnOf(rows.map(row => row[index] ?? null))
  return Buffer.from(tableToIPC(new Table(vectors), 'stream'))
}

function columnOf(values: readonly Value[]): Vector {
  const types = new Set(values.filter(value => value !== null).map(value => typeOf(value)))
  const [only] = types
  if (types.size === 0) return vectorFromArray(values, new Null())
  if (types.size === 1) {
    switch (only) {
      case 'bool':
        return vectorFromArray(values, new Bool())
      case 'string':
        return vectorFromArray(values, new Utf8())
      case 'float':
        return vectorFromArray(values, new Float64())
      case 'int':
        return exact(values, new Int64(), value => BigInt(value as number | bigint))
      case 'datetime':
        return exact(values, new TimestampNanosecond(), value => nanosOf(value as DateTime))
      case 'duration':
        return exact(values, new DurationNanosecond(), value => BigInt((value as Duration).ns))
    }
  }
  const isNumeric = [...types].every(type => type === 'int' || type === 'float')
  // A float column cannot hold a large integer exactly; text can.
  if (isNumeric && values.every(value => typeof value !== 'bigint')) return vectorFromArray(values, new Float64())
  return vectorFromArray(
    values.map(value => (value === null || typeof value === 'string' ? value : valueToJson(value))),
    new Utf8(),
  )
}

/** 64-bit integers as they are: the builders of the library go through milliseconds as floats for times. */
function exact(
  values: readonly Value[],
  type: Int64 | TimestampNanosecond | DurationNanosecond,
  of: (value: Value) => bigint,
): Vector {
  const data = new BigInt64Array(values.length)
  const nullBitmap = new Uint8Array((values.length + 7) >> 3)
  let nullCount = 0
  for (const [row, value] of values.entries()) {
    if (value === null) nullCount++
    else {
      data[row] = of(value)
      nullBitmap[row >> 3]! |= 1 << (row & 7)
    }
  }
  return makeVector(makeData({ type: type as Int64, data, nullBitmap, nullCount, length: values.length }))
}

function nanosOf({ micros, nanos }: DateTime): bigint {
  return BigInt(micros) * 1000n + BigInt(nanos)
}
