/** Indexes: they appear on first use, or are made beforehand to say how long their events are kept. */
import { Type } from '@sinclair/typebox'
import { RequestError } from '../errors.ts'
import { indexNameProblem, isIndexName } from '../ingest/defaults.ts'
import { durationMs, durationText } from '../options.ts'
import { isoOf } from '../query/time-range.ts'
import { route } from './route.ts'

const NEW_INDEX = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    retention: Type.Optional(
      Type.String({ description: 'how long events are kept: 90d; as the setting retention says when absent' }),
    ),
  },
  { additionalProperties: false },
)

export const INDEX_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/indexes',
    scope: 'query',
    summary: 'Indexes with their events and sizes',
    answers: '{indexes: [{name, retention, event_count, first_event, last_event, storage_bytes}]}',
    handle: ({ context }) => ({
      data: {
        indexes: context.engine.storage.indexes().map(index => ({
          name: index.name,
          retention: index.retentionMs === null ? null : durationText(index.retentionMs),
          event_count: index.eventCount,
          first_event: index.minMicros === null ? null : isoOf(index.minMicros),
          last_event: index.maxMicros === null ? null : isoOf(index.maxMicros),
          storage_bytes: index.storageBytes,
        })),
      },
    }),
  }),
  route({
    method: 'POST',
    path: '/api/v1/indexes',
    scope: 'admin',
    summary: 'Make an index, with how long its events are kept',
    body: NEW_INDEX,
    answers: '{name, status: "created"}',
    async handle({ context, reply, body }) {
      const { storage } = context.engine
      const { name, retention } = body
      if (!isIndexName(name)) throw new RequestError('VALIDATION_ERROR', indexNameProblem(name))
      if (context.engine.directory === null)
        throw new RequestError('VALIDATION_ERROR', 'without a data directory there are no settings of indexes to keep')
      if (storage.indexes().some(index => index.name === name))
        throw new RequestError('ALREADY_EXISTS', `there is an index ${name} already`)
      await storage.setRetention(name, retentionMs(retention) ?? (context.config.get('retention') || null))
      reply.code(201)
      return { data: { name, status: 'created' } }
    },
  }),
]

function retentionMs(text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = durationMs(text)
  if (ms !== null && ms > 0) return ms
  throw new RequestError(
    'VALIDATION_ERROR',
    `retention is not a duration such as 24h or 90d: ${JSON.stringify(text.slice(0, 100))}`,
  )
}
