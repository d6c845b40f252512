/** What clients of the search engine's protocol ask before they send anything: who are you, and is everything set up? */
import { hostname } from 'node:os'

/** The version the interface promises; clients choose their dialect by it. */
const REPORTED_VERSION = '8.0.0'
const LICENSE = {
  status: 'active',
  uid: '00000000-0000-0000-0000-000000000000',
  type: 'basic',
  issue_date: '2024-01-01T00:00:00.000Z',
  issue_date_in_millis: 1_704_067_200_000,
  max_nodes: null,
  max_resource_units: null,
  issued_to: 'quern',
  issuer: 'quern',
  start_date_in_millis: -1,
}
const NODE_ID = 'quern'

export interface Stub {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** Without prefix; each is also served under `/api/v1/es`. */
  readonly path: string
  readonly status: number
  readonly summary: string
  answer(): unknown
}

export const STUBS: readonly Stub[] = [
  stub('GET', '/', 'Who answers here?', handshake),
  stub('GET', '/_ext', 'Features of the basic license', features),
  stub('GET', '/_xpack', 'Features of the basic license', features),
  stub('GET', '/_ext/license', 'An active basic license', license),
  stub('GET', '/_xpack/license', 'An active basic license', license),
  stub('GET', '/_license', 'An active basic license', license),
  stub('GET', '/_cat/templates', 'No templates', () => []),
  stub('GET', '/_cat/indices', 'No indices', () => []),
  stub('GET', '/_cat/health', 'One green node', catHealth),
  stub('GET', '/_cluster/health', 'One green node', clusterHealth),
  stub('GET', '/_cluster/health/:index', 'One green node', clusterHealth),
  stub('GET', '/:index/_refresh', 'Every event is visible at once', refreshed),
  stub('POST', '/:index/_refresh', 'Every event is visible at once', refreshed),
  stub('POST', '/_refresh', 'Every event is visible at once', refreshed),
  // Before its GET, which would bring along a HEAD of its own.
  stub('HEAD', '/_index_template/:name', 'Every template exists: nothing needs one', () => ''),
  stub('GET', '/_index_template/:name', 'No templates', () => ({ index_templates: [] })),
  stub('PUT', '/_index_template/:name', 'Acknowledged and not kept', acknowledged),
  stub('POST', '/_index_template/:name', 'Acknowledged and not kept', acknowledged),
  stub('PUT', '/_component_template/:name', 'Acknowledged and not kept', acknowledged),
  stub('PUT', '/_template/:name', 'Acknowledged and not kept', acknowledged),
  stub('POST', '/_template/:name', 'Acknowledged and not kept', acknowledged),
  stub('GET', '/_ilm/policy/:name', 'No policies', () => ({}), 404),
  stub('PUT', '/_ilm/policy/:name', 'Not supported', unsupported, 400),
  stub('GET', '/_ingest/pipeline/:name', 'No pipelines', () => ({}), 404),
  stub('PUT', '/_ingest/pipeline/:name', 'Not supported', unsupported, 400),
  stub('GET', '/_nodes/*', 'One node', nodes),
  stub('GET', '/_alias', 'No aliases', () => ({})),
  stub('GET', '/_data_stream/:name', 'No data streams', () => ({ data_streams: [] })),
  stub('PUT', '/_data_stream/:name', 'Acknowledged and not kept', acknowledged),
  stub('GET', '/_search', 'No hits', noHits),
  stub('POST', '/_security/user/_authenticate', 'Whoever asks', user),
  stub('HEAD', '/:index', 'Every index exists', () => ''),
  stub('PUT', '/:index', 'Acknowledged; every index exists anyway', () => ({
    acknowledged: true,
    shards_acknowledged: true,
  })),
]

function stub(method: Stub['method'], path: string, summary: string, answer: () => unknown, status = 200): Stub {
  return { method, path, status, summary, answer }
}

export function handshake(): unknown {
  return {
    name: hostname(),
    cluster_name: 'quern',
    cluster_uuid: NODE_ID,
    version: {
      number: REPORTED_VERSION,
      build_flavor: 'default',
      build_type: 'tar',
      build_hash: '0000000000000000000000000000000000000000',
      build_date: '2022-02-03T16:47:57.507843096Z',
      build_snapshot: false,
      lucene_version: '9.0.0',
      minimum_wire_compatibility_version: '7.17.0',
      minimum_index_compatibility_version: '7.0.0',
    },
    tagline: 'You Know, for Search',
  }
}

function features(): unknown {
  const off = { available: false, enabled: false }
  return {
    build: { hash: '', date: '2022-02-03T16:47:57.507843096Z' },
    license: { uid: LICENSE.uid, type: 'basic', mode: 'basic', status: 'active' },
    features: { ilm: off, ml: off, monitoring: off, security: off, watcher: off },
    tagline: 'You know, for X',
  }
}

function license(): unknown {
  return { license: LICENSE }
}

function clusterHealth(): unknown {
  return {
    cluster_name: 'quern',
    status: 'green',
    timed_out: false,
    number_of_nodes: 1,
    number_of_data_nodes: 1,
    active_primary_shards: 1,
    active_shards: 1,
    relocating_shards: 0,
    initializing_shards: 0,
    unassigned_shards: 0,
    delayed_unassigned_shards: 0,
    number_of_pending_tasks: 0,
    number_of_in_flight_fetch: 0,
    task_max_waiting_in_queue_millis: 0,
    active_shards_percent_as_number: 100,
  }
}

function catHealth(): unknown {
  const epoch = Math.floor(Date.now() / 1000)
  const timestamp = new Date(epoch * 1000).toISOString().slice(11, 19)
  const shards = { shards: '1', pri: '1', relo: '0', init: '0', unassign: '0', pending_tasks: '0' }
  const nodes = { 'node.total': '1', 'node.data': '1', ...shards, max_task_wait_time: '-' }
  return [
    { epoch: String(epoch), timestamp, cluster: 'quern', status: 'green', ...nodes, active_shards_percent: '100.0%' },
  ]
}

function refreshed(): unknown {
  return { _shards: { total: 1, successful: 1, failed: 0 } }
}

function acknowledged(): unknown {
  return { acknowledged: true }
}

function unsupported(): unknown {
  const cause = { type: 'illegal_argument_exception', reason: 'this management endpoint is not supported' }
  return { error: { ...cause, root_cause: [cause] }, status: 400 }
}

function nodes(): unknown {
  const node = {
    name: hostname(),
    version: REPORTED_VERSION,
    roles: ['data', 'ingest', 'master'],
    http: { bound_address: [], publish_address: '' },
  }
  return { _nodes: { total: 1, successful: 1, failed: 0 }, cluster_name: 'quern', nodes: { [NODE_ID]: node } }
}

function noHits(): unknown {
  return {
    took: 0,
    timed_out: false,
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    hits: { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] },
  }
}

function user(): unknown {
  return { username: 'quern', roles: ['superuser'], full_name: null, email: null, metadata: {}, enabled: true }
}
