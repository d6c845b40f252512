/** Every question put to both engines in turns, in one process, so that whatever else the machine does happens to both. */
import { writeFileSync } from 'node:fs'
import { type Engine, open } from '../../engine.ts'
import type { CacheStatus } from '../../storage/part/cache-budget.ts'
import { difference, objectsOf, type Rows } from './answer.ts'
import type { BenchArguments } from './arguments.ts'
import { growingDirectory, ingestBeside } from './beside.ts'
import { type DuckDb, openDuckDb } from './duckdb.ts'
import type { Events } from './generate.ts'
import { duckDbFiles, quernDirectory } from './load.ts'
import type { Question } from './suite.ts'

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export interface Measured {
  readonly question: Question
  readonly quern: Spread | null
  readonly duckdb: Spread | null
  /** What differs between the two answers; null when they are the same or only one was asked. */
  readonly difference: string | null
  /** The engine could not answer at all. */
  readonly failure: string | null
}

/** One way to have a question answered; the rows are made objects only when somebody looks at them. */
interface Subject {
  ask(question: Question): Promise<() => Rows>
  /** Decoded chunks it keeps, where it tells. */
  readonly cache: CacheStatus | null
  reopen(): Promise<void>
  close(): Promise<void>
}

/**
 * Warm-up runs: the first compiles and fills caches; the others let V8 settle, which takes it about ten runs of everything a query
 * passes through (measured: the first question of a process goes from 60 ms to 20). Slow questions settle within fewer, but not within one:
 * over 20 M events a phrase took 4.8, 1.3, 0.9 and from then on 0.8 s. Text is put together block by block for who asks for it again and again, which
 * a capture had not seen the end of after the 2 s of warm-up there used to be.
 */
const WARM_UPS = 12
const WARM_UPS_MIN = 4

/**
 * Of one engine after the other, and before them some that are not timed, so that what is called hot is: who comes after another question finds its data in
 * the processor's caches. `status >= 500` takes 5 to 10 ms after one, and by the sixth run 3.5 again; by turns with DuckDB it took 8.2 where each asked
 * once, and 6 where three times. It takes DuckDB less long to be there: 7.2, 6.5 and 6.1 ms of a turn of three. One turn of nine is over in 25 ms, in which a
 * neighbour, or V8 compiling what the question before left undone, decides: `status >= 500` took 4.2, 4.8 and 5.1 ms in three runs of one turn each, and 2.7
 * where five turns followed two seconds of nothing else. So there are three.
 */
const RUNS_A_TURN = 9
const RUNS_NOT_TIMED = 3
const WARM_UP_MS = 5000
/** Twelve runs of a quick question are over before V8 has compiled for good what they ran: with them alone `status >= 500` took 3.8 to 5.3 ms, with a second of them 3.1 to 3.9. */
const WARM_UP_MS_MIN = 1000

export async function measure(
  questions: readonly Question[],
  events: Events,
  options: BenchArguments,
  report: (measured: Measured) => void,
): Promise<{ readonly measured: readonly Measured[]; readonly cache: CacheStatus | null }> {
  const quern = options.engines.includes('quern') ? await quernSubject(events, options) : null
  const duckdb = options.engines.includes('duckdb') ? await duckDbSubject(events) : null
  const measured: Measured[] = []
  if (!options.cold) await warmUp(questions, [quern, duckdb])
  for (const question of questions) {
    const one = await measureOne(question, quern, duckdb, options)
    report(one)
    measured.push(one)
  }
  const cache = quern?.cache ?? null
  await quern?.close()
  await duckdb?.close()
  return { measured, cache }
}

/** Questions come to a process that has answered others: what they all pass through is compiled by then. */
const ROUNDS = 5

async function warmUp(questions: readonly Question[], subjects: readonly (Subject | null)[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const question of questions) {
      // One that fails does so again when it is measured, and is told of there.
      for (const subject of subjects) await subject?.ask(question).catch(() => null)
    }
  }
}

async function measureOne(
  question: Question,
  quern: Subject | null,
  duckdb: Subject | null,
  { runs, cold }: BenchArguments,
): Promise<Measured> {
  const times = { quern: [] as number[], duckdb: [] as number[] }
  try {
    // No collection is asked for: garbage is part of what a query costs, and after one V8 has code and caches to make anew (host and status: 12 → 19 ms).
    const found = await compareAnswers(question, quern, duckdb)
    const startedAt = performance.now()
    const elapsed = (): number => performance.now() - startedAt
    const isWarm = (warmUps: number): boolean =>
      warmUps >= WARM_UPS ? elapsed() >= WARM_UP_MS_MIN : warmUps >= WARM_UPS_MIN && elapsed() >= WARM_UP_MS
    for (let warmUp = 1; !isWarm(warmUp); warmUp++) {
      await quern?.ask(question)
      await duckdb?.ask(question)
    }
    const turn = cold ? 1 : RUNS_A_TURN
    for (let run = 0; run < runs; run += turn) {
      const count = Math.min(turn, runs - run)
      if (quern !== null) times.quern.push(...(await timedTurn(quern, question, cold, count)))
      if (duckdb !== null) times.duckdb.push(...(await timedTurn(duckdb, question, cold, count)))
    }
    return {
      question,
      quern: quern === null ? null : spreadOf(times.quern),
      duckdb: duckdb === null ? null : spreadOf(times.duckdb),
      difference: found,
      failure: null,
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    return { question, quern: null, duckdb: null, difference: null, failure }
  }
}

async function compareAnswers(
  question: Question,
  quern: Subject | null,
  duckdb: Subject | null,
): Promise<string | null> {
  const ours = await quern?.ask(question)
  const theirs = await duckdb?.ask(question)
  if (ours === undefined || theirs === undefined) return null
  return difference(ours(), theirs(), question.compare, question.tolerance)
}

async function timedTurn(subject: Subject, question: Question, cold: boolean, count: number): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; !cold && run < Math.min(count, RUNS_NOT_TIMED); run++) await subject.ask(question)
  for (let run = 0; run < count; run++) times.push(await timed(subject, question, cold))
  return times
}

async function timed(subject: Subject, question: Question, cold: boolean): Promise<number> {
  if (cold) {
    await subject.reopen()
    dropCaches()
  }
  const startedAt = performance.now()
  await subject.ask(question)
  return performance.now() - startedAt
}

async function quernSubject(events: Events, { cacheBytes, threads, beside }: BenchArguments): Promise<Subject> {
  const options = { ...(cacheBytes !== null && { cacheBytes }), ...(threads !== null && { threads }) }
  const growing = beside === 0 ? null : growingDirectory(events)
  const start = (): Promise<Engine> => open(growing?.directory ?? quernDirectory(events), options)
  let engine = await start()
  const stop = growing === null ? null : await ingestBeside(engine, events, beside)
  return {
    async ask(question) {
      const { columns, rows, complete, warnings } = await engine.query(question.quern).collect()
      if (!complete) throw new Error(`the answer is not complete: ${warnings.join('; ')}`)
      return () => objectsOf(columns, rows)
    },
    get cache() {
      return engine.chunkCache
    },
    async reopen() {
      await engine.close()
      engine = await start()
    },
    async close() {
      stop?.()
      await engine.close()
      growing?.remove()
    },
  }
}

async function duckDbSubject(events: Events): Promise<Subject> {
  const files = duckDbFiles(events)
  let database: DuckDb = await openDuckDb(files)
  return {
    ask: question => database.run(question.duckdb),
    cache: null,
    async reopen() {
      database.close()
      database = await openDuckDb(files)
    },
    async close() {
      database.close()
    },
  }
}

/** Without the right to, only the engines' own caches are cold. */
function dropCaches(): void {
  try {
    writeFileSync('/proc/sys/vm/drop_caches', '1')
  } catch {
    // Not Linux, or not root.
  }
}

export function spreadOf(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  return { median, min: sorted[0]!, max: sorted.at(-1)! }
}
