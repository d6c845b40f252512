/** Parquet by way of hyparquet, plain JavaScript: a row group at a time, pages compressed with Snappy, which every reader has. */
import * as fs from 'node:fs'
import type { AsyncBuffer, SchemaElement } from 'hyparquet'
import { type Cell, type ColumnKind, type ColumnPlan, METADATA_KEY, metadataOf, plansOf } from './plan.ts'
import { GROUP_ROWS, TableFileError, type TableReader, type TableWriter } from './table-file.ts'

const TYPES: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  int: { type: 'INT64' },
  float: { type: 'DOUBLE' },
  bool: { type: 'BOOLEAN' },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' } },
  micros: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  duration: { type: 'INT64' },
}

export async function parquetWriter(path: string, columns: readonly ColumnPlan[]): Promise<TableWriter> {
  const { ParquetWriter, ByteWriter } = await import('hyparquet-writer')
  const fd = fs.openSync(path, 'w')
  const bytes = new ByteWriter()
  let written = 0
  // The writer keeps counting where the file is; what it holds goes out after each group.
  const drain = (): void => {
    for (let at = 0; at < bytes.index; )
      at += fs.writeSync(fd, new Uint8Array(bytes.buffer, at, bytes.index - at), 0, bytes.index - at, written + at)
    written += bytes.index
    bytes.index = 0
  }
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[kind] })),
  ]
  const writer = new ParquetWriter({
    writer: bytes,
    schema,
    kvMetadata: [{ key: METADATA_KEY, value: metadataOf(columns) }],
    createdBy: 'quern',
  })
  return {
    async write(data) {
      const columnData = columns.map(({ name }, index) => ({ name, data: data[index]! as Cell[] }))
      await writer.write({ columnData, rowGroupSize: GROUP_ROWS })
      drain()
    },
    async finish() {
      await writer.finish()
      drain()
      fs.fsyncSync(fd)
      fs.closeSync(fd)
    },
  }
}

/** @throws {TableFileError} */
export async function openParquet(path: string): Promise<TableReader> {
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet')
  const { compressors } = await import('hyparquet-compressors')
  const file = bufferOf(path)
  const metadata = await parquetMetadataAsync(file).catch((error: unknown) => {
    throw new TableFileError(path, error instanceof Error ? error.message : String(error))
  })
  const known = plansOf(metadata.key_value_metadata?.find(({ key }) => key === METADATA_KEY)?.value)
  const columns = parquetSchema(metadata).children.map(({ element, children }): ColumnPlan => {
    if (children.length > 0 && known === null)
      throw new TableFileError(path, `${element.name} is nested: only flat columns are read`)
    return known?.get(element.name) ?? { name: element.name, kind: kindOf(element), absent: 'null' }
  })
  // Timestamps stay the integers they are: a Date would lose what is below the millisecond.
  const parsers = {
    timestampFromMilliseconds: (millis: bigint) => millis * 1_000_000n,
    timestampFromMicroseconds: (micros: bigint) => micros * 1000n,
    timestampFromNanoseconds: (nanos: bigint) => nanos,
  }
  return {
    rowCount: Number(metadata.num_rows),
    columns,
    async *groups() {
      let rowStart = 0
      for (const { num_rows } of metadata.row_groups) {
        const groupEnd = rowStart + Number(num_rows)
        for (; rowStart < groupEnd; rowStart = Math.min(groupEnd, rowStart + GROUP_ROWS)) {
          const rowEnd = Math.min(groupEnd, rowStart + GROUP_ROWS)
          const rows = (await parquetReadObjects({
            file,
            metadata,
            rowStart,
            rowEnd,
            compressors,
            parsers: parsers as never,
          })) as Record<string, Cell>[]
          yield columns.map(({ name }) => rows.map(row => row[name] ?? null))
        }
      }
    },
  }
}

function kindOf({ type, logical_type, converted_type }: SchemaElement): ColumnKind {
  if (logical_type?.type === 'TIMESTAMP' || converted_type?.startsWith('TIMESTAMP') === true || type === 'INT96')
    return 'time'
  if (type === 'BOOLEAN') return 'bool'
  if (type === 'DOUBLE' || type === 'FLOAT') return 'float'
  return type === 'INT32' || type === 'INT64' ? 'int' : 'string'
}

function bufferOf(path: string): AsyncBuffer {
  const fd = fs.openSync(path, 'r')
  const byteLength = fs.fstatSync(fd).size
  fs.closeSync(fd)
  return {
    byteLength,
    slice(start, end = byteLength) {
      const length = end - start
      const bytes = new Uint8Array(length)
      const own = fs.openSync(path, 'r')
      try {
        for (let done = 0; done < length; ) {
          const count = fs.readSync(own, bytes, done, length - done, start + done)
          if (count <= 0) throw new TableFileError(path, 'the file ends early')
          done += count
        }
      } finally {
        fs.closeSync(own)
      }
      return bytes.buffer
    },
  }
}
