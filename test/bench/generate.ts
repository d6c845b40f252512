/**
 * The events every figure is taken over: one day of a web service, 12 fields, seeded. Written once per seed and size to a cache
 * directory, beside a note of what the suite has to know about them.
 */
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMessages } from './messages.ts'
import { createRandom, createZipf, type Random } from './random.ts'

export interface Events {
  readonly file: string
  readonly rows: number
  readonly seed: number
  readonly bytes: number
  /** The trace id of one event in the midst of the day: the needle in the haystack. */
  readonly needle: string
  /** Fields may come late in the file. */
  readonly isRagged?: boolean
}

/** Part of the file name: raise it when the same seed would give other events. */
const GENERATION = 1
const DAY_START_MS = Date.UTC(2026, 4, 31)
const DAY_MS = 86_400_000
const LEVELS = ['info', 'debug', 'warn', 'error', 'fatal']
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']
const STATUSES = [200, 200, 200, 200, 200, 200, 200, 200, 200, 201, 204, 301, 304, 304, 400, 401, 404, 404, 429]
const FAILURES = [500, 502, 503, 504]
const SERVICES = [
  'api',
  'web',
  'auth',
  'billing',
  'search',
  'cart',
  'checkout',
  'inventory',
  'mailer',
  'gateway',
  'media',
  'orders',
  'payments',
  'profiles',
  'ratings',
  'reports',
  'scheduler',
  'sessions',
  'shipping',
  'webhooks',
]
const CHUNK_CHARACTERS = 1 << 20

export function benchDirectory(): string {
  const directory = join(tmpdir(), 'quern-bench')
  mkdirSync(directory, { recursive: true })
  return directory
}

/** The events of `seed`: generated unless they already lie in the cache. */
export async function eventsOf(seed: number, rows: number): Promise<Events> {
  const file = join(benchDirectory(), `${seed}-${rows}-g${GENERATION}.ndjson`)
  const note = `${file}.json`
  if (existsSync(file) && existsSync(note)) return JSON.parse(readFileSync(note, 'utf8')) as Events
  const events = await writeEvents(file, seed, rows)
  writeFileSync(note, `${JSON.stringify(events, null, 2)}\n`)
  return events
}

async function writeEvents(file: string, seed: number, rows: number): Promise<Events> {
  const needleRow = Math.floor(rows * 0.618)
  let needle = ''
  let bytes = 0
  const out = createWriteStream(`${file}.part`)
  const write = async (chunk: string): Promise<void> => {
    // Everything generated is ASCII: characters are bytes.
    bytes += chunk.length
    if (!out.write(chunk, 'latin1')) await once(out, 'drain')
  }
  let chunk = ''
  let row = 0
  for (const { line, trace } of generate(seed, rows)) {
    if (row++ === needleRow) needle = trace
    chunk += line
    chunk += '\n'
    if (chunk.length < CHUNK_CHARACTERS) continue
    await write(chunk)
    chunk = ''
  }
  await write(chunk)
  out.end()
  await once(out, 'finish')
  renameSync(`${file}.part`, file)
  return { file, rows, seed, bytes, needle }
}

export interface Generated {
  readonly line: string
  readonly trace: string
}

/** Lines of JSON in the order of their time, give or take the jitter of a network. */
export function* generate(seed: number, rows: number): Generator<Generated> {
  const random = createRandom(seed)
  const level = createZipf(random, LEVELS.length, 1.2)
  const service = createZipf(random, SERVICES.length, 1)
  const host = createZipf(random, 200, 0.6)
  const path = createZipf(random, 1000, 1.05)
  const method = createZipf(random, METHODS.length, 1.5)
  const user = createZipf(random, 100_000, 0.8)
  const message = createMessages(random)
  const paths = pathsOf(random)
  for (let row = 0; row < rows; row++) {
    const timeMs = DAY_START_MS + Math.min(DAY_MS - 1, (row / rows) * DAY_MS + random.unit() * 200)
    const severity = LEVELS[level()]!
    const isError = severity === 'error' || severity === 'fatal'
    const failed = random.unit() < (isError ? 0.4 : 0.005)
    const trace = hex(random) + hex(random) + hex(random) + hex(random)
    const userName = `u${user()}`
    const route = paths[path()]!
    // The median is 20 ms and one in a hundred takes longer than 400 ms.
    const durationMs = Math.round(Math.exp(3 + 1.3 * random.normal()) * 1000) / 1000
    const fields = {
      timestamp: new Date(timeMs).toISOString(),
      level: severity,
      service: SERVICES[service()]!,
      host: `node-${String(host()).padStart(3, '0')}.eu-west-1`,
      path: route,
      method: METHODS[method()]!,
      status: failed ? FAILURES[random.below(FAILURES.length)]! : STATUSES[random.below(STATUSES.length)]!,
      duration_ms: durationMs,
      bytes: Math.floor(Math.exp(7 + 1.5 * random.normal())),
      user: userName,
      trace,
      message: message({ user: userName, path: route, trace, durationMs, isError }),
    }
    yield { line: JSON.stringify(fields), trace }
  }
}

function pathsOf(random: Random): string[] {
  const nouns = ['users', 'orders', 'items', 'carts', 'reports', 'files', 'search', 'sessions']
  const verbs = ['list', 'detail', 'history', 'summary', 'export']
  return Array.from(
    { length: 1000 },
    (_, index) => `/v${1 + random.below(3)}/${nouns[index % 8]}/${verbs[random.below(5)]}/${index.toString(36)}`,
  )
}

function hex(random: Random): string {
  return random.uint32().toString(16).padStart(8, '0')
}
