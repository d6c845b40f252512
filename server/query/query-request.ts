/** What a request asks for, from a JSON body or a query string: one shape, aliases resolved, every limit checked. */
import { type Static, Type } from '@sinclair/typebox'
import type { QueryOptions } from '../../engine.ts'
import type { Value } from '../../storage/value.ts'
import type { Config } from '../config.ts'
import { RequestError } from '../errors.ts'

export type Format = 'json' | 'ndjson' | 'csv' | 'tsv' | 'table' | 'arrow'
export type ProfileDetail = 'basic' | 'full' | 'trace'

export interface QueryRequest {
  readonly text: string
  readonly options: Pick<QueryOptions, 'from' | 'to' | 'variables'>
  readonly limit: number
  readonly offset: number
  readonly format: Format
  readonly profile: ProfileDetail | null
  /** How long the client waits for the answer, in milliseconds, before it is a job; 0: not at all; null: as long as is usual. */
  readonly waitMs: number | null
}

const Text = Type.Optional(Type.String())
const Nullable = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Profile = Type.Union([
  Type.Boolean(),
  Type.Literal('true'),
  Type.Literal('false'),
  Type.Literal('basic'),
  Type.Literal('full'),
  Type.Literal('trace'),
])
const WORDS = { q: Text, query: Text, from: Nullable, earliest: Nullable, to: Nullable, latest: Nullable }
const VARIABLES = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
const STRICT = { additionalProperties: false }

export const QUERY_BODY = Type.Object(
  {
    ...WORDS,
    limit: Type.Optional(Type.Integer({ minimum: 0 })),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
    wait: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()])),
    profile: Type.Optional(Profile),
    format: Text,
    variables: VARIABLES,
  },
  STRICT,
)

export const STREAM_BODY = Type.Object({ ...WORDS, variables: VARIABLES }, STRICT)

/** Query strings are text; a union with null would turn an empty `from` into null, so there is none here. */
export const QUERY_PARAMETERS = Type.Object(
  {
    q: Text,
    query: Text,
    from: Text,
    earliest: Text,
    to: Text,
    latest: Text,
    limit: Type.Optional(Type.Integer({ minimum: 0 })),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
    wait: Type.Optional(Type.Number({ minimum: 0 })),
    profile: Text,
    format: Text,
  },
  STRICT,
)

export const EXPLAIN_PARAMETERS = Type.Object(
  {
    q: Text,
    query: Text,
    from: Text,
    earliest: Text,
    to: Text,
    latest: Text,
    analyze: Type.Optional(Type.Boolean()),
    passes: Type.Optional(Type.Boolean()),
    js: Type.Optional(Type.Boolean()),
  },
  STRICT,
)

type Words = Omit<Static<typeof STREAM_BODY>, 'variables'> & { readonly variables?: Readonly<Record<string, unknown>> }
type Asked = Words & {
  readonly limit?: number
  readonly offset?: number
  readonly wait?: number | null
  readonly profile?: boolean | string
  readonly format?: string
}

/** @throws {RequestError} */
export function readQueryRequest(asked: Asked, config: Config): QueryRequest {
  const { text, options } = readWords(asked, config)
  const { limit, offset } = pageOf(asked, config)
  const waitMs = asked.wait == null ? null : asked.wait * 1000
  return { text, options, limit, offset, format: formatOf(asked.format), profile: profileOf(asked.profile), waitMs }
}

/** @throws {RequestError} for more rows than an answer may have */
export function pageOf(
  { limit, offset }: { readonly limit?: number; readonly offset?: number },
  config: Config,
): { readonly limit: number; readonly offset: number } {
  const most = config.get('query.max_limit')
  if (limit !== undefined && limit > most) {
    throw new RequestError('VALIDATION_ERROR', `limit ${limit} is more than ${most}, the most this route answers`, {
      suggestion: 'page with offset, or use POST /api/v1/query/stream, which has no limit',
    })
  }
  return { limit: limit ?? Math.min(most, config.get('query.default_limit')), offset: offset ?? 0 }
}

/** The text and its bounds, which every query route has. @throws {RequestError} */
export function readWords(asked: Words, config: Config): Pick<QueryRequest, 'text' | 'options'> {
  const text = one('q', asked.q, 'query', asked.query)
  if (text === undefined || text.trim() === '')
    throw new RequestError('VALIDATION_ERROR', 'q is missing: the text of the query', { suggestion: 'q=level=error' })
  const most = config.get('query.max_query_bytes')
  const size = Buffer.byteLength(text)
  if (size > most)
    throw new RequestError('QUERY_TOO_LARGE', `the query is ${size} bytes long; query.max_query_bytes is ${most}`)
  const from = one('from', asked.from, 'earliest', asked.earliest)
  const to = one('to', asked.to, 'latest', asked.latest)
  const variables = asked.variables === undefined ? undefined : variablesOf(asked.variables)
  return {
    text,
    options: {
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(variables !== undefined && { variables }),
    },
  }
}

function one(
  name: string,
  value: string | null | undefined,
  alias: string,
  other: string | null | undefined,
): string | undefined {
  const given = value || undefined
  const aliased = other || undefined
  if (given !== undefined && aliased !== undefined && given !== aliased)
    throw new RequestError('VALIDATION_ERROR', `${name} and ${alias} are the same parameter and differ`)
  return given ?? aliased
}

const FORMATS: readonly Format[] = ['json', 'ndjson', 'csv', 'tsv', 'table', 'arrow']

function formatOf(format = 'json'): Format {
  const known = FORMATS.find(name => name === format)
  if (known !== undefined) return known
  const message = `format ${JSON.stringify(format)} is not available`
  throw new RequestError('VALIDATION_ERROR', message, { suggestion: `available are ${FORMATS.join(', ')}` })
}

function profileOf(profile: boolean | string = false): ProfileDetail | null {
  if (profile === false || profile === 'false') return null
  if (profile === true || profile === 'true' || profile === 'basic') return 'basic'
  if (profile === 'full' || profile === 'trace') return profile
  throw new RequestError('VALIDATION_ERROR', 'profile is true, false, basic, full or trace')
}

/** Typed values, never text: what a variable holds cannot change what the query says. */
function variablesOf(given: Readonly<Record<string, unknown>>): Readonly<Record<string, Value>> {
  const variables: Record<string, Value> = Object.create(null)
  for (const [key, value] of Object.entries(given)) {
    const name = key.startsWith('$') ? key.slice(1) : key
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new RequestError('VALIDATION_ERROR', `${JSON.stringify(key)} is not a name of a variable`)
    if (!isScalar(value) && !(Array.isArray(value) && value.every(isScalar)))
      throw new RequestError('VALIDATION_ERROR', `variable ${name} must be a scalar or a list of scalars`)
    variables[name] = value as Value
  }
  return variables
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}
