/** The commands for data directories, as someone types them: what they print, and their exit codes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { repositoryRoot } from './repository.ts'

const MAIN = join(repositoryRoot(), 'dist/cli/main.js')
const root = mkdtempSync(join(tmpdir(), 'quern-tools-cli-'))
const data = join(root, 'data')
after(() => rmSync(root, { recursive: true, force: true }))

interface Said {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

function quern(...given: readonly string[]): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...given], { encoding: 'utf8' })
  return { status, out: stdout, err: stderr }
}

const objects = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>)

before(() => {
  const log = join(root, 'app.ndjson')
  const lines = Array.from({ length: 60 }, (_, n) =>
    JSON.stringify({ timestamp: `2026-06-01T10:00:${String(n).padStart(2, '0')}Z`, n, msg: `job ${n % 4} done` }),
  )
  writeFileSync(log, `${lines.join('\n')}\n`)
  assert.equal(quern('ingest', '-d', data, log).status, 0)
})

test('parts lists, and shows where the bytes of one go', () => {
  const listed = quern('parts', '-d', data)
  assert.equal(listed.status, 0, listed.err)
  const [part] = objects(listed.out)
  assert.deepEqual([part?.index, part?.events, part?.from], ['main', 60, '2026-06-01T10:00:00.000Z'])
  assert.match(listed.err, /^1 part, 60 events/)
  const inspected = quern('parts', String(part?.part), '-d', data, '--format', 'table')
  assert.match(inspected.out, /^field +type +values +encodings/)
  assert.match(inspected.out, /^timestamp +string +60 +time text/m)
})

test('verify tells sound from damaged, repair sets aside, and both say so by their exit codes', () => {
  assert.equal(quern('verify', '-d', data).status, 0)
  const copy = join(root, 'copy')
  cpSync(data, copy, { recursive: true })
  const [name] = readdirSync(join(copy, 'parts'))
  const file = join(copy, 'parts', name!)
  const bytes = readFileSync(file)
  bytes[40]! ^= 1
  writeFileSync(file, bytes)
  const verified = quern('verify', '-d', copy)
  assert.equal(verified.status, 1)
  assert.equal(objects(verified.out)[0]?.sound, false)
  assert.match(verified.err, /0 of 1 parts are sound.*\n.*quern repair/)
  const repaired = quern('repair', '-d', copy)
  assert.equal(repaired.status, 1)
  assert.match(repaired.err, /^set aside .*is damaged at byte/)
})

test('a backup is taken and restored, and what is no data directory is a mistake of usage', () => {
  const backup = join(root, 'backup')
  assert.match(quern('backup', backup, '-d', data).err, /^1 part \(1 linked, 0 copied\), 60 events/)
  const restored = quern('restore', backup, join(root, 'restored'))
  assert.match(restored.err, /^1 part checked and restored, 60 events, 0 documents/)
  const { status, err } = quern('verify', '-d', join(root, 'nowhere'))
  assert.equal(status, 2)
  assert.match(err, /nowhere is no data directory of Quern/)
})

test('a query of a directory that is none makes none, and says so', () => {
  const nowhere = join(root, 'nowhere')
  for (const command of [['query'], ['explain'], ['export', '-o', '-']]) {
    const { status, out, err } = quern(...command, 'stats count()', '-d', nowhere)
    assert.deepEqual([status, out], [2, ''], command[0])
    assert.match(err, /nowhere is no data directory of Quern/)
  }
  assert.ok(!existsSync(nowhere))
})

test('what of a directory is damaged is said before its answer', () => {
  const copy = join(root, 'torn')
  cpSync(data, copy, { recursive: true })
  const [name] = readdirSync(join(copy, 'parts'))
  truncateSync(join(copy, 'parts', name!), 100)
  const { status, out, err } = quern('query', 'stats count()', '-d', copy)
  assert.deepEqual([status, out], [0, '{"count()":0}\n'])
  assert.match(err, /^damaged part \w+ is set aside \(.+\); everything else is served\n$/)
})

test('what the system refuses and what settings are wrong is told in a line, without a stack', () => {
  const log = join(root, 'app.ndjson')
  const told = (...given: readonly string[]): [number | null, string] => {
    const { status, err } = quern(...given)
    return [status, err.replaceAll(root, '…')]
  }
  assert.deepEqual(told('query', 'stats count()', '-f', join(root, 'gone.log')), [
    1,
    'cannot read …/gone.log: no such file or directory\n',
  ])
  assert.deepEqual(told('ingest', log, '-d', log), [1, '…/app.ndjson: file already exists\n'])
  assert.deepEqual(told('query', 'stats count()', '-f', log, '-d', data), [2, '--data and --file exclude each other\n'])
  assert.deepEqual(told('server', '--port', 'abc'), [2, 'flag --port must be a whole number, not "abc"\n'])
  assert.deepEqual(told('server', '--data', log), [1, '…/app.ndjson: file already exists\n'])
})

test('events go out and come in, and a query says which', () => {
  const file = join(root, 'jobs.parquet')
  const exported = quern('export', 'where n < 10', '-d', data, '-o', file)
  assert.equal(exported.status, 0, exported.err)
  assert.match(exported.err, /^10 rows, \d+ columns: /)
  const into = join(root, 'imported')
  assert.equal(quern('import', file, '-d', into).status, 0)
  const lines = objects(quern('export', 'where n < 2 | sort n', '-d', into, '-o', '-').out)
  assert.deepEqual(
    lines.map(({ n, index, _time }) => [n, index, _time]),
    [
      [0, 'main', '2026-06-01T10:00:00.000Z'],
      [1, 'main', '2026-06-01T10:00:01.000Z'],
    ],
  )
  assert.equal(quern('export', '-d', data, '-o', 'events.bin').status, 2)
})
