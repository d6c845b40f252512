/**
 * OTLP over gRPC: one method, `LogsService/Export`. Messages are decoded by the same reader as over HTTP; keys come in the metadata
 * `authorization`.
 */
import { type AddressInfo, createServer, type Server as PortServer, type Socket } from 'node:net'
import type { ConnectionInjector, Server, ServerUnaryCall, StatusObject, sendUnaryData } from '@grpc/grpc-js'
import type { ServerContext } from '../context.ts'
import { answerError, RequestError, shuttingDown } from '../errors.ts'
import { OtlpError } from '../protocols/otlp/model.ts'
import { readOtlpProtobuf, writeOtlpResponse, writeStatus } from '../protocols/otlp/protobuf.ts'
import { grpcCodeOf, retryAfterOf } from '../protocols/otlp/status.ts'
import { storeOtlp } from '../protocols/otlp/store.ts'
import { type TlsFiles, tlsFiles } from '../tls.ts'
import { type Address, listen, printAddress } from './address.ts'
import type { ListenerKind, ListenerLog } from './listener.ts'

const PATH = '/opentelemetry.proto.collector.logs.v1.LogsService/Export'

export const otlpGrpc: ListenerKind = {
  name: 'otlp.grpc',
  summary: 'OTLP over gRPC',
  async start(context, address, log) {
    const tls = tlsFiles(context.config, 'otlp')
    const port = new GrpcPort(() => startService(context, tls, log), log)
    // Whoever named a certificate means to be sent something, and is to hear now if it is none.
    if (tls !== null) await port.load()
    const bound = await port.listen(address)
    return { address: printAddress(bound), stop: graceMs => port.stop(graceMs) }
  },
}

/** What answers, once it is loaded. */
interface GrpcService {
  readonly server: Server
  readonly injector: ConnectionInjector
}

/**
 * The port is open by default and most servers are never called there, so the library is loaded for the first who calls: 5 MB, and a tenth of a
 * second of every start. What he says meanwhile is read once it is there.
 */
class GrpcPort {
  readonly #load: () => Promise<GrpcService>
  readonly #log: ListenerLog
  readonly #port: PortServer
  readonly #open = new Set<Socket>()
  #loading: Promise<GrpcService> | null = null
  #isStopping = false

  constructor(load: () => Promise<GrpcService>, log: ListenerLog) {
    this.#load = load
    this.#log = log
    this.#port = createServer({ noDelay: true }, socket => void this.#take(socket))
  }

  load(): Promise<GrpcService> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  listen(address: Address): Promise<AddressInfo> {
    return listen(this.#port, address)
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    this.#port.close()
    const service = await this.#loading?.catch(() => null)
    if (service) await shutDown(service.server, graceMs)
    // Those who connected and have not said anything.
    for (const socket of this.#open) socket.destroy()
  }

  async #take(socket: Socket): Promise<void> {
    this.#open.add(socket)
    socket.on('close', () => this.#open.delete(socket))
    socket.on('error', () => socket.destroy())
    try {
      const { injector } = await this.load()
      if (this.#isStopping) socket.destroy()
      else if (!socket.destroyed) injector.injectConnection(socket)
    } catch (error) {
      this.#loading = null
      this.#log.warn({ err: error }, 'gRPC cannot be answered')
      socket.destroy()
    }
  }
}

async function startService(context: ServerContext, tls: TlsFiles | null, log: ListenerLog): Promise<GrpcService> {
  const grpc = await import('@grpc/grpc-js')
  const limit = context.config.get('ingest.max_body_size')
  const server = new grpc.Server({ 'grpc.max_receive_message_length': limit })
  server.addService(
    {
      export: {
        path: PATH,
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    },
    {
      export(call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) {
        receive(context, call).then(
          answer => callback(null, answer),
          error => callback(failure(error, new grpc.Metadata(), log)),
        )
      },
    },
  )
  const credentials =
    tls === null
      ? grpc.ServerCredentials.createInsecure()
      : grpc.ServerCredentials.createSsl(
          tls.ca ?? null,
          [{ cert_chain: tls.cert, private_key: tls.key }],
          tls.ca !== undefined,
        )
  return { server, injector: server.createConnectionInjector(credentials) }
}

async function receive(
  context: ServerContext,
  { request, metadata }: ServerUnaryCall<Buffer, Buffer>,
): Promise<Buffer> {
  if (context.isStopping) throw shuttingDown()
  const [authorization] = metadata.get('authorization')
  context.authority?.authorize({ authorization: authorization?.toString() }, 'ingest')
  try {
    const { rejected, message } = await storeOtlp(context, readOtlpProtobuf(request))
    return writeOtlpResponse(rejected, message)
  } catch (error) {
    if (error instanceof OtlpError) throw new RequestError('INVALID_REQUEST', error.message)
    throw error
  }
}

/** The status, and for what may be tried again how long to wait: senders of OTLP read it from the details. */
function failure(
  thrown: unknown,
  metadata: StatusObject['metadata'],
  log: ListenerLog,
): Pick<StatusObject, 'code' | 'details' | 'metadata'> {
  const answer = answerError(thrown, 'of gRPC')
  if (answer.isUnexpected) log.warn({ err: thrown }, 'gRPC request failed')
  const code = grpcCodeOf(answer)
  const { message } = answer.error
  metadata.set('grpc-status-details-bin', writeStatus(code, message, retryAfterOf(answer)))
  return { code, details: message, metadata }
}

function shutDown(server: Server, graceMs: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => {
      server.forceShutdown()
      resolve()
    }, graceMs)
    server.tryShutdown(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function asIs(bytes: Buffer): Buffer {
  return bytes
}
