/**
 * The registry of fuzz targets. A target takes a seed and does one thing with it: agrees, skips (the program refused the
 * input, which it may), or throws a Finding with what anyone needs to see it again.
 */
import type { AstQuery } from '../grammar/ast.ts'
import { CompileError } from '../grammar/diagnostics.ts'
import { describeAt, desugar, fixOf, format, parse, print, signatureAt, tokensOf } from '../grammar/index.ts'
import { DataError } from '../runtime/helpers/errors.ts'
import { isOrdered, isSameResult } from '../test/compare-rows.ts'
import { brokenLaw } from '../test/complete-law.ts'
import { InlineLanes } from '../test/inline-lanes.ts'
import { InlineWhole } from '../test/inline-whole.ts'
import { KNOWLEDGE } from '../test/knowledge.ts'
import { UndefinedName } from '../test/reference/interpreter.ts'
import { type NamedRow, rowText } from '../test/rows.ts'
import { corruption } from './corruption.ts'
import { crashCounts, crashInTurn, crashRandomly, killRandomly } from './crash.ts'
import { randomData } from './generate/data.ts'
import { CALLABLE, condition } from './generate/expression.ts'
import { groupingQuery, manyRows } from './generate/many.ts'
import { queryText, randomQuery } from './generate/query.ts'
import { createRandom, type Random } from './generate/random.ts'
import { randomText } from './generate/text.ts'
import { httpTarget } from './http.ts'
import { ingestBeside, ingestBroken } from './ingest.ts'
import { shrink } from './shrink.ts'
import { Finding, type Target } from './target.ts'
import { type Ask, engineWith, inLittleMemory, onDisk, reference, type Ways } from './ways.ts'

export { Finding, type Outcome, type Target } from './target.ts'

// ── Text and trees ──────────────────────────────────────────────────────────────────────────────────────────────────

const parseTarget: Target = {
  name: 'parse',
  summary: 'no text makes the parser throw, hang or point outside of it',
  skipLimit: 0,
  run: async seed => {
    const text = randomText(createRandom(seed))
    const { source, diagnostics } = parse(text)
    if (diagnostics.length > 0) fixOf(source, diagnostics)
    for (const { span, code } of diagnostics) {
      if (span.start < 0 || span.end < span.start || span.end > text.length) {
        throw new Finding(`${code} points outside of the text`, text)
      }
    }
    return 'agreed'
  },
}

const roundtrip: Target = {
  name: 'roundtrip',
  summary: 'printing a query and parsing it again gives the same tree, and printing is stable',
  skipLimit: 0.5,
  run: async seed => {
    const random = createRandom(seed)
    const generated = random.chance(0.7)
    const text = generated ? queryText(randomQuery(random, randomData(random, 1).fields)) : randomText(random)
    const { query, diagnostics } = parse(text)
    if (diagnostics.length > 0) {
      if (generated) throw new Finding(`a generated query does not parse: ${diagnostics[0]?.message}`, text)
      return 'skipped'
    }
    checkRoundtrip(query, text)
    checkRoundtrip(desugar(query).query, `${text}\n(desugared)`)
    checkLayout(commented(random, print(query)), query)
    return 'agreed'
  },
}

/** The text with comments between some of its words. */
function commented(random: Random, text: string): string {
  let written = ''
  let at = 0
  for (const [index, { start }] of tokensOf(text).entries()) {
    const comment = random.chance(0.1) ? random.pick([`/* ${index} */ `, `// ${index}\n`, `/* ${index}\n */\n`]) : ''
    written += text.slice(at, start) + comment
    at = start
  }
  return written + text.slice(at)
}

/** Where comments may stand: the layout means the same, has them all, in their order, and is its own layout. */
function checkLayout(text: string, query: AstQuery): void {
  const { query: read, diagnostics } = parse(text)
  if (diagnostics.length > 0 || treeText(read) !== treeText(query)) return
  const laidOut = format(text).text
  if (treeText(parse(laidOut).query) !== treeText(query))
    throw new Finding('the layout means something else', `${text}\n\n${laidOut}`)
  if (commentsOf(laidOut) !== commentsOf(text)) throw new Finding('the layout loses a comment', `${text}\n\n${laidOut}`)
  const again = format(laidOut).text
  if (again !== laidOut) throw new Finding('the layout is not stable', `${text}\n\n${laidOut}\n\n${again}`)
}

function commentsOf(text: string): string {
  const comments = tokensOf(text).filter(token => token.kind === 'comment')
  return comments.map(({ start, end }) => text.slice(start, end).trim()).join('\n')
}

function checkRoundtrip(query: AstQuery, text: string): void {
  const printed = print(query)
  const again = parse(printed)
  if (again.diagnostics.length > 0) {
    throw new Finding(`the canonical text has an error: ${again.diagnostics[0]?.message}`, `${text}\n\n${printed}`)
  }
  if (treeText(again.query) !== treeText(query)) throw new Finding('the tree changed', `${text}\n\n${printed}`)
  if (print(again.query) !== printed) throw new Finding('printing is not stable', `${text}\n\n${printed}`)
}

/** The tree without its positions, and without how a word was spelled where spelling means nothing. */
function treeText(query: AstQuery): string {
  return JSON.stringify(query, (key, value: unknown) => {
    if (/span$/i.test(key) || key === 'implicit' || key === 'optional') return undefined
    return typeof value === 'bigint' ? `${value}n` : value
  })
}

const completion: Target = {
  name: 'complete',
  summary: 'completion answers anywhere in any text, and what it offers in a query is no syntax error there',
  skipLimit: 0,
  run: async seed => {
    const random = createRandom(seed)
    const generated = random.chance(0.5)
    const text = generated ? queryText(randomQuery(random, randomData(random, 1).fields)) : randomText(random)
    const offset = random.int(0, text.length)
    const written = random.chance(0.5) ? text.slice(0, offset) : text
    const broken = brokenLaw(written, offset, parse(text).diagnostics.length === 0)
    if (broken !== null) throw new Finding(broken, `${written.slice(0, offset)}¦${written.slice(offset)}`)
    tokensOf(written)
    describeAt(written, offset, KNOWLEDGE)
    signatureAt(written, offset, KNOWLEDGE)
    return 'agreed'
  },
}

// ── Results ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Experiment {
  readonly lines: readonly string[]
  readonly lets: readonly string[]
  readonly stages: readonly string[]
}

/** A question, and the ways of answering it that must agree. */
interface Trial {
  readonly experiment: Experiment
  readonly ways: Ways
}

/** A few rows and any query. */
function smallTrial(ways: (random: Random) => Ways): (seed: number) => Trial {
  return seed => {
    const random = createRandom(seed)
    const { lines, fields } = randomData(random, 12)
    const { lets = [], stages } = randomQuery(random, fields)
    return { experiment: { lines, lets, stages }, ways: ways(createRandom(seed + 1)) }
  }
}

/** Each pair of ways must agree; `null` when the program refuses the query, which both must then do. */
async function difference(ways: Ways, { lets, stages, lines }: Experiment): Promise<string | null> {
  const text = queryText({ lets, stages })
  const ordered = isOrdered(parse(text).query)
  let first: { readonly name: string; readonly rows: readonly NamedRow[] | null } | null = null
  for (const [name, ask] of Object.entries(ways)) {
    const rows = await rowsUnlessRefused(ask, text, lines)
    if (first === null) first = { name, rows }
    else if (rows === null || first.rows === null ? rows !== first.rows : !isSameResult(rows, first.rows, ordered)) {
      const [expected, actual] = [shown(first.rows), shown(rows)]
      return [`-- ${first.name}`, ...without(expected, actual), '', `-- ${name}`, ...without(actual, expected)].join(
        '\n',
      )
    }
  }
  return null
}

/** Null when it is the data that the query cannot be answered for: each way says so in words of its own. */
async function rowsUnlessRefused(
  ask: Ask,
  text: string,
  lines: readonly string[],
): Promise<readonly NamedRow[] | null> {
  try {
    return await ask(text, lines)
  } catch (error) {
    if (error instanceof DataError) return null
    throw error
  }
}

function shown(rows: readonly NamedRow[] | null): readonly string[] {
  return rows === null ? ['(refused for its data)'] : rows.map(row => rowText(row))
}

/** Of many rows only those that the other has not. */
function without(rows: readonly string[], others: readonly string[]): readonly string[] {
  if (rows.length + others.length < ALL_ROWS_MAX) return rows
  const known = new Set(others)
  const own = rows.filter(row => !known.has(row))
  return own.length === 0 ? rows.slice(0, ALL_ROWS_MAX) : [`… of ${rows.length} rows`, ...own.slice(0, ALL_ROWS_MAX)]
}

const ALL_ROWS_MAX = 60

/** Shrinking makes queries that the compiler refuses, and over which the reference may stumble first. */
async function isRefused(ways: Ways, { lets, stages, lines }: Experiment): Promise<boolean> {
  for (const ask of Object.values(ways)) {
    try {
      await ask(queryText({ lets, stages }), lines)
    } catch (error) {
      if (error instanceof CompileError) return true
    }
  }
  return false
}

function agreement(name: string, summary: string, trialOf: (seed: number) => Trial): Target {
  return {
    name,
    summary,
    skipLimit: 0.2,
    run: async seed => {
      const { experiment, ways: asked } = trialOf(seed)
      const attempt = async (each: Experiment): Promise<string | null> => {
        try {
          return await difference(asked, each)
        } catch (error) {
          if (error instanceof CompileError) throw error
          // Of what shrinking left over: no query that anyone would run.
          if (error instanceof UndefinedName || (await isRefused(asked, each))) return null
          return error instanceof Error ? (error.stack ?? error.message) : String(error)
        }
      }
      try {
        if ((await attempt(experiment)) === null) return 'agreed'
      } catch (error) {
        if (error instanceof CompileError) return 'skipped'
        throw error
      }
      const small = await shrink(experiment, async each => {
        try {
          return (await attempt(each)) !== null
        } catch {
          return false
        }
      })
      throw new Finding(`${name}: the answers differ`, caseText(small, (await attempt(small)) ?? ''))
    },
  }
}

function caseText({ lets, stages, lines }: Experiment, found: string): string {
  return ['# found by the fuzzer', '-- query', queryText({ lets, stages }), '', '-- input', ...lines, '', found].join(
    '\n',
  )
}

const smallResults = smallTrial(random => {
  const blockRows = random.pick([1, 2, 3, 7, 65_536])
  const isShort = random.chance(0.3)
  return {
    reference,
    engine: engineWith({ blockRows }),
    ...(isShort && { 'engine in little memory': inLittleMemory({ blockRows, memoryBytes: random.pick([64, 512]) }) }),
    'engine without rules': engineWith({ without: ['all'] }),
    ...(random.chance(0.3) && { 'another thread': engineWith({ blockRows, whole: new InlineWhole() }) }),
  }
})

/** Many rows that change their nature, grouped; as parts of their own where they do. */
function manyResults(seed: number): Trial {
  const random = createRandom(seed)
  const { lines, fields, stretchRows } = manyRows(random)
  const { stages } = groupingQuery(random, fields)
  const blockRows = random.pick([50, 300, 65_536])
  const eventsPerPart = random.pick([stretchRows, stretchRows, 65_536])
  const memoryBytes = random.pick([4_000, 40_000])
  const ways = {
    reference,
    engine: engineWith({ blockRows }),
    'engine over parts': onDisk({ blockRows, eventsPerPart }),
    'engine without rules': engineWith({ without: ['all'] }),
    ...(random.chance(0.2) && { 'engine in little memory': inLittleMemory({ blockRows, memoryBytes }) }),
    ...(random.chance(0.2) && {
      'engine in three threads': onDisk({ blockRows, eventsPerPart, lanes: new InlineLanes(2) }),
    }),
    ...(random.chance(0.2) && {
      'another thread': onDisk({ blockRows, eventsPerPart, whole: new InlineWhole() }),
    }),
  }
  return { experiment: { lines, lets: [], stages }, ways }
}

/** One seed in so many has many rows: each of these takes as long as a dozen others. */
const MANY_EVERY = 64

const sameResults = agreement(
  'same-results',
  'the engine, the engine without rules, now and then in little memory, and the reference give the same rows',
  seed => (seed % MANY_EVERY === 0 ? manyResults(seed) : smallResults(seed)),
)

const manyTarget = agreement('many-rows', 'the same, of many rows whenever', manyResults)

const storage = agreement(
  'storage',
  'rows are the same from memory, from flushed parts and from odd blocks',
  smallTrial(random => ({
    memory: engineWith({}),
    disk: onDisk({ eventsPerPart: 100 }),
    'disk in small parts': onDisk({ eventsPerPart: random.int(1, 4) }),
    'disk in small blocks': onDisk({ blockRows: random.int(1, 4), eventsPerPart: 100 }),
  })),
)

const ternary: Target = {
  name: 'ternary-logic',
  summary: 'the rows where p, where not p and where p is null are all rows, once',
  skipLimit: 0.6,
  run: async seed => {
    const random = createRandom(seed)
    const { lines, fields } = randomData(random, 12)
    const predicate = condition({ random, fields, functions: random.some(CALLABLE) }, random.int(1, 4))
    const ids = async (stages: readonly string[]): Promise<string[]> => {
      const rows = await engineWith({ blockRows: 3 })(queryText({ stages: [...stages, 'keep id'] }), lines)
      return rows.map(row => String(row.get('id')))
    }
    try {
      const parts = [
        ...(await ids([`where ${predicate}`])),
        ...(await ids([`where not (${predicate})`])),
        ...(await ids([`extend p = ${predicate}`, 'where is_null(p) or typeof(p) != "bool"'])),
      ]
      const all = await ids([])
      if (parts.sort().join() !== all.sort().join()) {
        throw new Finding(
          'ternary-logic: rows are lost or doubled',
          caseText({ lets: [], stages: [`where ${predicate}`], lines }, parts.join()),
        )
      }
      return 'agreed'
    } catch (error) {
      if (error instanceof CompileError) return 'skipped'
      throw error
    }
  },
}

/** Plants a bug (the last row is lost) and must find it: a fuzzer that finds nothing may be looking at nothing. */
const canary: Target = agreement(
  'canary',
  'must fail: one way of asking loses a row',
  smallTrial(() => ({
    reference,
    'the planted bug': async (text, lines) => (await reference(text, lines)).slice(0, -1),
  })),
)

const crash: Target = {
  name: 'crash',
  summary: 'a store that is stopped, or whose disk fails, at any moment opens again with all it acknowledged, once',
  skipLimit: 0,
  run: crashRandomly,
  counts: crashCounts,
}

const crashSweep: Target = {
  name: 'crash-sweep',
  summary: 'the same with one operation of the disk after the other failing, in each way; 2,000 seeds are all of them',
  skipLimit: 0,
  run: crashInTurn,
  counts: crashCounts,
}

const kill: Target = {
  name: 'kill',
  summary: 'the same with a process that is killed (SIGKILL) while it ingests',
  skipLimit: 0,
  run: killRandomly,
  counts: crashCounts,
}

const ingestBytes = networkTarget('ingest', 'no bytes at any way in make the server fail or hang', ingestBroken)
const ingestGood = networkTarget(
  'ingest-beside',
  'a good event is stored, once, whatever stands beside it',
  ingestBeside,
)

function networkTarget(name: string, summary: string, attempt: (seed: number) => Promise<string | null>): Target {
  return {
    name,
    summary,
    skipLimit: 0,
    run: async seed => {
      const wrong = await attempt(seed)
      if (wrong !== null) throw new Finding(wrong.split('\n', 1)[0]!, wrong)
      return 'agreed'
    },
  }
}

export const TARGETS: readonly Target[] = [
  parseTarget,
  roundtrip,
  completion,
  sameResults,
  storage,
  ternary,
  crash,
  corruption,
  httpTarget,
  ingestBytes,
  ingestGood,
]
/** Only by name: what they do is done in small by a test. */
export const LONG_TARGETS: readonly Target[] = [crashSweep, kill, manyTarget]
export const CANARY = canary
