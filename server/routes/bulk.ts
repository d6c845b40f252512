/** The routes of the bulk protocol, bare and prefixed, and the single document. */

import { receiveTime } from '../../storage/ingest/receive-time.ts'
import { RequestError } from '../errors.ts'
import { bulkDefaults } from '../ingest/defaults.ts'
import { generateId, storeBulk } from '../protocols/es-bulk.ts'
import { type Call, type Method, type Route, route } from './route.ts'

type BulkCall = Call<Readonly<Record<string, string | readonly string[] | undefined>>, undefined>

const BULK_PATHS = [
  '/_bulk',
  '/:index/_bulk',
  '/_data_stream/:index/_bulk',
  '/api/v1/es/_bulk',
  '/api/v1/es/:index/_bulk',
  '/api/v1/es/_data_stream/:index/_bulk',
  '/api/v1/ingest/bulk',
]

export const BULK_ROUTES: readonly Route[] = [
  // The protocol knows both methods, and some clients use PUT.
  ...BULK_PATHS.flatMap(path => [bulkRoute('POST', path), bulkRoute('PUT', path)]),
  ...['/api/v1/es', ''].flatMap(base => [
    documentRoute('POST', `${base}/:index/_doc`),
    // With an id of the client's own: kept in the answer, as in bulk.
    ...['_doc', '_create'].flatMap(kind => [
      documentRoute('POST', `${base}/:index/${kind}/:id`),
      documentRoute('PUT', `${base}/:index/${kind}/:id`),
    ]),
  ]),
]

function documentRoute(method: Method, path: string): Route {
  return route({
    method,
    path,
    scope: 'ingest',
    summary: 'Store one document',
    limit: 'ingest',
    dialect: 'elastic',
    handle: storeDocument,
  })
}

function bulkRoute(method: Method, path: string): Route {
  return route({
    method,
    path,
    scope: 'ingest',
    summary: 'Store documents of the search-engine bulk protocol',
    limit: 'ingest',
    dialect: 'elastic',
    async handle(call) {
      const { body } = await storeBulk(call.context, call.bytes, call.params.index ?? null, isPublishedAwaited(call))
      call.reply.type('application/json')
      return body
    },
  })
}

async function storeDocument(call: BulkCall): Promise<unknown> {
  const { context, reply, bytes, params } = call
  const index = params.index!
  const read = context.reader.fromJson(bytes.toString('utf8').trim(), bulkDefaults(index, receiveTime()))
  if ('problem' in read) throw new RequestError('INVALID_JSON', `failed to parse: ${read.problem.message}`)
  const receipt = context.engine.ingest([read.event])
  if (context.stored !== undefined) context.stored.events++
  if (isPublishedAwaited(call)) await receipt.published()
  reply.code(201)
  const shards = { total: 1, successful: 1, failed: 0 }
  return {
    _index: index,
    _id: params.id ?? generateId(),
    _version: 1,
    result: 'created',
    _shards: shards,
    _seq_no: 0,
    _primary_term: 1,
  }
}

/** `refresh=true` promises visibility only, and every event is visible at once. */
function isPublishedAwaited({ context, query }: BulkCall): boolean {
  return (
    query.refresh === 'wait_for' || query.wait_for === 'published' || context.config.get('ingest.ack') === 'published'
  )
}
