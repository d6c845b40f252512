/** What the tests of the store share: events out of literals, rows out of vectors, a directory of their own. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { type Filesystem, NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import type { BlockReader, IncomingEvent, PartReader, Store } from '../../storage/index.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import { valueAt } from './part-support.ts'

/** 2026-01-02T00:00:00Z */
export const T0 = 1_767_312_000_000_000
export const DAY = 86_400_000_000

export function event(
  fields: Readonly<Record<string, Value>>,
  { index = 'main', micros = T0, nanos = 0, raw = null as string | null } = {},
): IncomingEvent {
  return { index, time: new DateTime(micros, nanos), raw, fields: new Map(Object.entries(fields)) }
}

export type Row = Record<string, Value>

export function rowsOf(part: PartReader): Row[] {
  const rows: Row[] = []
  for (let at = 0; at < part.blockCount; at++) rows.push(...rowsOfBlock(part, part.block(at)))
  return rows
}

function rowsOfBlock(part: PartReader, block: BlockReader): Row[] {
  const rows: Row[] = Array.from({ length: block.rowCount }, () => ({}))
  for (const { name } of part.fields) {
    const vector = block.column(name)
    rows.forEach((row, at) => {
      const value = vector === null ? undefined : valueAt(vector, at)
      if (value !== undefined) row[name] = value
    })
  }
  return rows
}

export function rowOf(event: IncomingEvent): Row {
  const row: Row = { _time: event.time }
  if (event.raw !== null) row._raw = event.raw
  for (const [name, value] of event.fields) if (value !== undefined) row[name] = value
  return row
}

/** All rows a snapshot shows, part after part. */
export function allRows(store: Store): Row[] {
  const snapshot = store.snapshot()
  try {
    return snapshot.parts.flatMap(rowsOf)
  } finally {
    snapshot.release()
  }
}

/** The numbers of field `n`, in ascending order. */
export function numbersIn(store: Store): number[] {
  return allRows(store)
    .map(row => Number(row.n))
    .sort((a, b) => a - b)
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at)
}

export async function withDirectory(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'quern-store-'))
  try {
    await body(directory)
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

/** A filesystem whose writes fail while `full` is true. */
export function fillableFilesystem(): Filesystem & { full: boolean } {
  return {
    ...NODE_FILESYSTEM,
    full: false,
    write(fd, from, offset, length, position) {
      if (this.full) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      return NODE_FILESYSTEM.write(fd, from, offset, length, position)
    },
  }
}
