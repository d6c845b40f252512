/**
 * Live tails by the thousand: what an idle one costs the server, and how long an event takes from being sent to being read by the tails that
 * want it, when all ask the same and when each asks its own. Tails are plain sockets; what is measured is the server, in a process of its own.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Stolen } from './stolen.ts'
import { call, memoryOf, type Subject, spread, startServer } from './subject.ts'

const IDLE = 1000
const BUSY = 100
const BATCHES = 50
const BATCH_EVENTS = 100
const BATCH_EVERY_MS = 40
const CONNECT_AT_ONCE = 50

interface Client {
  readonly socket: Socket
  /** Milliseconds from an event's sending to its reading, of the one each batch has marked. */
  readonly delays: number[]
  results: number
  dropped: number
}

export async function runTailsBench(say: (text: string) => void): Promise<void> {
  const server = await startServer({ QUERN_TAIL_MAX_CONCURRENT: String(IDLE + BUSY) })
  try {
    await ingest(server, 'before', 10)
    const before = await cpuSeconds(server)
    say(`no tails                                       ${await memoryOf(server)}`)
    const idle = await many(IDLE, () => open(server, 'from main | where kind == "nothing has this"'))
    const startedAt = performance.now()
    const opened = await cpuSeconds(server)
    await sleep(3000)
    const share = ((await cpuSeconds(server)) - opened) / ((performance.now() - startedAt) / 1000)
    say(
      `${IDLE} idle tails of one filter                  ${await memoryOf(server)}, ${(share * 100).toFixed(1)} % of a core; ${((opened - before) * 1000).toFixed(0)} ms of processor time to open`,
    )
    await busy(server, 'one filter', () => 'where kind == "load" | keep sent, n', say)
    await busy(server, 'a filter each', n => `where kind == "load" | extend tail = ${n} | keep sent, n`, say)
    for (const { socket } of idle) socket.destroy()
    await all(server, 'at once, of one filter', IDLE, () => 'where kind == "load" | keep sent, n', say)
  } finally {
    await server.stop()
  }
}

/** `BUSY` tails beside the idle ones. */
async function busy(
  server: Subject,
  name: string,
  queryOf: (n: number) => string,
  say: (text: string) => void,
): Promise<void> {
  await all(server, `beside the idle ones, ${name}`, BUSY, queryOf, say)
}

async function all(
  server: Subject,
  name: string,
  count: number,
  queryOf: (n: number) => string,
  say: (text: string) => void,
): Promise<void> {
  const clients = await many(count, n => open(server, queryOf(n)))
  const before = await cpuSeconds(server)
  const processors = new Stolen()
  for (let batch = 0; batch < BATCHES; batch++) {
    await ingest(server, 'load', BATCH_EVENTS)
    await sleep(BATCH_EVERY_MS)
  }
  const wanted = BATCHES * BATCH_EVENTS
  for (let tries = 0; tries < 400 && clients.some(each => each.results + each.dropped < wanted); tries++)
    await sleep(25)
  const dropped = clients.reduce((sum, each) => sum + each.dropped, 0)
  const results = clients.reduce((sum, each) => sum + each.results, 0)
  if (results + dropped !== wanted * count)
    throw new Error(`${wanted * count} results were due, ${results} came and ${dropped} were dropped`)
  const cpu = (await cpuSeconds(server)) - before
  const times = clients.flatMap(each => each.delays)
  const delays = spread({ times, stolen: processors.text })
  say(
    `${count} tails ${name}: ${wanted} events each, ${dropped} dropped; from sending to reading ${delays}; ` +
      `${((cpu / results) * 1e6).toFixed(1)} µs of processor time a result, ${await memoryOf(server)}`,
  )
  for (const { socket } of clients) socket.destroy()
}

async function many(count: number, openOne: (n: number) => Promise<Client>): Promise<Client[]> {
  const clients: Client[] = []
  while (clients.length < count) {
    const next = Math.min(CONNECT_AT_ONCE, count - clients.length)
    clients.push(...(await Promise.all(Array.from({ length: next }, (_, n) => openOne(clients.length + n)))))
  }
  return clients
}

/** Settles when its past has been sent. */
async function open({ url }: Subject, query: string): Promise<Client> {
  const socket = connect(Number(url.port), url.hostname)
  const client: Client = { socket, delays: [], results: 0, dropped: 0 }
  socket.write(
    `GET /api/v1/tail?from=-1s&count=0&q=${encodeURIComponent(query)} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n`,
  )
  let rest = ''
  let isOpen = (): void => {}
  const opened = new Promise<void>(resolve => {
    isOpen = resolve
  })
  socket.setEncoding('latin1').on('data', (text: string) => {
    const now = Date.now()
    const events = (rest + text).split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      if (event.includes('event: catchup_done')) isOpen()
      else if (event.includes('event: result')) {
        client.results++
        const sent = /"sent":(\d+)/.exec(event)
        if (sent !== null) client.delays.push(now - Number(sent[1]))
      } else client.dropped += Number(/"events_dropped","count":(\d+)/.exec(event)?.[1] ?? 0)
    }
  })
  await Promise.race([opened, once(socket, 'close').then(() => Promise.reject(new Error('a tail was refused')))])
  return client
}

async function ingest(server: Subject, kind: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({ kind, n, ...(n === 0 && { sent: Date.now() }) }))
  const { status, text } = await call(server, undefined, 'POST', '/api/v1/ingest', JSON.stringify(events))
  if (status !== 200) throw new Error(`${status} ${text}`)
}

async function cpuSeconds(server: Subject): Promise<number> {
  const { text } = await call(server, undefined, 'GET', '/metrics')
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])
}
