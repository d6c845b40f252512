/** Syslog over UDP: a datagram is a message. Nobody can be asked to wait, so what finds no room is dropped, counted and told. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { IncomingEvent } from '../../storage/index.ts'
import { printAddress } from './address.ts'
import type { ListenerKind } from './listener.ts'
import { SyslogIntake } from './syslog-intake.ts'

/** Asked of the system, which gives what it allows: bursts wait there while this process is busy. */
const RECEIVE_BUFFER_BYTES = 8 * 1024 * 1024
/** Messages that may wait here for room in the buffer. */
const WAITING_MAX = 50_000

export const syslogUdp: ListenerKind = {
  name: 'syslog.udp',
  summary: 'syslog over UDP',
  async start(context, { host, port }, log) {
    const intake = new SyslogIntake(context, 'udp', log)
    const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BUFFER_BYTES })
    await bound(socket, host, port)
    const queue = new DatagramQueue(intake)
    socket.on('message', (datagram: Buffer, { address }: RemoteInfo) => queue.add(datagram, address))
    // Errors of a socket that is bound concern single datagrams.
    socket.on('error', error => log.warn({ err: error }, 'syslog over UDP'))
    return {
      address: printAddress(socket.address()),
      async stop() {
        await new Promise<void>(resolve => socket.close(() => resolve()))
        await queue.drained()
      },
    }
  },
}

class DatagramQueue {
  readonly #intake: SyslogIntake
  #waiting: IncomingEvent[] = []
  #storing: Promise<void> | null = null

  constructor(intake: SyslogIntake) {
    this.#intake = intake
  }

  add(datagram: Buffer, peer: string): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#intake.count('dropped', peer)
      return
    }
    const event = this.#intake.read(datagram, peer, this.#intake.trusts(peer))
    if (event === null) return
    this.#waiting.push(event)
    this.#storing ??= this.#storeAll()
  }

  async drained(): Promise<void> {
    while (this.#storing !== null) await this.#storing
  }

  async #storeAll(): Promise<void> {
    // All that came in this turn of the event loop is stored together.
    await new Promise(setImmediate)
    try {
      while (this.#waiting.length > 0) {
        const events = this.#waiting
        this.#waiting = []
        await this.#intake.store(events, 'several')
      }
    } finally {
      this.#storing = null
    }
  }
}

function bound(socket: Socket, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(port, host, () => {
      socket.off('error', reject)
      resolve()
    })
  })
}
