/** A way in beside the main port: how each is started, and how all are stopped. */
import type { ServerContext } from '../context.ts'
import type { OptionName } from '../options.ts'
import type { Address } from './address.ts'

export interface Listener {
  /** As it was bound: `127.0.0.1:4318`. */
  readonly address: string
  /** Nothing new comes in; what has come is stored before it settles, or given up after `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export interface ListenerLog {
  warn(about: object, message: string): void
}

export interface ListenerKind {
  /** The setting that holds its address. */
  readonly name: OptionName
  readonly summary: string
  start(context: ServerContext, address: Address, log: ListenerLog): Promise<Listener>
}
