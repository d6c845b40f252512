/** `npm run bench`: how fast Quern is, always as ratios to DuckDB over the same events in the same run. */

import type { BenchArguments } from './arguments.ts'
import { readArguments, USAGE } from './arguments.ts'
import { runCompileBench } from './compile.ts'
import { hasRoomForAll, runConcurrent } from './concurrent.ts'
import { eventsOf } from './generate.ts'
import { runHttp } from './http.ts'
import { runLayout } from './layout.ts'
import { loadedDuckDb, loadedQuern } from './load.ts'
import { type Measured, measure } from './measure.ts'
import { runMicro } from './micro.ts'
import { runOverhead } from './overhead.ts'
import { runPatterns } from './patterns.ts'
import { runPipe } from './pipe.ts'
import { runProfile } from './profile.ts'

import { runScale } from './scale.ts'
import { runServerBench } from './server.ts'
import { runSize } from './size.ts'
import { runSkipIndex } from './skip-index.ts'
import { Stolen } from './stolen.ts'
import { questions } from './suite.ts'
import { heading, line, loadLines, meanLine, ratioOf } from './table.ts'
import { runTailsBench } from './tails.ts'
import { GEOMETRIC_MEAN_MUST_REACH, windowsEvents, windowsQuestions } from './windows.ts'

async function main(options: BenchArguments): Promise<void> {
  // With --json the figures alone are on stdout.
  const say = (text: string): void => {
    ;(options.json ? process.stderr : process.stdout).write(`${text}\n`)
  }
  if (options.micro) {
    await runMicro(options.only, say)
    return
  }
  if (options.size) {
    await runSize(options, say)
    return
  }
  if (options.skipIndex) {
    await runSkipIndex(options, say)
    return
  }
  if (options.layout) {
    await runLayout(options, say)
    return
  }
  if (options.patterns) {
    runPatterns(options.rows, options.only, say)
    return
  }
  if (options.compile) {
    if (!(await runCompileBench(options.only, say))) process.exitCode = 1
    return
  }
  if (options.overhead) {
    if (!(await runOverhead(say))) process.exitCode = 1
    return
  }
  if (options.scale) {
    if (!(await runScale(options.rows, options.seed, say))) process.exitCode = 1
    return
  }
  if (options.tails) {
    await runTailsBench(say)
    return
  }
  const isWindows = options.suite === 'windows'
  if (options.concurrent && !hasRoomForAll()) return
  const events = isWindows ? await windowsEvents() : await eventsOf(options.seed, options.rows)
  if (options.server) {
    await runServerBench(events, say)
    return
  }
  if (options.pipe) {
    if (!(await runPipe(events, options.runs, say))) process.exitCode = 1
    return
  }
  const megabytes = (events.bytes / 1e6).toFixed(0)
  say(
    `${events.rows} events, ${megabytes} MB of NDJSON, seed ${events.seed}; ${options.runs} runs${options.cold ? ', cold' : ''}${options.beside > 0 ? `, ${options.beside} events/s ingested meanwhile` : ''}`,
  )
  const duckdb = options.engines.includes('duckdb') ? await loadedDuckDb(events, options.fresh) : null
  const quern = options.engines.includes('quern') ? await loadedQuern(events, options.fresh) : null
  const suite = isWindows ? windowsQuestions() : questions(events)
  const asked = suite.filter(({ name }) => name.toLowerCase().includes(options.only))
  if (options.concurrent) {
    await runConcurrent(asked, events, options, say)
    return
  }
  if (options.http) {
    await runHttp(asked, events, options.runs, say)
    return
  }
  if (options.profile) {
    await runProfile(asked, events, options, say)
    return
  }
  say(heading())
  const stolen = new Stolen()
  const { measured, cache } = await measure(asked, events, options, one => say(line(one)))
  say(meanLine(measured, isWindows ? GEOMETRIC_MEAN_MUST_REACH : null))
  say(loadLines(quern, duckdb, events.rows))
  const memory = { residentBytes: process.memoryUsage.rss(), peakBytes: process.resourceUsage().maxRSS * 1024 }
  if (cache !== null) {
    const { bytes, maxBytes, hits, misses } = cache
    const rate = ((100 * hits) / Math.max(1, hits + misses)).toFixed(1)
    say(`decoded chunks, all threads: ${mib(bytes)} of ${mib(maxBytes)}; ${rate} % were there when asked for`)
  }
  say(`process: ${mib(memory.residentBytes)} resident, ${mib(memory.peakBytes)} at its peak${stolen.text}`)
  if (options.json)
    process.stdout.write(`${JSON.stringify({ events, measured: measured.map(figures), quern, duckdb, memory })}\n`)
  if (measured.some(({ failure, difference }) => failure !== null || difference !== null)) process.exitCode = 1
}

function figures({ question, quern, duckdb, difference, failure }: Measured): unknown {
  const ratio = ratioOf(quern, duckdb)
  return { name: question.name, quern, duckdb, ratio, mustReach: question.mustReach, difference, failure }
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`
}

// `node --test dist/test/` takes every file under a directory of that name for a test: nothing is measured then.
if (process.env.NODE_TEST_CONTEXT === undefined) {
  try {
    const options = readArguments(process.argv.slice(2))
    if (options.help) process.stdout.write(`${USAGE}\n`)
    else await main(options)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
