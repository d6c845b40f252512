/** Random requests to the routes of the table: near enough to right ones to get past the first check, and wrong in every way after it. */
import type { TSchema } from '@sinclair/typebox'
import type { Route } from '../../server/routes/route.ts'
import type { Random } from './random.ts'
import { randomText } from './text.ts'

export interface RandomRequest {
  readonly method: string
  readonly path: string
  readonly body: string | null
  readonly headers: Readonly<Record<string, string>>
}

const QUERIES = [
  'level=error',
  'stats count() by level',
  'where n > 3 | keep n | head 5',
  'extend a = upper(level) | sort -n | head 3',
  'stats count() by bin(_time, 1m)',
  'from * | top 3 level',
  '',
  '|',
]
const WORDS = [
  '',
  ' ',
  '0',
  '-1',
  '5',
  '1e309',
  '9007199254740993',
  '0x10',
  'NaN',
  'null',
  'true',
  'now',
  '-1h',
  '@d',
  '-1',
  '+1y',
  'yesterday',
  '2026-06-15T12:00:00Z',
  '2026-13-45',
  '275760-09-13T00:00:00Z',
  '-99999999d',
  'json',
  'csv',
  'arrow',
  'level',
  '_time',
  'a b',
  '`',
  '"',
  '__proto__',
  'constructor',
  '../..',
  '%',
  '%00',
  '\u0000',
  '💥',
  'x'.repeat(5000),
  'qry_0123456789abcdef',
  'done',
  'main',
  '*',
  '$x',
] as const

/** What a route would take, by the name of the parameter. */
const SANE: Readonly<Record<string, readonly string[]>> = {
  q: QUERIES.slice(0, 6),
  from: ['-1h', '@d', '2020-01-01T00:00:00Z'],
  to: ['now', '+1h'],
  limit: ['0', '1', '60'],
  offset: ['0', '3'],
  wait: ['0', '0.001', '5'],
  profile: ['true', 'full', 'trace'],
  format: ['json', 'csv', 'tsv', 'ndjson', 'table', 'arrow'],
  buckets: ['1', '60', '1000'],
  group_by: ['level', 'n', 'nothing'],
  prefix: ['l', '_', 'x'],
  source: ['s0', 'none'],
  count: ['0', '5', '10000'],
  analyze: ['true'],
  passes: ['true'],
  js: ['true'],
  status: ['running', 'done'],
  name: ['saved', 'idx'],
  retention: ['90d'],
}

export function randomRequest(random: Random, routes: readonly Route[]): RandomRequest {
  const route = random.pick(routes)
  const path = route.path.replace(/:\w+|\*/g, () => encodeURIComponent(random.pick(WORDS).slice(0, 300) || 'x'))
  const parameters = new URLSearchParams()
  const isSane = random.chance(0.5)
  for (const [name, schema] of propertiesOf(route.query)) {
    const sane = SANE[name]
    if (isSane && sane !== undefined && random.chance(0.8)) parameters.append(name, random.pick(sane))
    else if (!isSane && random.chance(0.6)) parameters.append(name, text(random, name, schema))
  }
  if (random.chance(0.15)) parameters.append(random.pick(WORDS), random.pick(WORDS))
  let query = parameters.toString()
  if (random.chance(0.05)) query += random.pick(['&', '&=', '&%', '?', '&q', '&q[]=1', '&q=1&q=2'])
  return {
    method: route.method,
    path: query === '' ? path : `${path}?${query}`,
    body: route.limit === 'none' ? null : randomBody(random, route),
    headers: {
      'content-type': random.chance(0.9)
        ? 'application/json'
        : random.pick(['text/plain', 'x', 'multipart/form-data; boundary=']),
      ...(random.chance(0.1) && { 'last-event-id': random.pick(['0', '1', '99999999', '-1', 'x', '1e3']) }),
      ...(random.chance(0.1) && {
        'x-request-id': random.pick(['a', 'x'.repeat(300), 'é']).replace(/[^\x20-\x7e]/g, '?'),
      }),
    },
  }
}

function propertiesOf(schema: Route['query']): [string, TSchema][] {
  return Object.entries<TSchema>(schema?.properties ?? {})
}

function randomBody(random: Random, route: Route): string {
  if (random.chance(0.05)) return randomText(random)
  const body: Record<string, unknown> = {}
  const isSane = random.chance(0.5)
  for (const [name, schema] of propertiesOf(route.body))
    if (random.chance(0.7)) body[name] = isSane ? saneValue(random, name, schema) : value(random, name, schema)
  if (random.chance(0.1)) body[random.pick(WORDS)] = value(random, '', {} as TSchema)
  const json = JSON.stringify(random.chance(0.95) ? body : random.pick([[body], null, 1, 'x', [[[[]]]]]))
  return random.chance(0.9) ? json : mutated(random, json)
}

/** Aliases are left out: beside their names they would contradict them. */
function saneValue(random: Random, name: string, schema: TSchema): unknown {
  const sane = SANE[name]
  if (sane === undefined) return undefined
  const picked = random.pick(sane)
  return schema.type === 'string' || Number.isNaN(Number(picked)) ? picked : Number(picked)
}

function value(random: Random, name: string, schema: TSchema): unknown {
  if (random.chance(0.75)) {
    if (schema.type === 'integer' || schema.type === 'number') return random.pick([0, 1, 5, 100, 50_000])
    if (schema.type === 'boolean') return random.chance(0.5)
    if (schema.type === 'array') return [random.pick(WORDS)]
    if (name === 'variables') return { x: random.pick([1, 'a', null, true, [1, 'b'], 1.5]) }
    return text(random, name, schema)
  }
  return random.pick<unknown>([
    null,
    -1,
    1.5,
    1e308,
    -1e-9,
    2 ** 53,
    true,
    '',
    [],
    {},
    { a: { b: [] } },
    [null],
    random.pick(WORDS),
  ])
}

function text(random: Random, name: string, schema: TSchema): string {
  if (name === 'q' || name === 'query') {
    const query = random.chance(0.3) ? randomText(random) : random.pick(QUERIES)
    return random.chance(0.2) ? mutated(random, query) : query
  }
  if (random.chance(0.5) && (schema.type === 'integer' || schema.type === 'number')) return String(random.int(0, 60))
  return random.pick(WORDS)
}

function mutated(random: Random, whole: string): string {
  const at = random.int(0, whole.length)
  const rest = whole.slice(at + random.int(0, 3))
  return whole.slice(0, at) + random.pick(['', '"', '{', ']', '\\', '|', '$', '\u0000', '9'.repeat(400), '((((']) + rest
}
