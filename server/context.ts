/** What every handler may use: the engine, the settings and the state of the server that is not in the engine. */
import type { Engine } from '../engine.ts'
import { LineReader } from '../storage/ingest/line-reader.ts'
import { createEventReader, type EventReader } from '../storage/ingest/read-event.ts'
import { Authority } from './auth/authority.ts'
import { KeyRing } from './auth/keys.ts'
import { BodyBudget } from './body-budget.ts'
import { type Config, ConfigError } from './config.ts'
import { Metrics } from './metrics.ts'
import { AckLedger } from './protocols/hec-acks.ts'
import { Jobs } from './query/jobs.ts'
import { ResultCache } from './query/result-cache.ts'
import { QuerySlots } from './query-slots.ts'
import { RateLimit } from './rate-limit.ts'
import { Shippers } from './shippers.ts'
import { TailHub } from './tail/hub.ts'
import type { Tail } from './tail/tail.ts'

const REPLAYS_AT_ONCE = 4

export interface Log {
  error(details: object, message: string): void
  warn(details: object, message: string): void
  info(details: object, message: string): void
}

export interface ServerContext {
  readonly engine: Engine
  readonly config: Config
  readonly reader: EventReader
  /** One for each way lines come in: the same line may mean another event there. */
  readonly lines: Readonly<Record<'raw' | 'structured' | 'bulk', LineReader>>
  /** Bodies of requests that are in memory. */
  readonly bodies: BodyBudget
  readonly slots: QuerySlots
  /** What clients of the HTTP event collector may ask for later. */
  readonly acks: AckLedger
  /** null: authentication is off, everyone may do everything. */
  readonly authority: Authority | null
  readonly jobs: Jobs
  readonly cache: ResultCache
  readonly tails: TailHub
  readonly openTails: Set<Tail>
  /** Tails that read the past at once. */
  readonly replays: QuerySlots
  /** For what no request stands for. */
  log: Log
  readonly shippers: Shippers
  /** Settings have other values now; whoever keeps one elsewhere looks again. */
  onConfigChanged: (names: readonly string[]) => void
  readonly metrics: Metrics
  readonly rateLimit: RateLimit
  /** What the request at hand has stored; undefined where no request stands for the events. */
  readonly stored?: { events: number }
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Set when the server begins to stop: what runs may end, nothing new begins. */
  isStopping: boolean
}

/**
 * The same context with a tally of its own, for whatever protocol stores events. An AsyncLocalStorage would do without it, but makes every
 * promise of the process go through hooks.
 */
export function forRequest(context: ServerContext, stored: { events: number }): ServerContext {
  return Object.assign(Object.create(context) as ServerContext, { stored })
}

export function createContext(engine: Engine, config: Config): ServerContext {
  const reader = createEventReader(config.get('ingest.mode'))
  const context: ServerContext = {
    engine,
    config,
    bodies: new BodyBudget(() => config.get('ingest.inflight_bytes_max')),
    reader,
    lines: { raw: new LineReader(reader), structured: new LineReader(reader), bulk: new LineReader(reader) },
    slots: new QuerySlots(() => ({
      concurrent: config.get('query.max_concurrent'),
      queued: config.get('query.max_queued'),
    })),
    acks: new AckLedger(),
    authority: config.get('auth.enabled') ? new Authority(keyRingOf(engine)) : null,
    jobs: new Jobs(config),
    cache: new ResultCache(() => ({
      bytes: config.get('query.cache_max_bytes'),
      ttlMs: config.get('storage.cache_ttl'),
    })),
    tails: new TailHub(engine, () => ({
      most: config.get('tail.max_concurrent'),
      resumeMs: config.get('tail.resume_window'),
    })),
    openTails: new Set(),
    replays: new QuerySlots(() => ({ concurrent: REPLAYS_AT_ONCE, queued: Number.POSITIVE_INFINITY })),
    log: { error: () => {}, warn: () => {}, info: () => {} },
    shippers: new Shippers(),
    onConfigChanged: () => {},
    metrics: new Metrics(() => context),
    rateLimit: new RateLimit(),
    startedAt: Date.now(),
    isStopping: false,
  }
  return context
}

/** Keys that end with the process would lock everybody out at the next start. */
function keyRingOf({ directory, documents }: Engine): KeyRing {
  if (directory === null) throw new ConfigError('auth.enabled needs a data directory: keys are kept there')
  return new KeyRing(documents, Date.now)
}
