/** The route table: every route the server has, and nothing else is served. */
import { AUTH_ROUTES } from './auth.ts'
import { BULK_ROUTES } from './bulk.ts'
import { CACHE_ROUTES } from './cache.ts'
import { CATALOG_ROUTES } from './catalog.ts'
import { CONFIG_ROUTES } from './config.ts'
import { FIELD_ROUTES } from './fields.ts'
import { HANDSHAKE_ROUTES } from './handshake.ts'
import { HEALTH_ROUTES } from './health.ts'
import { HEC_ROUTES } from './hec.ts'
import { HISTOGRAM_ROUTES } from './histogram.ts'
import { INDEX_ROUTES } from './indexes.ts'
import { INGEST_ROUTES } from './ingest.ts'
import { JOB_ROUTES } from './jobs.ts'
import { LOKI_ROUTES } from './loki.ts'
import { METRICS_ROUTES } from './metrics.ts'
import { OPERATION_ROUTES } from './operations.ts'
import { OTLP_ROUTES } from './otlp.ts'
import { QUERY_ROUTES } from './query.ts'
import { referenceRoutes } from './reference.ts'
import type { Route } from './route.ts'
import { SAVED_QUERY_ROUTES } from './saved-queries.ts'
import { SOURCE_ROUTES } from './sources.ts'
import { TAIL_ROUTES } from './tail.ts'

export const ROUTES: readonly Route[] = [
  ...HEALTH_ROUTES,
  ...METRICS_ROUTES,
  ...referenceRoutes((): readonly Route[] => ROUTES),
  ...INGEST_ROUTES,
  ...BULK_ROUTES,
  ...HEC_ROUTES,
  ...OTLP_ROUTES,
  ...LOKI_ROUTES,
  ...QUERY_ROUTES,
  ...JOB_ROUTES,
  ...TAIL_ROUTES,
  ...CACHE_ROUTES,
  ...HISTOGRAM_ROUTES,
  ...FIELD_ROUTES,
  ...SOURCE_ROUTES,
  ...SAVED_QUERY_ROUTES,
  ...INDEX_ROUTES,
  ...OPERATION_ROUTES,
  ...CONFIG_ROUTES,
  ...CATALOG_ROUTES,
  ...AUTH_ROUTES,
  ...HANDSHAKE_ROUTES,
]

/** Routes of the interface itself, with the types of their parameters and bodies: what the command line calls. */
export type AnyRoute = (
  | typeof QUERY_ROUTES
  | typeof JOB_ROUTES
  | typeof TAIL_ROUTES
  | typeof HISTOGRAM_ROUTES
  | typeof FIELD_ROUTES
  | typeof SOURCE_ROUTES
  | typeof SAVED_QUERY_ROUTES
  | typeof INDEX_ROUTES
  | typeof OPERATION_ROUTES
  | typeof CONFIG_ROUTES
  | typeof CACHE_ROUTES
  | typeof AUTH_ROUTES
)[number]
