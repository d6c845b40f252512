/** GET /catalog: the language as data, for editors and agents that complete and explain. */
import { createHash } from 'node:crypto'
import { jsonValue } from '../query/query-answer.ts'
import { route } from './route.ts'

export const CATALOG_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/catalog',
    scope: 'query',
    summary: 'Every stage, function, aggregate and parse format with its documentation',
    handle({ context, request, reply }) {
      const text = JSON.stringify({ data: context.engine.languageCatalog() }, jsonValue)
      const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
      reply.header('ETag', tag).header('Cache-Control', 'no-cache').type('application/json; charset=utf-8')
      if (!isHeld(request.headers['if-none-match'], tag)) return text
      reply.code(304)
      return ''
    },
  }),
]

/** Does the client hold this version already? */
function isHeld(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some(given => given.trim().replace(/^W\//, '') === tag || given.trim() === '*')
}
