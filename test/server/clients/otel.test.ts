/** The OpenTelemetry SDK for logs, over each of its three exporters. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DateTime } from '../../../storage/value.ts'
import { type ClientServer, checkArrived, load, type Sample, samples, startServer } from './harness.ts'

const SEVERITY = { debug: 5, info: 9, warn: 13, error: 17 } as const

interface LogsSdk {
  readonly LoggerProvider: new (
    options: object,
  ) => {
    getLogger(name: string, version: string): { emit(record: object): void }
    forceFlush(): Promise<void>
    shutdown(): Promise<void>
  }
  readonly BatchLogRecordProcessor: new (options: object) => object
}

type ExporterModule = Readonly<Record<'OTLPLogExporter', new (options: object) => object>>

describe('OpenTelemetry', () => {
  let at: ClientServer
  before(async () => {
    at = await startServer()
  })
  after(() => at.stop())

  const exporters: readonly (readonly [name: string, module: string, options: () => object])[] = [
    ['HTTP/JSON', 'http', () => ({ url: `http://127.0.0.1:${at.port('otlp.http')}/v1/logs` })],
    [
      'HTTP/JSON, compressed',
      'http',
      () => ({ url: `http://127.0.0.1:${at.port('otlp.http')}/v1/logs`, compression: 'gzip' }),
    ],
    ['HTTP/JSON on the main port', 'http', () => ({ url: `${at.url}/otlp/v1/logs` })],
    ['HTTP/JSON under the prefix', 'http', () => ({ url: `${at.url}/api/v1/otlp/v1/logs` })],
    ['HTTP/protobuf', 'proto', () => ({ url: `http://127.0.0.1:${at.port('otlp.http')}/v1/logs` })],
    [
      'HTTP/protobuf, compressed',
      'proto',
      () => ({ url: `http://127.0.0.1:${at.port('otlp.http')}/v1/logs`, compression: 'gzip' }),
    ],
    ['gRPC', 'grpc', () => ({ url: `http://127.0.0.1:${at.port('otlp.grpc')}` })],
    ['gRPC, compressed', 'grpc', () => ({ url: `http://127.0.0.1:${at.port('otlp.grpc')}`, compression: 'gzip' })],
  ]

  for (const [name, module, options] of exporters) {
    test(`${name}: every record arrives once, to the nanosecond`, async () => {
      const { LoggerProvider, BatchLogRecordProcessor } = load('@opentelemetry/sdk-logs') as LogsSdk
      const { resourceFromAttributes } = load('@opentelemetry/resources') as {
        resourceFromAttributes(attributes: object): object
      }
      const { OTLPLogExporter } = load(`@opentelemetry/exporter-logs-otlp-${module}`) as ExporterModule
      const run = `otel ${name}`
      const sent = samples(run, 60)
      const resource = resourceFromAttributes({
        'service.name': 'checkout',
        'host.name': 'node-7',
        'deployment.environment': 'prod',
        'service.version': '1.2.3',
      })
      const processor = new BatchLogRecordProcessor({
        exporter: new OTLPLogExporter(options()),
        maxExportBatchSize: 25,
      })
      const provider = new LoggerProvider({ resource, processors: [processor] })
      const logger = provider.getLogger('my.logger', '2.0')
      for (const each of sent) logger.emit(recordOf(each))
      await provider.forceFlush()
      await provider.shutdown()
      const rows = []
      for await (const row of at.engine.query(`from prod | where run == "${run}" | sort n`).rows()) rows.push(row)
      // Nanoseconds are checked here and taken off for the common part.
      const seen = rows.map((row, n) => {
        const time = row._time
        assert.ok(time instanceof DateTime)
        assert.equal(time.nanos, n, 'nanoseconds')
        return { ...row, _time: new DateTime(time.micros) }
      })
      checkArrived(seen, sent, {
        source: 'checkout',
        message: '_raw',
        // Every other record has a number only.
        level: ({ n, level }) => (n % 2 === 0 ? level.toUpperCase() : level),
        fields: ({ n, level }) => ({
          host: 'node-7',
          severity_number: SEVERITY[level],
          'resource.service.version': '1.2.3',
          'scope.name': 'my.logger',
          'scope.version': '2.0',
          half: n / 2,
          yes: true,
          list: ['a', 1],
          'map.inner': 'x',
        }),
      })
    })
  }
})

function recordOf({ n, run, level, message, millis }: Sample) {
  return {
    timestamp: [Math.floor(millis / 1000), (millis % 1000) * 1e6 + n],
    severityNumber: SEVERITY[level],
    ...(n % 2 === 0 && { severityText: level.toUpperCase() }),
    body: message,
    attributes: { n, run, half: n / 2, yes: true, list: ['a', 1], map: { inner: 'x' } },
  }
}
