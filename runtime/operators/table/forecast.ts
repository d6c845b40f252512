/** forecast: series laid on a grid of bins, carried on by the model that would have foretold their own end best. */
import { DateTime, type Value } from '../../../storage/value.ts'
import type { Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { batchOf, vectorOf } from '../../column-batch.ts'
import { FORECAST_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { forecastSeries } from './forecast-models.ts'
import { inUnit, rounded, type Unit } from './measures.ts'
import { type Series, SeriesRows } from './series.ts'
import { counted, type TableRun } from './table.ts'
import { layOnGrid } from './time-grid.ts'

interface Bin {
  readonly micros: number
  readonly group: number
  /** Expected value, lower and upper bound, model. */
  readonly values: readonly Value[]
}

/** Fewer bins say nothing about the next one. */
const BINS_MIN = 4
const BIN_BYTES = 240

export class ForecastOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'forecast'>
  readonly #rows: SeriesRows

  constructor(run: TableRun<'forecast'>) {
    this.#run = run
    this.#rows = new SeriesRows(run.context, run.inputs, 'forecast')
  }

  push(batch: Batch): void {
    this.#rows.add(batch)
  }

  finish(): void {
    const { context, next } = this.#run
    const { collected, keys } = this.#rows
    const { series, unit } = this.#rows.series()
    const bins = series.flatMap(each => {
      context.memory.charge(this.#run.options.count * BIN_BYTES, 'forecast')
      return this.#goOn(each, unit)
    })
    const none = new Array<Value>(collected.rows.length).fill(null)
    const added = FORECAST_COLUMNS.map(name => [name, name === 'is_forecast' ? none.map(() => false) : none] as const)
    collected.emit(next, null, new Map(added))
    bins.sort((a, b) => a.micros - b.micros || keys.compare(a.group, b.group))
    if (bins.length > 0 && !next.isDone) next.push(this.#batchOf(bins))
    next.finish()
  }

  #goOn({ group, rows, numbers }: Series, unit: Unit): Bin[] {
    const { context, options } = this.#run
    const { times } = this.#rows
    const grid = layOnGrid(
      rows.map(row => times.micros(row)),
      numbers,
    )
    if (grid === null || grid.values.length < BINS_MIN) {
      context.count('note:a series has too few bins, or too many, to be forecast')
      return []
    }
    if (grid.missing > 0) {
      context.count(
        `note:${counted(grid.missing, 'bin')} missing in a series and interpolated; fill before forecast sets them`,
      )
    }
    const forecast = forecastSeries(grid.values, grid.widthMicros, options)
    return forecast.bins.map((bin, index) => ({
      micros: grid.lastMicros + (index + 1) * grid.widthMicros,
      group,
      values: [...bin.map(number => inUnit(rounded(number, 6) ?? Number.NaN, unit)), forecast.model],
    }))
  }

  #batchOf(bins: readonly Bin[]): Batch {
    const { keys, value } = this.#run.options
    const [isForecast, lower, upper, model] = FORECAST_COLUMNS
    const columns = new Map<string, Vector>([['_time', vectorOf(bins.map(({ micros }) => new DateTime(micros)))]])
    for (const [key, name] of keys.entries()) {
      columns.set(name, vectorOf(bins.map(({ group }) => this.#rows.keys.value(group, key))))
    }
    columns.set(isForecast, vectorOf(bins.map(() => true)))
    for (const [index, name] of [value, lower, upper, model].entries()) {
      columns.set(name, vectorOf(bins.map(({ values }) => values[index])))
    }
    return batchOf(columns, bins.length, this.#rows.collected.rows.length)
  }
}
