/** What every handler may use: the engine, the settings and the state of the server that is not in the engine. */
import type { Engine } from '../engine.ts'
import { createEventReader, type EventReader } from '../storage/ingest/read-event.ts'
import type { Config } from './config.ts'
import { QuerySlots } from './query-slots.ts'

export interface ServerContext {
  readonly engine: Engine
  readonly config: Config
  readonly reader: EventReader
  readonly slots: QuerySlots
  /** Set when the server begins to stop: what runs may end, nothing new begins. */
  isStopping: boolean
}

export function createContext(engine: Engine, config: Config): ServerContext {
  return {
    engine,
    config,
    reader: createEventReader(),
    slots: new QuerySlots(config.get('query.max_concurrent'), config.get('query.max_queued')),
    isStopping: false,
  }
}
