/** GET /histogram: how many events, over time, that match a filter. */
import { type Static, Type } from '@sinclair/typebox'
import { quoteField } from '../../grammar/index.ts'
import { DateTime } from '../../storage/value.ts'
import { RequestError } from '../errors.ts'
import { asking } from '../query/ask.ts'
import { instantOf, isoOf } from '../query/time-range.ts'
import { type Call, route } from './route.ts'

const BUCKETS_DEFAULT = 60

const PARAMETERS = Type.Object(
  {
    q: Type.Optional(Type.String({ description: 'filter; all events of main when absent' })),
    from: Type.String({ minLength: 1, description: 'start: -1h, @d or ISO 8601' }),
    to: Type.Optional(Type.String({ description: 'end; now when absent' })),
    buckets: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: `about how many; ${BUCKETS_DEFAULT} when absent` }),
    ),
    group_by: Type.Optional(
      Type.String({ minLength: 1, description: 'a field: buckets then have counts by its values' }),
    ),
  },
  { additionalProperties: false },
)

export const HISTOGRAM_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/histogram',
    scope: 'query',
    summary: 'Counts of matching events in buckets of time, empty ones included',
    query: PARAMETERS,
    answers: '{interval, buckets: [{time, count, counts?}], total}',
    handle: histogram,
  }),
]

const SECOND = 1e6
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** For ranges up to so long, with the usual number of buckets. */
const INTERVALS: readonly (readonly [upTo: number, interval: string, micros: number])[] = [
  [2 * MINUTE, '1s', SECOND],
  [5 * MINUTE - 1, '5s', 5 * SECOND],
  [HOUR, '1m', MINUTE],
  [6 * HOUR, '5m', 5 * MINUTE],
  [DAY, '15m', 15 * MINUTE],
  [7 * DAY, '1h', HOUR],
  [30 * DAY, '6h', 6 * HOUR],
  [3 * 366 * DAY, '1d', DAY],
  [Number.POSITIVE_INFINITY, '30d', 30 * DAY],
]

/** Buckets that would be more than this are not counted out; only dates before or after all logs ask for them. */
const BUCKETS_MAX = 20_000

async function histogram(call: Call<Static<typeof PARAMETERS>, undefined>): Promise<unknown> {
  const { q, from, to, buckets: wanted = BUCKETS_DEFAULT, group_by: groupBy } = call.query
  const now = new DateTime(Date.now() * 1000)
  const start = instantOf('from', from, now)
  const end = instantOf('to', to || 'now', now)
  if (end <= start) throw new RequestError('VALIDATION_ERROR', `to (${isoOf(end)}) is not after from (${isoOf(start)})`)
  const scaled = ((end - start) * BUCKETS_DEFAULT) / wanted
  const [, interval, micros] = INTERVALS.find(([upTo]) => scaled <= upTo)!
  const first = Math.floor(start / micros) * micros
  const count = Math.ceil((end - first) / micros)
  if (count > BUCKETS_MAX)
    throw new RequestError('VALIDATION_ERROR', `${count} buckets of ${interval} are too many; narrow the range`)
  // On a line of its own, or a comment at the end of the filter would take the rest away.
  const filter = q === undefined || q.trim() === '' ? 'from * | ' : `${q}\n| `
  const key = groupBy === undefined ? '' : `, ${quoteField(groupBy)}`
  const text = `${filter}stats count() as count by bin(_time, ${interval})${key}`
  return asking(call, async ask => {
    const { rows } = await ask.rows(text, { from: isoOf(start), to: isoOf(end), now })
    const buckets = Array.from({ length: count }, (_, n) => ({
      time: isoOf(first + n * micros),
      count: 0,
      ...(groupBy !== undefined && { counts: {} as Record<string, number> }),
    }))
    let total = 0
    for (const row of rows) {
      if (!(row._time instanceof DateTime)) continue
      const bucket = buckets[Math.round((row._time.micros - first) / micros)]!
      const events = Number(row.count)
      total += events
      bucket.count += events
      if (groupBy !== undefined) bucket.counts![String(row[groupBy] ?? '')] = events
    }
    return { data: { interval, buckets, total }, meta: { took_ms: ask.tookMs() } }
  })
}
