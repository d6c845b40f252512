import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, queryStream } from '../../engine.ts'
import { ClosedError } from '../../storage/errors.ts'
import type { Delivery } from '../../storage/index.ts'
import { openStore } from '../../storage/store.ts'
import { event, range, rowsOf, withDirectory } from './store-support.ts'

const numbersOf = (deliveries: readonly Delivery[]) =>
  deliveries.flatMap(({ events }) => events.map(each => Number(each.fields.get('n'))))

test('a subscriber sees each event once: in its snapshot, or delivered with its sequence number', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, flushAgeMs: 1, blockRows: 3, fsync: false })
    let appended = 0
    const append = (count: number) =>
      store.append(range(appended, (appended += count)).map(n => event({ n }, { index: n % 3 === 0 ? 'a' : 'b' })))
    const readers: Promise<void>[] = []
    for (let round = 0; round < 20; round++) {
      append(round % 4)
      const subscription = store.subscribe()
      const { snapshot, first } = subscription
      assert.equal(snapshot.nextSequence, first)
      const past = snapshot.parts.flatMap(rowsOf).map(row => Number(row.n))
      assert.deepEqual(
        past.sort((x, y) => x - y),
        range(0, first - 1),
      )
      readers.push(
        (async () => {
          let next = first
          for await (const { first: sequence, events, lost } of subscription) {
            assert.deepEqual([sequence, lost], [next, 0])
            for (const each of events) assert.equal(each.fields.get('n'), next++ - 1)
            if (next > 25) break
          }
          assert.ok(next > 25)
        })(),
      )
      await new Promise(resolve => setImmediate(resolve))
    }
    append(10)
    await Promise.all(readers)
    await store.close()
  }))

test('a slow subscriber loses the oldest events, is told how many, and keeps nobody waiting', async () => {
  const store = await openStore({ directory: null })
  const subscription = store.subscribe({ waitingEventsMax: 5 })
  for (let n = 0; n < 12; n += 3) store.append(range(n, n + 3).map(n => event({ n })))
  const got: Delivery[] = []
  for await (const delivery of subscription) {
    got.push(delivery)
    if (got.length === 1) store.append([event({ n: 12 })])
    if (numbersOf(got).includes(12)) break
  }
  assert.deepEqual(
    got.map(({ first, lost }) => [first, lost]),
    [
      [10, 9],
      [13, 0],
    ],
  )
  assert.deepEqual(numbersOf(got), [9, 10, 11, 12])
  await store.close()
})

test('closing a store ends its subscriptions, and there are no new ones', async () => {
  const store = await openStore({ directory: null })
  const subscription = store.subscribe()
  const reading = (async () => {
    for await (const _ of subscription) assert.fail('nothing was appended')
  })()
  await new Promise(resolve => setImmediate(resolve))
  await store.close()
  await reading
  assert.throws(() => store.subscribe(), ClosedError)
})

test('a query over the snapshot of a subscription and one over what follows make a tail', () =>
  withDirectory(async directory => {
    const engine = await open(directory, { flushAgeMs: 1e9 })
    engine.ingest(range(0, 5).map(n => event({ n })))
    const subscription = engine.subscribe()
    engine.ingest(range(5, 8).map(n => event({ n })))
    const past = await engine.query('where n >= 3 | keep n', { snapshot: subscription.snapshot }).collect()
    assert.deepEqual(past.rows, [[3], [4]])
    const events = (async function* () {
      for await (const delivery of subscription) yield delivery.events
    })()
    const live: unknown[] = []
    for await (const row of queryStream('where n != 6 | keep n | head 2', events).rows()) live.push(row)
    assert.deepEqual(live, [{ n: 5 }, { n: 7 }])
    await engine.close()
  }))
