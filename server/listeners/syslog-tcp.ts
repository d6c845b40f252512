/** Syslog over TCP and TLS: a connection is read no faster than its messages find room, so nothing that was read is lost. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { IncomingEvent } from '../../storage/index.ts'
import { ConfigError } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { SyslogFramer } from '../protocols/syslog/framing.ts'
import { tlsSettings } from '../tls.ts'
import { type Address, listen, printAddress } from './address.ts'
import type { Listener, ListenerKind, ListenerLog } from './listener.ts'
import { SyslogIntake } from './syslog-intake.ts'

/** Each may hold a message of the greatest length. */
const CONNECTIONS_MAX = 1000

export const syslogTcp: ListenerKind = {
  name: 'syslog.tcp',
  summary: 'syslog over TCP, RFC 6587',
  start: (context, address, log) => start(new SyslogServer(context, createServer(), 'tcp', log), address),
}

export const syslogTls: ListenerKind = {
  name: 'syslog.tls',
  summary: 'syslog over TLS, RFC 5425',
  start: async (context, address, log) => {
    const tls = tlsSettings(context.config, 'syslog')
    if (tls === null) throw new ConfigError('syslog.tls needs syslog.tls_cert and syslog.tls_key')
    const { createServer: createTlsServer } = await import('node:tls')
    const server = createTlsServer(tls)
    // A scanner that speaks no TLS is no event of ours.
    server.on('tlsClientError', () => {})
    return start(new SyslogServer(context, server, 'tls', log), address)
  },
}

async function start(server: SyslogServer, address: Address): Promise<Listener> {
  const bound = await server.listen(address)
  return { address: printAddress(bound), stop: graceMs => server.stop(graceMs) }
}

class SyslogServer {
  readonly #server: Server
  readonly #intake: SyslogIntake
  readonly #longest: number
  readonly #open = new Map<Socket, Promise<void>>()

  constructor(context: ServerContext, server: Server, transport: 'tcp' | 'tls', log: ListenerLog) {
    this.#server = server
    this.#intake = new SyslogIntake(context, transport, log)
    this.#longest = context.config.get('ingest.max_line_bytes')
    server.maxConnections = CONNECTIONS_MAX
    server.on(transport === 'tls' ? 'secureConnection' : 'connection', (socket: Socket) => {
      const done = this.#receive(socket)
        .catch(error => log.warn({ err: error }, 'a syslog connection failed'))
        .finally(() => this.#open.delete(socket))
      this.#open.set(socket, done)
    })
  }

  listen(address: Address): Promise<AddressInfo> {
    return listen(this.#server, address)
  }

  /** Senders are told that it is over; what they have sent is stored. */
  async stop(graceMs: number): Promise<void> {
    this.#server.close()
    const sockets = [...this.#open.keys()]
    for (const socket of sockets) socket.end()
    // A sender that never closes its side would be waited for in vain; what it wrote before is here long before that.
    const timer = setTimeout(
      () => {
        for (const socket of sockets) socket.destroy()
      },
      Math.min(graceMs, 500),
    )
    await Promise.all(this.#open.values())
    clearTimeout(timer)
  }

  async #receive(socket: Socket): Promise<void> {
    const peer = addressOf(socket)
    const isTrusted = this.#intake.trusts(peer, 'authorized' in socket && (socket as TLSSocket).authorized)
    let events: IncomingEvent[] = []
    const framer = new SyslogFramer(this.#longest, {
      frame: bytes => {
        const event = this.#intake.read(bytes, peer, isTrusted)
        if (event !== null) events.push(event)
      },
      tooLong: () => this.#intake.count('too_long', peer),
      cutShort: () => this.#intake.count('cut_short', peer),
    })
    const storeRead = async () => {
      const batch = events
      events = []
      await this.#intake.store(batch, peer)
    }
    try {
      for await (const chunk of socket) {
        framer.push(chunk)
        await storeRead()
      }
    } catch {
      // The connection broke: what came before is kept, as after an orderly end.
    }
    framer.end()
    await storeRead()
    socket.destroy()
  }
}

function addressOf(socket: Socket): string {
  const address = socket.remoteAddress ?? 'unknown'
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
