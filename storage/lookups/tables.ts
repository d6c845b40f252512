/**
 * The lookup tables there are: files of a directory, and those given one by one. A file is read when it is first asked for, and again
 * when it has changed, so that a table can be replaced while the engine runs.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LookupError } from '../errors.ts'
import { type LookupTable, readTable } from './table.ts'

const FILE = /^(.+)\.(csv|ndjson|jsonl)$/
/** Tables are held in memory whole; beyond this one is data, and belongs into an index. */
const BYTES_MAX = 512 * 1024 * 1024

interface Loaded {
  readonly stamp: string
  readonly table: LookupTable
}

export class LookupTables {
  readonly #directory: string | null
  readonly #files: ReadonlyMap<string, string>
  readonly #loaded = new Map<string, Loaded>()

  /** @param files  paths by name; they go before the directory's */
  constructor(directory: string | null, files: Readonly<Record<string, string>> = {}) {
    this.#directory = directory
    this.#files = new Map(Object.entries(files))
  }

  get names(): readonly string[] {
    return [...this.#paths().keys()].sort()
  }

  /** Null when there is none of that name. @throws {LookupError} when there is, and it cannot be read */
  table(name: string): LookupTable | null {
    const path = this.#paths().get(name)
    if (path === undefined) return null
    const stamp = stampOf(name, path)
    const loaded = this.#loaded.get(name)
    if (loaded?.stamp === stamp) return loaded.table
    const table = readTable(name, textOf(name, path), /\.csv$/i.test(path) ? 'csv' : 'ndjson')
    this.#loaded.set(name, { stamp, table })
    return table
  }

  #paths(): ReadonlyMap<string, string> {
    const paths = new Map<string, string>()
    const directory = this.#directory
    if (directory !== null) {
      for (const file of filesOf(directory)) {
        const name = FILE.exec(file)?.[1]
        if (name !== undefined) paths.set(name, join(directory, file))
      }
    }
    for (const [name, path] of this.#files) paths.set(name, path)
    return paths
  }
}

function filesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort()
  } catch {
    // Nobody has to have any.
    return []
  }
}

function stampOf(name: string, path: string): string {
  try {
    const { mtimeMs, size } = statSync(path)
    if (size > BYTES_MAX)
      throw new LookupError(name, `${path} has more than ${BYTES_MAX / 1024 ** 2} MB; ingest it instead`)
    return `${path} ${mtimeMs} ${size}`
  } catch (error) {
    throw error instanceof LookupError ? error : new LookupError(name, `${path} cannot be read`)
  }
}

function textOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new LookupError(name, `${path} cannot be read`)
  }
}
