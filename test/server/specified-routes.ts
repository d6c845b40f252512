/** The routes of the interface specification, table by table, as they stand there. Paths without a leading slash of their own stand under /api/v1. */

export interface SpecifiedRoute {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{parameter}`. */
  readonly path: string
}

const PREFIX = '/api/v1'

/** Lines `METHOD path`; `|` separates methods. */
function table(prefix: string, lines: string): SpecifiedRoute[] {
  return lines
    .trim()
    .split('\n')
    .flatMap(line => {
      const [methods, path] = line.trim().split(/\s+/) as [string, string]
      return methods.split('|').map(method => ({ method: method as SpecifiedRoute['method'], path: prefix + path }))
    })
}

export const SPECIFIED: Readonly<Record<string, readonly SpecifiedRoute[]>> = {
  'Health and metrics': table('', 'GET /health\nGET /metrics'),
  Ingest: table(
    PREFIX,
    `POST /ingest
     POST /ingest/raw
     POST /ingest/hec
     POST /ingest/bulk
     GET|POST /indexes`,
  ),
  'Bulk compatibility': table(
    '',
    `POST /_bulk
     POST /{index}/_bulk
     POST /_data_stream/{name}/_bulk
     POST /api/v1/es/_bulk
     POST /api/v1/es/_data_stream/{name}/_bulk
     POST /api/v1/es/{index}/_doc
     GET /api/v1/es/`,
  ),
  'Probe and setup stubs': table(
    '',
    `GET|HEAD /
     GET /_ext
     GET /_ext/license
     GET /_license
     GET /_cat/templates
     GET /_cat/indices
     GET /_cluster/health
     GET|PUT /_index_template/{name}
     GET|PUT /_ilm/policy/{name}
     GET|PUT /_ingest/pipeline/{name}
     GET /_nodes/{path}
     GET /_alias
     GET|PUT /_data_stream/{name}
     GET /_search
     POST /_security/user/_authenticate
     HEAD /{index}`,
  ),
  'OTLP logs': table(PREFIX, 'POST /otlp/v1/logs'),
  Query: table(
    PREFIX,
    `POST|GET /query
     POST /query/stream
     GET /query/explain
     GET /query/jobs
     GET|DELETE /query/jobs/{id}
     GET /query/jobs/{id}/stream`,
  ),
  'Live tail': table(PREFIX, 'GET /tail'),
  Histogram: table(PREFIX, 'GET /histogram'),
  'Fields and sources': table(PREFIX, 'GET /fields\nGET /fields/{name}/values\nGET /sources'),
  'Saved queries': table(PREFIX, 'GET|POST /queries\nGET|PUT|DELETE /queries/{id}'),
  'Materialized views': table(
    PREFIX,
    `GET|POST /views
     GET|PATCH|DELETE /views/{name}
     GET|POST /views/{name}/backfill`,
  ),
  'Operational routes': table(
    PREFIX,
    `GET /status
     GET /stats
     GET /metrics
     GET|PATCH /config
     GET /cluster/status
     GET /compaction/history
     GET /cache/stats
     DELETE /cache
     GET|POST /auth/keys
     DELETE /auth/keys/{id}
     POST /auth/rotate-root
     GET /shippers`,
  ),
  'Beside the tables: other senders, the catalog, what describes the routes': table(
    '',
    `POST /services/collector
     POST /services/collector/event
     POST /services/collector/event/1.0
     POST /services/collector/raw
     POST /services/collector/ack
     GET /services/collector/health
     POST /api/v1/services/collector
     POST /api/v1/services/collector/event
     POST /otlp/v1/logs
     POST /loki/api/v1/push
     GET /_xpack
     GET /_cat/health
     GET /{index}/_refresh
     HEAD /_index_template/{name}
     GET /api/v1/catalog
     GET /openapi.json
     GET /docs`,
  ),
}

/** `METHOD path` of what is still to come, with the views. */
export const LATER: ReadonlySet<string> = new Set(
  SPECIFIED['Materialized views']!.map(({ method, path }) => `${method} ${path}`),
)
