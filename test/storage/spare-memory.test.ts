/** Memory that is used again: never while somebody reads it, and never what is too large for who asks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ThreadBuilder } from '../../storage/build/builder.ts'
import { leaveToCollector, ownMemory, SPARE_BYTES_MIN, SpareMemory } from '../../storage/spare-memory.ts'
import { openStore } from '../../storage/store.ts'
import { allRows, event, range, rowOf, withDirectory } from './store-support.ts'

test('what is taken is long enough, not much longer, and nobody else has it', () => {
  const sizes = fc.integer({ min: 0, max: 64 * SPARE_BYTES_MIN })
  fc.assert(
    fc.property(fc.array(fc.tuple(sizes, fc.boolean()), { maxLength: 60 }), steps => {
      const memory = new SpareMemory(ownMemory)
      const held: ArrayBuffer[] = []
      for (const [bytes, gives] of steps) {
        if (gives && held.length > 0) memory.give(held.splice(bytes % held.length, 1)[0]!)
        const taken = memory.take(bytes)
        assert.ok(taken.byteOffset === 0 && taken.length === taken.buffer.byteLength)
        assert.ok(taken.length >= bytes && taken.length <= Math.max(bytes, (bytes * 4) / 3))
        assert.ok(!held.includes(taken.buffer))
        held.push(taken.buffer)
      }
    }),
  )
})

test('what was given is taken again', () => {
  const memory = new SpareMemory(ownMemory)
  const { buffer } = memory.take(10 * SPARE_BYTES_MIN)
  memory.give(buffer)
  assert.equal(memory.byteLength, buffer.byteLength)
  assert.equal(memory.take(9 * SPARE_BYTES_MIN).buffer, buffer)
  assert.equal(memory.byteLength, 0)
})

test('what is given back is not taken again', () => {
  const memory = new SpareMemory(ownMemory)
  const { buffer } = memory.take(10 * SPARE_BYTES_MIN)
  const kept = memory.take(10 * SPARE_BYTES_MIN)
  memory.give(buffer)
  memory.clear()
  assert.equal(memory.byteLength, 0)
  assert.ok(kept.length >= 10 * SPARE_BYTES_MIN)
  assert.notEqual(memory.take(10 * SPARE_BYTES_MIN).buffer, buffer)
})

test('of what is given no more is kept than was said, and nothing that is too little', () => {
  const memory = new SpareMemory(ownMemory, { bytesMin: 8, bytesMax: 100 })
  for (const bytes of [60, 60, 4, 40]) memory.give(new ArrayBuffer(bytes))
  assert.equal(memory.byteLength, 100)
  memory.take(60)
  assert.equal(memory.byteLength, 40)
})

test('what nobody asks for makes room for what is asked for', () => {
  const memory = new SpareMemory(ownMemory, { bytesMin: 8, bytesMax: 1000 })
  for (let n = 0; n < 10; n++) memory.give(new ArrayBuffer(100))
  for (let round = 0; round < 5; round++) {
    const { buffer } = memory.take(200)
    memory.give(buffer)
    assert.equal(memory.take(200).buffer, buffer)
    memory.give(buffer)
    assert.ok(memory.byteLength <= 1000)
  }
  assert.ok(memory.take(100).length > 0 && memory.byteLength >= 700, 'only what was in the way has gone')
})

test('who read what was buffered goes on reading it while its memory would do for what comes next', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, builder: new ThreadBuilder(0), compactionWorkers: 0 })
    const eventsOf = (round: number) =>
      range(0, 2000).map(n => event({ n, t: `text ${round} ${n}`.repeat(4) }, { raw: `raw ${round} ${n}`.repeat(9) }))
    const rounds = range(0, 6)
    for (const round of rounds) {
      const events = eventsOf(round)
      store.append(events)
      const snapshot = round % 2 === 0 ? store.snapshot() : null
      // What it shows is not read before the memory would be somebody else's.
      const buffered = snapshot?.parts.at(-1)?.block(0)
      await store.flush()
      store.append(eventsOf(100 + round))
      if (buffered !== undefined) {
        const raw = buffered.column('_raw')
        assert.equal(raw?.kind, 'text')
        const { bytes, offsets } = raw as Extract<typeof raw, { kind: 'text' }>
        const text = (row: number) => Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString()
        for (const row of [0, 1, 1999]) assert.equal(text(row), events[row]!.raw)
      }
      snapshot?.release()
      await store.flush()
    }
    const expected = rounds.flatMap(round => [...eventsOf(round), ...eventsOf(100 + round)]).map(rowOf)
    assert.deepEqual(allRows(store), expected)
    await store.close()
  }))

test('memory that nobody gives back goes although the engine does not count it', async () => {
  const MIB = 1024 * 1024
  const before = process.memoryUsage().rss
  let most = 0
  for (let count = 0; count < 32; count++) {
    new Uint8Array(new SharedArrayBuffer(32 * MIB)).fill(1)
    leaveToCollector(32 * MIB)
    await new Promise(resolve => setTimeout(resolve, 5))
    most = Math.max(most, process.memoryUsage().rss - before)
  }
  assert.ok(most < 512 * MIB, `${most / MIB} MiB of 1024`)
})
