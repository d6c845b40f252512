/** Server-sent events on the raw answer: named events, ids to resume from, and whether the client keeps up. */
import type { FastifyReply } from 'fastify'

const RETRY_MS = 1000

/** An event of a stream. `data` is one line. */
export function eventText(event: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
}

export class EventStream {
  readonly #response: FastifyReply['raw']

  /** Takes the answer over from fastify; headers set so far go with it. */
  constructor(reply: FastifyReply) {
    const headers = reply.getHeaders()
    reply.hijack()
    this.#response = reply.raw
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.#response.setHeader(name, value)
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      // Proxies that gather an answer before they pass it on would hold back every event.
      'X-Accel-Buffering': 'no',
      Connection: 'keep-alive',
    })
    // Clients that are cut off come back after this long, in milliseconds.
    this.#response.write(`retry: ${RETRY_MS}\n\n`)
    // HEAD asks for the headers, and those were they.
    if (reply.request.method === 'HEAD') this.#response.end()
  }

  /** `data` is one line of JSON. */
  send(event: string, data: string, id?: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return
    this.#response.write(eventText(event, data, id))
  }

  /** Events that are written already. */
  write(bytes: Buffer): void {
    if (!this.#response.destroyed && !this.#response.writableEnded) this.#response.write(bytes)
  }

  /** Bytes the client has not taken yet. */
  get waitingBytes(): number {
    return this.#response.writableLength
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener)
  }

  /** The client has gone, or the stream has ended. */
  onClose(listener: () => void): void {
    if (this.#response.destroyed) queueMicrotask(listener)
    else this.#response.once('close', listener)
  }

  end(): void {
    this.#response.end()
  }
}
