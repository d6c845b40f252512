/** The official clients of the bulk protocol, three generations of one and one of the other, and loggers built on them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ClientServer, checkArrived, documentOf, load, samples, startServer } from './harness.ts'

/** As much of the clients as is used here; they agree on it. */
interface EsClient {
  info(): Promise<unknown>
  ping(): Promise<unknown>
  bulk(parameters: object): Promise<BulkAnswer & { readonly body?: BulkAnswer }>
  index(parameters: object): Promise<unknown>
  readonly helpers: {
    bulk(
      options: object,
    ): Promise<{ readonly total: number; readonly successful: number; readonly failed: number; readonly retry: number }>
  }
  readonly indices: Record<
    'refresh' | 'exists' | 'existsIndexTemplate' | 'putIndexTemplate' | 'getIndexTemplate',
    (parameters: object) => Promise<unknown>
  >
  readonly cluster: { health(parameters: object): Promise<unknown> }
  readonly cat: { health(parameters: object): Promise<unknown>; indices(parameters: object): Promise<unknown> }
  close(): Promise<void>
}

interface BulkAnswer {
  readonly errors: boolean
  readonly items: readonly unknown[]
}

type ClientModule = { readonly Client: new (options: object) => EsClient }

const CLIENTS = [
  { name: 'es7', isOld: true },
  { name: 'es8', isOld: false },
  { name: 'es9', isOld: false },
  { name: '@opensearch-project/opensearch', isOld: true },
]

const EXPECTED = {
  message: 'message',
  fields: ({ n }: { n: number }) => ({ 'nested.b.c': n / 2, 'nested.a': [1, 'x'] }),
}

describe('clients of the bulk protocol', () => {
  let at: ClientServer
  before(async () => {
    at = await startServer()
  })
  after(() => at.stop())

  for (const { name, isOld } of CLIENTS) {
    describe(name, () => {
      let client: EsClient
      before(() => {
        const { Client } = load(name) as ClientModule
        client = new Client({ node: at.url })
      })
      after(() => client.close())

      test('shakes hands and sets up', async () => {
        await client.info()
        await client.ping()
        await client.cluster.health({ wait_for_status: 'yellow' })
        await client.cat.health({ format: 'json' })
        await client.cat.indices({ format: 'json' })
        await client.indices.exists({ index: 'logs' })
        await client.indices.existsIndexTemplate({ name: 'logs' })
        const template = { index_patterns: ['logs-*'], template: {} }
        await client.indices.putIndexTemplate(isOld ? { name: 'logs', body: template } : { name: 'logs', ...template })
        await client.indices.getIndexTemplate({ name: 'logs' })
        await client.indices.refresh({ index: 'logs' })
      })

      test('bulk: every document arrives once', async () => {
        const run = `${name} bulk`
        const sent = samples(run, 100)
        const lines = sent.flatMap(each => [{ create: { _index: 'shop', _id: `${run}${each.n}` } }, documentOf(each)])
        const answer = await client.bulk({
          [isOld ? 'body' : 'operations']: lines,
          refresh: 'wait_for',
          pipeline: 'geoip',
          timeout: '1m',
        })
        const { errors, items } = answer.body ?? answer
        assert.deepEqual([errors, items.length], [false, 100])
        checkArrived(await at.rows(run, 100), sent, { ...EXPECTED, source: 'shop' })
      })

      test('the bulk helper: every document arrives once', async () => {
        const run = `${name} helper`
        const sent = samples(run, 300)
        const statistics = await client.helpers.bulk({
          datasource: sent.map(documentOf),
          onDocument: () => ({ index: { _index: 'helped' } }),
          flushBytes: 4000,
          concurrency: 3,
        })
        assert.deepEqual([statistics.total, statistics.successful, statistics.failed], [300, 300, 0])
        checkArrived(await at.rows(run, 300), sent, { ...EXPECTED, source: 'helped' })
      })

      test('single documents, with an id and without', async () => {
        const run = `${name} index`
        const sent = samples(run, 4)
        for (const each of sent)
          await client.index({
            index: 'single',
            [isOld ? 'body' : 'document']: documentOf(each),
            ...(each.n % 2 === 0 && { id: `${run}${each.n}` }),
          })
        checkArrived(await at.rows(run, 4), sent, { ...EXPECTED, source: 'single' })
      })
    })
  }

  test('winston-elasticsearch', async () => {
    const { ElasticsearchTransport } = load('winston-elasticsearch') as {
      readonly ElasticsearchTransport: new (options: object) => NodeJS.EventEmitter & { flush(): Promise<void> }
    }
    const winston = load('winston') as typeof import('winston')
    const run = 'winston-elasticsearch'
    const sent = samples(run, 40)
    const transport = new ElasticsearchTransport({
      level: 'debug',
      index: 'winston',
      flushInterval: 20,
      clientOpts: { node: at.url },
    })
    const failures: unknown[] = []
    transport.on('warning', error => failures.push(error))
    const logger = winston.createLogger({ level: 'debug', transports: [transport as never] })
    for (const { level, message, n, millis } of sent)
      logger.log({ level, message, n, run, timestamp: new Date(millis).toISOString() })
    const rows = await at.where(`fields.run == "${run}"`, sent.length)
    await transport.flush()
    logger.close()
    assert.deepEqual(failures, [])
    // Its transformer puts what was logged beside the message under `fields`, and calls the level severity.
    const seen = rows
      .map(row => ({ ...row, n: row['fields.n'], run: row['fields.run'], level: row.severity }))
      .sort((a, b) => Number(a.n) - Number(b.n))
    checkArrived(seen, sent, { source: 'winston', message: 'message' })
  })

  test('pino-elasticsearch', async () => {
    const pinoElastic = load('pino-elasticsearch') as (options: object) => NodeJS.WritableStream & NodeJS.EventEmitter
    const pino = load('pino') as typeof import('pino')
    const run = 'pino-elasticsearch'
    const sent = samples(run, 40)
    const stream = pinoElastic({ node: at.url, index: 'pino', esVersion: 8, opType: 'create', flushBytes: 2000 })
    const dropped: unknown[] = []
    stream.on('insertError', error => dropped.push(error))
    const finished = new Promise(resolve => stream.once('insert', resolve))
    const logger = pino.pino({ level: 'debug', timestamp: false }, stream as never)
    for (const { level, message, n, millis } of sent) logger[level]({ n, run, time: millis }, message)
    stream.end()
    await finished
    assert.deepEqual(dropped, [])
    const numbers = { debug: 20, info: 30, warn: 40, error: 50 }
    checkArrived(await at.rows(run, 40), sent, { source: 'pino', message: 'msg', level: ({ level }) => numbers[level] })
  })
})

describe('clients of the bulk protocol when the buffer is full', () => {
  test('the helper sends again what found no room, and every document arrives once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'quern-clients-'))
    const flags = { 'ingest.buffer_bytes_max': '40kb', 'ingest.flush_age': '30ms', 'ingest.max_batch_size': '20' }
    const at = await startServer({ ...flags, 'ingest.fsync': 'false' }, directory)
    const { Client } = load('es8') as ClientModule
    const client = new Client({ node: at.url })
    const run = 'overload'
    const sent = samples(run, 400)
    const statistics = await client.helpers.bulk({
      datasource: sent.map(documentOf),
      onDocument: () => ({ create: { _index: 'busy' } }),
      flushBytes: 30_000,
      concurrency: 4,
      retries: 20,
      wait: 60,
    })
    assert.deepEqual([statistics.successful, statistics.failed], [400, 0])
    assert.ok(statistics.retry > 0, 'nothing was refused: the test shows nothing')
    checkArrived(await at.rows(run, 400), sent, { ...EXPECTED, source: 'busy' })
    await client.close()
    await at.stop()
    rmSync(directory, { recursive: true })
  })
})
