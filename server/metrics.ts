/**
 * Everything the server counts, one descriptor each: `/metrics` for Prometheus, `/api/v1/metrics` as JSON and the page in `docs/` are
 * read off this table. What the engine knows anyway is asked for when somebody looks, not counted twice.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ServerContext } from './context.ts'

export type MetricType = 'counter' | 'gauge' | 'histogram'

export interface Metric {
  readonly type: MetricType
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[]
  /** Read when somebody looks; a metric without it is counted as things happen. */
  readonly read?: (context: ServerContext) => number
}

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Counted by whoever does the thing. */
const COUNTED = {
  quern_http_requests_total: counter('HTTP requests answered', ['method', 'route', 'status']),
  quern_http_request_seconds: histogram('time from the head of a request to the end of its answer', ['route'], SECONDS),
  quern_http_request_bytes_total: counter('bytes of request bodies, decoded', ['route']),
  quern_ingest_events_total: counter('events stored, by the route they came by', ['route']),
  quern_auth_failures_total: counter('requests refused for want of a valid key or scope', ['code']),
  quern_rate_limited_total: counter('requests refused because a client sent too many', []),
  quern_queries_total: counter('queries that ended, by how', ['outcome']),
  quern_query_seconds: histogram('time from a query being asked to its end', [], SECONDS),
  quern_query_rows_scanned_total: counter('rows that queries looked at', []),
  quern_query_bytes_scanned_total: counter('bytes on disk of the columns that queries read', []),
  quern_syslog_messages_total: counter('syslog messages, by what became of them', ['transport', 'outcome']),
  quern_tail_events_sent_total: counter('events sent to live tails', []),
  quern_tail_events_dropped_total: counter('events that live tails were too slow for', []),
} as const satisfies Record<string, Metric>

export type CountedName = keyof typeof COUNTED

/** Asked of the engine and of the parts of the server. */
const READ = {
  quern_uptime_seconds: gauge('time since the server started', ({ startedAt }) => (Date.now() - startedAt) / 1000),
  quern_events_total: readCounter('events ever accepted', ({ engine }) => engine.status().nextSequence - 1),
  quern_events_duplicate_total: readCounter(
    'events accepted and not stored again, with ingest.dedup_enabled',
    ({ engine }) => engine.status().duplicateCount,
  ),
  quern_events_stored: gauge('events that can be queried', ({ engine }) => engine.status().eventCount),
  quern_events_buffered: gauge('events in memory that are not on disk yet', c => c.engine.status().bufferedCount),
  quern_buffer_bytes: gauge('bytes those take', ({ engine }) => engine.status().bufferedBytes),
  quern_parts: gauge('part files served', ({ engine }) => engine.status().partCount),
  quern_blocks: gauge('blocks in them', ({ engine }) => engine.status().blockCount),
  quern_parts_quarantined: gauge('parts set aside because they are damaged', c => c.engine.status().quarantined.length),
  quern_storage_bytes: gauge('bytes of the part files', ({ engine }) => engine.status().storageBytes),
  quern_raw_bytes: gauge('bytes of the text of the events in them', ({ engine }) => engine.status().rawBytes),
  quern_queries_running: gauge('queries at work', ({ slots }) => slots.running),
  quern_queries_queued: gauge('queries that wait for their turn', ({ slots }) => slots.waiting),
  quern_plan_cache_hits_total: readCounter('queries whose plan was there already', c => c.engine.planCache.hits),
  quern_plan_cache_misses_total: readCounter('queries that were compiled', c => c.engine.planCache.misses),
  quern_chunk_cache_bytes: gauge('bytes of decoded chunks in memory', c => c.engine.chunkCache.bytes),
  quern_chunk_cache_max_bytes: gauge('bytes they may take, storage.cache_max_bytes', c => c.engine.chunkCache.maxBytes),
  quern_chunk_cache_hits_total: readCounter('chunks that were there', c => c.engine.chunkCache.hits),
  quern_chunk_cache_misses_total: readCounter('chunks that were decoded', c => c.engine.chunkCache.misses),
  quern_tails: gauge('live tails that are open', ({ tails }) => tails.count),
  quern_tail_filters: gauge('different filters among them, each evaluated once', ({ tails }) => tails.groupCount),
  process_resident_memory_bytes: gauge('memory of the process', () => process.memoryUsage.rss()),
  process_cpu_seconds_total: readCounter('processor time of the process', cpuSeconds),
  nodejs_heap_used_bytes: gauge('memory that JavaScript objects take', () => process.memoryUsage().heapUsed),
} as const satisfies Record<string, Metric>

/** Names the interface promises in every mode; a single node is a cluster at rest. */
const CLUSTER = {
  shard_active: gauge('shards served', () => 1),
  shard_draining: gauge('shards being drained', atRest),
  shard_migrating: gauge('shards on their way to another node', atRest),
  shard_splitting: gauge('shards being split', atRest),
  shard_map_epoch: gauge('version of the map of shards', atRest),
  rebalance_total: readCounter('rebalancings', atRest),
  rebalance_move_total: readCounter('shards moved by them', atRest),
  rebalance_duration_ns: readCounter('time they took', atRest),
  nodes_alive: gauge('nodes that answer', () => 1),
  nodes_suspect: gauge('nodes that answer late', atRest),
  nodes_dead: gauge('nodes that do not answer', atRest),
  leader_changes_total: readCounter('elections of a leader', atRest),
  split_total: readCounter('shards split', atRest),
  split_duration_ns: readCounter('time that took', atRest),
  meta_loss_duration_ns: readCounter('time without the metadata store', atRest),
  meta_loss_duplicate_parts: readCounter('parts written twice because of that', atRest),
} as const satisfies Record<string, Metric>

export const METRICS: Readonly<Record<string, Metric>> = { ...COUNTED, ...READ, ...CLUSTER }

export class Metrics {
  readonly #registry = new Registry()
  readonly #counters = new Map<string, Counter>()
  readonly #histograms = new Map<string, Histogram>()

  /** One registry for each server: several may live in one process. */
  constructor(context: () => ServerContext) {
    const registers = [this.#registry]
    for (const [name, { type, help, labels, buckets, read }] of Object.entries(METRICS)) {
      const base = { name, help, labelNames: [...labels], registers }
      if (type === 'histogram') {
        this.#histograms.set(name, new Histogram({ ...base, ...(buckets && { buckets: [...buckets] }) }))
      } else if (type === 'gauge') {
        new Gauge({
          ...base,
          collect() {
            if (read !== undefined) this.set(read(context()))
          },
        })
      } else {
        this.#counters.set(
          name,
          new Counter({
            ...base,
            collect() {
              if (read === undefined) return
              this.reset()
              this.inc(read(context()))
            },
          }),
        )
      }
    }
  }

  count(name: CountedName, by = 1, labels: Readonly<Record<string, string | number>> = {}): void {
    this.#counters.get(name)?.inc({ ...labels }, by)
  }

  observe(name: CountedName, seconds: number, labels: Readonly<Record<string, string>> = {}): void {
    this.#histograms.get(name)?.observe({ ...labels }, seconds)
  }

  /** The text exposition format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** By name: a number, or what it is by label values. */
  async json(): Promise<Record<string, unknown>> {
    const all: Record<string, unknown> = {}
    for (const { name, type, help, values } of await this.#registry.getMetricsAsJSON()) {
      const points = values.map(({ labels, value, ...rest }) => ({
        ...('metricName' in rest && rest.metricName !== name && { metric: rest.metricName }),
        labels,
        value,
      }))
      const [only] = points
      const isPlain = points.length === 1 && Object.keys(only!.labels).length === 0
      all[name] = { type, help, ...(isPlain ? { value: only!.value } : { values: points }) }
    }
    return all
  }
}

function counter(help: string, labels: readonly string[]): Metric {
  return { type: 'counter', help, labels }
}
function readCounter(help: string, read: (context: ServerContext) => number): Metric {
  return { type: 'counter', help, labels: [], read }
}
function histogram(help: string, labels: readonly string[], buckets: readonly number[]): Metric {
  return { type: 'histogram', help, labels, buckets }
}
function gauge(help: string, read: (context: ServerContext) => number): Metric {
  return { type: 'gauge', help, labels: [], read }
}
function atRest(): number {
  return 0
}
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
