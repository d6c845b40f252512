/**
 * A query whose rows go straight to one client (a stream), or that has none (explain): an id, a slot, a time limit, and the end of the
 * client is the end of the query.
 */
import type { ServerResponse } from 'node:http'
import type { ServerContext } from '../context.ts'
import { RequestError } from '../errors.ts'
import { newQueryId, timeoutError } from './query-task.ts'

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
export async function beginQuery(context: ServerContext, response: ServerResponse): Promise<QuerySession> {
  const startedAt = performance.now()
  const abort = new AbortController()
  const most = context.config.get('query.max_query_runtime')
  const timer = setTimeout(() => abort.abort(timeoutError(most)), most)
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
    id: newQueryId(),
    signal: abort.signal,
    startedAt,
    tookMs: () => performance.now() - startedAt,
    end,
    reasonFor: error => (abort.signal.aborted ? abort.signal.reason : error),
  }
}
