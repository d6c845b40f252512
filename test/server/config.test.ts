import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { ConfigError, loadConfig } from '../../server/config.ts'
import { OPTION_NAMES, OPTIONS, parseOption, printOption } from '../../server/options.ts'

const directory = mkdtempSync(join(tmpdir(), 'quern-config-'))
after(() => rmSync(directory, { recursive: true }))

function file(text: string): string {
  const path = join(directory, 'quern.yaml')
  writeFileSync(path, text)
  return path
}

describe('settings', () => {
  test('a flag wins over the environment, that over the file, that over the default', () => {
    const path = file('port: 1\nhost: file\ndata: file\n')
    const environment = { QUERN_PORT: '2', QUERN_HOST: 'env' }
    const config = loadConfig({ file: path, environment, flags: { port: '3' } })
    assert.equal(config.get('port'), 3)
    assert.equal(config.get('host'), 'env')
    assert.equal(config.get('data'), 'file')
    assert.equal(config.get('query.max_limit'), 50_000)
    const origins = Object.fromEntries(config.entries().map(e => [e.name, e.origin]))
    assert.deepEqual(
      [origins.port, origins.host, origins.data, origins['query.max_limit']],
      ['flag', 'env', 'file', 'default'],
    )
  })

  test('SERVICE_ names work as the interface writes them, and QUERN_ names win over them', () => {
    const environment = { SERVICE_INGEST_MAX_BODY_SIZE: '5mb', SERVICE_PORT: '1', QUERN_PORT: '2', SERVICE_HOST: '' }
    const config = loadConfig({ environment })
    assert.equal(config.get('ingest.max_body_size'), 5 * 1024 * 1024)
    assert.equal(config.get('port'), 2)
    assert.equal(config.get('host'), '127.0.0.1')
  })

  test('a file may nest sections or write dotted names', () => {
    const config = loadConfig({ environment: {}, file: file('ingest:\n  ack: published\nquery.max_limit: 7\n') })
    assert.equal(config.get('ingest.ack'), 'published')
    assert.equal(config.get('query.max_limit'), 7)
  })

  test('an empty file is no settings', () => {
    assert.equal(loadConfig({ environment: {}, file: file('# nothing yet\n') }).get('port'), 3100)
  })

  test('an unknown key is an error that names the options near it', () => {
    assert.throws(() => loadConfig({ environment: {}, file: file('ingest:\n  flush_aeg: 1s\n') }), {
      name: 'ConfigError',
      message: /ingest\.flush_aeg.*did you mean ingest\.flush_age/,
    })
    assert.throws(() => loadConfig({ environment: {}, flags: { max_limit: '1' } }), /did you mean query\.max_limit/)
  })

  test('a value that cannot be says what would do', () => {
    assert.throws(() => loadConfig({ environment: { QUERN_PORT: 'http' } }), /QUERN_PORT must be a whole number/)
    assert.throws(() => loadConfig({ environment: { QUERN_PORT: '70000' } }), /at most 65535/)
    assert.throws(() => loadConfig({ environment: { QUERN_INGEST_ACK: 'soon' } }), /accepted, published/)
    assert.throws(() => loadConfig({ environment: { QUERN_INGEST_FLUSH_AGE: '1 fortnight' } }), /a duration such as/)
    assert.throws(() => loadConfig({ environment: {}, file: file('- a list') }), ConfigError)
    assert.throws(() => loadConfig({ environment: {}, file: join(directory, 'none.yaml') }), ConfigError)
  })

  test('sizes and durations are read as they are written', () => {
    assert.equal(parseOption('ingest.max_line_bytes', '1.5kb'), 1536)
    assert.equal(parseOption('ingest.max_line_bytes', 10), 10)
    assert.equal(parseOption('ingest.flush_age', '250ms'), 250)
    assert.equal(parseOption('query.max_query_runtime', '5m'), 300_000)
    assert.equal(printOption('ingest.max_body_size', 100 * 1024 * 1024), '100mb')
    assert.equal(printOption('shutdown_grace', 90_000), '90s')
  })

  test('every default is printed as something that reads back as itself', () => {
    for (const name of OPTION_NAMES) {
      const value = OPTIONS[name].default
      assert.equal(parseOption(name, printOption(name, value)), value, name)
    }
  })

  test('the engine gets its options in its own units', () => {
    const { flushAgeMs, bufferBytesMax, fsync } = loadConfig({ environment: {} }).engineOptions()
    assert.deepEqual([flushAgeMs, bufferBytesMax, fsync], [1000, 1024 ** 3, true])
  })
})

describe('settings that change while the server runs', () => {
  const file = join(directory, 'reloaded.yaml')
  const load = (text: string) => {
    writeFileSync(file, text)
    return loadConfig({ file, flags: { 'query.max_queued': '7' }, environment: { QUERN_QUERY_JOB_TTL: '9s' } })
  }

  test('a file that is read again applies what may change, and says what needs a restart', () => {
    const config = load('query: {max_concurrent: 3}')
    writeFileSync(file, 'query: {max_concurrent: 4, max_queued: 99}\nport: 4000\n')
    assert.deepEqual(config.reload(), { applied: ['query.max_concurrent'], restartRequired: ['port'] })
    assert.equal(config.get('query.max_concurrent'), 4)
    assert.equal(config.get('port'), 3100)
    // A flag and the environment still win.
    assert.deepEqual([config.get('query.max_queued'), config.get('query.job_ttl')], [7, 9000])
  })

  test('a mistake in the file leaves everything as it was', () => {
    const config = load('query: {max_concurrent: 3}')
    writeFileSync(file, 'query: {max_concurrent: 5, max_conccurrent: 4}')
    assert.throws(() => config.reload(), /max_concurrent/)
    assert.equal(config.get('query.max_concurrent'), 3)
  })

  test('what was patched outlives a reload, all of a patch or nothing is taken', () => {
    const config = load('query: {max_concurrent: 3}')
    assert.deepEqual(config.patch({ query: { max_concurrent: '8' }, host: '0.0.0.0' }), {
      applied: ['query.max_concurrent'],
      restartRequired: ['host'],
    })
    config.reload()
    assert.equal(config.get('query.max_concurrent'), 8)
    assert.equal(config.entries().find(entry => entry.name === 'query.max_concurrent')?.origin, 'runtime')
    assert.throws(() => config.patch({ 'query.max_concurrent': 9, 'query.max_queued': -1 }), /must be/)
    assert.equal(config.get('query.max_concurrent'), 8)
  })
})
