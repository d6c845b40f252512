/**
 * `quern query`: one query over stdin, files, a data directory or a server, and its rows on stdout.
 * Over stdin and files memory stays constant unless a stage must hold its input, and `head` stops the reading.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { counted } from '../../compiler/explain/figures.ts'
import { CompileError, type QueryRun, queryStream, type StreamOptions } from '../../query-stream.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import type { Wanted } from '../../storage/ingest/projected-lines.ts'
import { defaultServer } from '../data-home.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { printHints } from '../hints.ts'
import { stdinIsPiped } from '../lines.ts'
import { createTally, type LocalDemand, localEvents } from '../local-events.ts'
import { lookupsOf, refuseLookups } from '../lookups.ts'
import { type OutputFormat, printRun } from '../print-run.ts'
import { printFromServer } from '../print-server.ts'
import { startProgress } from '../progress.ts'
import { refuseSeveralSources, type SourceOptions } from '../source-options.ts'
import { teeFile } from '../tee-file.ts'

/** A refusal is not kept waiting for a pipe longer than this. */
const SAMPLE_WAIT_MS = 500
const SAMPLE_EVENTS = 1000

export interface QueryCommandOptions extends SourceOptions {
  readonly format?: OutputFormat
  readonly failOnEmpty?: boolean
  readonly timeout?: string
  readonly profile?: boolean
}

export async function query(text: string, options: QueryCommandOptions): Promise<void> {
  refuseSeveralSources(options)
  const format = options.format ?? (process.stdout.isTTY ? 'table' : 'ndjson')
  const stop = stopSignal(options.timeout)
  try {
    const rowCount = await run(text, options, format, stop.signal)
    if (rowCount === 0 && options.failOnEmpty === true) throw new CommandError(EXIT.noResults, '')
  } catch (error) {
    if (stop.reason() === 'timeout')
      throw new CommandError(EXIT.queryTimeout, `no answer within ${options.timeout} s (--timeout)`)
    if (stop.reason() === 'interrupt') throw new CommandError(EXIT.interrupted, '')
    throw error
  } finally {
    stop.dispose()
  }
}

async function run(
  text: string,
  options: QueryCommandOptions,
  format: OutputFormat,
  signal: AbortSignal,
): Promise<number> {
  const bounds = { ...(options.from && { from: options.from }), ...(options.to && { to: options.to }), signal }
  const local = { ...bounds, openFile: teeFile }
  if (options.data !== undefined) {
    const { openData } = await import('../open-data.ts')
    const engine = await openData(options.data, { lookups: lookupsOf(options.lookup) })
    try {
      return await printAndReport(engine.query(text, local), format, options)
    } finally {
      await engine.close()
    }
  }
  const isLocal = options.file !== undefined || (options.server === undefined && stdinIsPiped())
  if (!isLocal) {
    refuseLookups(options.lookup)
    return printFromServer(
      text,
      format,
      { server: options.server ?? defaultServer(), token: options.token, signal },
      bounds,
    )
  }
  const inputs = options.file?.map(file => ({ file })) ?? [{ file: null }]
  const tally = createTally()
  const progress = startProgress()
  const lookups = lookupsOf(options.lookup)
  const reading = { timeField: options.timeField }
  const events: EventsFor = (wanted, see) => localEvents(inputs, tally, progress, reading, { wanted, see })
  const queryRun = await start(text, events, { ...local, lookups })
  const rowCount = await printAndReport(queryRun, format, options)
  progress.end()
  if (tally.events > 0 && tally.untimed === tally.events && showsTime(queryRun)) {
    const instead = tally.timeCandidate === null ? '' : `; --time-field ${tally.timeCandidate} takes it from there`
    process.stderr.write(`no event says when it happened, so _time is when it was read${instead}\n`)
  }
  if (tally.failed > 0) {
    process.stderr.write(
      `${counted(tally.failed, 'line')} could not be read as events (first: ${tally.firstProblem})\n`,
    )
  }
  return rowCount
}

type EventsFor = (wanted: Wanted | null, see: LocalDemand['see']) => AsyncGenerator<readonly IncomingEvent[]>

/** Of a query with mistakes the first events say which fields it misspells. */
async function start(text: string, eventsFor: EventsFor, options: StreamOptions): Promise<QueryRun> {
  try {
    return queryStream(text, (wanted, { see }) => eventsFor(wanted, see), options)
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    const events = eventsFor(null, () => {})
    const sample = await firstEvents(events)
    process.stdin.destroy()
    if (sample.length === 0) throw error
    return queryStream(text, events, { ...options, sample })
  }
}

/** Those that come soon; none when they cannot be read: what is wrong with the query is said all the same. */
async function firstEvents(events: AsyncGenerator<readonly IncomingEvent[]>): Promise<readonly IncomingEvent[]> {
  const enough = new AbortController()
  const late = sleep(SAMPLE_WAIT_MS, null, { signal: enough.signal, ref: false })
  const first: IncomingEvent[] = []
  try {
    while (first.length < SAMPLE_EVENTS) {
      const next = await Promise.race([events.next(), late])
      if (next === null || next.done === true) break
      first.push(...next.value)
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
  } finally {
    enough.abort()
  }
  return first.slice(0, SAMPLE_EVENTS)
}

/** Whole events have their time among their columns. */
function showsTime({ fieldsRead, shape }: QueryRun): boolean {
  return fieldsRead === null ? shape.kind === 'events' : fieldsRead.includes('_time')
}

async function printAndReport(queryRun: QueryRun, format: OutputFormat, options: QueryCommandOptions): Promise<number> {
  const rowCount = await printRun(queryRun, format)
  for (const damaged of queryRun.profile.damaged)
    process.stderr.write(`incomplete: part ${damaged} is damaged and was not read\n`)
  printHints(queryRun.hints)
  if (options.profile === true) process.stderr.write(`${JSON.stringify(profileSummary(queryRun), null, 2)}\n`)
  return rowCount
}

function profileSummary(queryRun: QueryRun): unknown {
  const { scan, kernels, root, counters } = queryRun.profile
  return {
    scan,
    operators: root,
    kernels: kernels.map(({ text: _, ...kernel }) => kernel),
    counters: Object.fromEntries(counters),
  }
}

interface Stop {
  readonly signal: AbortSignal
  reason(): 'timeout' | 'interrupt' | null
  dispose(): void
}

function stopSignal(timeout: string | undefined): Stop {
  const controller = new AbortController()
  let reason: 'timeout' | 'interrupt' | null = null
  const stop = (why: 'timeout' | 'interrupt') => () => {
    reason = why
    controller.abort()
  }
  const seconds = timeout === undefined ? null : Number(timeout)
  if (seconds !== null && !(seconds > 0))
    throw new CommandError(EXIT.usage, `--timeout takes seconds above 0, not '${timeout}'`)
  const timer = seconds === null ? null : setTimeout(stop('timeout'), seconds * 1000)
  timer?.unref()
  const onInterrupt = stop('interrupt')
  process.once('SIGINT', onInterrupt)
  return {
    signal: controller.signal,
    reason: () => reason,
    dispose() {
      if (timer !== null) clearTimeout(timer)
      process.removeListener('SIGINT', onInterrupt)
    },
  }
}
