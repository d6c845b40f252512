/** Random requests to a server over a small engine: whatever is asked, the answer is one of the interface, and it comes. */
import type { AddressInfo, Socket } from 'node:net'
import { open } from '../engine.ts'
import { createApp } from '../server/app.ts'
import { loadConfig } from '../server/config.ts'
import { STATUS_OF_CODE } from '../server/errors.ts'
import { ROUTES } from '../server/routes/index.ts'
import { DateTime } from '../storage/value.ts'
import { createRandom } from './generate/random.ts'
import { type RandomRequest, randomRequest } from './generate/request.ts'
import { Finding, type Target } from './target.ts'

/** Beyond this a request counts as one that hangs. */
const ANSWER_MS = 10_000

let serverUrl: Promise<string> | null = null

async function start(): Promise<string> {
  const engine = await open(null, { threads: 0 })
  engine.ingest(
    Array.from({ length: 200 }, (_, n) => ({
      index: 'main',
      time: new DateTime((Date.now() - n * 1000) * 1000),
      raw: `line ${n}`,
      fields: new Map<string, string | number>([
        ['n', n],
        ['level', n % 3 === 0 ? 'error' : 'info'],
        ['_source', `s${n % 2}`],
      ]),
    })),
  )
  // Many jobs and tails are begun and left.
  const flags = {
    'log.level': 'silent',
    'query.max_jobs': '10',
    'tail.max_concurrent': '1000',
    'query.max_queued': '1000',
  }
  const app = createApp(engine, loadConfig({ environment: {}, flags }))
  // The fuzzer ends when it has enough, and the server with it.
  app.server.on('connection', (socket: Socket) => socket.unref())
  await app.listen({ port: 0, host: '127.0.0.1' })
  app.server.unref()
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

export const httpTarget: Target = {
  name: 'http',
  summary: 'no parameter and no body makes a route fail in a way of its own, or hang',
  skipLimit: 0,
  async run(seed) {
    serverUrl ??= start()
    const url = await serverUrl
    const request = randomRequest(createRandom(seed), ROUTES)
    const answer = await ask(url, request)
    const problem = problemOf(answer, request)
    if (problem !== null)
      throw new Finding(problem, `${JSON.stringify(request)}\n${answer.status} ${answer.text.slice(0, 2000)}`)
    return 'agreed'
  },
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

async function ask(url: string, { method, path, body, headers }: RandomRequest): Promise<Answer> {
  const client = new AbortController()
  const timer = setTimeout(() => client.abort(new Finding('no answer', `${method} ${path}\n${body}`)), ANSWER_MS)
  try {
    const response = await fetch(url + path, {
      method,
      body: method === 'GET' ? null : body,
      headers,
      signal: client.signal,
    })
    const type = response.headers.get('content-type') ?? ''
    const stream = type.startsWith('text/event-stream')
    // A tail does not end by itself; that it begins is what is asked of it.
    const text = stream ? '' : await response.text()
    return { status: response.status, type, text }
  } finally {
    clearTimeout(timer)
    client.abort()
  }
}

function problemOf({ status, type, text }: Answer, { method }: RandomRequest): string | null {
  if (status < 400 || method === 'HEAD') return null
  if (status >= 500 && status !== 503 && !text.includes('"QUERY_ERROR"')) return `status ${status}`
  if (!type.startsWith('application/json')) return null
  let body: { readonly error?: unknown }
  try {
    body = JSON.parse(text)
  } catch {
    return 'an error that is not JSON'
  }
  const { error } = body
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : null
  if (code !== null && STATUS_OF_CODE[code as keyof typeof STATUS_OF_CODE] !== status) return `${code} with ${status}`
  return null
}
