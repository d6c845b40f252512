/**
 * What comes in over the network: no bytes make the server fail or hang, and a good event is stored whatever stands beside it. Requests go
 * through the whole server, into an engine in memory.
 */
import type { FastifyInstance } from 'fastify'
import { open } from '../engine.ts'
import { createApp, serveContext } from '../server/app.ts'
import { loadConfig } from '../server/config.ts'
import { createContext } from '../server/context.ts'
import { SyslogFramer } from '../server/protocols/syslog/framing.ts'
import { messageOf, SyslogReader } from '../server/protocols/syslog/message.ts'
import { OTLP_LISTENER_ROUTES } from '../server/routes/otlp.ts'
import type { IncomingEvent } from '../storage/index.ts'
import { createEventReader } from '../storage/ingest/read-event.ts'
import { DateTime } from '../storage/value.ts'
import { type Body, brokenBody, encoded, mixedBody, mutated } from './generate/ingest-body.ts'
import { createRandom, type Random } from './generate/random.ts'

interface Server {
  readonly app: FastifyInstance
  readonly listener: FastifyInstance
  readonly stored: IncomingEvent[]
}

/** Events stay where they are stored, so a server serves so many seeds only. */
const SEEDS_PER_SERVER = 300
/** Far beyond what any body here takes. */
const HANG_MS = 20_000

let server: Promise<Server> | null = null
let served = 0

/** @returns what is wrong, or null */
export async function ingestBroken(seed: number): Promise<string | null> {
  const random = createRandom(seed)
  if (random.chance(0.15)) return syslogStream(random)
  const body = brokenBody(random)
  const { encoding, bytes } = encoded(random, body.bytes)
  const sent = random.chance(0.1) ? mutated(random, bytes) : bytes
  const answer = await post({ ...body, bytes: sent }, encoding)
  if (answer === null) return complaint('does not answer', body, encoding)
  const { status } = answer
  return status >= 200 && status < 500 ? null : complaint(`is answered ${status}: ${answer.text}`, body, encoding)
}

/** @returns what is wrong, or null */
export async function ingestBeside(seed: number): Promise<string | null> {
  const random = createRandom(seed)
  const body = mixedBody(random)
  const { encoding, bytes } = encoded(random, body.bytes)
  const answer = await post({ ...body, bytes }, encoding)
  if (answer === null) return complaint('does not answer', body, encoding)
  const ids = answer.stored.map(event => event.fields.get('id')).filter(id => id !== undefined)
  const isSame = JSON.stringify(ids) === JSON.stringify(body.good)
  return isSame
    ? null
    : complaint(`stored ${JSON.stringify(ids)}, answered ${answer.status} ${answer.text}`, body, encoding)
}

function complaint(what: string, { path, type, bytes }: Body, encoding: string): string {
  return `POST ${path} (${type}, ${encoding}) ${what}\n\n${bytes.toString('utf8')}\n\n${bytes.toString('base64')}`
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly stored: readonly IncomingEvent[]
}

async function post({ path, type, bytes }: Body, encoding: string): Promise<Answer | null> {
  if (served++ % SEEDS_PER_SERVER === 0) server = startServer()
  const { app, listener, stored } = await server!
  stored.length = 0
  const headers = { 'content-type': type, ...(encoding !== 'identity' && { 'content-encoding': encoding }) }
  const at = path === '/v1/logs' ? listener : app
  const answered = at.inject({ method: 'POST', url: path, payload: bytes, headers })
  let timer: NodeJS.Timeout | undefined
  const hang = new Promise<null>(resolve => {
    timer = setTimeout(() => resolve(null), HANG_MS)
  })
  const answer = await Promise.race([answered, hang])
  clearTimeout(timer)
  return answer === null ? null : { status: answer.statusCode, text: answer.payload, stored: [...stored] }
}

async function startServer(): Promise<Server> {
  const flags = { 'log.level': 'silent', 'ingest.max_body_size': '10mb', 'ingest.max_batch_size': '7' }
  const config = loadConfig({ flags, environment: {} })
  const engine = await open(null, config.engineOptions())
  const stored: IncomingEvent[] = []
  const ingestBatch = engine.ingestBatch.bind(engine)
  engine.ingestBatch = batch => {
    const receipt = ingestBatch(batch)
    stored.push(...batch.toEvents())
    return receipt
  }
  const listener = serveContext(createContext(engine, config), { routes: OTLP_LISTENER_ROUTES })
  return { app: createApp(engine, config), listener, stored }
}

const MESSAGES = [
  '<34>1 2026-06-01T10:00:00Z h a 1 m [x y="z"] hi',
  '<13>Jun  1 10:00:00 h app[1]: x',
  '{"a":1}',
  'plain',
  '',
]

/** A stream of messages in any framing, damaged, in pieces: whatever comes out becomes events. */
function syslogStream(random: Random): string | null {
  const messages = Array.from({ length: random.int(0, 6) }, () => {
    const text = random.pick(MESSAGES)
    return random.chance(0.5) ? `${Buffer.byteLength(text)} ${text}` : text + random.pick(['\n', '\r\n', '\0', ''])
  })
  const stream = mutated(random, Buffer.from(messages.join('')))
  const reader = new SyslogReader(createEventReader())
  let wrong: string | null = null
  const framer = new SyslogFramer(80, {
    frame: bytes => {
      const result = reader.read(messageOf(bytes).text, '127.0.0.1', new DateTime(0))
      if ('problem' in result)
        wrong = `a message became no event: ${result.problem.message}\n${bytes.toString('base64')}`
    },
    tooLong: () => {},
    cutShort: () => {},
  })
  for (let at = 0; at < stream.length; ) {
    const end = Math.min(stream.length, at + random.int(1, 50))
    framer.push(stream.subarray(at, end))
    at = end
  }
  framer.end()
  return wrong
}
