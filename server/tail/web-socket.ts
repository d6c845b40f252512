/**
 * Live tail over WebSocket, for clients that prefer it: the same route, the same checks before the connection is taken over, and messages
 * `{type, id?, data}` with what the events of the stream hold.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { stripTokenParameter, tokenParameterOf } from '../auth/token-parameter.ts'
import type { ServerContext } from '../context.ts'
import { answerError, RequestError, shuttingDown } from '../errors.ts'
import { load } from '../load.ts'
import { checkParameters } from '../validate.ts'
import { readTailRequest, TAIL_PARAMETERS } from './request.ts'
import { Tail, type TailSink } from './tail.ts'

export const TAIL_PATH = '/api/v1/tail'
/** Clients have nothing to say. */
const MESSAGE_BYTES_MAX = 4096

const check = checkParameters(TAIL_PARAMETERS)

export function serveWebSockets(server: Server, context: ServerContext): void {
  let sockets: WebSocketServer | null = null
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    try {
      const asked = admit(request, context)
      const taking = (sockets ??= webSocketServer())
      Tail.open(context, asked, () => connect(taking, request, socket, head))
    } catch (error) {
      refuse(socket, error, context)
    }
  })
}

function webSocketServer(): WebSocketServer {
  const { WebSocketServer } = load('ws') as typeof import('ws')
  return new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX })
}

function admit(request: IncomingMessage, context: ServerContext): ReturnType<typeof readTailRequest> {
  if (context.isStopping) throw shuttingDown()
  const url = new URL(stripTokenParameter(request), 'http://localhost')
  if (url.pathname.replace(/\/$/, '') !== TAIL_PATH)
    throw new RequestError('NOT_FOUND', `there is no WebSocket at ${url.pathname}`, { suggestion: TAIL_PATH })
  const { authorization, 'last-event-id': lastEventId } = request.headers
  const caller = context.authority?.authorize({ authorization, token: tokenParameterOf(request) }, 'query') ?? null
  const client = caller?.keyId ?? request.socket.remoteAddress ?? ''
  context.rateLimit.take(client, context.config.get('http.rate_limit'))
  const parameters = Object.fromEntries(url.searchParams)
  check(parameters)
  const last = Array.isArray(lastEventId) ? lastEventId[0] : lastEventId
  return readTailRequest(context, parameters as never, last)
}

/** The handshake has not been answered yet, so this is still plain HTTP. */
function refuse(socket: Duplex, error: unknown, context: ServerContext): void {
  const { status, error: body, headers, isUnexpected } = answerError(error, 'websocket')
  if (isUnexpected) context.log.error({ err: error }, 'web socket failed')
  const text = JSON.stringify({ error: status === 422 ? body.message : body })
  const lines = Object.entries({
    ...headers,
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${text}`)
}

/** What is sent before the handshake has ended waits for it. */
function connect(sockets: WebSocketServer, request: IncomingMessage, socket: Duplex, head: Buffer): TailSink {
  let client: WebSocket | null = null
  let isEnded = false
  const waiting: string[] = []
  const onDrain: (() => void)[] = []
  const write = (message: string): void => {
    if (client === null) waiting.push(message)
    else if (client.readyState === client.OPEN) client.send(message, () => drained())
  }
  const drained = (): void => {
    for (const listener of onDrain.splice(0)) listener()
  }
  sockets.handleUpgrade(request, socket, head, opened => {
    client = opened
    opened.on('error', () => opened.terminate())
    for (const message of waiting.splice(0)) write(message)
    if (isEnded) opened.close(1000)
  })
  return {
    send: (type, data, id) => write(`{"type":"${type}",${id === undefined ? '' : `"id":"${id}",`}"data":${data}}`),
    get waitingBytes() {
      return client === null ? 0 : (client as WebSocket).bufferedAmount
    },
    onDrain: listener => void onDrain.push(listener),
    onClose: listener => void socket.once('close', listener),
    end() {
      isEnded = true
      client?.close(1000)
    },
  }
}
