/** The route table as an OpenAPI 3.1 document: what `app.ts` serves and checks, and nothing it does not. */
import type { TObject, TSchema } from '@sinclair/typebox'
import { STATUS_OF_CODE } from './errors.ts'
import type { Route } from './routes/route.ts'

type Json = Readonly<Record<string, unknown>>

export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationOf(route)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Quern', version, summary: 'Log analytics where every query is compiled' },
    paths,
    components: {
      schemas: { Error: ERROR },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic', description: 'any user, the token as password' },
        apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'ApiKey base64(id:secret)' },
        token: { type: 'apiKey', in: 'query', name: '_token', description: 'for clients that cannot set headers' },
      },
    },
  }
}

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(STATUS_OF_CODE) },
        message: { type: 'string' },
        suggestion: { type: 'string' },
        position: {
          type: 'object',
          properties: {
            offset: { type: 'integer' },
            line: { type: 'integer' },
            column: { type: 'integer' },
            length: { type: 'integer' },
          },
        },
      },
    },
  },
}

function operationOf(route: Route): Json {
  const parameters = [...pathParameters(route.path), ...queryParameters(route.query)]
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [tagOf(route)],
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(route),
    responses: {
      '2XX': { description: route.answers ?? route.summary },
      default: {
        description: 'what went wrong',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    'x-scope': route.scope,
    security: route.scope === 'open' ? [] : [{ bearer: [] }, { apiKey: [] }, { basic: [] }, { token: [] }],
  }
}

/** `GET /api/v1/query/jobs/:id` → `get_query_jobs_id`. */
function operationId({ method, path }: Route): string {
  const words = path.replace('/api/v1', '').match(/[A-Za-z0-9]+/g) ?? ['root']
  const prefix = path.startsWith('/api/v1') ? '' : '_bare'
  return `${method.toLowerCase()}${prefix}_${words.join('_').toLowerCase()}`
}

/** The resource: what stands first after the prefix. */
export function tagOf({ path, dialect }: Route): string {
  if (dialect === 'elastic') return 'search-engine clients'
  return path.replace('/api/v1/', '/').split('/')[1]!
}

function pathParameters(path: string): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(match => match[1]!)
  if (path.includes('*')) names.push('path')
  return names.map(name => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function queryParameters(schema: TObject | null): Json[] {
  if (schema === null) return []
  const required = new Set(schema.required ?? [])
  return Object.entries<TSchema>(schema.properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.has(name),
    ...(property.description !== undefined && { description: property.description }),
    schema: property,
  }))
}

function bodyOf({ body, limit }: Route): Json {
  if (body !== null) return { requestBody: { required: true, content: { 'application/json': { schema: body } } } }
  if (limit !== 'ingest') return {}
  const schema = { type: 'string', format: 'binary' }
  return { requestBody: { required: true, content: { '*/*': { schema } } } }
}
