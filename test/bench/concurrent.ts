/**
 * `npm run bench -- --concurrent`: ten people at once, each with the questions of the suite in an order of their own. What an engine gets done in a
 * second, and how long the unluckiest of a hundred questions waits.
 */
import { spawnSync } from 'node:child_process'
import { open } from '../../engine.ts'
import type { BenchArguments } from './arguments.ts'
import { connectionsTo } from './duckdb.ts'
import type { Events } from './generate.ts'
import { duckDbFiles, quernDirectory } from './load.ts'
import type { Question } from './suite.ts'

const CLIENTS = 10

/** One person's way to an answer. */
type Ask = (question: Question) => Promise<unknown>

interface Load {
  readonly perSecond: number
  readonly times: readonly number[]
}

/** DuckDB's queries wait in the pool of libuv, which is of four threads unless the process is told of more before it starts. */
export function hasRoomForAll(): boolean {
  if (process.env.UV_THREADPOOL_SIZE !== undefined) return true
  const [, ...words] = process.argv
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(CLIENTS + 4) }
  const { status } = spawnSync(process.execPath, [...process.execArgv, ...words], { stdio: 'inherit', env })
  process.exitCode = status ?? 1
  return false
}

export async function runConcurrent(
  questions: readonly Question[],
  events: Events,
  { runs, cacheBytes, threads }: BenchArguments,
  say: (text: string) => void,
): Promise<void> {
  const options = { ...(cacheBytes !== null && { cacheBytes }), ...(threads !== null && { threads }) }
  const engine = await open(quernDirectory(events), options)
  const duckdb = await connectionsTo(duckDbFiles(events), CLIENTS)
  const asks = {
    Quern: Array.from({ length: CLIENTS }, (): Ask => question => engine.query(question.quern).collect()),
    DuckDB: duckdb.connections.map(
      (connection): Ask =>
        question =>
          connection.run(question.duckdb),
    ),
  }
  const loads: { Quern: Load[]; DuckDB: Load[] } = { Quern: [], DuckDB: [] }
  for (const each of [asks.Quern, asks.DuckDB]) await loadOf(each, questions)
  // In turns, so that whatever else the machine does happens to both.
  for (let run = 0; run < runs; run++) {
    loads.Quern.push(await loadOf(asks.Quern, questions))
    loads.DuckDB.push(await loadOf(asks.DuckDB, questions))
  }
  const quern = summary(loads.Quern)
  const other = summary(loads.DuckDB)
  say(`${CLIENTS} clients at once, ${questions.length} questions each, ${runs} rounds`)
  say(`Quern   ${quern.text}`)
  say(`DuckDB  ${other.text}`)
  say(
    `ratio   ${(quern.perSecond / other.perSecond).toFixed(2)}× the questions, p99 ${(other.p99 / quern.p99).toFixed(2)}× as soon`,
  )
  await engine.close()
  duckdb.close()
}

/** Everybody asks everything once, beginning at another question. */
async function loadOf(asks: readonly Ask[], questions: readonly Question[]): Promise<Load> {
  const times: number[] = []
  const startedAt = performance.now()
  await Promise.all(
    asks.map(async (ask, client) => {
      for (let index = 0; index < questions.length; index++) {
        const askedAt = performance.now()
        await ask(questions[(index + client) % questions.length]!)
        times.push(performance.now() - askedAt)
      }
    }),
  )
  return { perSecond: (times.length * 1000) / (performance.now() - startedAt), times }
}

function summary(loads: readonly Load[]): { readonly perSecond: number; readonly p99: number; readonly text: string } {
  const times = loads.flatMap(load => load.times).sort((a, b) => a - b)
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  const rates = loads.map(load => load.perSecond).sort((a, b) => a - b)
  const perSecond = rates[rates.length >> 1]!
  const p99 = at(0.99)
  const text =
    `${perSecond.toFixed(1).padStart(7)} questions/s (${rates[0]!.toFixed(1)}–${rates.at(-1)!.toFixed(1)}), ` +
    `p50 ${at(0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`
  return { perSecond, p99, text }
}
