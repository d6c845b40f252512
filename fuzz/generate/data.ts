/** Random small data as NDJSON, so that a failure prints as a case file. Values are chosen to collide, to be absent and to sit on edges. */
import { FORMAT_LINES } from './lines.ts'
import { createRandom, type Random } from './random.ts'

export type FieldType =
  | 'int'
  | 'float'
  | 'string'
  | 'bool'
  | 'datetime'
  | 'duration'
  | 'array'
  | 'object'
  | 'any'
  /** An estimate, or rounded: it may be shown but nothing may be computed from it. */
  | 'opaque'

export interface Field {
  readonly name: string
  readonly type: FieldType
  /** Of text that is to be parsed: the format most of it is in. */
  readonly topic?: Topic
}

export type Topic = keyof typeof FORMAT_LINES

interface Maker {
  readonly type: FieldType
  readonly make: (random: Random, topic: Topic) => string
}

/** Every field a random event may have, and the JSON of one value. `id` is unique, so that an order can be total. */
const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['n', { type: 'int', make: random => String(random.int(-3, 12)) }],
  // Not `int`: sums of these are not what sums are tested with.
  ['big', { type: 'any', make: random => random.pick(BIG_INTS) }],
  // Eighths are exact in binary, so sums do not depend on their order.
  ['ms', { type: 'float', make: random => String(random.int(-40, 4000) / 8) }],
  ['level', { type: 'string', make: random => JSON.stringify(random.pick(['error', 'warn', 'info', 'ERROR'])) }],
  ['host', { type: 'string', make: random => JSON.stringify(`web-${random.int(1, 4)}`) }],
  ['message', { type: 'string', make: random => JSON.stringify(sentence(random)) }],
  ['code', { type: 'any', make: random => random.pick(['200', '"200"', '500', '"5xx"', '404.5', 'null', 'true']) }],
  ['ok', { type: 'bool', make: random => random.pick(['true', 'false']) }],
  ['http.status', { type: 'int', make: random => random.pick(['200', '404', '503']) }],
  ['http.path', { type: 'string', make: random => JSON.stringify(random.pick(['/', '/a', '/api/users/42', '/ä'])) }],
  ['tags', { type: 'array', make: random => random.pick(['[]', '["a"]', '["a","b"]', '[1,"1",null]', '[3,1,2]']) }],
  ['mixed', { type: 'any', make: random => random.pick(MIXED) }],
  // Text as applications write it, for the parse stage.
  ['body', { type: 'string', make: (random, topic) => JSON.stringify(body(random, topic)) }],
  // Spans, for the stages that look for them.
  ['trace_id', { type: 'string', make: random => random.pick(['"t1"', '"t1"', '"t2"']) }],
  ['span_id', { type: 'string', make: random => random.pick(['"s1"', '"s2"', '"s3"', '"s4"', '"s5"', '"s6"', '""']) }],
  ['parent_span_id', { type: 'string', make: random => random.pick(['"s1"', '"s2"', '"s3"', '"0000"', '"s9"']) }],
  ['service', { type: 'string', make: random => random.pick(['"web"', '"cart"', '"db"']) }],
  ['duration_ms', { type: 'any', make: random => random.pick(['10', '50000', '90000', '"70s"', '-1', '1.5']) }],
  // Names that mean something to JavaScript, or to the code a query becomes.
  ['k0', { type: 'any', make: random => random.pick(MIXED) }],
  ['rt', { type: 'int', make: random => String(random.int(0, 2)) }],
  ['columns', { type: 'string', make: random => JSON.stringify(random.pick(WORDS)) }],
  ['toString', { type: 'int', make: random => String(random.int(0, 2)) }],
  ['odd name', { type: 'int', make: random => String(random.int(0, 3)) }],
])

const BIG_INTS = ['9007199254740993', '9007199254740992', '-9007199254740993', '9223372036854775807', '1', '0'] as const
const MIXED = [
  '1',
  '"1"',
  '1.5',
  '"x"',
  'true',
  'null',
  '[1]',
  '"2026-06-01T00:00:00Z"',
  '{}',
  '{"a":1}',
  '""',
  '-0',
  '1e300',
] as const
const BODIES = [
  '{"user":"ada","http":{"status":500},"n":7}',
  '{"user":"bob","big":9007199254740993,"tags":["x"]}',
  'user=ada ms=12 msg="disk full" flag',
  'user=bob ms=007',
  'a:1;b:two',
  'no pairs at all',
  '10.0.0.1 - ada [01/Jun/2026:10:00:00 +0000] "GET /a?x=1 HTTP/1.1" 200 512 "-" "curl/8"',
  '',
  '[1]',
] as const
/** Few of a format, so that texts meet each other in a dictionary; and others, that do not fit it. */
function body(random: Random, topic: Topic): string {
  return random.chance(0.3) ? random.pick(BODIES) : FORMAT_LINES[topic](createRandom(random.int(0, 9))).line
}

const WORDS = ['connection', 'reset', 'timeout', 'Disk', 'full', '10.0.0.1', 'user=ada', 'größe', 'req-42', ''] as const

function sentence(random: Random): string {
  return Array.from({ length: random.int(0, 4) }, () => random.pick(WORDS)).join(' ')
}

const leftOut = new Set<string>()

/** Fields and stages that a known bug is about, so that the others behind it can be found. */
export function leaveOut(names: readonly string[]): void {
  for (const name of names) leftOut.add(name)
}

export function isIn(name: string): boolean {
  return !leftOut.has(name)
}

export interface RandomData {
  readonly lines: readonly string[]
  readonly fields: readonly Field[]
}

/** Some fields of all, each with its own rate of nulls and of absence: from always there to hardly ever. */
export function randomData(random: Random, maxRows: number): RandomData {
  const names = random.some([...MAKERS.keys()].filter(isIn))
  const topic = random.pick(Object.keys(FORMAT_LINES) as Topic[])
  const rates = new Map(
    names.map(name => [name, { missing: random.pick([0, 0.2, 0.9]), nulls: random.pick([0, 0.1]) }]),
  )
  const count = random.pick([0, 1, 2, random.int(3, maxRows), random.int(3, maxRows)])
  const lines = Array.from({ length: count }, (_, id) => {
    const seconds = id * 37 + random.int(0, 30)
    const time = new Date(Date.UTC(2026, 5, 15, 9) + seconds * 1000 + random.int(0, 999)).toISOString()
    const members = [`"_timestamp":${JSON.stringify(time)}`, `"id":${id}`]
    for (const name of names) {
      const rate = rates.get(name) ?? { missing: 0, nulls: 0 }
      if (random.chance(rate.missing)) continue
      members.push(
        `${JSON.stringify(name)}:${random.chance(rate.nulls) ? 'null' : MAKERS.get(name)?.make(random, topic)}`,
      )
    }
    return `{${members.join(',')}}`
  })
  const typed = names.map((name): Field => {
    const type = MAKERS.get(name)?.type ?? 'any'
    return name === 'body' ? { name, type, topic } : { name, type }
  })
  const always: Field[] = [
    { name: 'id', type: 'int' },
    { name: '_time', type: 'datetime' },
    { name: '_raw', type: 'string' },
  ]
  // An object that is only there in parts, and is read whole.
  if (names.some(name => name.startsWith('http.'))) always.push({ name: 'http', type: 'object' })
  return { lines, fields: [...always, ...typed] }
}
