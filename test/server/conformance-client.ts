/** A server over a real engine and a directory of its own, and requests as the conformance tests write them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, open } from '../../engine.ts'
import { type Running, runningServer } from './running.ts'

export const api = (path: string): string => `/api/v1${path}`
export const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))
export const iso = (ms: number): string => new Date(ms).toISOString()

export interface Named {
  readonly name: string
}

/** Bodies have the type of JSON.parse: what is in them is what is being tested. */
export class Conforming {
  engine!: Engine
  server!: Running
  readonly #directory = mkdtempSync(join(tmpdir(), 'quern-conformance-'))

  async start(): Promise<void> {
    this.engine = await open(this.#directory, { threads: 0 })
    this.server = await runningServer(this.engine)
  }

  async stop(): Promise<void> {
    await this.server.stop()
    await this.engine.close()
    rmSync(this.#directory, { recursive: true })
  }

  readonly get = async (path: string, headers: Record<string, string> = {}) => {
    const { status, text, headers: sent } = await this.server.get(path, headers)
    return { status, body: JSON.parse(text === '' ? 'null' : text), headers: sent }
  }

  readonly send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await this.server.request(method, path, {
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...headers },
    })
    const isDocument = /^[{[]/.test(answer.text) && !/\n./.test(answer.text)
    const { status, headers: sent, text } = answer
    return { status, headers: sent, text, body: JSON.parse(isDocument ? text : 'null') }
  }

  readonly query = async (q: string, more: object = {}) =>
    (await this.send('POST', api('/query'), { q, ...more })).body.data
}
