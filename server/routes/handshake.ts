/** The probes and setup calls of search-engine clients, bare and under the prefix. Nothing they set up is kept. */
import { STUBS } from '../protocols/es-handshake.ts'
import { type Route, route } from './route.ts'

const PREFIX = '/api/v1/es'

export const HANDSHAKE_ROUTES: readonly Route[] = STUBS.flatMap(({ method, path, status, summary, answer }) =>
  [path, PREFIX + (path === '/' ? '' : path)].map(at =>
    route({
      method,
      path: at,
      scope: 'ingest',
      summary,
      // PUT and POST bring templates and policies along; they are read and dropped.
      limit: method === 'PUT' || method === 'POST' ? 'json' : 'none',
      dialect: 'elastic',
      handle({ request, reply }) {
        if (status === 400) request.log.warn({ path: request.url }, 'unsupported management call')
        reply.code(status)
        return answer()
      },
    }),
  ),
)
