/** The HTTP event collector: at the paths its senders know, and under the prefix. */
import type { EventDefaults } from '../../storage/ingest/read-event.ts'
import { RequestError } from '../errors.ts'
import { indexNameProblem, isIndexName, requestDefaults } from '../ingest/defaults.ts'
import { HEC_ANSWERS, type HecAnswer, type HecOutcome, storeHecEvents, storeHecRaw } from '../protocols/hec.ts'
import { type Call, type Method, type Route, route } from './route.ts'

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>
type HecCall = Call<Parameters, undefined>
type Handle = (call: HecCall) => unknown

const BASES = ['/services/collector', '/api/v1/services/collector', '/api/v1/ingest/hec']

interface Door {
  readonly method: Method
  /** Behind each base. */
  readonly paths: readonly string[]
  readonly summary: string
  readonly handle: Handle
}

const DOORS: readonly Door[] = [
  {
    method: 'POST',
    paths: ['', '/event', '/event/1.0'],
    summary: 'Store events of the HTTP event collector: JSON envelopes one after another',
    handle: call => receive(call, storeHecEvents),
  },
  {
    method: 'POST',
    paths: ['/raw', '/raw/1.0'],
    summary: 'Store text sent to the HTTP event collector, one event per line',
    handle: call => receive(call, storeHecRaw),
  },
  { method: 'POST', paths: ['/ack'], summary: 'Which requests of a channel are on disk?', handle: tellAcks },
  {
    method: 'GET',
    paths: ['/health', '/health/1.0'],
    summary: 'Does the HTTP event collector take events?',
    handle: tellHealth,
  },
]

export const HEC_ROUTES: readonly Route[] = DOORS.flatMap(({ method, paths, summary, handle }) =>
  BASES.flatMap(base =>
    paths.map(path =>
      route({
        method,
        path: base + path,
        // Load balancers ask for health without a key, at the path they know; under the prefix every route needs one.
        scope: method === 'GET' && !base.startsWith('/api/') ? 'open' : 'ingest',
        summary,
        limit: method === 'GET' ? 'none' : 'ingest',
        dialect: 'splunk',
        handle,
      }),
    ),
  ),
)

type Store = (context: HecCall['context'], body: Buffer, defaults: EventDefaults) => Promise<HecOutcome>

async function receive(call: HecCall, store: Store): Promise<unknown> {
  const { context, reply, bytes } = call
  const channel = channelOf(call)
  if (channel !== null && !isChannel(channel)) return tell(reply, HEC_ANSWERS.invalidChannel)
  if (channel !== null && !context.acks.hasRoom(channel)) {
    reply.header('Retry-After', '1')
    return tell(reply, HEC_ANSWERS.busy)
  }
  const { answer, invalidEvent, writer } = await store(context, bytes, defaultsOf(call))
  if (invalidEvent !== null) return tell(reply, answer, { 'invalid-event-number': invalidEvent })
  if (answer !== HEC_ANSWERS.success) return tell(reply, answer)
  if (channel !== null) return tell(reply, answer, { ackId: context.acks.open(channel, writer.published()) })
  if (call.query.wait_for === 'published' || context.config.get('ingest.ack') === 'published') await writer.published()
  return tell(reply, answer)
}

/** The sender may say in the address what its events do not say themselves. @throws {RequestError} for an index that cannot be */
function defaultsOf({ request, query }: HecCall): EventDefaults {
  const defaults = requestDefaults(request.headers)
  const index = textOf(query.index) ?? defaults.index
  if (!isIndexName(index)) throw new RequestError('VALIDATION_ERROR', indexNameProblem(index))
  return {
    ...defaults,
    index,
    source: textOf(query.source) ?? defaults.source,
    sourcetype: textOf(query.sourcetype) ?? defaults.sourcetype,
    host: textOf(query.host) ?? defaults.host,
  }
}

function tellAcks(call: HecCall): unknown {
  const { context, reply, bytes } = call
  const channel = channelOf(call)
  if (channel === null) return tell(reply, HEC_ANSWERS.channelMissing)
  if (!isChannel(channel)) return tell(reply, HEC_ANSWERS.invalidChannel)
  const acks = acksOf(bytes)
  return acks === null ? tell(reply, HEC_ANSWERS.invalidFormat) : { acks: context.acks.ask(channel, acks) }
}

/** `{"acks":[0,1,2]}` */
function acksOf(body: Buffer): readonly number[] | null {
  try {
    const { acks } = JSON.parse(body.toString('utf8')) as { readonly acks?: unknown }
    return Array.isArray(acks) && acks.every(ack => Number.isSafeInteger(ack) && ack >= 0) ? acks : null
  } catch {
    return null
  }
}

function tellHealth({ context, reply }: HecCall): unknown {
  return tell(reply, context.isStopping ? HEC_ANSWERS.unhealthy : HEC_ANSWERS.healthy)
}

function tell(reply: HecCall['reply'], { status, code, text }: HecAnswer, more: object = {}): unknown {
  reply.code(status)
  return { text, code, ...more }
}

function channelOf({ request, query }: HecCall): string | null {
  return textOf(request.headers['x-splunk-request-channel']) ?? textOf(query.channel)
}

/** A UUID by the protocol; some senders make up something shorter. */
function isChannel(channel: string): boolean {
  return /^[\w-]{1,128}$/.test(channel)
}

function textOf(value: string | readonly string[] | undefined): string | null {
  const text = typeof value === 'string' ? value : value?.[0]
  return text === undefined || text === '' ? null : text
}
