/**
 * `npm run bench -- --pipe`: the command line over the events as a file and as a pipe, as anybody would start it. Megabytes of NDJSON a
 * second, the start of the process included; and the start alone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchDirectory, type Events } from './generate.ts'
import { spreadOf } from './measure.ts'

const MAIN = join(import.meta.dirname, '../../cli/main.js')

/** Megabytes a second of a filtered group-by that have to be reached. */
const MUST_REACH = 200
const FILTERED = 'where status >= 500 | stats count() by path'

const QUESTIONS = [
  ['filtered group-by', FILTERED, MUST_REACH],
  ['group by minute and service', 'stats count() by bin(_time, 1m), service', null],
  ['phrase in the message', 'where contains(message, "connection reset") | stats count()', null],
  ['word anywhere in the text', 'reset | stats count()', null],
] as const

export async function runPipe(events: Events, runs: number, say: (text: string) => void): Promise<boolean> {
  const bare = await msOf(runs, ['-e', '0'], null)
  const version = await msOf(runs, [MAIN, '--version'], null)
  const empty = join(benchDirectory(), 'empty.ndjson')
  writeFileSync(empty, '')
  const none = await msOf(runs, [MAIN, 'query', 'stats count()'], empty)
  say(
    `start: node alone ${bare.toFixed(0)} ms, --version ${version.toFixed(0)}, a query over nothing ${none.toFixed(0)}`,
  )
  let isReached = true
  for (const [name, query, mustReach] of QUESTIONS) {
    const file = events.bytes / 1e3 / (await msOf(runs, [MAIN, 'query', '-f', events.file, query], null))
    const pipe = events.bytes / 1e3 / (await msOf(runs, [MAIN, 'query', query], events.file))
    const reached = mustReach === null ? '' : `  ≥ ${mustReach}: ${file >= mustReach ? 'reached' : 'NOT REACHED'}`
    say(
      `${name.padEnd(30)} ${file.toFixed(0).padStart(5)} MB/s of a file, ${pipe.toFixed(0).padStart(5)} of stdin${reached}`,
    )
    if (mustReach !== null && file < mustReach) isReached = false
  }
  const first = await msOf(runs, [MAIN, 'query', '-f', events.file, `${FILTERED.split(' |')[0]} | head 1`], null)
  say(`the first of them, then no more: ${first.toFixed(0)} ms`)
  return isReached
}

/** The median of whole processes, from their start to their end. */
async function msOf(runs: number, words: readonly string[], input: string | null): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now()
    const stdin = input === null ? 'ignore' : openSync(input, 'r')
    const child = spawn(process.execPath, words, { stdio: [stdin, 'ignore', 'inherit'] })
    if (stdin !== 'ignore') closeSync(stdin)
    const [code] = (await once(child, 'exit')) as [number]
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`)
    times.push(performance.now() - startedAt)
  }
  return spreadOf(times).median
}
