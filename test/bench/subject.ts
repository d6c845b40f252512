/** A server as a process of its own, and what benches ask of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Stolen } from './stolen.ts'

export interface Subject {
  readonly url: URL
  stop(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** @param directory  its data, which goes when it is stopped */
export async function startServer(
  settings: Readonly<Record<string, string>> = {},
  directory = mkdtempSync(join(tmpdir(), 'quern-bench-')),
): Promise<Subject> {
  const main = join(import.meta.dirname, '../../cli/main.js')
  const off = { QUERN_OTLP_HTTP: 'off', QUERN_OTLP_GRPC: 'off' }
  const words = [main, 'server', '--port', '0', '--data', directory]
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...off, ...settings },
  })
  // A bench that is broken off leaves no server behind.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const url = await urlOf(child)
  return {
    url,
    async stop() {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      process.off('exit', end)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function urlOf(child: ChildProcess): Promise<URL> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const found = /listening on (\S+)/.exec(said)
      if (found !== null) resolve(new URL(found[1]!))
    })
    child.once('exit', code => reject(new Error(`the server ended with ${code}: ${said}`)))
  })
}

export function call(
  { url }: Subject,
  agent: Agent | undefined,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers, ...(agent && { agent }) }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export async function memoryOf(server: Subject): Promise<string> {
  const { text } = await call(server, undefined, 'GET', '/metrics')
  const resident = Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
  return `${(resident / 2 ** 20).toFixed(0)} MiB resident`
}

/** How long `/health` took each time, and how much of the processors there was for it. */
export interface Health {
  readonly times: readonly number[]
  readonly stolen: string
}

export function spread({ times, stolen }: Health): string {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) =>
    `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)} ms`
  return `p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)}  (${sorted.length} requests${stolen})`
}

/** How long `/health` took to answer, each time it was asked until the work was done. */
export async function healthTimes(server: Subject, until: Promise<unknown>): Promise<Health> {
  const stolen = new Stolen()
  const workerData = { url: new URL('/health', server.url).href }
  const probe = new Worker(new URL('./health-probe.js', import.meta.url), { workerData })
  try {
    await until
  } finally {
    probe.postMessage('enough')
  }
  const [times] = (await once(probe, 'message')) as [number[]]
  return { times, stolen: stolen.text }
}

export async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}
