/** Saved queries: kept by id, and by name usable in others (`use`). */
import { randomBytes } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { SAVED_QUERIES } from '../../engine.ts'
import { CompileError, parse } from '../../grammar/index.ts'
import type { DocumentStore } from '../../storage/index.ts'
import { RequestError } from '../errors.ts'
import { route } from './route.ts'

const DEFINITION = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 500 }),
    q: Type.String({ minLength: 1 }),
    from: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'where its time range begins by default' }),
    ),
  },
  { additionalProperties: false },
)

interface SavedQuery {
  readonly id: string
  readonly name: string
  readonly q: string
  readonly from?: string
  readonly created_at: string
  readonly updated_at: string
}

const PATH = '/api/v1/queries'

export const SAVED_QUERY_ROUTES = [
  route({
    method: 'GET',
    path: PATH,
    scope: 'query',
    summary: 'Saved queries, oldest first',
    answers: '{queries: [{id, name, q, from?, created_at, updated_at}]}',
    handle({ context }) {
      const queries = context.engine.documents.list(SAVED_QUERIES).map(({ document }) => document as SavedQuery)
      return { data: { queries: queries.sort((a, b) => (a.created_at < b.created_at ? -1 : 1)) } }
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    scope: 'admin',
    summary: 'Save a query',
    body: DEFINITION,
    async handle({ context, reply, body }) {
      const now = new Date().toISOString()
      const query = savedQuery(`sq_${randomBytes(6).toString('hex')}`, body, now, now)
      await context.engine.documents.put(SAVED_QUERIES, query.id, query)
      reply.code(201).header('Location', `${PATH}/${query.id}`)
      return { data: query }
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:id`,
    scope: 'query',
    summary: 'One saved query',
    handle: ({ context, params }) => ({ data: find(context.engine.documents, params.id!) }),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:id`,
    scope: 'admin',
    summary: 'Put another definition in the place of a saved query',
    body: DEFINITION,
    async handle({ context, params, body }) {
      const { id, created_at } = find(context.engine.documents, params.id!)
      const query = savedQuery(id, body, created_at, new Date().toISOString())
      await context.engine.documents.put(SAVED_QUERIES, id, query)
      return { data: query }
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:id`,
    scope: 'admin',
    summary: 'Delete a saved query',
    async handle({ context, reply, params }) {
      if (!(await context.engine.documents.delete(SAVED_QUERIES, params.id!))) throw notFound(params.id!)
      reply.code(204)
      return ''
    },
  }),
]

/** @throws {CompileError} when it could never run */
function savedQuery(
  id: string,
  { name, q, from }: Static<typeof DEFINITION>,
  created_at: string,
  updated_at: string,
): SavedQuery {
  const { source, diagnostics } = parse(q)
  const [first, ...rest] = diagnostics
  if (first !== undefined) throw new CompileError(source, [first, ...rest])
  return { id, name, q, ...(from && { from }), created_at, updated_at }
}

function find(documents: DocumentStore, id: string): SavedQuery {
  const document = documents.get(SAVED_QUERIES, id)
  if (document === undefined) throw notFound(id)
  return document as SavedQuery
}

function notFound(id: string): RequestError {
  return new RequestError('NOT_FOUND', `there is no saved query ${id}`)
}
