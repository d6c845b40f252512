/** A request no route serves: is it the method that is wrong (405), or the path (404)? */
import { RequestError } from '../errors.ts'
import { nearest } from '../near.ts'
import type { Route } from './route.ts'

/** @throws {RequestError} always */
export function refuseUnknownRoute(routes: readonly Route[], method: string, url: string): never {
  const path = url.split('?', 1)[0]!
  const methods = new Set(routes.filter(route => isMeant(route, path)).map(route => route.method))
  if (methods.size > 0) {
    const allowed = [...methods].sort().join(', ')
    throw new RequestError('METHOD_NOT_ALLOWED', `${path} does not take ${method}; it takes ${allowed}`, {
      headers: { Allow: allowed },
    })
  }
  if (VIEWS.test(path)) throw new RequestError('NOT_FOUND', 'this server has no materialized views')
  const near = nearest(path, [...new Set(routes.map(route => route.path))], 1)
  throw new RequestError('NOT_FOUND', `there is nothing at ${method} ${path}`, {
    suggestion: near.length === 0 ? undefined : `did you mean ${near[0]}?`,
  })
}

/** In the interface, and not here: "did you mean /api/v1/fields?" would be no answer. */
const VIEWS = /^\/api\/v1\/views(\/|$)/

function isMeant(route: Route, path: string): boolean {
  // `HEAD /{index}` fits every first segment and would make each misspelling a wrong method.
  if (route.path === '/:index' || route.path === '/api/v1/es/:index') return false
  const pattern = route.path
    .split('/')
    .map(segment => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : segment.replaceAll('.', '\\.')))
    .join('/')
  return new RegExp(`^${pattern.replace(/\/$/, '')}/?$`).test(path)
}
