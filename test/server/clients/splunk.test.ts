/** The vendor's own library for the event collector, and the logger built on it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ClientServer, checkArrived, load, samples, startServer } from './harness.ts'

interface SplunkLogger {
  send(context: object, callback?: (error: unknown, response: unknown, body: unknown) => void): void
  flush(callback: (error: unknown, response: unknown, body: unknown) => void): void
  error: (error: Error, context: unknown) => void
}

describe('clients of the event collector', () => {
  let at: ClientServer
  before(async () => {
    at = await startServer()
  })
  after(() => at.stop())

  for (const path of ['/services/collector/event/1.0', '/services/collector', '/api/v1/ingest/hec']) {
    test(`splunk-logging to ${path}, many events a request`, async () => {
      const { Logger } = load('splunk-logging') as { readonly Logger: new (options: object) => SplunkLogger }
      const run = `splunk ${path}`
      const sent = samples(run, 60)
      const logger = new Logger({ token: 'any', url: at.url, path, maxBatchCount: 25 })
      const errors: unknown[] = []
      logger.error = error => errors.push(error)
      for (const { level, message, n, millis } of sent) {
        logger.send({
          message: { msg: message, n, run, nested: { a: n / 2 } },
          severity: level,
          // Seconds, as text in some versions and as a number in others.
          metadata: { time: millis / 1000, host: 'web-1', source: 'shop', sourcetype: 'httpevent', index: 'splunked' },
        })
      }
      const body = await new Promise(resolve => logger.flush((_, __, answer) => resolve(answer)))
      assert.deepEqual(body, { text: 'Success', code: 0 })
      assert.deepEqual(errors, [])
      const rows = await rowsOf(at, 'splunked', run, 60)
      checkArrived(rows, sent, {
        source: 'shop',
        message: 'message.msg',
        fields: ({ n, level }) => ({
          host: 'web-1',
          _sourcetype: 'httpevent',
          severity: level,
          'message.nested.a': n / 2,
        }),
      })
    })
  }

  test('winston-splunk-httplogger', async () => {
    const winston = load('winston') as typeof import('winston')
    const Transport = load('winston-splunk-httplogger') as new (options: object) => NodeJS.EventEmitter
    const run = 'winston-splunk'
    const sent = samples(run, 30)
    const splunk = { token: 'any', url: at.url, source: 'winston', index: 'splunked' }
    const transport = new Transport({ level: 'debug', splunk })
    const logger = winston.createLogger({ level: 'debug', transports: [transport as never] })
    for (const { level, message, n } of sent) logger.log({ level, message, n, run })
    const rows = await rowsOf(at, 'splunked', run, 30)
    logger.close()
    checkArrived(rows, sent, { source: 'winston', message: 'message.msg', isNow: true })
  })
})

/** What was logged stands below `message`. */
async function rowsOf(at: ClientServer, index: string, run: string, count: number) {
  for (let tries = 0; ; tries++) {
    const rows = []
    const query = `from ${index} | where message.run == "${run}" or message.meta.run == "${run}"`
    for await (const row of at.engine.query(query).rows()) rows.push(row)
    if (rows.length >= count || tries === 300)
      return rows
        .map(row => ({
          ...row,
          n: row['message.n'] ?? row['message.meta.n'],
          run: row['message.run'] ?? row['message.meta.run'],
        }))
        .sort((a, b) => Number(a.n) - Number(b.n))
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
