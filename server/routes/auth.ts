/** Key management, for root keys. Without authentication there is nothing to manage: 404. */
import { Type } from '@sinclair/typebox'
import { KEY_SCOPES, type KeyRecord, type KeyRing, type KeyScope } from '../auth/keys.ts'
import type { ServerContext } from '../context.ts'
import { RequestError } from '../errors.ts'
import { durationMs } from '../options.ts'
import { route } from './route.ts'

/** Longer, and the date could not be written. */
const CENTURY_MS = 100 * 366 * 86_400_000
const ScopeName = Type.Union(KEY_SCOPES.map(scope => Type.Literal(scope)))

const NEW_KEY = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    scope: Type.Optional(ScopeName),
    scopes: Type.Optional(Type.Array(ScopeName, { minItems: 1, uniqueItems: true })),
    expires_in: Type.Optional(Type.String({ description: 'a duration such as 24h or 90d; never when absent' })),
  },
  { additionalProperties: false },
)

export const AUTH_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/auth/keys',
    scope: 'root',
    summary: 'List API keys, without their secrets',
    handle: ({ context }) => ({ data: { keys: ringOf(context).list().map(shown) } }),
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/keys',
    scope: 'root',
    summary: 'Make an API key; its token is in this answer and nowhere else',
    body: NEW_KEY,
    async handle({ context, reply, body }) {
      const ring = ringOf(context)
      if ((body.scope === undefined) === (body.scopes === undefined))
        throw new RequestError('VALIDATION_ERROR', 'name either scope or scopes', {
          suggestion: `the scopes are ${KEY_SCOPES.join(', ')}`,
        })
      const scopes: readonly KeyScope[] = body.scopes ?? [body.scope!]
      const { record, token } = await ring.create(body.name, scopes, expiryOf(body.expires_in))
      reply.code(201).header('Cache-Control', 'no-store')
      return { data: { ...shown(record), token } }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/auth/keys/:id',
    scope: 'root',
    summary: 'End an API key at once',
    async handle({ context, reply, params }) {
      await ringOf(context).delete(params.id!)
      reply.code(204)
      return ''
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/rotate-root',
    scope: 'root',
    summary: 'Make a new root key and end the old one',
    async handle({ context, reply }) {
      const { record, token } = await ringOf(context).rotateRoot()
      reply.header('Cache-Control', 'no-store')
      return { data: { ...shown(record), token } }
    },
  }),
]

function ringOf({ authority }: ServerContext): KeyRing {
  if (authority !== null) return authority.keys
  throw new RequestError('NOT_FOUND', 'authentication is off, so there are no keys', {
    suggestion: 'auth.enabled turns it on',
  })
}

function shown({ id, name, root, scopes, created_at, expires_at }: KeyRecord): Record<string, unknown> {
  return { id, name, scopes: root ? ['root'] : scopes, created_at, ...(expires_at !== null && { expires_at }) }
}

function expiryOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = durationMs(text)
  if (ms !== null && ms > 0 && ms <= CENTURY_MS) return ms
  throw new RequestError('VALIDATION_ERROR', `expires_in must be a duration such as 24h or 90d, up to a hundred years`)
}
