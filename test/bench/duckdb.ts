/** The yardstick: DuckDB in the same process, two threads, the same events. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Rows } from './answer.ts'
import type { Events } from './generate.ts'

export interface DuckDb {
  /** Runs the query to its end; the rows become objects only when asked for, so that turning them is not in any figure. */
  run(sql: string): Promise<() => Rows>
  close(): void
}

export interface DuckDbFiles {
  readonly events: string
  /** Every line once more as text, for searches over all of it; a file of its own, as it is no part of what loading costs. */
  readonly texts: string
}

export async function openDuckDb(files: DuckDbFiles): Promise<DuckDb> {
  const { instance, connection } = await connect(files.events)
  await connection.run(`ATTACH '${files.texts}' AS texts (READ_ONLY)`)
  return {
    async run(sql) {
      const reader = await connection.runAndReadAll(sql)
      return () => reader.getRowObjectsJS()
    },
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** As many at once as there are connections: each answers one question at a time, all share two threads. */
export async function connectionsTo(
  files: DuckDbFiles,
  count: number,
): Promise<{ readonly connections: readonly Pick<DuckDb, 'run'>[]; close(): void }> {
  const { instance, connection } = await connect(files.events)
  await connection.run(`ATTACH '${files.texts}' AS texts (READ_ONLY)`)
  const all = [connection]
  while (all.length < count) {
    const another = await instance.connect()
    await another.run(`SET TimeZone = 'UTC'`)
    all.push(another)
  }
  return {
    connections: all.map(each => ({
      async run(sql) {
        const reader = await each.runAndReadAll(sql)
        return () => reader.getRowObjectsJS()
      },
    })),
    close() {
      for (const each of all) each.closeSync()
      instance.closeSync()
    },
  }
}

export interface Loaded {
  readonly ms: number
  readonly bytes: number
}

export async function loadDuckDb(events: Events, files: DuckDbFiles): Promise<Loaded> {
  for (const file of [files.events, files.texts])
    for (const each of [file, `${file}.wal`]) rmSync(each, { force: true })
  const { instance, connection } = await connect(files.events)
  // By default DuckDB decides what columns there are by the first 20,480 lines.
  const sample = events.isRagged === true ? ', sample_size = -1' : ''
  const startedAt = performance.now()
  await connection.run(`CREATE TABLE events AS SELECT * FROM read_ndjson('${events.file}'${sample})`)
  await connection.run('CHECKPOINT')
  const ms = performance.now() - startedAt
  await connection.run(`ATTACH '${files.texts}' AS texts`)
  await connection.run(
    `CREATE TABLE texts.lines AS SELECT json::VARCHAR AS raw FROM read_ndjson_objects('${events.file}')`,
  )
  await connection.run('CHECKPOINT texts')
  connection.closeSync()
  instance.closeSync()
  return { ms, bytes: sizeOf(files.events) + sizeOf(`${files.events}.wal`) }
}

async function connect(file: string): Promise<{ instance: DuckDBInstance; connection: DuckDBConnection }> {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  await connection.run('SET threads = 2')
  await connection.run(`SET TimeZone = 'UTC'`)
  return { instance, connection }
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}
