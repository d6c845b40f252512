/**
 * OTLP over gRPC: one method, `LogsService/Export`. Messages are decoded by the same reader as over HTTP; keys come in the metadata
 * `authorization`.
 */
import type { Server, ServerCredentials, ServerUnaryCall, StatusObject, sendUnaryData } from '@grpc/grpc-js'
import type { ServerContext } from '../context.ts'
import { answerError, RequestError, shuttingDown } from '../errors.ts'
import { OtlpError } from '../protocols/otlp/model.ts'
import { readOtlpProtobuf, writeOtlpResponse, writeStatus } from '../protocols/otlp/protobuf.ts'
import { grpcCodeOf, retryAfterOf } from '../protocols/otlp/status.ts'
import { storeOtlp } from '../protocols/otlp/store.ts'
import { type TlsFiles, tlsFiles } from '../tls.ts'
import type { ListenerKind, ListenerLog } from './listener.ts'

const PATH = '/opentelemetry.proto.collector.logs.v1.LogsService/Export'

export const otlpGrpc: ListenerKind = {
  name: 'otlp.grpc',
  summary: 'OTLP over gRPC',
  async start(context, { host, port }, log) {
    // Loaded when it is needed: a server without it starts a tenth of a second sooner.
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
    const authority = host.includes(':') ? `[${host}]` : host
    const bound = await bind(
      server,
      `${authority}:${port}`,
      credentialsOf(grpc.ServerCredentials, tlsFiles(context.config, 'otlp')),
    )
    return {
      address: `${authority}:${bound}`,
      stop: graceMs => stop(server, graceMs),
    }
  },
}

function credentialsOf(of: typeof ServerCredentials, tls: TlsFiles | null): ServerCredentials {
  if (tls === null) return of.createInsecure()
  return of.createSsl(tls.ca ?? null, [{ cert_chain: tls.cert, private_key: tls.key }], tls.ca !== undefined)
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

function bind(server: Server, address: string, credentials: Parameters<Server['bindAsync']>[1]): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error === null ? resolve(port) : reject(error)))
  })
}

function stop(server: Server, graceMs: number): Promise<void> {
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
