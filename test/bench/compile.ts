/**
 * `npm run bench -- --compile`: what it takes until a query runs (the plan, and the kernels its data asks for), and whether very large queries
 * stay on the fast path: 500 terms must not cost more a row and a term than five do, or V8 has given up on a kernel.
 */
import { join } from 'node:path'
import type { Catalog } from '../../compiler/catalog.ts'
import { compile } from '../../compiler/index.ts'
import { type Engine, open } from '../../engine.ts'
import { CompileError } from '../../grammar/diagnostics.ts'
import { kernelCacheStatus } from '../../runtime/instantiate.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import { sectionOf } from '../case-file.ts'
import { eventsOf, loadCases, NOW, queryOf } from '../case-input.ts'
import { dataDirectory, withData } from '../docs/cookbook/data.ts'
import type { CookbookSection } from '../docs/cookbook/entry.ts'
import { COOKBOOK } from '../docs/cookbook/index.ts'
import { findCaseFiles, repositoryRoot } from '../repository.ts'
import { cliffs } from './cliffs.ts'

interface Query {
  readonly text: string
  readonly events: readonly IncomingEvent[]
}

const WARM_UPS = 5
const HOT_ROUNDS = 20
const COMPILE_MEDIAN_MAX_MS = 2

export async function runCompileBench(only: string, say: (text: string) => void): Promise<boolean> {
  const queries = caseQueries().filter(({ text }) => compiles(text))
  say(`${queries.length} queries of test/cases, once each before`)
  say(heading())
  const plan = planTimes(queries)
  say(line('text to program, hot', plan))
  const cold = await runTimes(queries)
  say(line('plan in a run, cold', cold.plan))
  say(line('kernels in a run, cold', cold.kernels))
  for (let round = 1; round < 3; round++) await runTimes(queries)
  const hot = await runTimes(queries)
  say(line('plan in a run, hot', hot.plan))
  say(line('kernels in a run, hot', hot.kernels))
  sayCache(say)
  say('')
  const isFast = await cookbookTimes(say)
  say('')
  return (await cliffs(only, say)) && isFast
}

/** The cookbook over its logs, as far as they are on this machine: what somebody waits for who asks what it asks. */
async function cookbookTimes(say: (text: string) => void): Promise<boolean> {
  const texts = COOKBOOK.flatMap(({ entries }) => entries.map(entry => ({ text: entry.query, events: [] })))
  say(`${texts.length} queries of docs/cookbook.md`)
  say(heading())
  const plan = planTimes(texts)
  say(line('text to program, hot', plan))
  const directory = dataDirectory()
  const rounds: { plan: number[]; kernels: number[] }[] = []
  if (directory === null) say('the logs are not here: nothing was run')
  else for (const section of COOKBOOK) await withData(directory, section, engine => addRounds(engine, section, rounds))
  for (const [round, { plan: planned, kernels }] of rounds.entries()) {
    const name = round === 0 ? 'first run' : 'third run'
    say(line(`plan, ${name}`, planned))
    say(line(`kernels, ${name}`, kernels))
  }
  if (rounds.length > 0) sayCache(say)
  const again = rounds[1]
  const inRun = again === undefined ? 0 : medianOf(again.plan) + medianOf(again.kernels)
  const median = Math.max(medianOf(plan), inRun)
  const isFast = median < COMPILE_MEDIAN_MAX_MS
  say(
    `the median, of a query that has been asked before, is ${median.toFixed(2)} ms; below ${COMPILE_MEDIAN_MAX_MS}: ${isFast ? 'yes' : 'NO'}`,
  )
  return isFast
}

/** The first run of each query, when no kernel of it exists, and the third. */
async function addRounds(
  engine: Engine,
  { entries }: CookbookSection,
  rounds: { plan: number[]; kernels: number[] }[],
): Promise<void> {
  for (const round of [0, null, 1]) {
    for (const { query } of entries) {
      const start = performance.now()
      const run = engine.query(query, { now: NOW })
      const planned = performance.now() - start
      await run.collect()
      if (round === null) continue
      rounds[round] ??= { plan: [], kernels: [] }
      rounds[round].plan.push(planned)
      rounds[round].kernels.push(run.profile.compile.durationNs / 1e6)
    }
  }
}

function sayCache(say: (text: string) => void): void {
  const { size, max, hits, misses, evictions } = kernelCacheStatus()
  say(`kernel cache: ${hits} hits, ${misses} misses, ${evictions} evictions, ${size} of ${max} held`)
}

function caseQueries(): Query[] {
  const files = findCaseFiles(join(repositoryRoot(), 'test/cases'))
  return files.flatMap(loadCases).flatMap(test => {
    if (sectionOf(test, 'query') === undefined) return []
    return [{ text: queryOf(test), events: sectionOf(test, 'input') === undefined ? [] : eventsOf(test) }]
  })
}

/** Any index may be asked: which there are is not the question here. */
const ANY_CATALOG: Catalog = {
  indexes: ['main', 'app', 'db'],
  sources: [],
  fields: () => null,
  lookups: [],
  lookup: () => null,
}

function compiles(text: string): boolean {
  try {
    compile(text, { catalog: ANY_CATALOG, now: NOW })
    return true
  } catch (error) {
    if (error instanceof CompileError) return false
    throw error
  }
}

function planTimes(queries: readonly Query[]): number[] {
  return queries.map(({ text }) => {
    for (let round = 0; round < WARM_UPS; round++) compile(text, { catalog: ANY_CATALOG, now: NOW })
    // Processor time, whatever else the machine does meanwhile.
    const start = process.cpuUsage()
    for (let round = 0; round < HOT_ROUNDS; round++) compile(text, { catalog: ANY_CATALOG, now: NOW })
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000 / HOT_ROUNDS
  })
}

/** With the data of its case, as a caller meets it: what the plan took, catalog included, and what making its kernels took. */
async function runTimes(queries: readonly Query[]): Promise<{ plan: number[]; kernels: number[] }> {
  const plan: number[] = []
  const kernels: number[] = []
  for (const { text, events } of queries) {
    if (events.length === 0) continue
    const engine = await open(null)
    engine.ingest(events)
    try {
      const start = performance.now()
      const run = engine.query(text, { now: NOW })
      const planned = performance.now() - start
      await run.collect()
      plan.push(planned)
      kernels.push(run.profile.compile.durationNs / 1e6)
    } catch (error) {
      // Cases of strict casts end so; of other indexes too.
      if (!(error instanceof Error)) throw error
    }
    await engine.close()
  }
  return { plan, kernels }
}

function medianOf(times: readonly number[]): number {
  return quantileOf(times, 0.5)
}

function quantileOf(times: readonly number[], q: number): number {
  return times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0
}

function heading(): string {
  return `${''.padEnd(30)}${'median ms'.padStart(11)}${'p95 ms'.padStart(11)}${'max ms'.padStart(11)}`
}

function line(name: string, times: readonly number[]): string {
  const cells = [medianOf(times), quantileOf(times, 0.95), Math.max(...times)].map(ms => ms.toFixed(3).padStart(11))
  return name.padEnd(30) + cells.join('')
}
