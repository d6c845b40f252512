/** Programs and libraries that send syslog: those of npm always, those of the system where it has them. */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { OptionName } from '../../../server/options.ts'
import { type ClientServer, checkArrived, LEVELS, load, type Sample, samples, startServer } from './harness.ts'

const run = promisify(execFile)

/** Datagrams on one machine arrive, but only as fast as they are read. */
const COUNT = 40
const SEVERITIES = { info: 'info', warn: 'warning', error: 'err', debug: 'debug' } as const
const LISTENERS = { udp: 'syslog.udp', tcp: 'syslog.tcp' } as const satisfies Record<string, OptionName>

/** One line, so that framing by lines carries it too. */
const textOf = ({ n, run }: Sample) => `{"n":${n},"run":"${run}","text":"größer"}`

const whyNot = (program: string): string | false => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return false
  } catch {
    return `${program} is not installed here`
  }
}

describe('senders of syslog', () => {
  let at: ClientServer
  before(async () => {
    at = await startServer()
  })
  after(() => at.stop())

  for (const protocol of ['udp', 'tcp'] as const) {
    for (const type of ['BSD', '5424'] as const) {
      test(`winston-syslog, ${type} over ${protocol}`, async () => {
        const winston = load('winston') as typeof import('winston')
        const { Syslog } = load('winston-syslog') as {
          readonly Syslog: new (options: object) => { readonly socket: NodeJS.EventEmitter }
        }
        const name = `winston ${type} ${protocol}`
        const sent = samples(name, COUNT)
        const transport = new Syslog({
          host: '127.0.0.1',
          port: at.port(LISTENERS[protocol]),
          protocol: protocol === 'udp' ? 'udp4' : 'tcp4',
          type,
          app_name: 'shop',
          localhost: 'web-1',
          eol: '\n',
        })
        const logger = winston.createLogger({
          levels: winston.config.syslog.levels,
          level: 'debug',
          format: winston.format.printf(({ message }) => String(message)),
          transports: [transport as never],
        })
        for (const each of sent) logger.log(each.level === 'warn' ? 'warning' : each.level, textOf(each))
        const rows = await at.rows(name, COUNT)
        // It takes its own end for a lost connection and would try again for ever.
        transport.socket.removeAllListeners('close')
        logger.close()
        checkArrived(rows, sent, {
          source: 'shop',
          isNow: true,
          fields: ({ level }) => ({ severity: SEVERITIES[level], host: 'web-1', facility: 'local0', text: 'größer' }),
        })
      })
    }

    for (const rfc3164 of [true, false]) {
      test(`syslog-client, RFC ${rfc3164 ? 3164 : 5424} over ${protocol}`, async () => {
        const syslog = load('syslog-client') as {
          readonly Transport: Record<'Tcp' | 'Udp', number>
          readonly Facility: Record<'Local3', number>
          readonly Severity: Record<'Informational' | 'Warning' | 'Error' | 'Debug', number>
          createClient(
            target: string,
            options: object,
          ): { log(text: string, options: object, done: (error?: Error) => void): void; close(): void }
        }
        const { Informational, Warning, Error: Err, Debug } = syslog.Severity
        const severities = { info: Informational, warn: Warning, error: Err, debug: Debug }
        const name = `syslog-client ${rfc3164} ${protocol}`
        const sent = samples(name, COUNT)
        const client = syslog.createClient('127.0.0.1', {
          port: at.port(LISTENERS[protocol]),
          transport: protocol === 'udp' ? syslog.Transport.Udp : syslog.Transport.Tcp,
          rfc3164,
          syslogHostname: 'web-2',
          appName: 'app',
        })
        for (const each of sent) {
          await new Promise<void>((resolve, reject) => {
            const options = {
              facility: syslog.Facility.Local3,
              severity: severities[each.level],
              timestamp: new Date(each.millis),
            }
            client.log(textOf(each), options, error => (error ? reject(error) : resolve()))
          })
        }
        const rows = await at.rows(name, COUNT)
        client.close()
        // The older format has whole seconds of a year that is not named.
        const expected = rfc3164 ? sent.map(each => ({ ...each, millis: Math.floor(each.millis / 1000) * 1000 })) : sent
        checkArrived(rows, expected, {
          fields: ({ level }) => ({ severity: SEVERITIES[level], facility: 'local3', host: 'web-2' }),
        })
      })
    }

    for (const [name, options] of [
      ['RFC 3164', ['--rfc3164']],
      ['RFC 5424', ['--rfc5424']],
      ...(protocol === 'tcp' ? [['RFC 5424, counted', ['--rfc5424', '--octet-count']] as const] : []),
    ] as const) {
      test(`logger, ${name} over ${protocol}`, { skip: whyNot('logger') }, async () => {
        const label = `logger ${name} ${protocol}`
        const sent = samples(label, LEVELS.length)
        for (const each of sent) {
          const priority = `user.${SEVERITIES[each.level]}`
          const to = ['--server', '127.0.0.1', '--port', String(at.port(LISTENERS[protocol])), `--${protocol}`]
          await run('logger', [...to, ...options, '--tag', 'shop', '--priority', priority, '--', textOf(each)])
        }
        const rows = await at.rows(label, sent.length)
        checkArrived(rows, sent, {
          source: 'shop',
          isNow: true,
          fields: ({ level }) => ({
            severity: SEVERITIES[level],
            facility: 'user',
            host: hostname().split('.')[0] ?? '',
          }),
        })
      })
    }
  }

  test('loggen', { skip: whyNot('loggen') }, async () => {
    const port = String(at.port('syslog.tcp'))
    await run('loggen', [
      '--inet',
      '--stream',
      '--syslog-proto',
      '--number',
      '500',
      '--rate',
      '100000',
      '127.0.0.1',
      port,
    ])
    const rows = await at.where('_source == "prg00000"', 500)
    assert.equal(rows.length, 500)
  })

  for (const [name, action] of [
    [
      'omfwd',
      (port: number) =>
        `action(type="omfwd" target="127.0.0.1" port="${port}" protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format")`,
    ],
    [
      'omelasticsearch',
      () =>
        `module(load="omelasticsearch")\naction(type="omelasticsearch" server="127.0.0.1" serverport="${at.port()}" searchIndex="rsyslog" bulkmode="on" template="doc")`,
    ],
  ] as const) {
    test(`rsyslog, ${name}`, { skip: whyNot('rsyslogd') }, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'quern-rsyslog-'))
      const label = `rsyslog ${name}`
      const sent = samples(label, 200)
      writeFileSync(join(directory, 'input.log'), sent.map(each => `${textOf(each)}\n`).join(''))
      const template = `template(name="doc" type="list") { constant(value="{\\"@timestamp\\":\\"") property(name="timereported" dateFormat="rfc3339") constant(value="\\",") property(name="msg" outname="message" format="jsonf") constant(value="}") }`
      const config = `global(workDirectory="${directory}")\nmodule(load="imfile")\n${template}\ninput(type="imfile" File="${directory}/input.log" Tag="shop:")\n${action(at.port('syslog.tcp'))}\n`
      writeFileSync(join(directory, 'rsyslog.conf'), config)
      const daemon = spawn('rsyslogd', ['-n', '-f', join(directory, 'rsyslog.conf'), '-i', join(directory, 'pid')], {
        stdio: 'ignore',
      })
      try {
        const rows = await at.where(`contains(_raw, "${label}")`, sent.length)
        assert.equal(rows.length, sent.length)
      } finally {
        daemon.kill()
        rmSync(directory, { recursive: true, force: true })
      }
    })
  }

  test('syslog-ng', { skip: whyNot('syslog-ng') }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'quern-syslog-ng-'))
    const label = 'syslog-ng'
    const sent = samples(label, 200)
    writeFileSync(join(directory, 'input.log'), sent.map(each => `${textOf(each)}\n`).join(''))
    const config = `@version: current\nsource s { file("${directory}/input.log" flags(no-parse) follow-freq(0.1)); };\ndestination d { syslog("127.0.0.1" port(${at.port('syslog.tcp')}) transport("tcp")); };\nlog { source(s); destination(d); };\n`
    writeFileSync(join(directory, 'syslog-ng.conf'), config)
    const files = ['-f', 'syslog-ng.conf', '-R', 'persist', '-p', 'pid', '-c', 'ctl'].map(each =>
      each.startsWith('-') ? each : join(directory, each),
    )
    const daemon = spawn('syslog-ng', ['-F', ...files], { stdio: 'ignore' })
    try {
      const rows = await at.where(`contains(_raw, "\\"run\\":\\"${label}\\"")`, sent.length)
      assert.equal(rows.length, sent.length)
    } finally {
      daemon.kill()
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
