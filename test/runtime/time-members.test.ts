/** Fields named like members of `_time` leave the time of events what it is. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { open } from '../../engine.ts'

const LINES = ['00', '10', '20'].map(minute => `{"timestamp":"2026-06-01T12:${minute}:00Z","_time.x":${minute.length}}`)
const RANGE = { from: '2026-06-01T12:05:00Z', to: '2026-06-01T12:15:00Z' }

// Found by the fuzzer of routes, which met one event of another that had such a field: every query of a time range failed from then on.
test('a range of time is answered, from memory and from parts', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quern-time-'))
  const engine = await open(directory, { threads: 0, fsync: false })
  try {
    engine.ingest(LINES)
    for (const flush of [false, true]) {
      if (flush) await engine.flush()
      const counted = await engine.query('stats count() as n', RANGE).collect()
      assert.deepEqual(counted.rows, [[1]])
      const binned = await engine.query('stats count() as n by bin(_time, 10m) as t | sort t').collect()
      assert.equal(binned.rows.length, 3)
      const read = await engine.query('keep _time, _time.x', RANGE).collect()
      assert.deepEqual(
        read.rows.map(row => String(row[1])),
        ['2'],
      )
    }
  } finally {
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
