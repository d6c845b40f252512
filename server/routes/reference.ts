/** What this server can do, as data and for people, made from the route table. */
import { docsPage } from '../docs-page.ts'
import { openApiDocument } from '../openapi.ts'
import { VERSION } from './health.ts'
import { type Route, route } from './route.ts'

/** The table is complete only when all files of it are loaded, so it is asked for when somebody looks. */
export function referenceRoutes(routes: () => readonly Route[]) {
  return [
    route({
      method: 'GET',
      path: '/openapi.json',
      scope: 'open',
      summary: 'Every route, its parameters and its scope, as an OpenAPI document',
      handle: () => openApiDocument(routes(), VERSION),
    }),
    route({
      method: 'GET',
      path: '/docs',
      scope: 'open',
      summary: 'Every route on one page',
      handle({ reply }) {
        reply.type('text/html; charset=utf-8')
        return docsPage(routes(), VERSION)
      },
    }),
  ]
}
