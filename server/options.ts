/**
 * Every option the server knows, one descriptor each: the configuration file, the environment, the flags, `/config` and the
 * documentation are all read off this table, so an option cannot exist in one of them only.
 */

export type OptionKind = 'text' | 'integer' | 'bytes' | 'duration' | 'boolean' | 'choice'

export interface Option<T> {
  readonly kind: OptionKind
  readonly default: T
  readonly doc: string
  readonly choices?: readonly string[]
  /** Smallest and largest value of a number; bytes and durations are in bytes and milliseconds. */
  readonly min?: number
  readonly max?: number
  /** It is read once, at the start: changing it needs another. */
  readonly atStart?: true
}

const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

export const OPTIONS = {
  port: atStart(integer(3100, 'TCP port to listen on; 0 picks a free one', { min: 0, max: 65_535 })),
  host: atStart(text('127.0.0.1', 'address to listen on; 0.0.0.0 for every interface')),
  data: atStart(text('', 'data directory; empty: the default of the command that starts the server')),
  shutdown_grace: duration(30_000, 'how long running requests may take to end when the server stops'),
  'log.level': choice(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'warn', 'what is logged to stderr'),
  'auth.enabled': atStart(boolean(false, 'require API keys; needs a data directory, where they are kept')),
  ...tlsOptions('http', 'the main port'),
  'http.rate_limit': integer(0, 'requests a second that one client may make; 0: as many as it likes', { min: 0 }),
  'ingest.max_body_size': bytes(100 * MIB, 'largest request body, encoded and decoded; larger ones get 413'),
  'ingest.max_batch_size': integer(1000, 'events stored at a time; larger requests are split', { min: 1 }),
  'ingest.max_line_bytes': bytes(MIB, 'longest line of POST /ingest/raw; longer ones count as failed'),
  'ingest.mode': atStart<'full' | 'lightweight'>(
    choice(
      ['full', 'lightweight'],
      'full',
      'full: members of JSON become fields; lightweight: only labels and the time do, the rest stays in _raw for queries to parse',
    ),
  ),
  'ingest.dedup_enabled': atStart(
    boolean(false, 'store an event that was sent again only once; it is accepted all the same'),
  ),
  'ingest.dedup_capacity': atStart(integer(100_000, 'events remembered for that', { min: 1 })),
  'ingest.inflight_bytes_max': bytes(
    512 * MIB,
    'bodies of ingest requests held in memory at once; beyond it requests wait, and get 503 after ten seconds',
  ),
  'ingest.ack': choice(
    ['accepted', 'published'],
    'accepted',
    'when ingest answers: once events are accepted, or once they are on disk and nothing can lose them',
  ),
  'ingest.fsync': atStart(boolean(true, 'fsync part files before they are published')),
  'ingest.flush_age': atStart(duration(1000, 'longest time an event waits in memory before it is written', { min: 1 })),
  'ingest.flush_rows': atStart(integer(1_000_000, 'buffered events that trigger a write', { min: 1 })),
  'ingest.flush_bytes': atStart(bytes(256 * MIB, 'buffered bytes that trigger a write')),
  'ingest.buffer_bytes_max': atStart(bytes(GIB, 'buffered bytes beyond which ingest answers 503 BACKPRESSURE')),
  retention: atStart(
    duration(0, 'how long events are kept by their time, unless their index says otherwise; 0: for ever'),
  ),
  'storage.compaction_workers': atStart(
    integer(1, 'threads that merge parts in the background; 0: parts stay as they were written', { min: 0, max: 16 }),
  ),
  'storage.compression': atStart<'zstd' | 'lz4' | 'none'>(
    choice(
      ['zstd', 'lz4', 'none'],
      'zstd',
      'how parts are compressed that are written from now on, merged ones too; every part is read whatever it says',
    ),
  ),
  'otlp.http': atStart(text(':4318', 'address that takes OTLP over HTTP, JSON and protobuf, or off')),
  'otlp.grpc': atStart(text(':4317', 'address that takes OTLP over gRPC, or off')),
  ...tlsOptions('otlp', 'otlp.http and otlp.grpc'),
  'syslog.udp': atStart(text('off', 'address that takes syslog over UDP, such as 0.0.0.0:514')),
  'syslog.tcp': atStart(text('off', 'address that takes syslog over TCP')),
  'syslog.tls': atStart(text('off', 'address that takes syslog over TLS, such as 0.0.0.0:6514')),
  ...tlsOptions('syslog', 'syslog.tls'),
  'syslog.trusted': atStart(text('', 'addresses and networks whose syslog needs no key: 10.0.0.0/8, 192.168.1.7')),
  'storage.cache_max_bytes': atStart(
    bytes(512 * MIB, 'decoded columns kept in memory, by all threads together', { min: 0 }),
  ),
  'storage.cache_ttl': duration(300_000, 'how long the answer of a query may be answered again', { min: 0 }),
  'query.cache_max_bytes': bytes(64 * MIB, 'answers of queries kept in memory; 0: none', { min: 0 }),
  'query.sync_timeout': duration(30_000, 'a query that runs longer becomes a job, and is answered with 202', {
    min: 1,
  }),
  'query.job_ttl': duration(300_000, 'how long a finished job is kept', { min: 1 }),
  'query.max_jobs': integer(1000, 'jobs kept; beyond that the oldest finished ones go', { min: 1 }),
  'tail.max_concurrent': integer(100, 'live tails open at once; further ones get 429', { min: 0 }),
  'tail.heartbeat': duration(15_000, 'time between two heartbeats of a live tail', { min: 1 }),
  'tail.buffer_bytes': bytes(MIB, 'what a live tail may be behind before results are dropped for it'),
  'tail.resume_window': duration(60_000, 'how long a client of a live tail may be away and be told what it missed'),
  'query.default_limit': integer(1000, 'rows in an answer when the request names no limit', { min: 0 }),
  'query.max_limit': integer(50_000, 'largest limit of /query; /query/stream has none', { min: 1 }),
  'query.max_query_bytes': bytes(MIB, 'longest query text; longer ones get QUERY_TOO_LARGE'),
  'query.max_query_runtime': duration(300_000, 'a query that runs longer is stopped with 504', { min: 1 }),
  'query.memory': bytes(512 * MIB, 'what one query may hold in memory; what is more goes to temporary files'),
  'query.global_query_pool_bytes': atStart(
    bytes(0, "what all queries together may hold in memory; 0: a quarter of the machine's", { min: 0 }),
  ),
  'query.disk': bytes(
    10 * GIB,
    'what one query may have in temporary files before it fails with QUERY_MEMORY_EXCEEDED; 0: none',
    { min: 0 },
  ),
  'query.spill_directory': text('', 'where temporary files of queries lie; empty: `tmp` in the data directory'),
  'query.max_concurrent': integer(10, 'queries that run at once', { min: 1 }),
  'query.max_queued': integer(50, 'queries that wait for their turn; further ones get 429', { min: 0 }),
} as const

/** What a listener needs for TLS. Without a certificate it is plain; `syslog.tls` is nothing but TLS. */
function tlsOptions<N extends string>(name: N, of: string) {
  const file = (doc: string) => atStart(text('', doc))
  return {
    [`${name}.tls_cert`]: file(`certificate of ${of}, a PEM file; empty: no TLS`),
    [`${name}.tls_key`]: file('its key, a PEM file'),
    [`${name}.tls_ca`]: file('authority of the certificates that clients have to show, a PEM file; empty: none'),
  } as { readonly [K in `${N}.tls_${'cert' | 'key' | 'ca'}`]: Option<string> }
}

export type OptionName = keyof typeof OPTIONS
export type OptionValue<N extends OptionName> = (typeof OPTIONS)[N] extends Option<infer T> ? T : never

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[]

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name)
}

/** `ingest.max_body_size` → `INGEST_MAX_BODY_SIZE`; the prefix `QUERN_` or `SERVICE_` comes before it. */
export function environmentSuffix(name: string): string {
  return name.toUpperCase().replaceAll('.', '_')
}

/** @throws {RangeError} saying what the value should have been. */
export function parseOption(name: OptionName, given: unknown): string | number | boolean {
  const option: Option<string | number | boolean> = OPTIONS[name]
  switch (option.kind) {
    case 'text':
      if (typeof given !== 'string' && typeof given !== 'number') throw new RangeError('must be text')
      return String(given)
    case 'boolean':
      return parseBoolean(given)
    case 'choice':
      if (!option.choices?.includes(String(given))) throw new RangeError(`must be one of ${option.choices?.join(', ')}`)
      return String(given)
    case 'integer':
      return inRange(option, parseScaled(given, INTEGER_UNITS, 'a whole number'))
    case 'bytes':
      return inRange(option, parseScaled(given, BYTE_UNITS, 'a size such as 512kb, 100mb or 1gb'))
    case 'duration':
      return inRange(option, parseScaled(given, DURATION_UNITS, 'a duration such as 250ms, 30s or 5m'))
  }
}

/** As one would write it: `100mb`, `30s`. */
export function printOption(name: OptionName, value: string | number | boolean): string {
  const kind = OPTIONS[name].kind
  if (typeof value !== 'number' || kind === 'integer') return String(value)
  return printScaled(value, kind === 'bytes' ? BYTE_UNITS : DURATION_UNITS)
}

function printScaled(value: number, units: typeof BYTE_UNITS): string {
  let best = ''
  let bestScale = 0
  for (const [unit, scale] of units) {
    if (scale > bestScale && unit !== '' && value % scale === 0) {
      best = unit
      bestScale = scale
    }
  }
  return value === 0 || bestScale === 0 ? `${value}` : `${value / bestScale}${best}`
}

const INTEGER_UNITS: readonly (readonly [string, number])[] = [['', 1]]
// The longer spelling comes later and does not replace the shorter one, so that printing says `100mb`.
const BYTE_UNITS: readonly (readonly [string, number])[] = [
  ['', 1],
  ['b', 1],
  ['kb', KIB],
  ['k', KIB],
  ['kib', KIB],
  ['mb', MIB],
  ['m', MIB],
  ['mib', MIB],
  ['gb', GIB],
  ['g', GIB],
  ['gib', GIB],
]
const DURATION_UNITS: readonly (readonly [string, number])[] = [
  ['', 1],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]

/** `90d`, `30s`. */
export function durationText(ms: number): string {
  return printScaled(ms, DURATION_UNITS)
}

/** Of `250ms`, `30s`, `90d`; null when it is no duration. */
export function durationMs(text: string): number | null {
  try {
    return parseScaled(text, DURATION_UNITS, 'a duration')
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function parseScaled(given: unknown, units: readonly (readonly [string, number])[], what: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(typeof given === 'boolean' ? '' : String(given))
  const scale = units.find(([unit]) => unit === match?.[2]?.toLowerCase())?.[1]
  const value = match === null || scale === undefined ? Number.NaN : Number(match[1]) * scale
  if (!Number.isSafeInteger(value)) throw new RangeError(`must be ${what}`)
  return value
}

function inRange(option: Option<string | number | boolean>, value: number): number {
  const { min, max } = option
  if (min !== undefined && value < min) throw new RangeError(`must be at least ${min}`)
  if (max !== undefined && value > max) throw new RangeError(`must be at most ${max}`)
  return value
}

function parseBoolean(given: unknown): boolean {
  const text = String(given).toLowerCase()
  if (text === 'true' || text === '1' || text === 'yes' || text === 'on') return true
  if (text === 'false' || text === '0' || text === 'no' || text === 'off') return false
  throw new RangeError('must be true or false')
}

type Bounds = { readonly min?: number; readonly max?: number }

function text(value: string, doc: string): Option<string> {
  return { kind: 'text', default: value, doc }
}
function integer(value: number, doc: string, bounds: Bounds = {}): Option<number> {
  return { kind: 'integer', default: value, doc, ...bounds }
}
function bytes(value: number, doc: string, bounds: Bounds = { min: 1 }): Option<number> {
  return { kind: 'bytes', default: value, doc, ...bounds }
}
function duration(value: number, doc: string, bounds: Bounds = { min: 0 }): Option<number> {
  return { kind: 'duration', default: value, doc, ...bounds }
}
function boolean(value: boolean, doc: string): Option<boolean> {
  return { kind: 'boolean', default: value, doc }
}
function choice<T extends string>(choices: readonly T[], value: NoInfer<T>, doc: string): Option<T> {
  return { kind: 'choice', default: value, doc, choices }
}
function atStart<T>(option: Option<T>): Option<T> {
  return { ...option, atStart: true }
}
