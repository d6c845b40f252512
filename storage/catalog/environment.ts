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

export interface Environment {
  readonly database: RootDatabase<unknown, [string, string]>
  close(): Promise<void>
}

const PROBE_TIMEOUT_MS = 60_000

export function openEnvironment(directory: string): Environment {
  fs.mkdirSync(directory, { recursive: true })
  // From here on the file changes; a seal that outlived a crash would vouch for bytes it has not seen.
  fs.rmSync(sealFile(directory), { force: true })
  const database = open<unknown, [string, string]>({ path: directory, encoding: 'json' })
  return {
    database,
    close: async () => {
      await database.flushed
      await database.close()
      fs.writeFileSync(sealFile(directory), sealOf(directory))
    },
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
