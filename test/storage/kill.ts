/** A process that ingests until it is killed with SIGKILL. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CHILD = fileURLToPath(new URL('./recovery-child.js', import.meta.url))

/** Appends from `first` in a child process and kills it; what it printed as published, as half-open ranges. */
export async function ingestUntilKilled(
  directory: string,
  first: number,
  afterMs: number,
): Promise<[number, number][]> {
  const child = spawn(process.execPath, [CHILD, directory, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  let isArmed = false
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    said += text
    // Counted from the first publication: on a busy machine a child takes its time to start.
    if (isArmed || said.split('\n').length < 3) return
    isArmed = true
    setTimeout(() => child.kill('SIGKILL'), afterMs)
  })
  await new Promise(resolve => child.on('close', resolve))
  if (!isArmed) throw new Error(`the child published nothing; it said: ${said}`)
  const lines = said.split('\n').slice(1, -1)
  return lines.map(line => line.split(' ').map(Number) as [number, number])
}
