/** What `npm run bench -- …` can be told. */
import { parseArgs } from 'node:util'

export const USAGE = `npm run bench -- [options]
  --rows <n>          events to measure over (2000000)
  --seed <n>          of the generator (1)
  --runs <n>          timed runs of each query (27 of the table, three turns of nine; 9 of what takes longer)
  --suite <name>      seeded (the default) or windows: real events, 259 fields
  --only <text>       questions whose name contains the text
  --engine <name>     quern, duckdb or both (both); with one there are no ratios
  --cache-mb <n>      Quern's cache of decoded chunks, in MiB (its default)
  --threads <n>       threads beside the main one (Quern's default)
  --cold              reopen the engine and drop the system's caches before every run
  --beside <n>        so many events a second are ingested into the same store meanwhile
  --fresh             load again even when the loaded directories could be used
  --json              figures as JSON
  --micro             kernels and encodings alone
  --size              data directories against compressed files and DuckDB's (--only names one; --thorough: zstd -19 of large files too)
  --skip-index        what the skip indexes cost and how often they err
  --layout            the same parts merged in several orders and codecs: bytes, and processor time (--rows 200000 is enough)
  --patterns          how patterns groups the loghub files, and lines per second of processor time
  --compile           what plans and kernels take, and very large queries
  --overhead          what measuring a query costs
  --scale             a store as it grows to --rows events: rate, parts, memory, and how long it takes to open (20000000 is the figure)
  --server            bulk requests against DuckDB's load, and /health while the server is busy
  --concurrent        ten clients at once with questions of the suite: throughput and p99 beside DuckDB's
  --http              the questions through a server, beside the same through open(): what it adds
  --profile           where the time of each question goes, and how far that is from the memory's limit
  --pipe              the command line over the file as NDJSON: MB/s
  --tails             a thousand live tails: what they cost idle, and how late they hear`

export interface BenchArguments {
  readonly rows: number
  readonly seed: number
  readonly runs: number
  readonly suite: 'seeded' | 'windows'
  readonly only: string
  readonly engines: readonly ('quern' | 'duckdb')[]
  readonly cacheBytes: number | null
  readonly threads: number | null
  readonly cold: boolean
  /** Events a second; 0: none. */
  readonly beside: number
  readonly fresh: boolean
  readonly json: boolean
  readonly micro: boolean
  readonly size: boolean
  readonly thorough: boolean
  readonly skipIndex: boolean
  readonly layout: boolean
  readonly patterns: boolean
  readonly compile: boolean
  readonly overhead: boolean
  readonly scale: boolean
  readonly server: boolean
  readonly tails: boolean
  readonly concurrent: boolean
  readonly http: boolean
  readonly pipe: boolean
  readonly profile: boolean
  readonly help: boolean
}

/** What asks each question once a run takes long, and is no table of milliseconds. */
function defaultRuns({ cold = false, concurrent = false, pipe = false, profile = false }): string {
  return cold || concurrent || pipe || profile ? '9' : '27'
}

/** @throws {Error} saying which option is wrong */
export function readArguments(given: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...given],
    options: {
      rows: { type: 'string', default: '2000000' },
      seed: { type: 'string', default: '1' },
      runs: { type: 'string' },
      suite: { type: 'string', default: 'seeded' },
      only: { type: 'string', default: '' },
      engine: { type: 'string', default: 'both' },
      'cache-mb': { type: 'string' },
      threads: { type: 'string' },
      cold: { type: 'boolean', default: false },
      beside: { type: 'string', default: '0' },
      fresh: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      micro: { type: 'boolean', default: false },
      size: { type: 'boolean', default: false },
      thorough: { type: 'boolean', default: false },
      'skip-index': { type: 'boolean', default: false },
      layout: { type: 'boolean', default: false },
      patterns: { type: 'boolean', default: false },
      compile: { type: 'boolean', default: false },
      overhead: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      server: { type: 'boolean', default: false },
      tails: { type: 'boolean', default: false },
      concurrent: { type: 'boolean', default: false },
      http: { type: 'boolean', default: false },
      pipe: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const cacheMb = values['cache-mb']
  if (values.cold && values.beside !== '0')
    throw new Error('--cold reopens the store, which --beside writes to: one of them')
  return {
    rows: wholeNumber('rows', values.rows),
    seed: wholeNumber('seed', values.seed),
    runs: wholeNumber('runs', values.runs ?? defaultRuns(values)),
    suite: suiteOf(values.suite),
    only: values.only.toLowerCase(),
    engines: enginesOf(values.engine),
    cacheBytes: cacheMb === undefined ? null : wholeNumber('cache-mb', cacheMb) * 2 ** 20,
    threads: values.threads === undefined ? null : wholeNumber('threads', values.threads, 0),
    cold: values.cold,
    beside: wholeNumber('beside', values.beside, 0),
    fresh: values.fresh,
    json: values.json,
    micro: values.micro,
    size: values.size,
    thorough: values.thorough,
    skipIndex: values['skip-index'],
    layout: values.layout,
    patterns: values.patterns,
    compile: values.compile,
    overhead: values.overhead,
    scale: values.scale,
    server: values.server,
    tails: values.tails,
    concurrent: values.concurrent,
    http: values.http,
    pipe: values.pipe,
    profile: values.profile,
    help: values.help,
  }
}

function suiteOf(name: string): BenchArguments['suite'] {
  if (name === 'seeded' || name === 'windows') return name
  throw new Error(`--suite takes seeded or windows, not '${name}'`)
}

function enginesOf(name: string): BenchArguments['engines'] {
  if (name === 'both') return ['quern', 'duckdb']
  if (name === 'quern' || name === 'duckdb') return [name]
  throw new Error(`--engine takes quern, duckdb or both, not '${name}'`)
}

function wholeNumber(option: string, text: string, least = 1): number {
  const value = Number(text.replaceAll('_', ''))
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`--${option} takes a whole number, ${least} or more, not '${text}'`)
  return value
}
