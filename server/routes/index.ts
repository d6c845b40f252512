/** The route table: every route the server has, and nothing else is served. */
import { BULK_ROUTES } from './bulk.ts'
import { CATALOG_ROUTES } from './catalog.ts'
import { HANDSHAKE_ROUTES } from './handshake.ts'
import { HEALTH_ROUTES } from './health.ts'
import { INGEST_ROUTES } from './ingest.ts'
import { QUERY_ROUTES } from './query.ts'
import type { Route } from './route.ts'

export const ROUTES: readonly Route[] = [
  ...HEALTH_ROUTES,
  ...INGEST_ROUTES,
  ...BULK_ROUTES,
  ...QUERY_ROUTES,
  ...CATALOG_ROUTES,
  ...HANDSHAKE_ROUTES,
]
