/**
 * The rows of a run as NDJSON in chunks, pulled by whoever sends them: nothing is read ahead of a slow client. The last line says how
 * it ended, `__meta` or `__error`, so that a stream cut short is never taken for a whole one.
 */
import type { QueryRun } from '../../engine.ts'
import { withIndexShown } from '../../runtime/event-answer.ts'
import { jsonKeys, objectToJson } from '../../runtime/output/json.ts'
import { rowsOf } from '../../runtime/rows.ts'
import { Turn } from '../../storage/turns.ts'
import { answerError } from '../errors.ts'
import { jsonValue, metaOf, warningsOf } from './query-answer.ts'
import type { QuerySession } from './query-session.ts'

/** Big enough to make the cost of a write small, small enough to start at once. */
const CHUNK_CHARACTERS = 64 * 1024

/** Ends the session when it is done or left. Errors before the first chunk are thrown, later ones become the last line. */
export async function* rowLines(
  run: QueryRun,
  text: string,
  session: QuerySession,
  onUnexpected: (error: unknown) => void,
): AsyncGenerator<string, void> {
  let total = 0
  let chunk = ''
  let isStarted = false
  const turn = new Turn()
  try {
    for await (const made of run.batches()) {
      const batch = withIndexShown(made, run.shape)
      const keys = jsonKeys(batch.names)
      for (const row of rowsOf(batch)) {
        total++
        chunk += `${objectToJson(keys, row)}\n`
        if (chunk.length < CHUNK_CHARACTERS) continue
        const full = chunk
        chunk = ''
        isStarted = true
        yield full
        if (turn.isOver) await turn.next()
      }
    }
    session.signal.throwIfAborted()
    const warnings = warningsOf(run.profile)
    const outcome = { queryId: session.id, tookMs: session.tookMs(), complete: warnings.length === 0, warnings }
    const meta = { total, ...metaOf(run, { text, profile: null }, outcome) }
    yield `${chunk}${JSON.stringify({ __meta: meta }, jsonValue)}\n`
  } catch (thrown) {
    const error = session.reasonFor(thrown)
    if (!isStarted) throw error
    const answer = answerError(error, session.id)
    if (answer.isUnexpected) onUnexpected(error)
    const { code, message } = answer.error
    yield `${chunk}${JSON.stringify({ __error: { code, message } })}\n`
  } finally {
    run.cancel()
    session.end()
  }
}
