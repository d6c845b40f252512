/**
 * How a store is when it has grown: events of many days go in as fast as they are taken, while parts are merged; then it is closed and
 * opened again. What must hold is said beside each figure, and a miss makes the run fail. Rates are by the clock, and by the processor time of
 * the thread that takes events: other programs of a machine take from the one, and hardly from the other, which is what is compared.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { IncomingEvent } from '../../storage/index.ts'
import { openStore } from '../../storage/store.ts'
import { DateTime } from '../../storage/value.ts'
import { benchDirectory, eventsOf } from './generate.ts'
import { batchesOf } from './load.ts'

const ROWS_A_DAY = 500_000
const DAY_MICROS = 86_400_000_000
const OPEN_MS_MAX = 1000
const RATE_RATIO_MIN = 0.9
const RESIDENT_MAX = 1024 ** 3
/** Parts of one day: seven of each of four tiers is what waits at most. */
const PARTS_A_DAY_MAX = 28
const PART_CATALOG_BYTES_MAX = 4096

type Store = Awaited<ReturnType<typeof openStore>>

/** Answers whether everything held. */
export async function runScale(rows: number, seed: number, say: (text: string) => void): Promise<boolean> {
  const days = Math.max(1, Math.round(rows / ROWS_A_DAY))
  const events = await eventsOf(seed, Math.min(rows, ROWS_A_DAY))
  const directory = join(benchDirectory(), `scale-${rows}`)
  rmSync(directory, { recursive: true, force: true })
  const store = await openStore({ directory })
  say(`${days} days of ${events.rows} events, ${((days * events.bytes) / 1e9).toFixed(1)} GB of NDJSON`)
  say('     events   events/s  by processor  all threads  parts  leaving  buffered MB  on disk MB  merges  resident MB')
  const rates: Rates[] = []
  let peak = 0
  for (let day = 0; day < days; day++) {
    const startedAt = performance.now()
    const usedBefore = processorSeconds()
    for await (const batch of batchesOf(events.file)) {
      await append(store, shifted(batch.toEvents(), day * DAY_MICROS))
      peak = Math.max(peak, process.memoryUsage.rss())
    }
    const used = processorSeconds()
    rates.push({
      byClock: events.rows / ((performance.now() - startedAt) / 1000),
      byProcessor: events.rows / (used.thisThread - usedBefore.thisThread),
      byAllThreads: events.rows / (used.allThreads - usedBefore.allThreads),
    })
    say(row(store, rates.at(-1)!))
  }
  await store.flush()
  await settled(store)
  say(row(store, null))
  const { eventCount, partCount } = store.status()
  await store.close()

  const quarter = Math.max(1, Math.floor(days / 4))
  const ratioBy = (of: keyof Rates) => {
    const values = rates.map(each => each[of])
    return median(values.slice(-quarter)) / median(values.slice(0, quarter))
  }
  const ratio = ratioBy('byProcessor')
  const opened = await reopened(directory)
  const checks: [string, boolean][] = [
    [`${eventCount} events of ${days * events.rows}`, eventCount === days * events.rows],
    [`${opened.eventCount} events once opened again`, opened.eventCount === eventCount],
    [
      `rate at the end ${ratio.toFixed(2)}× that of the beginning by processor time (at least ${RATE_RATIO_MIN}); ` +
        `${ratioBy('byAllThreads').toFixed(2)}× by that of all threads, ${ratioBy('byClock').toFixed(2)}× by the clock`,
      ratio >= RATE_RATIO_MIN,
    ],
    [
      `${partCount} parts, ${(partCount / days).toFixed(1)} a day (at most ${PARTS_A_DAY_MAX})`,
      partCount <= PARTS_A_DAY_MAX * days,
    ],
    [`opened in ${opened.ms.toFixed(0)} ms (under ${OPEN_MS_MAX})`, opened.ms < OPEN_MS_MAX],
    [
      `catalog in memory ${(opened.catalogBytes / 1024).toFixed(0)} KiB, ${(opened.catalogBytes / partCount).toFixed(0)} bytes a part`,
      opened.catalogBytes < 1024 ** 2 + PART_CATALOG_BYTES_MAX * partCount,
    ],
    [
      `resident at its peak ${(peak / 1e6).toFixed(0)} MB (at most ${(RESIDENT_MAX / 1e6).toFixed(0)})`,
      peak <= RESIDENT_MAX,
    ],
  ]
  for (const [what, holds] of checks) say(`${holds ? 'ok  ' : 'MISS'} ${what}`)
  return checks.every(([, holds]) => holds)
}

interface Rates {
  /** Events a second of the clock, of this thread's processor time, and of that of all threads: building parts and merging too. */
  readonly byClock: number
  readonly byProcessor: number
  readonly byAllThreads: number
}

const TICKS_A_SECOND = 100

function processorSeconds(): { thisThread: number; allThreads: number } {
  const { user, system } = process.cpuUsage()
  const allThreads = (user + system) / 1e6
  try {
    const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1')
    // The command may hold spaces and parentheses; the fields after it start behind the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { thisThread: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND, allThreads }
  } catch {
    // Only Linux tells of threads.
    return { thisThread: allThreads, allThreads }
  }
}

/** As a client does that is told to wait. */
async function append(store: Store, batch: readonly IncomingEvent[]): Promise<void> {
  store.append(batch)
  await new Promise(resolve => setImmediate(resolve))
  if (store.status().bufferedBytes > 256 * 1024 * 1024) await store.flush()
}

function shifted(batch: readonly IncomingEvent[], micros: number): IncomingEvent[] {
  return batch.map(event => ({ ...event, time: new DateTime(event.time.micros + micros, event.time.nanos) }))
}

/** Merging has caught up. */
async function settled(store: Store): Promise<void> {
  await store.compact()
}

async function reopened(directory: string): Promise<{ ms: number; catalogBytes: number; eventCount: number }> {
  const before = collectedHeap()
  const startedAt = performance.now()
  const store = await openStore({ directory })
  const ms = performance.now() - startedAt
  const catalogBytes = collectedHeap() - before
  const { eventCount } = store.status()
  await store.close()
  return { ms, catalogBytes, eventCount }
}

/** What is in use, and no garbage: the difference of two is what came between them. */
function collectedHeap(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

function row(store: Store, rate: Rates | null): string {
  const { eventCount, partCount, leavingCount, bufferedBytes, storageBytes } = store.status()
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)
  return [
    String(eventCount).padStart(11),
    (rate?.byClock.toFixed(0) ?? '').padStart(10),
    (rate?.byProcessor.toFixed(0) ?? '').padStart(13),
    (rate?.byAllThreads.toFixed(0) ?? '').padStart(12),
    String(partCount).padStart(6),
    String(leavingCount).padStart(8),
    megabytes(bufferedBytes).padStart(12),
    megabytes(storageBytes).padStart(11),
    String(store.compactions().length).padStart(7),
    megabytes(process.memoryUsage.rss()).padStart(12),
  ].join(' ')
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
