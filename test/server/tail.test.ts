import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { EventSource } from 'eventsource'
import WebSocket from 'ws'
import { type Engine, open } from '../../engine.ts'
import { DateTime } from '../../storage/value.ts'
import { eventsOf, type Running, runningServer, type SentEvent } from './running.ts'

let engine: Engine
let server: Running
const HEARTBEAT = '40ms'

before(async () => {
  engine = await open(null, { threads: 0, blockRows: 32 })
  server = await runningServer(engine, { 'tail.heartbeat': HEARTBEAT, 'tail.max_concurrent': '300' })
})
after(async () => {
  await server.stop()
  await engine.close()
})
/** Every test has an index of its own, so that one engine serves all. */
let index = 'main'
let tests = 0
const fresh = (): string => {
  index = `t${++tests}`
  engine.ingest(eventsOf(1, () => ({ begins: true }), 0, index))
  return index
}
afterEach(() => fresh())

const send = (count: number, fieldsOf: (n: number) => Record<string, string | number>, startMs = Date.now()): void => {
  engine.ingest(eventsOf(count, fieldsOf, startMs, index))
}
const urlOf = (query: string, more = ''): string =>
  `/api/v1/tail?q=${encodeURIComponent(`from ${index} | ${query}`)}${more}`
const results = (events: readonly SentEvent[]): Record<string, unknown>[] =>
  events.filter(each => each.event === 'result').map(each => JSON.parse(each.data))

interface Follower {
  readonly events: SentEvent[]
  /** Waits until so many results are there, and closes. */
  results(count: number): Promise<Record<string, unknown>[]>
}

/** A tail that has its past behind it. */
async function follow(path: string, headers: Record<string, string> = {}, on = server): Promise<Follower> {
  const events: SentEvent[] = []
  let found = 0
  let wanted = Number.POSITIVE_INFINITY
  let wake = (): void => {}
  let isDone = (): void => {}
  const done = new Promise<void>(resolve => {
    isDone = resolve
  })
  const ended = on.events(
    path,
    all => {
      const event = all.at(-1)!
      events.push(event)
      if (event.event === 'result') found++
      if (event.event === 'catchup_done') isDone()
      wake()
      return found >= wanted
    },
    headers,
  )
  await Promise.race([done, ended])
  return {
    events,
    async results(count) {
      while (found < count) {
        await Promise.race([
          ended,
          new Promise<void>(resolve => {
            wake = resolve
          }),
        ])
      }
      wanted = count
      // The next event, a heartbeat at the latest, ends it.
      await ended
      return results(events)
    },
  }
}

describe('a live tail', () => {
  test('begins with the newest results, oldest first, then says so, then sends what comes', async () => {
    fresh()
    send(200, n => ({ n }), Date.now() - 1000)
    const tail = await follow(urlOf('where n >= 0', '&count=5'))
    send(2, n => ({ n: 200 + n }))
    await tail.results(7)
    const { events } = tail
    assert.deepEqual(
      results(events).map(each => each.n),
      [195, 196, 197, 198, 199, 200, 201],
    )
    const done = events.findIndex(each => each.event === 'catchup_done')
    assert.equal(done, 5)
    assert.equal(events[done]!.data, '{"count":5}')
    assert.deepEqual(Object.keys(results(events)[0]!).slice(0, 2), ['_time', '_raw'])
    assert.deepEqual(new Set(results(events).map(each => each.index)), new Set([index]))
    const live = events.filter(each => each.event === 'result').slice(5)
    assert.equal(Number(live[1]!.id) - Number(live[0]!.id), 1)
  })

  test('looks back an hour unless told otherwise, and later events of any time are live', async () => {
    fresh()
    send(1, () => ({ n: 1 }), Date.now() - 2 * 3_600_000)
    send(1, () => ({ n: 2 }), Date.now() - 1000)
    const short = await follow(urlOf('keep n'))
    const long = await follow(urlOf('keep n', '&from=-3h'))
    send(1, () => ({ n: 3 }), Date.now() - 5 * 3_600_000)
    assert.deepEqual(await short.results(2), [{ n: 2 }, { n: 3 }])
    assert.deepEqual(await long.results(3), [{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  test('the newest results are by event time, however they came and whatever stage hides the time', async () => {
    fresh()
    const now = Date.now()
    const order = Array.from({ length: 300 }, (_, n) => (n * 97) % 300)
    for (const n of order) send(1, () => ({ n }), now - 100_000 + n)
    const events = await server.events(urlOf('where n % 2 == 0 | keep n', '&count=4'), all =>
      all.some(each => each.event === 'catchup_done'),
    )
    assert.deepEqual(results(events), [{ n: 292 }, { n: 294 }, { n: 296 }, { n: 298 }])
  })

  test('nothing is missed and nothing comes twice at the seam, however busy it is', { timeout: 20_000 }, async () => {
    fresh()
    const at = Date.now()
    let sent = 0
    let isOver = false
    const writing = (async () => {
      while (!isOver) {
        // Equal times, late ones and several at once.
        send(1 + (sent % 7), n => ({ n: sent + n }), sent % 3 === 0 ? at - 60_000 : at)
        sent += 1 + (sent % 7)
        await sleep(1)
      }
    })()
    const tails = Array.from({ length: 6 }, async (_, n) => {
      await sleep(n * 20)
      const seen = new Set<number>()
      let last = 0
      await server.events(urlOf(n % 2 === 0 ? 'where n >= 0' : `extend tail = ${n}`, '&count=10000'), events => {
        const event = events.at(-1)!
        if (event.event !== 'result') return false
        const value = JSON.parse(event.data).n as number | undefined
        if (value === undefined) return false
        assert.ok(!seen.has(value), `${value} came twice`)
        seen.add(value)
        last = Math.max(last, value)
        return seen.size >= 600
      })
      return { seen, last }
    })
    for (const { seen, last } of await Promise.all(tails)) {
      const missing = Array.from({ length: last + 1 }, (_, n) => n).filter(n => !seen.has(n))
      assert.ok(missing.length === 0, `missing ${missing.slice(0, 5)} of ${last}`)
    }
    isOver = true
    await writing
  })

  test('heartbeats come without data', async () => {
    fresh()
    const events = await server.events(
      urlOf('where n > 0'),
      all => all.filter(e => e.event === 'heartbeat').length === 3,
    )
    assert.equal(results(events).length, 0)
    assert.ok(Date.parse(JSON.parse(events.at(-1)!.data).ts) > 0)
  })

  test('head is a number of results, past and live together, and then the stream ends', async () => {
    fresh()
    send(10, n => ({ n }), Date.now() - 1000)
    const tail = await follow(urlOf('head 5 | keep n', '&count=3'))
    send(10, n => ({ n: 10 + n }))
    await tail.results(5)
    const { events } = tail
    assert.deepEqual(
      results(events).map(each => each.n),
      [7, 8, 9, 10, 11],
    )
    assert.deepEqual(events.at(-1), { event: 'end', data: '{"reason":"head","count":5}', id: null })
  })

  test('an index that comes later is seen by a pattern', async () => {
    fresh()
    const path = `/api/v1/tail?q=${encodeURIComponent(`from ${index}* | keep n`)}`
    const tail = await follow(path)
    send(1, () => ({ n: 1 }))
    engine.ingest(eventsOf(1, () => ({ n: 2 }), Date.now(), `${index}-late`))
    assert.deepEqual(await tail.results(2), [{ n: 1 }, { n: 2 }])
  })

  test('what is sent is what a query gives, exactly', async () => {
    fresh()
    const time = new DateTime(Date.now() * 1000, 7)
    const fields = new Map<string, string | bigint | number>([
      ['big', 9007199254740993n],
      ['text', 'a\nb "c" é'],
      ['x', 1.5],
    ])
    const tail = await follow(urlOf('where big > 0'))
    engine.ingest([{ index, time, raw: 'line', fields }])
    await tail.results(1)
    const event = tail.events.find(each => each.event === 'result')
    const asked = await server.post('/api/v1/query', { q: `from ${index} | where big > 0` })
    assert.ok(asked.text.includes(event!.data), `${asked.text} has ${event!.data}`)
  })
})

describe('a client that comes back', () => {
  test('with the id of its last event is sent what it missed, once', async () => {
    fresh()
    const first = await follow(urlOf('keep n'))
    send(3, n => ({ n }))
    await first.results(3)
    const id = first.events.filter(each => each.event === 'result').at(-1)!.id!
    send(3, n => ({ n: 3 + n }))
    const again = await follow(urlOf('keep n'), { 'last-event-id': id })
    send(2, n => ({ n: 6 + n }))
    await again.results(5)
    const { events } = again
    assert.deepEqual(
      results(events).map(each => each.n),
      [3, 4, 5, 6, 7],
    )
    assert.ok(!events.some(each => each.event === 'warning'))
  })

  test('when it was cut off in its past goes on from there: nothing comes twice and nothing is missing', async () => {
    fresh()
    send(20, n => ({ n }), Date.now() - 1000)
    let stopAfter = 7
    const cut = await server.events(urlOf('keep n'), all => all.length >= stopAfter)
    send(3, n => ({ n: 20 + n }))
    const path = urlOf('keep n')
    stopAfter = 5
    const again = await server.events(path, all => all.length >= stopAfter, { 'last-event-id': cut.at(-1)!.id! })
    send(2, n => ({ n: 23 + n }))
    const last = await follow(path, { 'last-event-id': again.at(-1)!.id! })
    send(1, () => ({ n: 25 }))
    const rest = await last.results(14)
    assert.ok(!last.events.some(each => each.event === 'warning'))
    assert.deepEqual(
      [...results(cut), ...results(again), ...rest].map(each => each.n),
      Array.from({ length: 26 }, (_, n) => n),
    )
    // The past of one query is no other's.
    const other = await server.events(urlOf('keep n, m'), all => all.length >= 1, {
      'last-event-id': cut.at(-1)!.id!,
    })
    assert.equal(JSON.parse(other[0]!.data).type, 'resume_gap')
  })

  test('is told when that is too long ago, and begins anew', async () => {
    fresh()
    send(2, n => ({ n }))
    const events = await server.events(urlOf('keep n'), all => all.some(each => each.event === 'catchup_done'), {
      'last-event-id': '1',
    })
    assert.equal(JSON.parse(events[0]!.data).type, 'resume_gap')
    assert.deepEqual(results(events), [{ n: 0 }, { n: 1 }])
  })

  test('is told of a gap once, though it is cut off before it has had anything else', async () => {
    fresh()
    send(2, n => ({ n }))
    const [gap] = await server.events(urlOf('keep n'), all => all.length >= 1, { 'last-event-id': '1' })
    assert.equal(JSON.parse(gap!.data).type, 'resume_gap')
    const rest = await server.events(urlOf('keep n'), all => all.some(each => each.event === 'catchup_done'), {
      'last-event-id': gap!.id!,
    })
    assert.deepEqual(
      rest.map(each => each.event),
      ['result', 'result', 'catchup_done'],
    )
    assert.deepEqual(results(rest), [{ n: 0 }, { n: 1 }])
  })

  test('the eventsource client reconnects by itself and misses nothing', { timeout: 15_000 }, async () => {
    fresh()
    let connections = 0
    const seen: number[] = []
    const source = new EventSource(server.url + urlOf('where n >= 0 | keep n'), {
      fetch: (url, init) => {
        connections++
        return fetch(url, init)
      },
    })
    await new Promise(resolve => source.addEventListener('catchup_done', resolve, { once: true }))
    source.addEventListener('result', ({ data }) => seen.push(JSON.parse(data).n))
    send(2, n => ({ n }))
    while (seen.length < 2) await sleep(5)
    await server.dropConnections()
    send(2, n => ({ n: 2 + n }))
    while (seen.length < 4) await sleep(5)
    source.close()
    assert.deepEqual(seen, [0, 1, 2, 3])
    assert.ok(connections >= 2)
  })
})

test('a client that is slow misses results, is told how many, and holds up nobody', { timeout: 20_000 }, async () => {
  fresh()
  const small = await runningServer(engine, { 'tail.buffer_bytes': '64kb', 'tail.heartbeat': '20ms' })
  const { port, hostname } = new URL(small.url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${urlOf('keep text')} HTTP/1.1\r\nHost: x\r\n\r\n`)
  let text = ''
  const isThere = (what: string) => async () => {
    while (!text.includes(what)) await sleep(5)
  }
  socket.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  await isThere('catchup_done')()
  socket.pause()
  const quick = await follow(urlOf('keep n'), {}, small)
  for (let batch = 0; batch < 40; batch++) {
    send(100, n => ({ n, text: 'x'.repeat(4000) }))
    await sleep(1)
  }
  assert.equal((await quick.results(4000)).length, 4000)
  socket.resume()
  await isThere('events_dropped')()
  await sleep(100)
  const dropped = [...text.matchAll(/"events_dropped","count":(\d+)/g)].reduce(
    (sum, match) => sum + Number(match[1]),
    0,
  )
  const sent = [...text.matchAll(/event: result/g)].length
  assert.ok(dropped > 0)
  assert.equal(sent + dropped, 4000)
  socket.destroy()
  await small.stop()
})

test('many tails of one filter are evaluated once, and all are told', { timeout: 30_000 }, async () => {
  fresh()
  const clients = 200
  const { port, hostname } = new URL(server.url)
  const sockets = await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = connect(Number(port), hostname).setEncoding('utf8')
      const client = { socket, text: '' }
      socket.on('data', chunk => {
        client.text += chunk
      })
      socket.write(`GET ${urlOf('keep n')} HTTP/1.1\r\nHost: x\r\n\r\n`)
      while (!client.text.includes('catchup_done')) await sleep(5)
      return client
    }),
  )
  const metrics = async (): Promise<Record<string, { value: number }>> =>
    (await server.get('/api/v1/metrics')).json.data as unknown as Record<string, { value: number }>
  assert.equal((await metrics()).quern_tails!.value, clients)
  assert.equal((await metrics()).quern_tail_filters!.value, 1)
  send(1, () => ({ n: 7 }))
  while (!sockets.every(({ text }) => text.includes('data: {"n":7}'))) await sleep(5)
  for (const { socket } of sockets) socket.destroy()
  while ((await metrics()).quern_tails!.value > 0) await sleep(10)
})

test('HEAD is answered with the headers and ends', async () => {
  const answer = await server.request('HEAD', urlOf('keep n'))
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/event-stream; charset=utf-8'])
})

describe('what a tail refuses', () => {
  for (const [what, query, status, code] of [
    ['no query', '', 400, 'VALIDATION_ERROR'],
    ['an empty query', '?q=', 400, 'VALIDATION_ERROR'],
    ['a query that does not parse', '?q=where+%3D%3D', 400, 'INVALID_QUERY'],
    ['more of the past than there may be', '?q=a&count=10001', 400, 'VALIDATION_ERROR'],
    ['a count that is no number', '?q=a&count=many', 400, 'VALIDATION_ERROR'],
    ['a time that is none', '?q=a&from=yesterdayish', 400, 'INVALID_QUERY'],
    ['an unknown parameter', '?q=a&limit=5', 400, 'VALIDATION_ERROR'],
  ] as const) {
    test(`${what} is ${status} ${code}`, async () => {
      const answer = await server.get(`/api/v1/tail${query}`)
      assert.deepEqual([answer.status, answer.json.error.code], [status, code])
    })
  }

  for (const stage of ['stats count()', 'sort -n', 'top 5 n', 'tail 3', 'dedup n', 'head 3 | where n > 1', 'count']) {
    test(`${stage} is 422 with a plain string that names it`, async () => {
      const answer = await server.get(urlOf(stage))
      assert.equal(answer.status, 422)
      const { error } = answer.json as unknown as { error: string }
      assert.ok(error.includes(stage.split(' ')[0]!), error)
    })
  }

  test('more tails than there may be are 429', async () => {
    const few = await runningServer(engine, { 'tail.max_concurrent': '1', 'tail.heartbeat': HEARTBEAT })
    const first = await follow(urlOf('keep n'), {}, few)
    const second = await few.get(urlOf('keep n'))
    assert.deepEqual([second.status, second.json.error.code], [429, 'TOO_MANY_QUERIES'])
    send(1, () => ({ n: 1 }))
    assert.equal((await first.results(1)).length, 1)
    await few.stop()
  })
})

describe('over WebSocket', () => {
  const socketOf = (path: string, headers: Record<string, string> = {}): WebSocket =>
    new WebSocket(server.url.replace('http', 'ws') + path, { headers })

  test('the same comes as messages', async () => {
    fresh()
    send(2, n => ({ n }), Date.now() - 10)
    const socket = socketOf(urlOf('keep n'))
    const messages: { type: string; id?: string; data: { n?: number } }[] = []
    socket.on('message', data => messages.push(JSON.parse(String(data))))
    while (!messages.some(each => each.type === 'catchup_done')) await sleep(5)
    send(2, n => ({ n: 2 + n }))
    while (messages.filter(each => each.type === 'result').length < 4) await sleep(5)
    const found = messages.filter(each => each.type === 'result')
    assert.deepEqual(
      found.map(each => each.data.n),
      [0, 1, 2, 3],
    )
    while (!messages.some(each => each.type === 'heartbeat')) await sleep(5)
    socket.close()
    const again = socketOf(urlOf('keep n', `&last_event_id=${found[2]!.id}`))
    const [first] = await new Promise<[WebSocket.RawData]>(resolve =>
      again.once('message', (...args) => resolve([args[0]])),
    )
    assert.deepEqual(JSON.parse(String(first)).data, { n: 3 })
    again.close()
  })

  for (const [what, path, status] of [
    ['a wrong query', '/api/v1/tail?q=where+%3D%3D', 400],
    ['a stage that cannot', '/api/v1/tail?q=%7C+stats+count()', 422],
    ['another path', '/api/v1/query?q=a', 404],
    ['no query', '/api/v1/tail', 400],
  ] as const) {
    test(`${what} is refused with ${status} before the handshake`, async () => {
      const socket = socketOf(path)
      const answer = await new Promise<number>((resolve, reject) => {
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
        socket.on('open', () => reject(new Error('opened')))
        socket.on('error', () => {})
      })
      assert.equal(answer, status)
    })
  }
})
