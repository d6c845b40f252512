/** What every handler may use: the engine, the settings and the state of the server that is not in the engine. */
import type { Engine } from '../engine.ts'
import { createEventReader, type EventReader } from '../storage/ingest/read-event.ts'
import { Authority } from './auth/authority.ts'
import { KeyRing } from './auth/keys.ts'
import { type Config, ConfigError } from './config.ts'
import { Metrics } from './metrics.ts'
import { Jobs } from './query/jobs.ts'
import { ResultCache } from './query/result-cache.ts'
import { QuerySlots } from './query-slots.ts'
import { RateLimit } from './rate-limit.ts'

export interface ServerContext {
  readonly engine: Engine
  readonly config: Config
  readonly reader: EventReader
  readonly slots: QuerySlots
  /** null: authentication is off, everyone may do everything. */
  readonly authority: Authority | null
  readonly jobs: Jobs
  readonly cache: ResultCache
  readonly metrics: Metrics
  readonly rateLimit: RateLimit
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Set when the server begins to stop: what runs may end, nothing new begins. */
  isStopping: boolean
}

export function createContext(engine: Engine, config: Config): ServerContext {
  const context: ServerContext = {
    engine,
    config,
    reader: createEventReader(),
    slots: new QuerySlots(() => ({
      concurrent: config.get('query.max_concurrent'),
      queued: config.get('query.max_queued'),
    })),
    authority: config.get('auth.enabled') ? new Authority(keyRingOf(engine)) : null,
    jobs: new Jobs(config),
    cache: new ResultCache(() => ({
      bytes: config.get('query.cache_max_bytes'),
      ttlMs: config.get('storage.cache_ttl'),
    })),
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
