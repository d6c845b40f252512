/** The engine in somebody's program: events as programs have them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventLike, InvalidEventError, open } from '../engine.ts'

async function rowsOf(events: readonly EventLike[], query: string): Promise<readonly unknown[]> {
  const engine = await open(null)
  try {
    engine.ingest(events, { host: 'here' })
    return (await engine.query(query).collect()).rows
  } finally {
    await engine.close()
  }
}

test('lines, objects and both are events', async () => {
  const events = [
    '{"time":"2026-06-01T10:00:00Z","level":"error","http":{"status":503}}',
    { time: new Date(Date.UTC(2026, 5, 1, 10, 1)), level: 'error', http: { status: 500 }, gone: undefined },
    '2026-06-01T10:02:00Z sshd[7]: error: no more sessions',
  ]
  const query = 'error | sort _time | stats count() as n, list(string(_time)) as at, list(http.status) as codes by host'
  assert.deepEqual(await rowsOf(events, query), [
    ['here', 3, ['2026-06-01T10:00:00.000Z', '2026-06-01T10:01:00.000Z', '2026-06-01T10:02:00.000Z'], [503, 500]],
  ])
})

test('integers beyond 2^53 stay exact, and text that looks like them stays text', async () => {
  const id = 9_007_199_254_740_993n
  assert.deepEqual(await rowsOf([{ id, text: '9007199254740993' }], 'stats max(id) as id, first(text) as t'), [
    [id, '9007199254740993'],
  ])
})

test('what is no event is named, and nothing of its batch is stored', async () => {
  const engine = await open(null)
  const circle: Record<string, unknown> = {}
  circle.self = circle
  try {
    for (const [bad, problem] of [
      [circle, /event 1 of the batch is not one: it cannot be written as JSON: .*circular/],
      [[1, 2], /event 1 of the batch is not one: an event is a JSON object, not an array/],
      [null, /event 1 of the batch is not one: an event is a JSON object, not null/],
      [() => 1, /event 1 of the batch is not one: a function is no event/],
    ] as const) {
      const batch = ['good', bad] as unknown as EventLike[]
      assert.throws(
        () => engine.ingest(batch),
        (error: unknown) => error instanceof InvalidEventError && problem.test(error.message) && error.number === 1,
      )
    }
    assert.equal(engine.status().eventCount, 0)
  } finally {
    await engine.close()
  }
})
