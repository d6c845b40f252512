/** The app over a fake engine, quiet, with settings a test names; and requests in the shape tests want to read. */
import type { FastifyInstance, InjectOptions } from 'fastify'
import { createApp } from '../../server/app.ts'
import { loadConfig } from '../../server/config.ts'
import { FakeEngine } from './fake-engine.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  readonly json: AnswerBody
}

/** Whatever an answer of some route may hold; a test asks for what its route promises. */
export interface AnswerBody {
  readonly data: {
    readonly accepted: number
    readonly failed: number
    readonly errors: readonly Failure[]
    readonly events: readonly unknown[]
    readonly status: string
    readonly degraded: boolean
    readonly version: string
    readonly is_valid: boolean
    readonly text: string
  }
  readonly meta: Readonly<Record<string, unknown>>
  readonly error: {
    readonly code: string
    readonly message: string
    readonly suggestion?: string
    readonly fix?: string
    readonly type?: string
    readonly reason?: string
    readonly position?: unknown
    readonly errors?: readonly { readonly frame: string }[]
  }
  readonly status: number
  readonly took: number
  readonly errors: boolean
  readonly items: readonly Readonly<Record<string, BulkItem>>[]
}

export interface Failure {
  readonly index: number
  readonly line?: number
  readonly code: string
  readonly message: string
}

export interface BulkItem {
  readonly _id: string
  readonly _index: string
  readonly status: number
  readonly result?: string
  readonly error?: { readonly type: string; readonly reason: string }
}

export interface Served {
  readonly engine: FakeEngine
  readonly app: FastifyInstance
  get(url: string, headers?: Record<string, string>): Promise<Answer>
  post(url: string, body: string | Buffer | object, headers?: Record<string, string>): Promise<Answer>
  request(options: InjectOptions): Promise<Answer>
}

export function serve(flags: Readonly<Record<string, string>> = {}): Served {
  const engine = new FakeEngine()
  const app = createApp(engine, loadConfig({ flags: { 'log.level': 'silent', ...flags }, environment: {} }))
  const request = async (options: InjectOptions): Promise<Answer> => {
    const { statusCode, headers, payload } = await app.inject(options)
    return {
      status: statusCode,
      headers,
      text: payload,
      get json() {
        return JSON.parse(payload)
      },
    }
  }
  return {
    engine,
    app,
    request,
    get: (url, headers = {}) => request({ method: 'GET', url, headers }),
    post(url, body, headers = {}) {
      const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
      return request({ method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...headers } })
    },
  }
}
