/**
 * Questions the server itself asks of the data, for routes whose answers are queries in all but name: under the same rules as any query
 * (a turn, a time limit, an end with the client), and from the same cache.
 */
import type { Collected, QueryOptions } from '../../engine.ts'
import type { Value } from '../../storage/value.ts'
import type { Call } from '../routes/route.ts'
import { beginQuery } from './query-session.ts'

export type Row = Readonly<Record<string, Value>>

export interface Asking {
  /** Rows as objects, missing fields left out. */
  rows(text: string, options?: QueryOptions, limit?: number): Promise<{ readonly rows: Row[]; readonly total: number }>
  tookMs(): number
}

/** Runs `work` in one turn; what it asks is canceled when the client goes away. */
export async function asking<T>(
  { context, reply }: Pick<Call<never, never>, 'context' | 'reply'>,
  work: (ask: Asking) => Promise<T>,
): Promise<T> {
  const session = await beginQuery(context, reply.raw)
  const { engine, config } = context
  // One moment for all that is asked: figures of one answer agree, whatever comes in meanwhile.
  const snapshot = engine.snapshot()
  try {
    return await work({
      tookMs: () => Math.round(session.tookMs()),
      async rows(text, options = {}, limit) {
        const run = engine.query(text, {
          ...options,
          snapshot,
          signal: session.signal,
          memoryBytes: config.get('query.memory'),
          diskBytes: config.get('query.disk'),
        })
        const collected = await run.collect(limit === undefined ? {} : { limit })
        session.signal.throwIfAborted()
        return { rows: rowsOf(collected), total: collected.total }
      },
    })
  } catch (error) {
    throw session.reasonFor(error)
  } finally {
    snapshot.release()
    session.end()
  }
}

function rowsOf({ columns, rows }: Collected): Row[] {
  return rows.map(row => {
    const named: Record<string, Value> = Object.create(null)
    for (const [index, name] of columns.entries()) if (row[index] !== undefined) named[name] = row[index]
    return named
  })
}
