/** GET /fields and /fields/{name}/values: what events hold, as counted. */
import { type Static, Type } from '@sinclair/typebox'
import { quoteField } from '../../grammar/index.ts'
import { DateTime, typeOf, type Value } from '../../storage/value.ts'
import { RequestError } from '../errors.ts'
import { type Asking, asking, type Row } from '../query/ask.ts'
import { jsonText } from '../query/json-text.ts'
import { instantOf, isoOf } from '../query/time-range.ts'
import { type Call, route } from './route.ts'

const FROM = Type.Optional(Type.String({ description: 'only events from then on' }))
const TO = Type.Optional(Type.String({ description: 'only events before then' }))

const FIELDS = Type.Object(
  {
    from: FROM,
    to: TO,
    prefix: Type.Optional(Type.String({ description: 'only fields whose name begins so' })),
    source: Type.Optional(Type.String({ description: 'only events of this source' })),
  },
  { additionalProperties: false },
)

const VALUES = Type.Object(
  {
    from: FROM,
    to: TO,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'values in the answer; 10 when absent' }),
    ),
  },
  { additionalProperties: false },
)

const VALUES_DEFAULT = 10
/** As many as `describe` gives. */
const TOP_VALUES = 5
/** Numeric fields asked about in one query. */
const FIELDS_AT_ONCE = 50

export const FIELD_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/fields',
    scope: 'query',
    summary: 'Every field with its type, how many events have it, its bounds, and its top values',
    query: FIELDS,
    answers: '{fields: [{name, type, count, coverage, min?, max?, avg?, p50?, p99?, top_values?, approximate?}]}',
    handle: fields,
  }),
  route({
    method: 'GET',
    path: '/api/v1/fields/:name/values',
    scope: 'query',
    summary: 'The most frequent values of a field; all figures are exact',
    query: VALUES,
    answers: '{field, type, values: [{value, count, percent}], unique_count, total_count}',
    handle: fieldValues,
  }),
]

async function fields(call: Call<Static<typeof FIELDS>, undefined>): Promise<unknown> {
  const { context, reply, query } = call
  const { prefix, source } = query
  const options = rangeOf(query)
  const hasEvents = context.engine.status().eventCount > 0
  const filter = source === undefined ? '' : ` | where _source == ${JSON.stringify(source)}`
  return asking(call, async ask => {
    const found = hasEvents ? await describe(ask, `from *${filter}`, prefix ?? '', options) : []
    reply.type('application/json; charset=utf-8')
    return jsonText({ data: { fields: found }, meta: { took_ms: ask.tookMs() } })
  })
}

async function describe(
  ask: Asking,
  events: string,
  prefix: string,
  options: { readonly from?: string; readonly to?: string },
): Promise<Row[]> {
  const counted = await ask.rows(`${events} | stats count() as count`, options)
  const eventCount = Number(counted.rows[0]?.count ?? 0)
  const kept = prefix === '' ? '' : ` | keep ${quoteField(prefix)}*`
  // A prefix that needs quotes cannot be written as a pattern: those fields are picked out afterwards.
  const isPattern = prefix === '' || quoteField(prefix) === prefix
  const { rows } = await ask.rows(`${events}${isPattern ? kept : ''} | describe`, options)
  const described = rows.filter(row => String(row.field).startsWith(prefix))
  // Beside the fields, and asked about like one.
  const indexes = 'index'.startsWith(prefix)
    ? (await ask.rows(`${events} | stats count() as n by index | sort -n, index`, options)).rows
    : []
  const numeric = described.filter(row => NUMERIC.has(String(row.type))).map(row => String(row.field))
  const measured = new Map<string, Row>()
  for (let at = 0; at < numeric.length; at += FIELDS_AT_ONCE) {
    const names = numeric.slice(at, at + FIELDS_AT_ONCE)
    const calls = names.map((name, n) => {
      const field = quoteField(name)
      return `avg(${field}) as a${n}, p50(${field}) as b${n}, p99(${field}) as c${n}`
    })
    const [row] = (await ask.rows(`${events} | stats ${calls.join(', ')}`, options)).rows
    for (const [n, name] of names.entries())
      measured.set(name, { avg: row?.[`a${n}`] ?? null, p50: row?.[`b${n}`] ?? null, p99: row?.[`c${n}`] ?? null })
  }
  const entries = described.map(row => entryOf(row, eventCount, measured.get(String(row.field))))
  return indexes.length === 0 ? entries : [...entries, indexEntry(indexes)]
}

function indexEntry(rows: readonly Row[]): Row {
  const count = rows.reduce((sum, { n }) => sum + Number(n), 0)
  const top = rows.slice(0, TOP_VALUES).map(({ index, n }) => ({ value: index ?? null, count: Number(n) }))
  return { name: 'index', type: 'string', count, coverage: 1, top_values: top }
}

const NUMERIC: ReadonlySet<string> = new Set(['int', 'float', 'float|int'])
/** Of more types than one a field counts as text, as what is neither of the five does. */
const TYPES: Readonly<Record<string, string>> = {
  int: 'integer',
  float: 'float',
  'float|int': 'float',
  bool: 'boolean',
  datetime: 'datetime',
}
const WITH_TOP_VALUES: ReadonlySet<string> = new Set(['string', 'integer'])

function entryOf(row: Row, eventCount: number, measured: Row | undefined): Row {
  const type = TYPES[String(row.type)] ?? 'string'
  const coverage = Number(row.coverage)
  const top = row.top_values
  return {
    name: row.field,
    type,
    count: Math.round(coverage * eventCount),
    coverage,
    ...((measured !== undefined || type === 'datetime') && { min: numberOf(row.min), max: numberOf(row.max) }),
    // Percentiles are those of a sketch, which is within 1 % of the value.
    ...(measured !== undefined && { ...measured, approximate: true }),
    ...(WITH_TOP_VALUES.has(type) && Array.isArray(top) && { top_values: top }),
  }
}

/** Times as milliseconds since 1970: the interface has numbers there. */
function numberOf(value: Value): Value {
  return value instanceof DateTime ? value.micros / 1000 : (value ?? null)
}

async function fieldValues(call: Call<Static<typeof VALUES>, undefined>): Promise<unknown> {
  const { context, params, reply, query } = call
  const name = params.name!
  const limit = query.limit ?? VALUES_DEFAULT
  const now = new DateTime(Date.now() * 1000)
  const status = context.engine.storage.indexes()
  const field = quoteField(name)
  const bounds = rangeOf(query)
  return asking(call, async ask => {
    const options = { ...bounds, now }
    const isThere = context.engine.status().eventCount > 0
    const top = isThere
      ? await ask.rows(
          `from * | where exists(${field}) and not is_null(${field}) | stats count() as n by ${field} as value | sort -n, value`,
          options,
          limit,
        )
      : { rows: [], total: 0 }
    const counted = isThere ? await ask.rows(`from * | stats count(${field}) as n`, options) : { rows: [] }
    const total = Number(counted.rows[0]?.n ?? 0)
    const values = top.rows.map(({ value, n }) => ({
      value: value ?? null,
      count: Number(n),
      percent: total === 0 ? 0 : Math.round((Number(n) / total) * 10_000) / 100,
    }))
    const known = (pick: (of: { minMicros: number | null; maxMicros: number | null }) => number | null) =>
      status.map(pick).filter(micros => micros !== null)
    const from =
      bounds.from === undefined
        ? Math.min(...known(of => of.minMicros), now.micros)
        : instantOf('from', bounds.from, now)
    const to =
      bounds.to === undefined ? Math.max(...known(of => of.maxMicros), now.micros) : instantOf('to', bounds.to, now)
    reply.type('application/json; charset=utf-8')
    return jsonText({
      data: { field: name, type: typeName(top.rows), values, unique_count: top.total, total_count: total },
      meta: { from: isoOf(from), to: isoOf(to), took_ms: ask.tookMs() },
    })
  })
}

function typeName(rows: readonly Row[]): string {
  const types = [...new Set(rows.map(row => typeOf(row.value)))].sort()
  return TYPES[types.join('|')] ?? 'string'
}

/** @throws {RequestError} VALIDATION_ERROR */
function rangeOf({ from, to }: { readonly from?: string; readonly to?: string }): { from?: string; to?: string } {
  const now = new DateTime(Date.now() * 1000)
  const start = from ? instantOf('from', from, now) : Number.NEGATIVE_INFINITY
  const end = to ? instantOf('to', to, now) : Number.POSITIVE_INFINITY
  if (start >= end) throw new RequestError('VALIDATION_ERROR', 'to is not after from')
  return { ...(from && { from }), ...(to && { to }) }
}
