/** `npm run bench -- --micro`: kernels and encodings alone, where a figure of the whole would hide them. */
import Benchmark from 'benchmark'
import type { Catalog } from '../../compiler/catalog.ts'
import { compile } from '../../compiler/index.ts'
import { execute } from '../../runtime/execute.ts'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import { frameChunk } from '../../storage/part/chunk.ts'
import { decodeColumn } from '../../storage/part/encodings/index.ts'
import { KIND_COLUMN } from '../../storage/part/format.ts'
import { DateTime } from '../../storage/value.ts'
import type { Dictionary } from '../../storage/vector.ts'
import { type EncodingBench, encodingBenches } from './encodings.ts'
import { type FormatBench, formatBenches } from './formats.ts'
import { BLOCK_ROWS, BLOCKS, bytesOf, createBlocks, partOf } from './vectors.ts'

/** What each asks of the machine is its name; the queries are compiled once, as a view would be. */
const KERNELS: readonly (readonly [string, string])[] = [
  ['filter number', 'where status >= 500 | stats count() as n'],
  ['filter float range', 'where duration_ms > 100 and duration_ms < 200 | stats count() as n'],
  ['filter dictionary', 'where level == "error" | stats count() as n'],
  ['filter text, contains', 'where contains(message, "reset by peer") | stats count() as n'],
  ['filter text, regex', 'where matches(message, r"(?i)timeout after") | stats count() as n'],
  ['arithmetic', 'extend x = duration_ms * 2 + bytes | stats sum(x) as n'],
  ['group by dictionary code', 'stats count() as n by path'],
  ['group by two dictionaries', 'stats count() as n, sum(bytes) as total by host, level'],
  ['group by minute', 'stats count() as n by bin(_time, 1m)'],
  ['percentile sketch', 'stats p95(duration_ms) as p by host'],
  ['distinct', 'stats dc(path) as n by level'],
  ['sort, first 100', 'sort -duration_ms | head 100 | keep duration_ms'],
]

const NO_CATALOG: Catalog = { indexes: ['main'], sources: [], fields: () => null, lookups: [], lookup: () => null }

export async function runMicro(only: string, say: (text: string) => void): Promise<void> {
  const blocks = createBlocks()
  const part = partOf(blocks)
  const rows = BLOCK_ROWS * BLOCKS
  const kernels = KERNELS.map(([name, pipeline]) => ({ name, pipeline, rows, part }))
  for (const bench of kernels) if (bench.name.includes(only)) await measureQuery(bench, say)
  for (const bench of formatBenches(only, BLOCK_ROWS)) await measureQuery(bench, say)
  for (const bench of encodingBenches(blocks[0]!))
    if (`encode ${bench.name} decode ${bench.name}`.includes(only)) await measureEncoding(bench, say)
}

async function measureQuery({ name, pipeline, rows, part }: FormatBench, say: (text: string) => void): Promise<void> {
  const source = { parts: () => [[part]], release: () => {} }
  const now = new DateTime(Date.UTC(2026, 5, 1) * 1000)
  const { program } = compile(`from main | ${pipeline}`, { catalog: NO_CATALOG, now, trace: false })
  const run = async (): Promise<void> => {
    for await (const batch of execute(program, source, { nowMicros: now.micros }).batches())
      for (const column of batch.names) batch.column(column)
  }
  const { seconds, error } = await secondsOf(name, run)
  const speed = `${(rows / seconds / 1e6).toFixed(2)} M rows/s`
  say(lineOf(name, speed, `${((seconds / rows) * 1e9).toFixed(2)} ns/row`, error))
}

async function measureEncoding(bench: EncodingBench, say: (text: string) => void): Promise<void> {
  const { name, vector, others } = bench
  const dictionaries: Dictionary[] = []
  const idOf = (dictionary: Dictionary): number => {
    const known = dictionaries.indexOf(dictionary)
    return known >= 0 ? known : dictionaries.push(dictionary) - 1
  }
  const sink = new ByteSink()
  const encoding = bench.encode(sink, idOf)
  const encoded = sink.finish().slice()
  const stored = frameChunk(KIND_COLUMN, encoding, encoded).length
  // What rows say, not what a vector of one value takes.
  const bytes = bytesOf(vector) || BLOCK_ROWS
  const encode = await secondsOf(name, async () => void bench.encode(new ByteSink(), idOf))
  const decode = await secondsOf(
    name,
    async () =>
      void decodeColumn(
        encoding,
        new ByteSource(encoded),
        BLOCK_ROWS,
        id => dictionaries[id]!,
        field => others.get(field) ?? null,
      ),
  )
  const bits = (size: number): string => ((size * 8) / BLOCK_ROWS).toFixed(1)
  const speed = (seconds: number): string => `${(bytes / seconds / 1e6).toFixed(0)} MB/s`
  const perRow = (seconds: number): string => `${((seconds / BLOCK_ROWS) * 1e9).toFixed(1)} ns/row`
  say(lineOf(`encode ${name}`, speed(encode.seconds), perRow(encode.seconds), encode.error))
  say(
    `${lineOf(`decode ${name}`, speed(decode.seconds), perRow(decode.seconds), decode.error)}   ` +
      `${bits(encoded.length)} bits/row, ${bits(stored)} compressed`,
  )
}

interface Timing {
  /** Mean of one run. */
  readonly seconds: number
  /** Relative margin of error of the mean, in percent. */
  readonly error: number
}

function secondsOf(name: string, run: () => Promise<void>): Promise<Timing> {
  return new Promise((resolve, reject) => {
    const benchmark = new Benchmark(name, {
      defer: true,
      maxTime: 0.7,
      minSamples: 5,
      fn(deferred: { resolve(): void }) {
        run().then(() => deferred.resolve(), reject)
      },
      onComplete() {
        resolve({ seconds: benchmark.stats.mean, error: benchmark.stats.rme })
      },
      onError() {
        reject(new Error(`${name} cannot be timed`))
      },
    })
    benchmark.run({ async: true })
  })
}

function lineOf(name: string, speed: string, detail: string, error: number): string {
  return `${name.padEnd(32)}${speed.padStart(18)}${detail.padStart(18)}   ±${error.toFixed(1)} %`
}
