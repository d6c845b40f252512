/**
 * fill: rows are held, bins of each series without one get one, and all go on in the order of time.
 * Series are told apart by their keys; the range is that of the query, or of all rows.
 */
import { DateTime, type Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { batchOf, gather, type RowRef, vectorOf } from '../../column-batch.ts'
import { compareValues, keyOf } from '../../helpers/compare.ts'
import type { TableOptions } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { CollectedRows, type TableRun } from './table.ts'

/** Of a made row: its place, and a value in each column. */
const ROW_BYTES = 32
const OUTPUT_ROWS = 8192

interface Placed {
  readonly ref: RowRef
  readonly time: Value
  readonly series: number
}

interface Series {
  readonly keys: readonly Value[]
  readonly bins: Set<number>
}

export function fillOperator(run: TableRun<'fill'>): Operator {
  return new FillOperator(run)
}

class FillOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'fill'>
  readonly #collected: CollectedRows

  constructor(run: TableRun<'fill'>) {
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'fill')
  }

  push(batch: Batch): void {
    this.#collected.add(batch)
  }

  finish(): void {
    const { options, next } = this.#run
    const { rows } = this.#collected
    const times = this.#collected.values(options.time)
    const { series, seriesOf } = this.#series(times)
    const placed = rows.map((ref, n): Placed => ({ ref, time: times[n], series: seriesOf[n]! }))
    placed.push(...this.#made(series, rangeOf(options, times)))
    // Stable: rows of one bin keep their order.
    placed.sort((a, b) => compareValues(a.time, b.time) || a.series - b.series)
    for (let start = 0; start < placed.length && !next.isDone; start += OUTPUT_ROWS) {
      const refs = placed.slice(start, start + OUTPUT_ROWS).map(row => row.ref)
      next.push(gather(refs, start))
    }
    next.finish()
  }

  /** In the order of their keys. */
  #series(times: readonly Value[]): { readonly series: readonly Series[]; readonly seriesOf: readonly number[] } {
    const { keys, widthMicros } = this.#run.options
    const columns = keys.map(key => this.#collected.values(key))
    const byKey = new Map<string, Series & { readonly rows: number[] }>()
    if (keys.length === 0) byKey.set('', { keys: [], bins: new Set(), rows: [] })
    for (const [n, time] of times.entries()) {
      const values = columns.map(column => column[n] ?? null)
      const id = values.map(keyOf).join('\u0000')
      let found = byKey.get(id)
      if (found === undefined) byKey.set(id, (found = { keys: values, bins: new Set(), rows: [] }))
      found.rows.push(n)
      if (time instanceof DateTime) found.bins.add(Math.floor(time.micros / widthMicros))
    }
    const series = [...byKey.values()].sort((a, b) => compareAll(a.keys, b.keys))
    const seriesOf = new Array<number>(times.length)
    for (const [index, { rows }] of series.entries()) for (const row of rows) seriesOf[row] = index
    return { series, seriesOf }
  }

  #made(series: readonly Series[], range: { readonly first: number; readonly last: number } | null): Placed[] {
    if (range === null) return []
    const { options, context } = this.#run
    const times: DateTime[] = []
    const of: number[] = []
    for (const [index, { bins }] of series.entries()) {
      context.memory.charge(
        Math.max(0, range.last - range.first + 1 - bins.size) * (ROW_BYTES + 8 * (options.columns.length + 1)),
        'fill',
      )
      for (let bin = range.first; bin <= range.last; bin++) {
        if (bins.has(bin)) continue
        times.push(new DateTime(bin * options.widthMicros))
        of.push(index)
      }
    }
    const rowCount = times.length
    const columns = new Map([[options.time, vectorOf(times)]])
    for (const [n, key] of options.keys.entries()) columns.set(key, vectorOf(of.map(index => series[index]!.keys[n])))
    for (const { name, value } of options.columns) columns.set(name, { kind: 'const', rowCount, value })
    const batch = batchOf(columns, rowCount)
    return times.map((time, row) => ({ ref: { batch, row }, time, series: of[row]! }))
  }
}

/** Numbers of the first bin and the last; null: there is none. */
function rangeOf(
  { fromMicros, toMicros, nowMicros, widthMicros }: TableOptions['fill'],
  times: readonly Value[],
): { readonly first: number; readonly last: number } | null {
  let low = Number.POSITIVE_INFINITY
  let high = nowMicros ?? Number.NEGATIVE_INFINITY
  for (const time of times) {
    if (!(time instanceof DateTime)) continue
    if (time.micros < low) low = time.micros
    if (time.micros > high) high = time.micros
  }
  const first = Math.floor((fromMicros ?? low) / widthMicros)
  const last = Math.floor((toMicros === null ? high : toMicros - 1) / widthMicros)
  return Number.isFinite(first) && Number.isFinite(last) && first <= last ? { first, last } : null
}

function compareAll(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, value] of a.entries()) {
    const order = compareValues(value, b[index])
    if (order !== 0) return order
  }
  return 0
}
