/** The route table: every route the server has, and nothing else is served. */
import { HEALTH_ROUTES } from './health.ts'
import type { Route } from './route.ts'

export const ROUTES: readonly Route[] = [...HEALTH_ROUTES]
