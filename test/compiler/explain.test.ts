/** explain --analyze accounts for what a run did: times add up, skips have reasons, what was computed once per value is told. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOW, readEvents } from '../case-input.ts'
import { withEngine } from '../harness.ts'

interface Analysis {
  readonly duration_ns: number
  readonly compile_ns: number
  readonly memory_bytes: number
  readonly most_of_the_time: readonly { readonly what: string; readonly duration_ns: number; readonly share: number }[]
  readonly columns: { readonly decoded: number; readonly from_cache: number; readonly bytes_read: number }
  readonly kernel_cache: { readonly hits: number; readonly misses: number }
  readonly skipped: Readonly<Record<string, number>>
  readonly kernels: readonly { readonly name: string; readonly rows: number; readonly gave_up: number }[]
  readonly once_per_value: readonly { readonly expression: string; readonly field: string; readonly values: number }[]
}

const LINES = Array.from({ length: 40 }, (_, n) =>
  JSON.stringify({
    _timestamp: new Date(Date.UTC(2026, 5, 1, 10, 0, n)).toISOString(),
    n,
    host: `web-${n % 4}`,
  }),
)

async function analyse(query: string, options: { readonly times?: number } = {}): Promise<[Analysis, string]> {
  const events = readEvents([{ index: 'main', text: LINES.join('\n') }])
  return await withEngine(events, { store: 'disk', blockRows: 8 }, async engine => {
    for (let time = 1; time < (options.times ?? 1); time++) await engine.explain(query, { analyze: true, now: NOW })
    const explanation = await engine.explain(query, { analyze: true, now: NOW })
    assert.ok(explanation.is_valid)
    return [explanation.analysis as Analysis, String(explanation.text)]
  })
}

describe('explain --analyze', () => {
  test('every nanosecond belongs to somebody, once', async () => {
    const [analysis, text] = await analyse('extend l = upper(host) | stats count(), avg(n) by l | sort -l')
    const sum = analysis.most_of_the_time.reduce((total, share) => total + share.duration_ns, 0)
    assert.ok(Math.abs(sum - analysis.duration_ns) < 100, `${sum} of ${analysis.duration_ns}`)
    assert.ok(Math.abs(analysis.most_of_the_time.reduce((total, { share }) => total + share, 0) - 1) < 1e-6)
    assert.match(text, /most of the time: /)
    assert.match(text, /in all/)
  })

  test('what was computed once per value says for how many', async () => {
    const [analysis, text] = await analyse('extend l = upper(host) | stats count() by l')
    assert.deepEqual(analysis.once_per_value, [{ expression: 'upper(host)', field: 'host', values: 4 }])
    assert.match(text, /once per value: upper\(host\), for 4 values of host/)
  })

  test('kernels that met great integers say that they began again', async () => {
    const [analysis, text] = await analyse('where n * 9007199254740991 > 9007199254740992 | keep n')
    const [gaveUp] = analysis.kernels.filter(kernel => kernel.gave_up > 0)
    assert.deepEqual([gaveUp?.name, gaveUp?.gave_up], ['kernel1_where', 5])
    assert.match(text, /gave up 5 times: integers beyond 2\^53/)
  })

  test('blocks are skipped for reasons', async () => {
    const [byLimit] = await analyse('where n >= 0 | head 3')
    assert.equal(byLimit.skipped.blocks_by_limit, 4)
    const [byBoundary] = await analyse('sort -_time | head 3')
    assert.equal(byBoundary.skipped.blocks_by_sort_boundary, 4)
    const [byZone] = await analyse('where n == 5 | keep n')
    assert.equal(byZone.skipped.blocks_by_zone_map, 4)
    const [byStatistics, text] = await analyse('stats count(), max(n)')
    assert.equal(byStatistics.skipped.blocks_answered_by_statistics, 5)
    assert.equal(byStatistics.skipped.rows_answered_by_statistics, 40)
    assert.match(text, /5 blocks of 40 rows answered by statistics, without being read/)
  })

  test('columns and kernels come from caches the second time', async () => {
    const query = 'where n > 3 and n < 30 | stats sum(n) by host'
    const [cold] = await analyse(query)
    assert.ok(cold.columns.decoded > 0 && cold.columns.bytes_read > 0)
    const [hot] = await analyse(query, { times: 2 })
    assert.deepEqual([hot.columns.decoded, hot.kernel_cache.misses], [0, 0])
    assert.ok(hot.columns.from_cache > 0 && hot.kernel_cache.hits > 0)
  })

  test('operators tell what they held', async () => {
    const [analysis] = await analyse('sort -n | keep n')
    assert.ok(analysis.memory_bytes > 0)
  })
})

test('explain --js prints a kernel once where only the widths of codes differ', async () => {
  const [written, buffered] = [LINES.slice(0, 20), LINES.slice(20)].map(lines =>
    readEvents([{ index: 'main', text: lines.join('\n') }]),
  )
  await withEngine(written!, { store: 'disk', blockRows: 8 }, async engine => {
    engine.ingest(buffered!)
    const { js } = await engine.explain('where n % 2 == 0 | stats count() by host', { js: true, now: NOW })
    const kernels = js as readonly { readonly kernel: string; readonly source: string }[]
    const tallies = kernels.filter(({ kernel }) => kernel.startsWith('kernel2_stats_tally'))
    assert.deepEqual(
      tallies.map(({ kernel }) => kernel),
      ['kernel2_stats_tally  (selected rows)'],
    )
  })
})
