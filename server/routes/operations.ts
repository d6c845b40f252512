/** What operators look at: status, statistics, the cluster of one, compaction, and who sends. */
import type { ServerContext } from '../context.ts'
import { asking } from '../query/ask.ts'
import { isoOf } from '../query/time-range.ts'
import { VERSION } from './health.ts'
import { route } from './route.ts'
import { sourceEntries } from './sources.ts'

const SOURCES_MAX = 50

export const OPERATION_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/status',
    scope: 'query',
    summary: 'How the service is',
    answers: '{version, uptime_seconds, health, storage, events, queries, views, tail, memory}',
    handle: ({ context }) => ({ data: statusOf(context) }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/stats',
    scope: 'query',
    summary: 'How much is stored, of what and since when',
    answers:
      '{total_events, events_today, storage_bytes, raw_bytes, compression_ratio, parts, blocks, buffered_events, sources, oldest_event, newest_event}',
    handle: call =>
      asking(call, async ask => {
        const { engine } = call.context
        const status = engine.status()
        const today = status.eventCount === 0 ? null : await ask.rows('from * | stats count() as n', { from: '@d' })
        const sources = await sourceEntries(ask, status)
        const indexes = engine.storage.indexes()
        const oldest = Math.min(...indexes.flatMap(index => index.minMicros ?? []))
        const newest = Math.max(...indexes.flatMap(index => index.maxMicros ?? []))
        return {
          data: {
            total_events: status.eventCount,
            events_today: Number(today?.rows[0]?.n ?? 0),
            storage_bytes: status.storageBytes,
            raw_bytes: status.rawBytes,
            compression_ratio: ratio(status.rawBytes, status.storageBytes),
            parts: status.partCount,
            blocks: status.blockCount,
            buffered_events: status.bufferedCount,
            sources: sources.slice(0, SOURCES_MAX),
            source_count: sources.length,
            oldest_event: Number.isFinite(oldest) ? isoOf(oldest) : null,
            newest_event: Number.isFinite(newest) ? isoOf(newest) : null,
          },
          meta: { took_ms: ask.tookMs() },
        }
      }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/cluster/status',
    scope: 'query',
    summary: 'The nodes of the service',
    answers: '{mode, nodes: [{id, role, state, address, version}], shard_map_epoch}',
    handle: ({ context, request }) => ({
      data: {
        mode: 'single',
        nodes: [
          {
            id: 'node-1',
            role: 'all',
            state: context.isStopping ? 'draining' : 'alive',
            address: request.headers.host ?? `${context.config.get('host')}:${context.config.get('port')}`,
            version: VERSION,
          },
        ],
        shard_map_epoch: 0,
      },
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/compaction/history',
    scope: 'query',
    summary: 'Parts that were merged, newest first',
    answers: '{compactions: [{id, level, inputs, output, rows, bytes_in, bytes_out, duration_ms, started_at}]}',
    handle: ({ context }) => ({
      data: {
        compactions: context.engine.storage.compactions().map(({ output, ...merge }) => ({
          id: output,
          level: merge.level,
          inputs: merge.inputs,
          output,
          rows: merge.rows,
          bytes_in: merge.bytesIn,
          bytes_out: merge.bytesOut,
          duration_ms: Math.round(merge.durationMs),
          started_at: merge.startedAt,
        })),
      },
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/shippers',
    scope: 'query',
    summary: 'Who has sent events since the server started',
    answers: '[{tool, version, status, last_seen_at, events_per_min, endpoint, remote_ip, user_agent}]',
    handle: ({ context }) => ({ data: context.shippers.list() }),
  }),
]

function statusOf({ engine, slots, jobs, tails, cache, startedAt, config }: ServerContext): Record<string, unknown> {
  const status = engine.status()
  const { rss, heapUsed } = process.memoryUsage()
  const reasons = [
    ...status.quarantined.map(({ part, reason }) => `part ${part} is set aside: ${reason}`),
    ...(status.lastFlushError === null ? [] : [`events could not be written: ${status.lastFlushError}`]),
    ...(status.lastCompactionError === null ? [] : [`parts could not be merged: ${status.lastCompactionError}`]),
  ]
  return {
    version: VERSION,
    uptime_seconds: Math.round((Date.now() - startedAt) / 1000),
    health: { status: reasons.length === 0 ? 'healthy' : 'degraded', degraded: reasons.length > 0, reasons },
    storage: {
      directory: engine.directory,
      parts: status.partCount,
      blocks: status.blockCount,
      storage_bytes: status.storageBytes,
      raw_bytes: status.rawBytes,
      compression_ratio: ratio(status.rawBytes, status.storageBytes),
      quarantined: status.quarantined,
      disk_full: status.isDiskFull,
    },
    events: {
      total: status.eventCount,
      buffered: status.bufferedCount,
      buffered_bytes: status.bufferedBytes,
      next_sequence: status.nextSequence,
    },
    queries: {
      running: slots.running,
      queued: slots.waiting,
      max_concurrent: config.get('query.max_concurrent'),
      jobs: jobs.list().length,
      cache: cache.stats(),
    },
    views: { total: 0 },
    tail: { open: tails.count, filters: tails.groupCount, max: config.get('tail.max_concurrent') },
    memory: { rss_bytes: rss, heap_bytes: heapUsed, buffer_bytes: status.bufferedBytes },
  }
}

function ratio(raw: number, stored: number): number {
  return stored === 0 ? 0 : Math.round((raw / stored) * 100) / 100
}
