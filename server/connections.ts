/**
 * Which connections wait for an answer. Node's own list counts a connection that has not sent anything yet as busy, and clients do
 * open some in advance; without this, each of them would hold up the end of the server until it times out.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export class Connections {
  /** Answers owed, by connection. */
  readonly #owed = new Map<Socket, number>()
  #isStopping = false

  constructor(server: Server) {
    // Told by a method and not by its class, as who imports that has Node make strings of all root certificates, 0.25 MB. Of a TLS server these are the connections whose handshake is done: what requests come by.
    server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#owed.set(socket, 0)
      socket.once('close', () => this.#owed.delete(socket))
    })
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#add(request.socket, 1)
      response.once('close', () => this.#add(request.socket, -1))
    })
  }

  /** Ends every connection as soon as nothing is owed on it: at once, or after its answer. */
  stop(): void {
    this.#isStopping = true
    for (const [socket, owed] of this.#owed) if (owed === 0) socket.end()
  }

  destroyAll(): void {
    for (const socket of this.#owed.keys()) socket.destroy()
  }

  #add(socket: Socket, change: number): void {
    const before = this.#owed.get(socket)
    if (before === undefined) return
    this.#owed.set(socket, before + change)
    if (this.#isStopping && before + change === 0) socket.end()
  }
}
