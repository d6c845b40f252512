/** A server on a port over a real engine, and requests to it as a client makes them. */
import type { AddressInfo } from 'node:net'
import type { Engine } from '../../engine.ts'
import { createApp } from '../../server/app.ts'
import { loadConfig } from '../../server/config.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import type { AnswerBody } from './served.ts'

export interface RunningAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: AnswerBody
}

export interface SentEvent {
  readonly event: string
  readonly data: string
  readonly id: string | null
}

export interface Running {
  readonly url: string
  request(method: string, path: string, init?: RequestInit): Promise<RunningAnswer>
  get(path: string, headers?: Record<string, string>): Promise<RunningAnswer>
  post(
    path: string,
    body: object | string,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<RunningAnswer>
  /** Every event of a stream until it ends, or until `isEnough`. */
  events(
    path: string,
    isEnough?: (events: readonly SentEvent[]) => boolean,
    headers?: Record<string, string>,
  ): Promise<SentEvent[]>
  /** As a proxy that restarts would. */
  dropConnections(): Promise<void>
  /** Stops the server; the engine stays the caller's. */
  stop(): Promise<void>
}

export async function runningServer(engine: Engine, flags: Readonly<Record<string, string>> = {}): Promise<Running> {
  const app = createApp(engine, loadConfig({ environment: {}, flags: { 'log.level': 'silent', ...flags } }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const request = async (method: string, path: string, init: RequestInit = {}): Promise<RunningAnswer> => {
    const response = await fetch(url + path, { method, ...init })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      get json() {
        return JSON.parse(text)
      },
    }
  }
  return {
    url,
    request,
    get: (path, headers = {}) => request('GET', path, { headers }),
    post: (path, body, headers = {}, signal) =>
      request('POST', path, {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
        signal: signal ?? null,
      }),
    async events(path, isEnough = () => false, headers = {}) {
      const client = new AbortController()
      const response = await fetch(url + path, { headers, signal: client.signal })
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
      const events: SentEvent[] = []
      try {
        for await (const event of readEvents(response)) {
          events.push(event)
          if (isEnough(events)) break
        }
      } finally {
        client.abort()
      }
      return events
    },
    async dropConnections() {
      app.server.closeAllConnections()
    },
    async stop() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** Server-sent events as the standard reads them. */
export async function* readEvents(response: Response): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string): string | null => {
        const line = lines.find(each => each.startsWith(`${name}: `))
        return line === undefined ? null : line.slice(name.length + 2)
      }
      const data = field('data')
      // Without data nothing is dispatched: the block says how long to wait before coming back.
      if (data !== null) yield { event: field('event') ?? 'message', data, id: field('id') }
    }
  }
}

/** Events a millisecond apart. */
export function eventsOf(
  count: number,
  fieldsOf: (n: number) => Readonly<Record<string, Value>>,
  startMs = Date.UTC(2026, 5, 15, 12),
  index = 'main',
): IncomingEvent[] {
  return Array.from({ length: count }, (_, n) => {
    const fields = new Map(Object.entries(fieldsOf(n)))
    return { index, time: new DateTime((startMs + n) * 1000), raw: `event ${n}`, fields }
  })
}
