/** Arrow files (IPC, also called Feather) by way of apache-arrow: a record batch at a time. */
import * as fs from 'node:fs'
import type { Data, DataType } from 'apache-arrow'
import type { Value } from '../../storage/value.ts'
import { valueToJson } from '../output/json.ts'
import {
  type Cell,
  ColumnFacts,
  type ColumnKind,
  type ColumnPlan,
  cellOf,
  METADATA_KEY,
  metadataOf,
  plansOf,
} from './plan.ts'
import { TableFileError, type TableReader, type TableWriter } from './table-file.ts'

type Arrow = typeof import('apache-arrow')

function typeOf(arrow: Arrow, kind: ColumnKind): DataType {
  switch (kind) {
    case 'int':
      return new arrow.Int64()
    case 'float':
      return new arrow.Float64()
    case 'bool':
      return new arrow.Bool()
    case 'time':
      return new arrow.TimestampNanosecond('UTC')
    case 'micros':
      return new arrow.TimestampMicrosecond('UTC')
    case 'duration':
      return new arrow.DurationNanosecond()
    default:
      return new arrow.Utf8()
  }
}

export async function arrowWriter(path: string, columns: readonly ColumnPlan[]): Promise<TableWriter> {
  const arrow = await import('apache-arrow')
  const fields = columns.map(({ name, kind }) => new arrow.Field(name, typeOf(arrow, kind), true))
  const schema = new arrow.Schema(fields, new Map([[METADATA_KEY, metadataOf(columns)]]))
  const writer = new arrow.RecordBatchFileWriter()
  const fd = fs.openSync(path, 'w')
  const copying = (async () => {
    for await (const chunk of writer)
      for (let at = 0; at < chunk.length; ) at += fs.writeSync(fd, chunk, at, chunk.length - at)
  })()
  writer.reset(undefined, schema)
  return {
    async write(data) {
      const length = data[0]?.length ?? 0
      const children = fields.map(({ type }, index) => dataOf(arrow, type, data[index]!))
      const struct = arrow.makeData({ type: new arrow.Struct(fields), length, nullCount: 0, children })
      writer.write(new arrow.RecordBatch(schema, struct))
      // What was written leaves the queue before the next batch joins it.
      await new Promise(resolve => setImmediate(resolve))
    },
    async finish() {
      writer.finish()
      await copying
      fs.fsyncSync(fd)
      fs.closeSync(fd)
    },
  }
}

/** The library's own builders take times as doubles of milliseconds; these are the exact integers. */
function dataOf(arrow: Arrow, type: DataType, cells: readonly Cell[]): Data {
  if (arrow.DataType.isInt(type) || arrow.DataType.isTimestamp(type) || arrow.DataType.isDuration(type)) {
    const values = new BigInt64Array(cells.length)
    const nullBitmap = new Uint8Array(((cells.length + 63) >> 6) << 3)
    let nullCount = 0
    for (let row = 0; row < cells.length; row++) {
      const cell = cells[row]!
      if (cell === null) nullCount++
      else {
        values[row] = BigInt(cell)
        nullBitmap[row >> 3]! |= 1 << (row & 7)
      }
    }
    return arrow.makeData({ type: type as never, length: cells.length, nullCount, nullBitmap, data: values as never })
  }
  const builder = arrow.makeBuilder({ type, nullValues: [null] })
  for (const cell of cells) builder.append(cell)
  return builder.finish().flush()
}

/**
 * Rows as an Arrow IPC stream, for programs that go on from an answer: columns of the narrowest type that holds every value exactly; what
 * has no such type is text, each value as JSON writes it. Unlike a file of `arrowWriter` it is not made to be read back by this program.
 */
export async function rowsToArrow(columns: readonly string[], rows: readonly (readonly Value[])[]): Promise<Buffer> {
  const arrow = await import('apache-arrow')
  const vectors = columns.map((name, index) => {
    const values = rows.map(row => row[index] ?? null)
    const kind = answerKind(values)
    if (kind === null) return [name, arrow.vectorFromArray(values, new arrow.Null())] as const
    const cells = values.map(value => (kind === 'json' ? asText(value) : cellOf(value, kind)))
    return [name, arrow.makeVector(dataOf(arrow, typeOf(arrow, kind), cells))] as const
  })
  return Buffer.from(arrow.tableToIPC(new arrow.Table(Object.fromEntries(vectors)), 'stream'))
}

/** Null: there is no value. `json`: no one type holds them. */
function answerKind(values: readonly Value[]): ColumnKind | null {
  const facts = new ColumnFacts(0)
  for (const value of values) facts.add(value)
  const kinds = [...facts.kinds]
  if (kinds.length === 0) return null
  const isNumeric = kinds.every(kind => kind === 'int' || kind === 'float')
  // A column of doubles cannot hold a large integer exactly; text can.
  if (isNumeric && kinds.length > 1 && !values.some(value => typeof value === 'bigint')) return 'float'
  return kinds.length === 1 && kinds[0] !== 'micros' ? kinds[0]! : 'json'
}

function asText(value: Value): string | null {
  return value === null || value === undefined ? null : typeof value === 'string' ? value : valueToJson(value)
}

/** @throws {TableFileError} */
export async function openArrow(path: string): Promise<TableReader> {
  const arrow = await import('apache-arrow')
  const failed = (error: unknown): never => {
    throw new TableFileError(path, error instanceof Error ? error.message : String(error))
  }
  // Random access: batches are read where the footer says they are.
  const handle = await fs.promises.open(path, 'r')
  const reader = await arrow.RecordBatchReader.from(handle).catch(failed)
  await reader.open().catch(failed)
  const { schema } = reader
  const known = plansOf(schema.metadata.get(METADATA_KEY))
  const columns = schema.fields.map(
    ({ name, type }): ColumnPlan => known?.get(name) ?? { name, kind: kindOf(arrow, type, path, name), absent: 'null' },
  )
  return {
    rowCount: Number.NaN,
    columns,
    async *groups() {
      try {
        for await (const batch of reader)
          yield columns.map((_, index) => {
            const column = batch.getChildAt(index)!
            const scale = scaleOf(arrow, column.type)
            // Times as the integers they are, in nanoseconds.
            const values = column.data[0]!.values as BigInt64Array
            return Array.from({ length: batch.numRows }, (__, row): Cell => {
              if (!column.isValid(row)) return null
              if (scale !== null) return BigInt(values[row]!) * scale
              return column.get(row) as Cell
            })
          })
      } catch (error) {
        failed(error)
      } finally {
        await reader.cancel()
        await handle.close().catch(() => {})
      }
    },
  }
}

/** Nanoseconds of one unit of a time or duration; null for every other type. */
function scaleOf(arrow: Arrow, type: DataType): bigint | null {
  if (!arrow.DataType.isTimestamp(type) && !arrow.DataType.isDuration(type)) return null
  return [1_000_000_000n, 1_000_000n, 1000n, 1n][type.unit]!
}

function kindOf(arrow: Arrow, type: DataType, path: string, name: string): ColumnKind {
  const { DataType } = arrow
  if (DataType.isTimestamp(type)) return 'time'
  if (DataType.isDuration(type)) return 'duration'
  if (DataType.isInt(type)) return 'int'
  if (DataType.isFloat(type)) return 'float'
  if (DataType.isBool(type)) return 'bool'
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return 'string'
  if (DataType.isDictionary(type)) return kindOf(arrow, type.dictionary as DataType, path, name)
  throw new TableFileError(path, `${name} is of type ${String(type)}: only flat columns are read`)
}
