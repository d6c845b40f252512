/**
 * `npm run bench -- --size`: a data directory, everything in it included, against what compressors make of the raw file and against
 * DuckDB's file of the same events. As it is after loading, and once its parts are merged.
 */
import { spawnSync } from 'node:child_process'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { open } from '../../engine.ts'
import { compressZstd } from '../../storage/part/zstd.ts'
import { benchDirectory, eventsOf } from './generate.ts'
import { bytesUnder, loadQuern } from './load.ts'

const DATA = '/work/shared/data'
/** zstd -19 of more than this takes longer than anyone waits; `--thorough` waits. */
const SLOW_BYTES = 64e6

interface Sized {
  readonly name: string
  readonly file: string
  /** Lines are JSON objects; DuckDB gets their columns. */
  readonly isJson: boolean
  readonly rows: number
}

export async function runSize(
  options: { readonly seed: number; readonly rows: number; readonly only: string; readonly thorough: boolean },
  say: (text: string) => void,
): Promise<void> {
  const files: Sized[] = []
  const add = (name: string, file: string, isJson: boolean): void => {
    if (name.includes(options.only) && existsSync(file)) files.push({ name, file, isJson, rows: linesOf(file) })
  }
  if ('windows-events'.includes(options.only)) {
    const file = join(benchDirectory(), 'windows-events.ndjson')
    await unpacked(`${DATA}/windows-events.ndjson.gz`, file)
    add('windows-events', file, true)
  }
  add('apache-access', `${DATA}/apache-access.log`, false)
  add('auth.log', `${DATA}/auth.log`, false)
  for (const name of existsSync(`${DATA}/loghub`) ? readdirSync(`${DATA}/loghub`).sort() : [])
    add(`loghub ${name.replace('_2k.log', '')}`, `${DATA}/loghub/${name}`, false)
  if ('seeded'.includes(options.only) || 'seeded' === options.only) {
    const { file, rows } = await eventsOf(options.seed, options.rows)
    files.push({ name: `seeded ${rows}`, file, isJson: true, rows })
  }
  say(
    `${'file'.padEnd(22)}${['raw', 'zstd -3', 'zstd -19', 'gzip -6', 'DuckDB', 'Quern', 'merged', 'parts'].map(title => title.padStart(10)).join('')}` +
      `${'of zstd -3'.padStart(12)}${'of DuckDB'.padStart(11)}`,
  )
  for (const sized of files) say(await lineOf(sized, options.thorough))
}

async function lineOf({ name, file, isJson, rows }: Sized, thorough: boolean): Promise<string> {
  const raw = statSync(file).size
  const zstd3 = compressed(file, 'zstd', 3)
  const zstd19 = raw <= SLOW_BYTES || thorough ? compressed(file, 'zstd', 19) : null
  const gzip6 = compressed(file, 'gzip', 6)
  const duckdb = await duckDbBytes(file, isJson)
  const directory = join(benchDirectory(), `${basename(file)}.size.quern`)
  const loaded = await loadQuern({ file, rows }, directory)
  const engine = await open(directory)
  await engine.storage.compact()
  await engine.close()
  const merged = bytesUnder(directory)
  const parts = bytesUnder(`${directory}/parts`)
  rmSync(directory, { recursive: true, force: true })
  const figures = [raw, zstd3, zstd19, gzip6, duckdb, loaded.bytes, merged, parts].map(bytes =>
    megabytes(bytes).padStart(10),
  )
  return `${name.padEnd(22)}${figures.join('')}${`${(merged / zstd3).toFixed(2)}×`.padStart(12)}${`${(merged / duckdb).toFixed(2)}×`.padStart(11)}`
}

function megabytes(bytes: number | null): string {
  return bytes === null ? '–' : bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(2)} MB`
}

function linesOf(file: string): number {
  const bytes = readFileSync(file)
  let lines = 0
  let isEmpty = true
  for (const byte of bytes) {
    if (byte !== 10) {
      if (byte !== 13) isEmpty = false
      continue
    }
    if (!isEmpty) lines++
    isEmpty = true
  }
  return lines + (isEmpty ? 0 : 1)
}

/** Once; nothing when there is nothing to unpack. */
export async function unpacked(from: string, to: string): Promise<void> {
  if (existsSync(to) || !existsSync(from)) return
  await pipeline(createReadStream(from), createGunzip(), createWriteStream(`${to}.part`))
  spawnSync('mv', [`${to}.part`, to])
}

/** Kept beside the events: the raw files do not change. */
function compressed(file: string, command: 'zstd' | 'gzip', level: number): number {
  const note = join(benchDirectory(), `${basename(file)}.${command}-${level}.json`)
  const { size, mtimeMs } = statSync(file)
  if (existsSync(note)) {
    const known = JSON.parse(readFileSync(note, 'utf8')) as { size: number; mtimeMs: number; bytes: number }
    if (known.size === size && known.mtimeMs === mtimeMs) return known.bytes
  }
  const shell = spawnSync('sh', ['-c', `${command} -${level} -c "$1" | wc -c`, 'sh', file], { encoding: 'utf8' })
  let bytes = Number(shell.stdout.trim())
  if (shell.status !== 0 || !(bytes > 0)) {
    // Without the command, the libraries at the same levels.
    const raw = readFileSync(file)
    bytes = command === 'gzip' ? gzipSync(raw, { level }).length : (compressZstd(raw, level)?.length ?? Number.NaN)
  }
  writeFileSync(note, JSON.stringify({ size, mtimeMs, bytes }))
  return bytes
}

async function duckDbBytes(file: string, isJson: boolean): Promise<number> {
  const target = join(benchDirectory(), `${basename(file)}.size.duckdb`)
  const note = `${target}.json`
  if (existsSync(note)) return (JSON.parse(readFileSync(note, 'utf8')) as { bytes: number }).bytes
  for (const each of [target, `${target}.wal`]) rmSync(each, { force: true })
  const instance = await DuckDBInstance.create(target)
  const connection = await instance.connect()
  const source = isJson
    ? `read_ndjson('${file}', maximum_object_size = 67108864, sample_size = -1)`
    : `read_csv('${file}', header = false, delim = '\x01', quote = '\x02', escape = '\x02', columns = {'line': 'VARCHAR'}, auto_detect = false, strict_mode = false)`
  await connection.run(`CREATE TABLE events AS SELECT * FROM ${source}`)
  await connection.run('CHECKPOINT')
  connection.closeSync()
  instance.closeSync()
  const bytes = statSync(target).size
  rmSync(target, { force: true })
  writeFileSync(note, JSON.stringify({ bytes }))
  return bytes
}
