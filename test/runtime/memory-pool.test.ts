/** What all queries hold together is bounded: one that would hold more writes to disk, or is refused, and those that hold little go on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, QueryMemoryError } from '../../engine.ts'
import { MemoryBudget, MemoryPool } from '../../runtime/memory.ts'
import { NOW } from '../case-input.ts'

const MIB = 1024 * 1024

test('a query beyond its share has room only in what others leave, and gives back what it held', () => {
  const pool = new MemoryPool(100 * MIB)
  const large = new MemoryBudget(160 * MIB, pool)
  const other = new MemoryBudget(160 * MIB, pool)
  assert.equal(large.hold(90 * MIB), true)
  assert.equal(other.hold(9 * MIB), true)
  // Less than a sixteenth of its budget: those that hold much are to make room.
  assert.equal(other.hasRoom(1 * MIB), true)
  assert.equal(other.hasRoom(20 * MIB), false)
  assert.throws(() => other.charge(20 * MIB, 'sort'), {
    name: 'QueryMemoryError',
    message:
      'sort needs more than others leave of the 100 MB all queries may use; ask again when they are done, narrow the time range, filter or group earlier, keep fewer fields, or raise query.global_query_pool_bytes',
  })
  assert.throws(() => other.charge(200 * MIB, 'sort'), { message: /^sort needs more than the 160 MB a query may use/ })
  other.end()
  assert.equal(pool.usedBytes, 90 * MIB)
  assert.equal(other.hasRoom(10 * MIB), true)
  large.release(80 * MIB)
  large.end()
  assert.equal(pool.usedBytes, 0)
})

test('queries of an engine share its pool: more goes to temporary files, and is there again for the next', async () => {
  const engine = await open(null, { queryPoolBytes: 600_000 })
  await engine.ingest(Array.from({ length: 20_000 }, (_, n) => ({ n, text: `text ${(n * 7919) % 20_000}` })))
  const query = (text: string, more = {}) => engine.query(text, { now: NOW, memoryBytes: 8 * MIB, ...more })
  const sorted = query('sort text | keep n, text')
  const { rows, total } = await sorted.collect()
  assert.equal(total, 20_000)
  assert.equal(rows[0]?.[1], 'text 0')
  assert.ok(sorted.profile.spilledBytes > 0)
  // Where nothing may be written, it is refused; what it held is not kept from the next.
  await assert.rejects(query('sort text | keep n, text', { diskBytes: 0 }).collect(), QueryMemoryError)
  const few = query('where n < 100 | sort text | keep n')
  assert.equal((await few.collect()).total, 100)
  assert.equal(few.profile.spilledBytes, 0)
  await engine.close()
})
