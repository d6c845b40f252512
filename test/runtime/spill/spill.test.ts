/** Queries that hold more than they may: the same answer from temporary files, none of which stay; and what is said where that cannot be. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CanceledError, type Engine, open, QueryMemoryError, type QueryOptions, queryStream } from '../../../engine.ts'
import { StrictCastError } from '../../../runtime/helpers/errors.ts'
import type { SpillDisk } from '../../../runtime/spill/disk.ts'
import { SpillReadError } from '../../../runtime/spill/spill-file.ts'
import type { IncomingEvent } from '../../../storage/index.ts'
import { DateTime } from '../../../storage/value.ts'
import { NOW } from '../../case-input.ts'
import { InlineLanes } from '../../inline-lanes.ts'
import { memoryDisk } from './support.ts'

const ROWS = 700
const KIB = 1024

/** Users come and go in an order of their own; every seventh event has none. */
function events(): IncomingEvent[] {
  return Array.from({ length: ROWS }, (_, id) => {
    const fields = new Map<string, string | number>([
      ['id', id],
      ['ms', ((id * 7919) % 1000) / 4],
      ['host', `h${id % 11}`],
    ])
    if (id % 7 !== 0) fields.set('user', `user-${(id * 31) % 401}`)
    return {
      index: 'main',
      time: new DateTime(NOW.micros + ((id * 13) % ROWS) * 1_000_000),
      raw: `event ${id}`,
      fields,
    }
  })
}

async function withData<T>(use: (engine: Engine) => Promise<T>, disk: SpillDisk = memoryDisk()): Promise<T> {
  const engine = await open(null, { blockRows: 128, spillDirectory: '/spill', spillDisk: disk })
  try {
    engine.ingest(events())
    return await use(engine)
  } finally {
    await engine.close()
  }
}

async function rowsOf(engine: Engine, text: string, options: QueryOptions = {}) {
  const run = engine.query(text, { now: NOW, ...options })
  const { rows, columns } = await run.collect()
  return { rows, columns, profile: run.profile, hints: run.hints }
}

/** Rows must come in the same order, promised or not. */
const SAME = [
  'sort ms, -user',
  'sort -ms | head 20000',
  'stats avg(ms) as m, count() as n, dc(host) as d, list(id) as l, p95(ms) as p, first(id) as f by user',
  'stats count() as n by user, host | sort -n, user, host',
  'every 1m by host stats values(user) as u, max(ms) as top',
  'dedup user',
  'dedup 2 user, host | keep id',
  'eventstats avg(ms) as m, count() as n by user',
  'eventstats dc(user) as d, max(id) as i',
  'eventstats list(id) as l by bin(_time, 1m), host',
  'transaction user maxpause=40s',
  'transaction host startswith=ms > 200 endswith=ms < 20 maxevents=9',
  'transaction maxevents=5',
  'where id % 3 == 0 | join type=inner on user with [keep user, id, ms]',
  'where id < 300 | join type=left on user, host with [where id > 200 | keep user, host, ms] as o',
  'where id < 200 | keep id, user | join type=outer on id with [where id > 100 and id < 700 | keep id, ms, _raw]',
  'eventstats count() as n by user | dedup host, n | sort -n, id | stats list(id) as l by n',
]

test('answers are the same from disk, row by row, by stage and by amount of memory', async () => {
  const disk = memoryDisk()
  await withData(async engine => {
    for (const text of SAME) {
      const whole = await rowsOf(engine, text)
      assert.equal(whole.profile.spilledBytes, 0, text)
      for (const memoryBytes of [12 * KIB]) {
        const { rows, columns, profile, hints } = await rowsOf(engine, text, { memoryBytes })
        assert.ok(profile.spilledBytes > 0, `${text} wrote to disk with ${memoryBytes} bytes`)
        assert.deepEqual(columns, whole.columns, text)
        assert.deepEqual(rows, whole.rows, text)
        assert.ok(
          hints.some(hint => hint.code === 'H915'),
          text,
        )
        assert.equal(disk.files.size, 0)
        assert.equal(disk.open.size, 0)
      }
    }
  }, disk)
  assert.ok(disk.made > 2 * SAME.length)
})

test('what a query holds stays near what it may hold', async () => {
  await withData(async engine => {
    for (const text of [
      'sort ms, -user',
      'stats count() as n, max(ms) as m by id',
      'dedup id',
      'eventstats count() by id',
    ]) {
      const memoryBytes = 64 * KIB
      const { profile } = await rowsOf(engine, text, { memoryBytes })
      assert.ok(profile.spilledBytes > 0)
      // A block is taken whole before anybody looks.
      assert.ok(profile.memoryBytes < 1.6 * memoryBytes, `${text} held ${profile.memoryBytes} bytes`)
    }
  })
})

test('files are removed when the reader leaves, when the query is canceled, and when it fails', async () => {
  const disk = memoryDisk()
  const options = { now: NOW, memoryBytes: 8 * KIB }
  await withData(async engine => {
    let filesMeanwhile = 0
    for await (const _ of engine.query('sort ms', options).batches()) {
      filesMeanwhile = disk.files.size
      break
    }
    assert.ok(filesMeanwhile > 0)
    assert.equal(disk.files.size, 0)

    const canceled = engine.query('sort ms', options)
    await assert.rejects(async () => {
      for await (const _ of canceled.batches()) canceled.cancel()
    }, CanceledError)
    assert.equal(disk.files.size, 0)

    const failing = engine.query('sort ms | extend x = int!(_raw) | where x > 0', options)
    await assert.rejects(failing.collect(), StrictCastError)
    assert.equal(disk.files.size, 0)
    assert.equal(disk.open.size, 0)
  }, disk)
  assert.ok(disk.made >= 3)
})

async function errorOf(text: string, options: QueryOptions, disk: SpillDisk = memoryDisk()): Promise<Error> {
  return await withData(async engine => {
    try {
      await engine.query(text, { now: NOW, ...options }).collect()
    } catch (error) {
      return error as Error
    }
    return assert.fail('it should have failed')
  }, disk)
}

test('where there is no room the query fails by name, says what to do, and leaves nothing behind', async () => {
  const memoryBytes = 8 * KIB
  const full = memoryDisk(4000)
  const failures: readonly (readonly [RegExp, QueryOptions, SpillDisk?])[] = [
    [
      /sort needs more than the 8 KB .* no temporary file can be written in \/spill: no space is left on the device; make room there or set query\.spill_directory, narrow/,
      { memoryBytes },
      full,
    ],
    [
      /sort needs more than the 8 KB of memory and the 4 KB of temporary files a query may use; narrow .* or raise query\.memory or query\.disk$/,
      { memoryBytes, diskBytes: 4 * KIB },
    ],
    [/temporary files are not allowed \(query\.disk is 0\)/, { memoryBytes, diskBytes: 0 }],
  ]
  for (const [message, options, disk] of failures) {
    const error = await errorOf('sort ms', options, disk)
    assert.ok(error instanceof QueryMemoryError)
    assert.match(error.message, message)
  }
  assert.equal(full.files.size, 0)
  const indivisible = await errorOf('stats list(_raw)', { memoryBytes })
  assert.ok(indivisible instanceof QueryMemoryError)
  assert.match(indivisible.message, /stats needs more than the 8 KB a query may use for the states of one group/)
})

test('a directory that cannot be written is said to be one', async () => {
  const disk = memoryDisk()
  disk.create = () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  }
  const error = await errorOf('dedup user', { memoryBytes: 8 * KIB }, disk)
  assert.ok(error instanceof QueryMemoryError)
  assert.match(error.message, /dedup needs more .* in \/spill: permission is denied/)
})

test('a temporary file that was damaged fails the query: its rows are not left out', async () => {
  const disk = memoryDisk()
  const { read } = disk
  disk.read = (fd, into, position) => {
    read(fd, into, position)
    into[into.length >> 1]! ^= 1
  }
  const error = await errorOf('sort ms', { memoryBytes: 8 * KIB }, disk)
  assert.ok(error instanceof SpillReadError, String(error))
})

test('explain --analyze shows what each operator wrote', async () => {
  await withData(async engine => {
    const explanation = await engine.explain('stats count() as n by user | sort -n', {
      now: NOW,
      memoryBytes: 8 * KIB,
      analyze: true,
    })
    assert.match(String(explanation.text), /stats.* kB in \d+ temporary files/)
    assert.match(String(explanation.text), / written to temporary files/)
    const { spilled_bytes } = explanation.analysis as { readonly spilled_bytes: number }
    assert.ok(spilled_bytes > 0)
  })
})

test('a part that another thread could not hold is done here, from disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quern-spill-test-'))
  try {
    const lanes = new InlineLanes(2)
    const engine = await open(directory, { blockRows: 128, lanes, fsync: false, flushAgeMs: 3_600_000 })
    engine.ingest(events())
    await engine.flush()
    const text = 'stats count() as n, dc(host) as d by user | sort user'
    const whole = await rowsOf(engine, text)
    assert.ok(lanes.answered > 0)
    const answered = lanes.answered
    for (const memoryBytes of [10 * KIB, 90 * KIB]) {
      const { rows, profile } = await rowsOf(engine, text, { memoryBytes })
      assert.deepEqual(rows, whole.rows)
      assert.ok(profile.spilledBytes > 0)
    }
    assert.ok(lanes.answered > answered, 'with 90 KB the others had room for their parts')
    assert.deepEqual(readdirSync(join(directory, 'tmp')), [])
    await engine.close()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('opening a data directory removes what a killed process left in it, and nothing else', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quern-spill-test-'))
  try {
    const temporary = join(directory, 'tmp')
    mkdirSync(temporary)
    for (const name of [`spill_${process.pid}_0123abcd_7.tmp`, 'spill_1_ffff_0.tmp', 'notes.txt'])
      writeFileSync(join(temporary, name), 'x')
    const engine = await open(directory, { fsync: false })
    await engine.close()
    assert.deepEqual(readdirSync(temporary), ['notes.txt'])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('a directory that several processes use keeps the files of those that live', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quern-spill-test-'))
  try {
    const alive = `spill_${process.ppid}_0123abcd_0.tmp`
    // No process has this number: the largest there can be is 2^22.
    for (const name of [alive, 'spill_99999999_0123abcd_0.tmp']) writeFileSync(join(directory, name), 'x')
    async function* arriving() {
      yield events()
    }
    const run = queryStream('dedup id | stats count()', arriving(), {
      now: NOW,
      memoryBytes: 8 * KIB,
      spillDirectory: directory,
    })
    const { rows } = await run.collect()
    assert.deepEqual(rows, [[ROWS]])
    assert.ok(run.profile.spilledBytes > 0)
    assert.deepEqual(readdirSync(directory), [alive])
    assert.ok(existsSync(directory))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
