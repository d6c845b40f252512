/** A server for software that nobody here wrote, and a look at what became of what it sent. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { type Engine, open } from '../../../engine.ts'
import { loadConfig } from '../../../server/config.ts'
import { listen, type RunningServer } from '../../../server/listen.ts'
import type { OptionName } from '../../../server/options.ts'
import { DateTime, type Value } from '../../../storage/value.ts'

/** Clients are loaded when their test runs; most have no types, and those of others take the compiler longer than everything of ours. */
export const load: (name: string) => unknown = createRequire(import.meta.url)

export type Row = Readonly<Record<string, Value>>

export interface ClientServer {
  readonly engine: Engine
  readonly server: RunningServer
  readonly url: string
  port(listener?: OptionName): number
  /** Events whose `run` is this, in the order of their `n`; waits until there are as many. */
  rows(run: string, count: number): Promise<readonly Row[]>
  /** The same by any condition. */
  where(condition: string, count: number): Promise<readonly Row[]>
  stop(): Promise<void>
}

export async function startServer(
  flags: Readonly<Record<string, string>> = {},
  directory: string | null = null,
): Promise<ClientServer> {
  const listeners = { 'otlp.http': '0', 'otlp.grpc': '0', 'syslog.udp': '0', 'syslog.tcp': '0' }
  const config = loadConfig({ flags: { 'log.level': 'silent', port: '0', ...listeners, ...flags }, environment: {} })
  const engine = await open(directory, config.engineOptions())
  const server = await listen(engine, config)
  const where = async (condition: string, count: number): Promise<readonly Row[]> => {
    let rows: Row[] = []
    for (let tries = 0; tries < 500; tries++) {
      rows = []
      for await (const row of engine.query(`from main | where ${condition} | sort n`).rows()) rows.push(row)
      if (rows.length >= count) break
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    return rows
  }
  return {
    engine,
    server,
    url: server.url,
    port: listener =>
      Number(
        listener === undefined ? new URL(server.url).port : server.listeners.get(listener)!.address.split(':').at(-1),
      ),
    rows: (run, count) => where(`run == "${run}"`, count),
    where,
    async stop() {
      server.stop()
      await server.closed
    },
  }
}

export const LEVELS = ['info', 'warn', 'error', 'debug'] as const

export interface Sample {
  readonly n: number
  readonly run: string
  readonly level: (typeof LEVELS)[number]
  readonly message: string
  /** Milliseconds since the epoch; each event has its own. */
  readonly millis: number
}

const FIRST = Date.UTC(2026, 4, 1, 10, 20, 30, 123)

export function samples(run: string, count: number): Sample[] {
  return Array.from({ length: count }, (_, n) => ({
    n,
    run,
    level: LEVELS[n % LEVELS.length]!,
    message: `größer "${n}" \n of ${run}`,
    millis: FIRST + n * 1001,
  }))
}

/** What a document of the bulk protocol holds of a sample. */
export function documentOf({ n, run, level, message, millis }: Sample) {
  return {
    '@timestamp': new Date(millis).toISOString(),
    n,
    run,
    level,
    message,
    nested: { a: [1, 'x'], b: { c: n / 2 } },
  }
}

export interface Expected {
  readonly source?: string
  /** The field that holds the level as this client names it. */
  readonly level?: (sample: Sample) => Value
  readonly message?: string
  readonly fields?: (sample: Sample) => Readonly<Record<string, Value>>
  /** The client makes the time itself: only that it is now can be known. */
  readonly isNow?: boolean
}

/** Every sample is there, once, with its time, level, source and fields. */
export function checkArrived(rows: readonly Row[], sent: readonly Sample[], expected: Expected): void {
  assert.deepEqual(
    rows.map(row => row.n),
    sent.map(sample => sample.n),
    'every event once',
  )
  for (const [place, sample] of sent.entries()) {
    const row = rows[place]!
    const time = row._time
    assert.ok(time instanceof DateTime)
    if (expected.isNow) assert.ok(Math.abs(time.micros / 1000 - Date.now()) < 120_000, `time of ${sample.n}`)
    else assert.deepEqual(time, new DateTime(sample.millis * 1000), `time of ${sample.n}`)
    const wanted: Record<string, Value> = {
      run: sample.run,
      level: expected.level === undefined ? sample.level : expected.level(sample),
      ...(expected.source !== undefined && { _source: expected.source }),
      ...(expected.message !== undefined && { [expected.message]: sample.message }),
      ...expected.fields?.(sample),
    }
    for (const [name, value] of Object.entries(wanted)) assert.deepEqual(row[name], value, `${name} of ${sample.n}`)
  }
}
