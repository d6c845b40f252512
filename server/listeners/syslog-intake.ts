/** From frames to stored events: what the transports of syslog share. */

import { BackpressureError } from '../../storage/errors.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import { receiveTime } from '../../storage/ingest/receive-time.ts'
import type { ServerContext } from '../context.ts'
import { messageOf, SyslogReader } from '../protocols/syslog/message.ts'
import type { ListenerLog } from './listener.ts'
import { SyslogGate } from './syslog-gate.ts'

export type Transport = 'udp' | 'tcp' | 'tls'
export type Outcome = 'stored' | 'unauthorized' | 'too_long' | 'cut_short' | 'dropped'

/** One warning of a kind in this time: a misconfigured sender sends a thousand messages a second. */
const WARNING_INTERVAL_MS = 10_000
const RETRY_MS = 100

export class SyslogIntake {
  readonly #context: ServerContext
  readonly #reader: SyslogReader
  readonly #gate: SyslogGate
  readonly #transport: Transport
  readonly #log: ListenerLog
  readonly #warnedAt = new Map<Outcome, number>()

  constructor(context: ServerContext, transport: Transport, log: ListenerLog) {
    this.#context = context
    this.#reader = new SyslogReader(context.reader)
    this.#gate = new SyslogGate(context)
    this.#transport = transport
    this.#log = log
  }

  trusts(peer: string, isCertified = false): boolean {
    return this.#gate.trusts(peer, isCertified)
  }

  /** The event of a message; null: it may not come in, or says nothing. */
  read(frame: Buffer, peer: string, isTrusted: boolean): IncomingEvent | null {
    const { text, token } = messageOf(frame)
    if (!isTrusted && !this.#gate.admits(token)) {
      this.count('unauthorized', peer)
      return null
    }
    if (text === '') return null
    const result = this.#reader.read(text, peer, receiveTime())
    if ('event' in result) return result.event
    this.count('dropped', peer)
    return null
  }

  /** Keeps trying while there is no room: whoever awaits it reads no more from its sender. Only the end of the server ends it. */
  async store(events: readonly IncomingEvent[], peer: string): Promise<void> {
    while (!this.tryStore(events)) {
      try {
        await this.#context.engine.flush()
      } catch {
        // The disk is full or gone; the store says so in its status, and the sender waits.
        if (this.#context.isStopping) {
          this.count('dropped', peer, events.length)
          return
        }
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  /** False: there is no room now. */
  tryStore(events: readonly IncomingEvent[]): boolean {
    if (events.length === 0) return true
    try {
      this.#context.engine.ingest(events)
    } catch (error) {
      if (error instanceof BackpressureError) return false
      throw error
    }
    this.#context.metrics.count('quern_syslog_messages_total', events.length, {
      transport: this.#transport,
      outcome: 'stored',
    })
    return true
  }

  count(outcome: Exclude<Outcome, 'stored'>, peer: string, count = 1): void {
    const transport = this.#transport
    this.#context.metrics.count('quern_syslog_messages_total', count, { transport, outcome })
    const now = performance.now()
    if (now - (this.#warnedAt.get(outcome) ?? Number.NEGATIVE_INFINITY) < WARNING_INTERVAL_MS) return
    this.#warnedAt.set(outcome, now)
    this.#log.warn({ transport, peer, outcome }, 'a syslog message was not stored')
  }
}
