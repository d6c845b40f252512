/**
 * The server under load, as a process of its own: how fast bulk requests are taken until everything is on disk, against DuckDB's load of
 * the same file; and how long `/health` takes to answer while that goes on and heavy queries run.
 */
import { createReadStream } from 'node:fs'
import { Agent } from 'node:http'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { loadDuckDb } from './duckdb.ts'
import type { Events } from './generate.ts'
import { duckDbFiles } from './load.ts'
import { call, healthTimes, memoryOf, type Subject, spread, startServer, timed } from './subject.ts'

/** As clients of the protocol send: a few thousand documents, a few requests at once. */
const DOCUMENTS_PER_REQUEST = 5000
const CONNECTIONS = 4
const HEAVY_QUERIES = 10
const MIXED_CLIENTS = 16

interface Bulk {
  readonly body: Buffer
  readonly documents: number
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
  await healthUnderMixedLoad(events, say)
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

/** The main port while people and dashboards ask and shippers send. `settings` are environment variables of the server. */
export async function healthUnderMixedLoad(
  events: Events,
  say: (text: string) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const bulks = await bulksOf(events.file)
  const server = await startServer(settings)
  try {
    await ingest(server, bulks, false)
    // What is compiled and loaded only once is not the question.
    await Promise.all(Array.from({ length: MIXED_CLIENTS }, (_, n) => ask(server, n, events.needle)))
    let asked = 0
    const mixed = await healthTimes(
      server,
      mixedLoad(server, events, bulks).then(count => {
        asked = count
      }),
    )
    await expectCount(server, events.rows * 2)
    say(
      `/health, ingest and ${MIXED_CLIENTS} clients that ask ${spread(mixed)}   ${asked} queries, ${await memoryOf(server)}`,
    )
  } finally {
    await server.stop()
  }
}

/** As dashboards and people ask, over and over until everything is ingested. */
async function mixedLoad(server: Subject, { needle }: Events, bulks: readonly Bulk[]): Promise<number> {
  let isOver = false
  let asked = 0
  const load = ingest(server, bulks, false).finally(() => {
    isOver = true
  })
  const client = async (first: number): Promise<void> => {
    for (let n = first + MIXED_CLIENTS; !isOver; n += MIXED_CLIENTS) {
      await ask(server, n, needle)
      asked++
    }
  }
  await Promise.all([load, ...Array.from({ length: MIXED_CLIENTS }, (_, n) => client(n))])
  return asked
}

async function ask(server: Subject, n: number, needle: string): Promise<void> {
  const q = mixedQuery(n, needle)
  // Half of them want rows, as many as there may be in an answer.
  const limit = n % 2 === 0 ? 1000 : 50_000
  const { status, text } = await call(server, undefined, 'POST', '/api/v1/query', JSON.stringify({ q, limit }))
  if (![200, 202, 429].includes(status)) throw new Error(`${q}: ${status} ${text}`)
}

/** Each its own text, so that no cache answers. */
function mixedQuery(n: number, needle: string): string {
  const texts = [
    `stats count() as n, avg(len(_raw)) by host | where n > ${n}`,
    `trace=${needle} | extend a = ${n}`,
    `where status >= 500 | extend a = ${n}`,
    `stats p95(duration_ms), dc(user) by service, bin(_time, ${(n % 50) + 1}m)`,
    `sort -duration_ms | head ${100 + n}`,
    `stats count() as n by trace | sort -n | head ${100 + n}`,
    `head ${40_000 + n}`,
    `"timeout" | stats count() by level | where level != "${n}"`,
    `dedup user | head ${1000 + n}`,
    `where level == "error" | eventstats count() as n by service | head ${20_000 + n}`,
  ]
  return texts[n % texts.length]!
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
  const q = JSON.stringify({ q: '| stats count() as n', wait: 300 })
  const { text } = await call(server, undefined, 'POST', '/api/v1/query', q)
  const { data } = JSON.parse(text) as { readonly data: { readonly rows: readonly (readonly number[])[] } }
  if (data.rows[0]?.[0] !== count) throw new Error(`${count} events were sent, ${data.rows[0]?.[0]} are there`)
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
