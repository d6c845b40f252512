/**
 * Very large queries against small ones of the same kind, by time a row and term. V8 stops optimising a function above 60 KiB of bytecode, and a
 * kernel that crosses that line becomes ten to thirty times slower at once: a ratio near one says that none did.
 */
import type { Catalog } from '../../compiler/catalog.ts'
import { compile } from '../../compiler/index.ts'
import { execute } from '../../runtime/execute.ts'
import { DateTime } from '../../storage/value.ts'
import { BLOCK_ROWS, createBlocks, partOf } from './vectors.ts'

interface Cliff {
  readonly name: string
  readonly small: number
  readonly large: number
  /** Does the work grow with the terms? If not (one set, however long), the large query must cost what the small one does. */
  readonly perTerm: boolean
  query(terms: number): string
}

const CLIFFS: readonly Cliff[] = [
  {
    name: 'or over one number',
    small: 5,
    large: 500,
    perTerm: false,
    query: terms => `where ${joined(terms, ' or ', n => `bytes == ${n * 7}`)} | stats count() as n`,
  },
  {
    name: 'or over one dictionary',
    small: 5,
    large: 500,
    perTerm: false,
    query: terms => `where ${joined(terms, ' or ', n => `path == "/v1/items/${n * 3}"`)} | stats count() as n`,
  },
  {
    name: 'or over one text',
    small: 5,
    large: 500,
    perTerm: false,
    query: terms => `where ${joined(terms, ' or ', n => `message == "connection reset ${n}"`)} | stats count() as n`,
  },
  {
    name: 'or of comparisons',
    small: 5,
    large: 500,
    perTerm: true,
    query: terms =>
      `where ${joined(terms, ' or ', n => `bytes + ${n} < duration_ms - ${n * 1000}`)} | stats count() as n`,
  },
  {
    name: 'and of comparisons',
    small: 5,
    large: 500,
    perTerm: true,
    query: terms => `where ${joined(terms, ' and ', n => `bytes + ${n} > ratio - ${n}`)} | stats count() as n`,
  },
  {
    name: 'in of numbers',
    small: 5,
    large: 1000,
    perTerm: false,
    query: terms => `where bytes in [${joined(terms, ', ', n => `${n * 7}`)}] | stats count() as n`,
  },
  {
    name: 'output columns',
    small: 5,
    large: 300,
    perTerm: true,
    query: terms => `extend ${joined(terms, ', ', n => `c${n} = duration_ms * ${n} + bytes`)} | keep c*`,
  },
  {
    name: 'stages',
    small: 5,
    large: 200,
    perTerm: true,
    query: terms => `${joined(terms, ' | ', n => `extend c${n} = duration_ms + ${n} | where c${n} != -1`)} | keep c*`,
  },
  {
    name: 'stages that follow from each other',
    small: 5,
    large: 200,
    perTerm: true,
    query: terms => `extend c = duration_ms | ${joined(terms, ' | ', n => `extend c = c + ${n}`)} | stats sum(c) as s`,
  },
  {
    name: 'aggregates',
    small: 5,
    large: 300,
    perTerm: true,
    query: terms => `stats ${joined(terms, ', ', n => `sum(duration_ms, where bytes > ${n}) as a${n}`)} by level`,
  },
  {
    name: 'branches of case',
    small: 5,
    large: 500,
    perTerm: true,
    query: terms => `extend c = case(${joined(terms, ', ', n => `bytes == -${n + 1}, ${n}`)}, -1) | stats sum(c) as s`,
  },
  {
    name: 'arguments of coalesce',
    small: 5,
    large: 300,
    perTerm: true,
    query: terms => `extend c = coalesce(${joined(terms, ', ', n => `f${n}`)}, 1) | stats sum(c) as s`,
  },
]

const NO_CATALOG: Catalog = { indexes: ['main'], sources: [], fields: () => null, lookups: [], lookup: () => null }
const NOW = new DateTime(Date.UTC(2026, 5, 1) * 1000)
/** More time a row and term than the small query, by this factor, is a fall. */
const RATIO_MAX = 2.5
/** Machine code is made while a query runs: rounds go on as long as they get faster. */
const ROUNDS_MIN = 6
const ROUNDS_MAX = 40
const PATIENCE = 4

/** False when a query fell off. */
export async function cliffs(only: string, say: (text: string) => void): Promise<boolean> {
  const blocks = createBlocks().slice(0, 2)
  const part = partOf(blocks)
  const rows = BLOCK_ROWS * blocks.length
  say(
    `${'large queries'.padEnd(36)}${'terms'.padStart(12)}${'plan ms'.padStart(10)}${'ns/row'.padStart(22)}${'ratio'.padStart(8)}`,
  )
  let isFine = true
  for (const cliff of CLIFFS) {
    if (!cliff.name.includes(only)) continue
    const small = await timeOf(cliff.query(cliff.small))
    const large = await timeOf(cliff.query(cliff.large))
    const growth = cliff.perTerm ? cliff.large / cliff.small : 1
    // Of a query that does nothing per row the fixed cost is all there is: half a nanosecond is forgiven.
    const ratio = large.ns / rows / growth / Math.max(small.ns / rows, 0.5)
    const isFallen = ratio > RATIO_MAX
    isFine &&= !isFallen
    const times = `${(small.ns / rows).toFixed(1)} → ${(large.ns / rows).toFixed(1)}`
    say(
      `${cliff.name.padEnd(36)}${`${cliff.small} → ${cliff.large}`.padStart(12)}${large.planMs.toFixed(1).padStart(10)}` +
        `${times.padStart(22)}${`${ratio.toFixed(2)}×`.padStart(8)}${isFallen ? '  FELL OFF' : ''}`,
    )
  }
  return isFine

  async function timeOf(pipeline: string): Promise<{ readonly ns: number; readonly planMs: number }> {
    const text = `from main | ${pipeline}`
    const start = performance.now()
    const { program } = compile(text, { catalog: NO_CATALOG, now: NOW })
    const planMs = performance.now() - start
    const source = { parts: () => [[part]], release: () => {} }
    const times: number[] = []
    for (let round = 0, since = 0; round < ROUNDS_MAX && (round < ROUNDS_MIN || since < PATIENCE); round++, since++) {
      const result = execute(program, source, { nowMicros: NOW.micros })
      await result.drain()
      const { profile } = result
      // Without making kernels, which is told apart.
      const ns = totalNs(profile.root) + profile.result.durationNs
      if (ns < 0.97 * Math.min(...times)) since = 0
      times.push(ns)
    }
    return { ns: Math.min(...times), planMs }
  }
}

interface Timed {
  readonly durationNs: number
  readonly children: readonly Timed[]
}

function totalNs(operator: Timed | null): number {
  return operator === null ? 0 : operator.durationNs + operator.children.reduce((sum, child) => sum + totalNs(child), 0)
}

function joined(terms: number, separator: string, term: (n: number) => string): string {
  return Array.from({ length: terms }, (_, n) => term(n)).join(separator)
}
