/**
 * `npm run bench -- --profile`: where the time of each question of the suite goes when all is warm, and how far that is from what the machine could
 * do at best. Bytes are those of the decoded columns a question touches; the limit is what reading so many from memory takes one core of
 * this machine, measured in the same run. What the questions read the first time, decompression included, stands beside it.
 */
import { open } from '../../engine.ts'
import type { BenchArguments } from './arguments.ts'
import type { Events } from './generate.ts'
import { quernDirectory } from './load.ts'
import { spreadOf } from './measure.ts'
import type { Question } from './suite.ts'

interface Analysis {
  readonly duration_ns: number
  readonly most_of_the_time: readonly { readonly what: string; readonly share: number }[]
  readonly columns: { readonly bytes_read: number; readonly bytes_decoded: number; readonly decode_ns: number }
}

const WARM_UPS = 12
const SHOWN = 2
/** Larger than every cache of a core. */
const SWEPT_BYTES = 256 * 2 ** 20

export async function runProfile(
  questions: readonly Question[],
  events: Events,
  { runs }: BenchArguments,
  say: (text: string) => void,
): Promise<void> {
  const bytesPerMs = bandwidth()
  say(`one core sums doubles from memory at ${(bytesPerMs / 1e6).toFixed(1)} GB/s; one thread, so that shares add up\n`)
  say('| question | first ms | decoding | hot ms | columns MB | limit ms | of it | where |')
  say('|---|---|---|---|---|---|---|---|')
  for (const { name, quern } of questions) {
    // An engine each: what one question decoded, another would find.
    const engine = await open(quernDirectory(events), { threads: 0, cacheBytes: 2 ** 30 })
    const analyse = async (): Promise<Analysis> =>
      (await engine.explain(quern, { analyze: true })).analysis as unknown as Analysis
    const first = await analyse()
    const times: number[] = []
    for (let run = 0; run < WARM_UPS + runs; run++) {
      const startedAt = performance.now()
      await engine.query(quern).collect()
      if (run >= WARM_UPS) times.push(performance.now() - startedAt)
    }
    const hot = await analyse()
    await engine.close()
    const { median } = spreadOf(times)
    const limit = first.columns.bytes_decoded / bytesPerMs
    const decoding = Math.round((100 * first.columns.decode_ns) / first.duration_ns)
    const where = hot.most_of_the_time
      .toSorted((a, b) => b.share - a.share)
      .slice(0, SHOWN)
      .map(({ what, share }) => `${Math.round(share * 100)} % ${what.replaceAll('|', '\\|').slice(0, 90)}`)
    const cells = [
      name.replaceAll('|', '\\|'),
      (first.duration_ns / 1e6).toFixed(0),
      `${decoding} %`,
      median.toFixed(1),
      (first.columns.bytes_decoded / 1e6).toFixed(1),
      limit.toFixed(2),
      limit === 0 ? '–' : `${(median / limit).toFixed(1)}×`,
      where.join('; '),
    ]
    say(`| ${cells.join(' | ')} |`)
  }
}

/** Bytes a millisecond. */
function bandwidth(): number {
  const doubles = new Float64Array(SWEPT_BYTES / 8).fill(1)
  const times: number[] = []
  for (let run = 0; run < 9; run++) {
    const startedAt = performance.now()
    // Four sums: one would wait for itself.
    let [a, b, c, d] = [0, 0, 0, 0]
    for (let at = 0; at < doubles.length; at += 4) {
      a += doubles[at]!
      b += doubles[at + 1]!
      c += doubles[at + 2]!
      d += doubles[at + 3]!
    }
    if (a + b + c + d !== doubles.length) throw new Error('a sum of ones that is not their number')
    times.push(performance.now() - startedAt)
  }
  return SWEPT_BYTES / spreadOf(times).min
}
