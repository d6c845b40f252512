/** The same clients with authentication on, each with the credentials it knows: with a key it works, without it fails and stores nothing. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ClientServer, load, startServer } from './harness.ts'

interface Key {
  readonly id: string
  readonly token: string
}

const directory = mkdtempSync(join(tmpdir(), 'quern-keys-'))

describe('clients with keys', () => {
  let at: ClientServer
  let key: Key
  before(async () => {
    at = await startServer({ 'auth.enabled': 'true', 'ingest.fsync': 'false' }, directory)
    const answer = await fetch(`${at.url}/api/v1/auth/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${at.server.rootToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'clients', scope: 'ingest' }),
    })
    key = ((await answer.json()) as { readonly data: Key }).data
    assert.ok(key.token)
  })
  after(async () => {
    await at.stop()
    rmSync(directory, { recursive: true })
  })

  const stored = () => at.engine.status().eventCount

  for (const name of ['es8', 'es9']) {
    test(`${name}, by each of its ways`, async () => {
      const { Client } = load(name) as {
        readonly Client: new (options: object) => { bulk(parameters: object): Promise<unknown>; close(): Promise<void> }
      }
      const send = async (auth: object): Promise<unknown> => {
        const client = new Client({ node: at.url, auth })
        try {
          return await client.bulk({ operations: [{ index: {} }, { n: 1 }] })
        } finally {
          await client.close()
        }
      }
      const before = stored()
      await assert.rejects(send({ bearer: 'qk_wrong' }), { name: 'ResponseError', statusCode: 401 })
      await assert.rejects(send({ username: 'me', password: 'qk_wrong' }), { statusCode: 401 })
      assert.equal(stored(), before)
      await send({ bearer: key.token })
      await send({ username: 'me', password: key.token })
      await send({ apiKey: { id: key.id, api_key: key.token } })
      assert.equal(stored(), before + 3)
    })
  }

  test('splunk-logging', async () => {
    const { Logger } = load('splunk-logging') as {
      readonly Logger: new (
        options: object,
      ) => {
        error: unknown
        send(context: object, done: (error: unknown, response: unknown, body: unknown) => void): void
      }
    }
    const send = (token: string) => {
      const logger = new Logger({ token, url: at.url })
      logger.error = () => {}
      return new Promise(resolve => logger.send({ message: 'x' }, (_, __, body) => resolve(body)))
    }
    const before = stored()
    assert.deepEqual(await send('qk_wrong'), { text: 'Invalid token', code: 4 })
    assert.equal(stored(), before)
    assert.deepEqual(await send(key.token), { text: 'Success', code: 0 })
    assert.equal(stored(), before + 1)
  })

  for (const [module, listener] of [
    ['http', 'otlp.http'],
    ['proto', 'otlp.http'],
  ] as const) {
    test(`OpenTelemetry, ${module}`, async () => {
      const { LoggerProvider, SimpleLogRecordProcessor } = load('@opentelemetry/sdk-logs') as {
        readonly LoggerProvider: new (
          options: object,
        ) => {
          getLogger(name: string): { emit(record: object): void }
          forceFlush(): Promise<void>
          shutdown(): Promise<void>
        }
        readonly SimpleLogRecordProcessor: new (options: object) => object
      }
      const { OTLPLogExporter } = load(`@opentelemetry/exporter-logs-otlp-${module}`) as {
        readonly OTLPLogExporter: new (options: object) => object
      }
      const send = async (token: string) => {
        const url = `http://127.0.0.1:${at.port(listener)}/v1/logs`
        const exporter = new OTLPLogExporter({ url, headers: { authorization: `Bearer ${token}` } })
        const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] })
        provider.getLogger('x').emit({ body: 'x' })
        await provider.forceFlush()
        await provider.shutdown()
      }
      const before = stored()
      await send('qk_wrong')
      assert.equal(stored(), before)
      await send(key.token)
      assert.equal(stored(), before + 1)
    })
  }
})
