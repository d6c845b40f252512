/** GET /sources: who sends, how much, since when and how fast. */
import { DateTime } from '../../storage/value.ts'
import { type Asking, asking } from '../query/ask.ts'
import { isoOf } from '../query/time-range.ts'
import { route } from './route.ts'

/** The rate is that of so many seconds before now, by event time. */
const RATE_SECONDS = 300

export interface SourceEntry {
  readonly name: string
  readonly event_count: number
  readonly first_event: string | null
  readonly last_event: string | null
  readonly rate: number
  readonly storage_bytes: number
  /** Parts hold events of many sources, so what each takes is its share. */
  readonly approximate: true
}

export const SOURCE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/sources',
    scope: 'query',
    summary: 'Sources with their events, rates and sizes',
    answers: '{sources: [{name, event_count, first_event, last_event, rate, storage_bytes, approximate}]}',
    handle: call =>
      asking(call, async ask => ({
        data: { sources: await sourceEntries(ask, call.context.engine.status()) },
        meta: { took_ms: ask.tookMs() },
      })),
  }),
]

/** Most events first. */
export async function sourceEntries(
  ask: Asking,
  status: { readonly eventCount: number; readonly storageBytes: number },
): Promise<SourceEntry[]> {
  if (status.eventCount === 0) return []
  const text = 'from * | stats count() as n, min(_time) as first, max(_time) as last by _source | sort -n'
  const { rows } = await ask.rows(text)
  const recent = await ask.rows('from * | stats count() as n by _source', { from: `-${RATE_SECONDS}s`, to: 'now' })
  const rates = new Map(recent.rows.map(row => [row._source ?? null, Number(row.n) / RATE_SECONDS]))
  return rows.flatMap(row => {
    // Events without a source have none to be listed under.
    if (typeof row._source !== 'string') return []
    const count = Number(row.n)
    return [
      {
        name: row._source,
        event_count: count,
        first_event: row.first instanceof DateTime ? isoOf(row.first.micros) : null,
        last_event: row.last instanceof DateTime ? isoOf(row.last.micros) : null,
        rate: rates.get(row._source) ?? 0,
        storage_bytes: Math.round((status.storageBytes * count) / status.eventCount),
        approximate: true,
      },
    ]
  })
}
