/** The listeners over real sockets: what comes in, who may, and how they end. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as requestTls } from 'node:https'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { type Engine, open } from '../../engine.ts'
import { ConfigError, loadConfig } from '../../server/config.ts'
import { listen, type RunningServer } from '../../server/listen.ts'
import type { OptionName } from '../../server/options.ts'

const DIRECTORY = mkdtempSync(join(tmpdir(), 'quern-listeners-'))
after(() => rmSync(DIRECTORY, { recursive: true, force: true }))

const ALL = { 'otlp.http': '0', 'otlp.grpc': '0', 'syslog.udp': '0', 'syslog.tcp': '0' }

interface Started {
  readonly engine: Engine
  readonly server: RunningServer
  port(name: OptionName): number
  stop(): Promise<void>
}

let count = 0
const running: RunningServer[] = []

/** Also when a test has failed: an open port would keep the process. */
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.stop()
    await server.closed
  }
})

async function start(flags: Record<string, string> = {}): Promise<Started> {
  const config = loadConfig({ flags: { 'log.level': 'silent', port: '0', ...ALL, ...flags }, environment: {} })
  const engine = await open(
    flags['auth.enabled'] === undefined ? null : join(DIRECTORY, `data-${count++}`),
    config.engineOptions(),
  )
  const server = await listen(engine, config)
  running.push(server)
  return {
    engine,
    server,
    port: name => Number(server.listeners.get(name)!.address.split(':').at(-1)),
    async stop() {
      server.stop()
      await server.closed
    },
  }
}

/** Messages arrive when they arrive; this waits for as many as were sent. */
async function arrived(engine: Engine, count: number): Promise<Record<string, unknown>[]> {
  for (let tries = 0; engine.status().eventCount < count && tries < 400; tries++)
    await new Promise(resolve => setTimeout(resolve, 10))
  const rows: Record<string, unknown>[] = []
  for await (const row of engine.query('from main | sort _raw').rows()) rows.push(row)
  return rows
}

function send(port: number, ...pieces: (string | Buffer)[]): Promise<void> {
  return write(connect(port, '127.0.0.1'), pieces)
}

async function write(socket: Socket, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) socket.write(piece)
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.end(() => resolve())
  })
}

async function sendDatagrams(port: number, ...datagrams: readonly string[]): Promise<void> {
  const socket = createSocket('udp4')
  for (const datagram of datagrams)
    await new Promise<void>(resolve => socket.send(datagram, port, '127.0.0.1', () => resolve()))
  socket.close()
}

/** `ExportLogsServiceRequest` with one record whose body is the text. */
function otlp(text: string): Buffer {
  const nested = (field: number, inner: Buffer) => Buffer.concat([Buffer.from([(field << 3) | 2, inner.length]), inner])
  return nested(1, nested(2, nested(2, nested(5, nested(1, Buffer.from(text))))))
}

function exportOverGrpc(
  port: number,
  request: Buffer,
  token?: string,
  channel = credentials.createInsecure(),
): Promise<Buffer> {
  const client = new Client(`127.0.0.1:${port}`, channel)
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  const asIs = (bytes: Buffer) => bytes
  return new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest(
      '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
      asIs,
      asIs,
      request,
      metadata,
      (error, answer) => (error === null ? resolve(answer!) : reject(error)),
    )
  }).finally(() => client.close())
}

const isAbout = (name: string) => (error: Error) => error instanceof ConfigError && error.message.startsWith(name)

describe('listeners', () => {
  test('syslog over UDP and TCP, OTLP over HTTP and gRPC all arrive once', async () => {
    const { engine, port, stop } = await start()
    await sendDatagrams(port('syslog.udp'), '<14>Oct 11 22:14:15 h udp: a', '<14>1 - h udp - - - b\n')
    await send(
      port('syslog.tcp'),
      '<14>Oct 11 22:14:15 h tcp: c\n25 <14>',
      '1 - h tcp - - - eight<14>Oct 11 22:14:15 h tcp: last',
    )
    const url = `http://127.0.0.1:${port('otlp.http')}/v1/logs`
    const type = { 'content-type': 'application/x-protobuf' }
    assert.equal((await fetch(url, { method: 'POST', body: otlp('over http'), headers: type })).status, 200)
    const packed = { ...type, 'content-encoding': 'gzip' }
    assert.equal((await fetch(url, { method: 'POST', body: gzipSync(otlp('packed')), headers: packed })).status, 200)
    assert.equal((await exportOverGrpc(port('otlp.grpc'), otlp('over grpc'))).length, 0)
    const rows = await arrived(engine, 8)
    assert.deepEqual(rows.map(row => row._raw).sort(), [
      '<14>1 - h tcp - - - eight',
      '<14>1 - h udp - - - b',
      '<14>Oct 11 22:14:15 h tcp: c',
      '<14>Oct 11 22:14:15 h tcp: last',
      '<14>Oct 11 22:14:15 h udp: a',
      'over grpc',
      'over http',
      'packed',
    ])
    await stop()
  })

  test('gRPC answers damage with INVALID_ARGUMENT and stores nothing', async () => {
    const { engine, port, stop } = await start()
    const request = otlp('x').subarray(0, -1)
    await assert.rejects(exportOverGrpc(port('otlp.grpc'), request), (error: ServiceError) => error.code === 3)
    assert.equal(engine.status().eventCount, 0)
    await stop()
  })

  test('gRPC messages beyond the limit are refused', async () => {
    const { port, stop } = await start({ 'ingest.max_body_size': '1kb' })
    const request = Buffer.alloc(5000)
    await assert.rejects(exportOverGrpc(port('otlp.grpc'), request), (error: ServiceError) => error.code === 8)
    await stop()
  })

  test('who connects to gRPC and says nothing, or hangs up at once, does not hold up the end', async () => {
    const { server, port, stop } = await start()
    connect(port('otlp.grpc'), '127.0.0.1').on('connect', function (this: Socket) {
      this.resetAndDestroy()
    })
    const silent = connect(port('otlp.grpc'), '127.0.0.1')
    const ended = new Promise(resolve => silent.on('close', resolve))
    silent.on('error', () => {}).resume()
    await new Promise(resolve => silent.on('connect', resolve))
    await exportOverGrpc(port('otlp.grpc'), otlp('meanwhile'))
    await stop()
    await ended
    await server.closed
  })

  test('a listener that was asked for and cannot open ends the start, and says which', async () => {
    const first = await start()
    const address = `127.0.0.1:${first.port('syslog.tcp')}`
    await assert.rejects(start({ 'syslog.tcp': address }), isAbout('syslog.tcp cannot listen'))
    await assert.rejects(start({ 'syslog.udp': 'nonsense' }), isAbout('syslog.udp must be an address'))
    await assert.rejects(start({ 'syslog.tls': '0' }), isAbout('syslog.tls needs syslog.tls_cert'))
    await assert.rejects(start({ 'syslog.trusted': '10.0.0.0/99' }), isAbout('syslog.trusted'))
    await first.stop()
  })

  test('what a sender wrote before the end is stored, and a connection that stays open does not hold up the end', async () => {
    const { server, port, engine } = await start()
    const socket = connect(port('syslog.tcp'), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('<14>Oct 11 22:14:15 h app: a\n<14>Oct 11 22:14:15 h app: b')
    await arrived(engine, 1)
    let stored = 0
    const { close } = engine
    engine.close = () => {
      stored = engine.status().eventCount
      return close.call(engine)
    }
    server.stop()
    await server.closed
    assert.equal(stored, 2)
  })
})

describe('listeners with authentication', () => {
  const KEYS = { 'auth.enabled': 'true' }

  async function keysOf(server: RunningServer) {
    const create = async (scope: string): Promise<string> => {
      const answer = await fetch(`${server.url}/api/v1/auth/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.rootToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: scope, scope }),
      })
      const { data } = (await answer.json()) as { readonly data: { readonly token: string } }
      assert.match(data.token, /^qk_/)
      return data.token
    }
    return { ingest: await create('ingest'), query: await create('query') }
  }

  test('without a key that may ingest nothing is stored, by any of them; with one it is', async () => {
    const { engine, server, port, stop } = await start(KEYS)
    const keys = await keysOf(server)
    const overHttp = (token: string | null) =>
      fetch(`http://127.0.0.1:${port('otlp.http')}/v1/logs`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-protobuf', ...(token && { authorization: `Bearer ${token}` }) },
        body: otlp('x'),
      })
    const grpcCode = (code: number) => (error: ServiceError) => error.code === code
    assert.equal((await overHttp(null)).status, 401)
    assert.equal((await overHttp('qk_wrong')).status, 401)
    assert.equal((await overHttp(keys.query)).status, 403)
    await assert.rejects(exportOverGrpc(port('otlp.grpc'), otlp('x')), grpcCode(16))
    await assert.rejects(exportOverGrpc(port('otlp.grpc'), otlp('x'), 'qk_wrong'), grpcCode(16))
    await assert.rejects(exportOverGrpc(port('otlp.grpc'), otlp('x'), keys.query), grpcCode(7))
    const syslog = (token: string) => `<14>1 - h app - - [quern token="${token}"] hello`
    const bad = ['<14>1 - h app - - - hello', syslog('qk_wrong'), syslog(keys.query), 'plain']
    await sendDatagrams(port('syslog.udp'), ...bad)
    await send(port('syslog.tcp'), bad.join('\n'))
    // A good one after the bad ones, on the same way in: once it is there, the others have been refused.
    await sendDatagrams(port('syslog.udp'), syslog(keys.ingest))
    await send(port('syslog.tcp'), `${bad.join('\n')}\n${syslog(keys.ingest)}`)
    assert.equal((await overHttp(keys.ingest)).status, 200)
    await exportOverGrpc(port('otlp.grpc'), otlp('x'), keys.ingest)
    const rows = await arrived(engine, 4)
    const stored = ['<14>1 - h app - - - hello', '<14>1 - h app - - - hello', 'x', 'x']
    assert.deepEqual(rows.map(row => row._raw).sort(), stored)
    await stop()
  })

  test('trusted networks need no key for syslog', async () => {
    const { engine, port, stop } = await start({ ...KEYS, 'syslog.trusted': '10.0.0.0/8, 127.0.0.1' })
    await send(port('syslog.tcp'), '<14>Oct 11 22:14:15 h app: x')
    assert.equal((await arrived(engine, 1)).length, 1)
    await stop()
  })

  const files = hasOpenssl() ? makeCertificates() : null

  test('TLS: with an authority only its certificates come in, and they need no key', {
    skip: files === null && 'openssl is not here',
  }, async () => {
    if (files === null) return
    const { ca, serverCert, serverKey, clientCert, clientKey } = files
    const tls = { 'syslog.tls': '0', 'syslog.tls_cert': serverCert, 'syslog.tls_key': serverKey }
    const { engine, port, stop } = await start({ ...KEYS, ...tls, 'syslog.tls_ca': ca })
    const at = {
      port: port('syslog.tls'),
      host: '127.0.0.1',
      ca: readFileSync(ca),
      checkServerIdentity: () => undefined,
    }
    const own = { cert: readFileSync(clientCert), key: readFileSync(clientKey) }
    await write(connectTls({ ...at, ...own }), ['29 <14>1 - h app - - - certified\n'.slice(0, 32)])
    const refused = connectTls(at)
    refused.on('error', () => {})
    refused.write('<14>1 - h app - - - anonymous\n')
    await new Promise(resolve => refused.once('close', resolve))
    await send(port('syslog.tls'), 'not TLS at all\n').catch(() => {})
    const rows = await arrived(engine, 1)
    assert.deepEqual(
      rows.map(row => row._raw),
      ['<14>1 - h app - - - certified'],
    )
    await stop()
  })
})

describe('TLS of what speaks HTTP', { skip: !hasOpenssl() && 'openssl is not here' }, () => {
  const json = JSON.stringify({
    resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'over TLS' } }] }] }],
  })

  test('the listeners of OTLP and the main port have it once they have a certificate, and stop as ever', async () => {
    const { ca, serverCert, serverKey } = makeCertificates()
    const files = (name: string) => ({ [`${name}.tls_cert`]: serverCert, [`${name}.tls_key`]: serverKey })
    const { engine, server, port, stop } = await start({ ...files('otlp'), ...files('http') })
    assert.match(server.url, /^https:/)
    const post = (on: number, path: string, body: string) => postOverTls(on, path, body, { ca: readFileSync(ca) })
    assert.equal(await post(port('otlp.http'), '/v1/logs', json), 200)
    assert.equal(await post(Number(new URL(server.url).port), '/api/v1/ingest', '{"n":1}'), 200)
    const channel = credentials.createSsl(readFileSync(ca), null, null, { checkServerIdentity: () => undefined })
    await exportOverGrpc(port('otlp.grpc'), otlp('over TLS'), undefined, channel)
    for (const on of [port('otlp.http'), port('otlp.grpc'), Number(new URL(server.url).port)])
      await send(on, 'GET / HTTP/1.1\r\n\r\n').catch(() => {})
    await arrived(engine, 3)
    assert.equal(engine.status().eventCount, 3)
    await stop()
  })

  test('with an authority, who shows no certificate of it is not let in', async () => {
    const { ca, serverCert, serverKey, clientCert, clientKey } = makeCertificates()
    const files = { 'otlp.tls_cert': serverCert, 'otlp.tls_key': serverKey, 'otlp.tls_ca': ca }
    const { engine, port, stop } = await start(files)
    const at = { ca: readFileSync(ca) }
    const own = { cert: readFileSync(clientCert), key: readFileSync(clientKey) }
    await assert.rejects(postOverTls(port('otlp.http'), '/v1/logs', json, at))
    assert.equal(await postOverTls(port('otlp.http'), '/v1/logs', json, { ...at, ...own }), 200)
    const anyone = { checkServerIdentity: () => undefined }
    await assert.rejects(
      exportOverGrpc(port('otlp.grpc'), otlp('over TLS'), undefined, credentials.createSsl(at.ca, null, null, anyone)),
    )
    const known = credentials.createSsl(at.ca, own.key, own.cert, anyone)
    await exportOverGrpc(port('otlp.grpc'), otlp('over TLS'), undefined, known)
    assert.equal(engine.status().eventCount, 2)
    await stop()
  })

  test('a certificate that cannot be read ends the start, also of a listener nobody asked for', async () => {
    const { serverKey } = makeCertificates()
    const files = { 'otlp.tls_cert': '/nowhere.pem', 'otlp.tls_key': serverKey }
    await assert.rejects(start(files), isAbout('otlp.tls_cert: ENOENT'))
    await assert.rejects(start({ 'otlp.tls_cert': serverKey }), isAbout('TLS needs otlp.tls_key'))
  })
})

function postOverTls(port: number, path: string, body: string, tls: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, method: 'POST', agent: false as const, ...tls }
    const headers = { 'content-type': 'application/json' }
    const sent = requestTls({ ...options, headers, checkServerIdentity: () => undefined }, response => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** An authority, and a certificate of it for each side. */
function makeCertificates() {
  const at = (name: string) => join(DIRECTORY, name)
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=ca', '-days', '2')
  for (const name of ['server', 'client']) {
    openssl('req', ...key, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`)
    const authority = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2']
    openssl('x509', '-req', '-in', at(`${name}.csr`), ...authority, '-out', at(`${name}.pem`))
  }
  return {
    ca: at('ca.pem'),
    serverCert: at('server.pem'),
    serverKey: at('server.key'),
    clientCert: at('client.pem'),
    clientKey: at('client.key'),
  }
}
