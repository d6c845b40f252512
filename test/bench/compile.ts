/**
 * `npm run bench -- --compile`: what it takes until a query runs (the plan, and the kernels its data asks for), and whether very large queries
 * stay on the fast path: 500 terms must not cost more a row and a term than five do, or V8 has given up on a kernel.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../../compiler/catalog.ts'
import { compile } from '../../compiler/index.ts'
import { open } from '../../engine.ts'
import { CompileError } from '../../grammar/diagnostics.ts'
import { kernelCacheStatus } from '../../runtime/instantiate.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import { sectionOf } from '../case-file.ts'
import { eventsOf, loadCases, NOW, queryOf } from '../case-input.ts'
import { findCaseFiles, repositoryRoot } from '../repository.ts'
import { cliffs } from './cliffs.ts'

interface Query {
  readonly text: string
  /** Of the case; the cookbook's run over data that is not here. */
  readonly events: readonly IncomingEvent[]
}

const HOT_ROUNDS = 15
const COMPILE_MEDIAN_MAX_MS = 2

export async function runCompileBench(only: string, say: (text: string) => void): Promise<boolean> {
  const queries = [...caseQueries(), ...cookbookQueries()].filter(({ text }) => compiles(text))
  say(`${queries.length} queries of test/cases${hasCookbook() ? ' and docs/cookbook.md' : ''}, once each before`)
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
  const { size, max, hits, misses, evictions } = kernelCacheStatus()
  say(`kernel cache: ${hits} hits, ${misses} misses, ${evictions} evictions, ${size} of ${max} held`)
  const isFast = medianOf(hot.plan) + medianOf(hot.kernels) < COMPILE_MEDIAN_MAX_MS
  say(`the median of plan and kernels, hot, is below ${COMPILE_MEDIAN_MAX_MS} ms: ${isFast ? 'yes' : 'NO'}`)
  say('')
  return (await cliffs(only, say)) && isFast
}

function caseQueries(): Query[] {
  const files = findCaseFiles(join(repositoryRoot(), 'test/cases'))
  return files.flatMap(loadCases).flatMap(test => {
    if (sectionOf(test, 'query') === undefined) return []
    return [{ text: queryOf(test), events: sectionOf(test, 'input') === undefined ? [] : eventsOf(test) }]
  })
}

const COOKBOOK = join(repositoryRoot(), 'docs/cookbook.md')
const hasCookbook = (): boolean => existsSync(COOKBOOK)

function cookbookQueries(): Query[] {
  if (!hasCookbook()) return []
  const blocks = readFileSync(COOKBOOK, 'utf8').matchAll(/^```quern[^\n]*\n([\s\S]*?)^```$/gm)
  return [...blocks].map(([, text]) => ({ text: text!.trim(), events: [] }))
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
    const times = Array.from({ length: HOT_ROUNDS }, () => {
      const start = performance.now()
      compile(text, { catalog: ANY_CATALOG, now: NOW })
      return performance.now() - start
    })
    return medianOf(times)
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
