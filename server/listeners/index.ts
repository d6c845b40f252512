/** The ways in beside the main port. To add one: its file, one line here, one setting. */

import { ConfigError } from '../config.ts'
import type { ServerContext } from '../context.ts'
import type { OptionName } from '../options.ts'
import { parseAddress } from './address.ts'
import type { Listener, ListenerKind, ListenerLog } from './listener.ts'
import { otlpGrpc } from './otlp-grpc.ts'
import { otlpHttp } from './otlp-http.ts'
import { syslogTcp, syslogTls } from './syslog-tcp.ts'
import { syslogUdp } from './syslog-udp.ts'

export type { Listener, ListenerLog } from './listener.ts'

export const LISTENERS: readonly ListenerKind[] = [otlpHttp, otlpGrpc, syslogUdp, syslogTcp, syslogTls]

export type RunningListeners = ReadonlyMap<OptionName, Listener>

/**
 * Opens every listener that is not off. One that was asked for and cannot be opened ends the start; one that is only there by default is
 * left out, and said so: another collector on the machine is no reason not to start.
 *
 * @throws {ConfigError}
 */
export async function startListeners(context: ServerContext, log: ListenerLog): Promise<RunningListeners> {
  const running = new Map<OptionName, Listener>()
  try {
    for (const kind of LISTENERS) {
      const listener = await startListener(kind, context, log)
      if (listener !== null) running.set(kind.name, listener)
    }
    return running
  } catch (error) {
    // A start that fails leaves no port open.
    await stopListeners(running, 0)
    throw error
  }
}

async function startListener(kind: ListenerKind, context: ServerContext, log: ListenerLog): Promise<Listener | null> {
  const { config } = context
  const text = String(config.get(kind.name))
  const address = parseAddress(kind.name, text, config.get('host'))
  if (address === null) return null
  try {
    return await kind.start(context, address, log)
  } catch (error) {
    // A certificate that cannot be read is no reason to go without.
    if (error instanceof ConfigError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    if (config.entries().find(({ name }) => name === kind.name)?.origin !== 'default')
      throw new ConfigError(`${kind.name} cannot listen on ${text}: ${reason}`)
    log.warn({ address: text, reason }, `${kind.name} is off: its default address is taken`)
    return null
  }
}

export async function stopListeners(running: RunningListeners, graceMs: number): Promise<void> {
  await Promise.all([...running.values()].map(listener => listener.stop(graceMs)))
}
