/**
 * The server under load, as a process of its own: how fast bulk requests are taken until everything is on disk, against DuckDB's load of
 * the same file; and how long `/health` takes to answer while that goes on and heavy queries run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { loadDuckDb } from './duckdb.ts'
import type { Events } from './generate.ts'
import { duckDbFiles } from './load.ts'

/** As clients of the protocol send: a few thousand documents, a few requests at once. */
const DOCUMENTS_PER_REQUEST = 5000
const CONNECTIONS = 4
const HEALTH_INTERVAL_MS = 10
const HEAVY_QUERIES = 10

interface Bulk {
  readonly body: Buffer
  readonly documents: number
}

interface Subject {
  readonly url: URL
  stop(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly text: string
}

export async function runServerBench(events: Events, say: (text: string) => void): Promise<void> {
  const bulks = await bulksOf(events.file)
  const duckdb = await loadDuckDb(events, duckDbFiles(events))
  const rate = (ms: number) =>
    `${((events.rows / ms) * 1000).toFixed(0).padStart(9)} events/s ${(events.bytes / ms / 1000).toFixed(1).padStart(7)} MB/s`
  say(
    `${events.rows} events, ${(events.bytes / 1e6).toFixed(0)} MB; ${availableParallelism()} cores, shared by client and server`,
  )
  say(`DuckDB, load of the file          ${rate(duckdb.ms)}`)
  for (const [name, packed] of [
    ['bulk over HTTP', false],
    ['bulk over HTTP, gzip', true],
  ] as const) {
    const server = await startServer()
    try {
      const ms = await ingest(server, packed ? bulks.map(packedBulk) : bulks, packed)
      await expectCount(server, events.rows)
      say(`${name.padEnd(34)}${rate(ms)}   ${(duckdb.ms / ms).toFixed(2)} x DuckDB   ${await memoryOf(server)}`)
    } finally {
      await server.stop()
    }
  }
  await healthUnderLoad(events, bulks, say)
}

async function healthUnderLoad(events: Events, bulks: readonly Bulk[], say: (text: string) => void): Promise<void> {
  const server = await startServer()
  try {
    await ingest(server, bulks, false)
    const idle = await healthTimes(server, new Promise(resolve => setTimeout(resolve, 1000)))
    const loading = await healthTimes(server, ingest(server, bulks, false))
    const load = ingest(server, bulks, false)
    const queries = Promise.all(Array.from({ length: HEAVY_QUERIES }, (_, n) => heavyQuery(server, n)))
    const busy = await healthTimes(server, Promise.all([load, queries]))
    await expectCount(server, events.rows * 3)
    say(`/health, nothing else to do        ${spread(idle)}`)
    say(`/health, ingest                    ${spread(loading)}`)
    say(`/health, ingest and ${HEAVY_QUERIES} heavy queries ${spread(busy)}   ${await memoryOf(server)}`)
  } finally {
    await server.stop()
  }
}

function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) =>
    `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)} ms`
  return `p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)}  (${sorted.length} requests)`
}

/** Asked on a fixed beat, whether or not the last one was answered: a stall is met by every request that falls into it. */
async function healthTimes(server: Subject, until: Promise<unknown>): Promise<number[]> {
  const times: Promise<number>[] = []
  const agent = new Agent({ keepAlive: true })
  const timer = setInterval(() => times.push(timed(() => call(server, agent, 'GET', '/health'))), HEALTH_INTERVAL_MS)
  try {
    await until
  } finally {
    clearInterval(timer)
    // Whatever went wrong above is what is told, not what became of these.
    await Promise.allSettled(times)
    agent.destroy()
  }
  return Promise.all(times)
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** Groups, sorts and regular expressions over everything that is there; each its own text, so that no cache answers. */
async function heavyQuery(server: Subject, n: number): Promise<void> {
  const texts = [
    `| extend part = substr(_raw, ${n}, 12) | stats count() as n, avg(len(_raw)) as size by part | sort -n | head 100`,
    `| where matches(_raw, "[a-f]${n}[0-9]+.*e") | stats count() by bin(_time, 1m)`,
    `| stats dc(_raw) as distinct, count() as n by bin(_time, ${n + 1}s) | sort -n | head 10`,
  ]
  const q = texts[n % texts.length]!
  const { status, text } = await call(server, undefined, 'POST', '/api/v1/query', JSON.stringify({ q }))
  if (status !== 200 && status !== 202) throw new Error(`${q}: ${status} ${text}`)
}

/** @returns milliseconds until every document is answered for and on disk */
async function ingest(server: Subject, bulks: readonly Bulk[], isPacked: boolean): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const headers = { 'content-type': 'application/x-ndjson', ...(isPacked && { 'content-encoding': 'gzip' }) }
  let next = 0
  const send = async (): Promise<void> => {
    while (next < bulks.length) {
      const { body } = bulks[next++]!
      // The last ones wait for the disk, and with them everything before.
      const path = next > bulks.length - CONNECTIONS ? '/_bulk?refresh=wait_for' : '/_bulk'
      const { status, text } = await call(server, agent, 'POST', path, body, headers)
      if (status !== 200 || !text.includes('"errors":false'))
        throw new Error(`${path}: ${status} ${text.slice(0, 500)}`)
    }
  }
  const ms = await timed(() => Promise.all(Array.from({ length: CONNECTIONS }, send)))
  agent.destroy()
  return ms
}

async function expectCount(server: Subject, count: number): Promise<void> {
  const q = JSON.stringify({ q: '| stats count() as n' })
  const { text } = await call(server, undefined, 'POST', '/api/v1/query', q)
  const { data } = JSON.parse(text) as { readonly data: { readonly rows: readonly (readonly number[])[] } }
  if (data.rows[0]?.[0] !== count) throw new Error(`${count} events were sent, ${data.rows[0]?.[0]} are there`)
}

async function memoryOf(server: Subject): Promise<string> {
  const { text } = await call(server, undefined, 'GET', '/metrics')
  const resident = Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
  return `${(resident / 2 ** 20).toFixed(0)} MiB resident`
}

function call(
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

async function startServer(): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'quern-bench-'))
  const main = join(import.meta.dirname, '../../cli/main.js')
  const off = { QUERN_OTLP_HTTP: 'off', QUERN_OTLP_GRPC: 'off' }
  const words = [main, 'server', '--port', '0', '--data', directory]
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...off },
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

async function bulksOf(file: string): Promise<Bulk[]> {
  const bulks: Bulk[] = []
  let lines: string[] = []
  const finish = () => {
    if (lines.length === 0) return
    bulks.push({ body: Buffer.from(lines.join('')), documents: lines.length })
    lines = []
  }
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (lines.push(`{"create":{"_index":"bench"}}\n${line}\n`) === DOCUMENTS_PER_REQUEST) finish()
  }
  finish()
  return bulks
}

function packedBulk({ body, documents }: Bulk): Bulk {
  return { body: gzipSync(body, { level: 1 }), documents }
}
