/**
 * One query of one client from its turn to its end: an id, a slot, a time limit, and the end of the client is the end of the query.
 */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { ServerContext } from '../context.ts'
import { RequestError } from '../errors.ts'

export interface QuerySession {
  readonly id: string
  readonly signal: AbortSignal
  readonly startedAt: number
  tookMs(): number
  /** Releases the slot; to be called in every case. */
  end(): void
  /** What a failure really was: a query that is stopped fails in its own way, and the client should hear why it was stopped. */
  reasonFor(error: unknown): unknown
}

/** @throws {RequestError} TOO_MANY_QUERIES, or QUERY_TIMEOUT while waiting for its turn. */
export async function beginQuery(
  context: ServerContext,
  response: ServerResponse,
  waitMs: number | null,
): Promise<QuerySession> {
  const startedAt = performance.now()
  const abort = new AbortController()
  const most = context.config.get('query.max_query_runtime')
  const timer = setTimeout(() => abort.abort(timeoutError(most, waitMs)), Math.min(most, waitMs ?? most))
  const leave = () => {
    if (!response.writableFinished) abort.abort(new RequestError('QUERY_CANCELED', 'the client went away'))
  }
  if (response.destroyed) leave()
  response.once('close', leave)
  let release = () => {}
  const end = () => {
    clearTimeout(timer)
    response.off('close', leave)
    release()
  }
  try {
    release = await context.slots.acquire(abort.signal)
  } catch (error) {
    end()
    throw error
  }
  return {
    id: `qry_${randomBytes(8).toString('hex')}`,
    signal: abort.signal,
    startedAt,
    tookMs: () => performance.now() - startedAt,
    end,
    reasonFor: error => (abort.signal.aborted ? abort.signal.reason : error),
  }
}

function timeoutError(most: number, waitMs: number | null): RequestError {
  if (waitMs !== null && waitMs < most) {
    return new RequestError('QUERY_TIMEOUT', `the query ran longer than wait allows (${waitMs / 1000}s)`, {
      suggestion: 'query jobs are not available yet: wait longer, or narrow the time range',
    })
  }
  return new RequestError('QUERY_TIMEOUT', `the query ran longer than query.max_query_runtime (${most / 1000}s)`, {
    suggestion: 'narrow the time range, or filter earlier',
  })
}
