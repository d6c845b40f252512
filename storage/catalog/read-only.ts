/** What an LMDB environment holds, read by a process of its own: nothing is opened here, whoever owns it. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'

export type EnvironmentDump =
  | { readonly entries: readonly (readonly [readonly [string, string], unknown])[] }
  /** Why it cannot be read. */
  | { readonly damage: string }
  | { readonly absent: true }

const TIMEOUT_MS = 60_000

export async function readEnvironment(directory: string): Promise<EnvironmentDump> {
  if (!fs.existsSync(path.join(directory, 'data.mdb'))) return { absent: true }
  const script = fileURLToPath(new URL(`./dump${path.extname(import.meta.url)}`, import.meta.url))
  const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  let said = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  const ended = await new Promise<string>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(signal ?? `status ${code}`))
  }).finally(() => clearTimeout(timer))
  const lines = said.split('\n')
  if (lines.at(-2) !== 'end')
    return { damage: /^\w*Error: .*$/m.exec(complaint)?.[0] ?? `reading it ended with ${ended}` }
  return {
    entries: lines
      .slice(0, -2)
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as [[string, string], unknown]),
  }
}
