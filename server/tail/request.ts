/** What a live tail is asked for: the same parameters over server-sent events and WebSocket. */
import { type Static, Type } from '@sinclair/typebox'
import type { ServerContext } from '../context.ts'
import { RequestError } from '../errors.ts'
import { placeOf } from './replays.ts'
import type { TailRequest } from './tail.ts'

const COUNT_DEFAULT = 100
const COUNT_MAX = 10_000
const FROM_DEFAULT = '-1h'

export const TAIL_PARAMETERS = Type.Object(
  {
    q: Type.String({ minLength: 1, description: 'query of where, extend, parse, keep, drop, rename and head' }),
    count: Type.Optional(
      Type.Integer({ minimum: 0, maximum: COUNT_MAX, description: `results of the past, ${COUNT_DEFAULT} by default` }),
    ),
    from: Type.Optional(Type.String({ description: `how far back they may be, ${FROM_DEFAULT} by default` })),
    last_event_id: Type.Optional(
      Type.String({ description: 'for clients that cannot send the header Last-Event-ID: go on after this event' }),
    ),
  },
  { additionalProperties: false },
)

/** @throws {RequestError | CompileError | UnsupportedStageError} */
export function readTailRequest(
  context: ServerContext,
  asked: Static<typeof TAIL_PARAMETERS>,
  lastEventId: string | undefined,
): TailRequest {
  const { q, count = COUNT_DEFAULT, from } = asked
  const most = context.config.get('query.max_query_bytes')
  if (Buffer.byteLength(q) > most)
    throw new RequestError('QUERY_TOO_LARGE', `the query is longer than query.max_query_bytes, ${most}`)
  const options = { from: from || FROM_DEFAULT, memoryBytes: context.config.get('query.memory') }
  const last = lastEventId || asked.last_event_id
  return {
    query: context.engine.live(q, options),
    options,
    count,
    lastSequence: last !== undefined && /^\d{1,15}$/.test(last) ? Number(last) : null,
    lastPlace: last === undefined ? null : placeOf(last),
  }
}
