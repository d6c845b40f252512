/**
 * Opening an LMDB environment without betting the process on it: a damaged data file makes LMDB fault, not throw. A clean close leaves
 * a seal (size and hash of the data file), and a sealed file is opened at once; any other is first opened by a child process.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { open, type RootDatabase } from 'lmdb'
import { isOutOfRoom } from '../errors.ts'
import type { Filesystem } from '../filesystem.ts'
import { committed } from './commit.ts'

interface Environment {
  readonly database: RootDatabase<unknown, [string, string]>
  close(): Promise<void>
}

const PROBE_TIMEOUT_MS = 60_000

/**
 * @throws what the disk says when there is no room for a new environment (`isOutOfRoom`): LMDB would fault where it maps what it could not
 * write. One that is there needs no room to be opened.
 */
function openEnvironment(directory: string, filesystem: Filesystem): Environment {
  fs.mkdirSync(directory, { recursive: true })
  if (!fs.existsSync(dataFile(directory)) || !fs.existsSync(path.join(directory, 'lock.mdb')))
    checkRoom(directory, filesystem)
  // From here on the file changes; a seal that outlived a crash would vouch for bytes it has not seen.
  fs.rmSync(sealFile(directory), { force: true })
  const database = open<unknown, [string, string]>({
    path: directory,
    encoding: 'json',
    // What it batches by itself fails with a promise that nobody can listen to, and that would end the process.
    eventTurnBatching: false,
  })
  return {
    database,
    close: async () => {
      await database.flushed
      await database.close()
      fs.writeFileSync(sealFile(directory), sealOf(directory))
    },
  }
}

/**
 * An environment as soon as there is room for it: at once, or when something is to be written. Until then it holds nothing.
 * @throws what the disk says, for any other reason
 */
export class EnvironmentWithRoom {
  private readonly directory: string
  private readonly filesystem: Filesystem
  private environment: Environment | null = null
  private hasFailed = false
  /** Settles once the last write has, and `hasFailed` is of it. */
  private last: Promise<void> = Promise.resolve()

  constructor(directory: string, filesystem: Filesystem) {
    this.directory = directory
    this.filesystem = filesystem
    try {
      this.opened()
    } catch (error) {
      if (!isOutOfRoom(error)) throw error
    }
  }

  /** Null: nothing has been written. */
  toRead(): Environment['database'] | null {
    return this.environment?.database ?? null
  }

  /** Settles when what `start` began is committed. @throws what kept it from being; {Error} with a code when there is no room for it */
  async write(start: (database: Environment['database']) => Promise<unknown>): Promise<void> {
    const writing = committed(start(this.opened()))
    this.last = writing.then(
      () => void (this.hasFailed = false),
      () => void (this.hasFailed = true),
    )
    await writing
  }

  /** Settles when what has been committed is on the disk. */
  async flushed(): Promise<void> {
    await this.environment?.database.flushed
  }

  async close(): Promise<void> {
    await this.last
    // LMDB would wait for ever to hear that what has failed is flushed. Left open it goes with the process, and is asked before it is trusted.
    if (!this.hasFailed) await this.environment?.close()
  }

  private opened(): Environment['database'] {
    this.environment ??= openEnvironment(this.directory, this.filesystem)
    return this.environment.database
  }
}

/** Several times what a new environment takes. */
const ROOM_BYTES = 64 * 1024

function checkRoom(directory: string, filesystem: Filesystem): void {
  const file = path.join(directory, 'ROOM')
  filesystem.mkdir(directory)
  const fd = filesystem.open(file, 'w')
  try {
    const bytes = new Uint8Array(ROOM_BYTES)
    for (let at = 0; at < ROOM_BYTES; ) at += filesystem.write(fd, bytes, at, ROOM_BYTES - at, at)
    filesystem.fsync(fd)
  } finally {
    filesystem.close(fd)
    filesystem.unlink(file)
  }
}

/** Why the environment must not be opened, or null when it may be: it is sound, or there is none yet. */
export async function damageOf(directory: string): Promise<string | null> {
  const file = dataFile(directory)
  if (!fs.existsSync(file)) return null
  if (fs.existsSync(sealFile(directory)) && fs.readFileSync(sealFile(directory), 'utf8') === sealOf(directory))
    return null
  return hasMetaPage(file) ? await probe(directory) : 'data.mdb is not an LMDB file'
}

function dataFile(directory: string): string {
  return path.join(directory, 'data.mdb')
}

function sealFile(directory: string): string {
  return path.join(directory, 'SEAL')
}

function sealOf(directory: string): string {
  const data = fs.readFileSync(dataFile(directory))
  return `${data.length} ${createHash('sha1').update(data).digest('hex')}\n`
}

/** The first page of every LMDB file has this number behind its 16-byte page header. */
function hasMetaPage(file: string): boolean {
  const head = fs.readFileSync(file).subarray(0, 32)
  return head.length === 32 && (head.readUInt32LE(16) === 0xbeefc0de || head.readUInt32LE(24) === 0xbeefc0de)
}

function probe(directory: string): Promise<string | null> {
  const script = fileURLToPath(new URL(`./probe${path.extname(import.meta.url)}`, import.meta.url))
  // A bundle without the script cannot ask; then LMDB itself is asked, as everywhere else in the world.
  if (!fs.existsSync(script)) return Promise.resolve(null)
  return new Promise(resolve => {
    const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
    const timer = setTimeout(() => child.kill('SIGKILL'), PROBE_TIMEOUT_MS)
    let said = ''
    let complaint = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
    const settle = (reason: string | null) => {
      clearTimeout(timer)
      resolve(reason)
    }
    // Not being able to start a process says nothing about the data.
    child.on('error', () => settle(null))
    child.on('close', (code, signal) => {
      if (said.includes('sound')) return settle(null)
      const what = /^\w*Error: .*$/m.exec(complaint)?.[0] ?? `reading it ended with ${signal ?? `status ${code}`}`
      settle(`data.mdb is damaged: ${what}`)
    })
  })
}
