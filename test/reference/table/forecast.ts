/** forecast: every model tried on the end of the series, in the component form of the textbooks. */
import type { AstForecast } from '../../../grammar/ast.ts'
import { formatDuration, printExpr } from '../../../grammar/index.ts'
import { durationOption, numberOption } from '../../../grammar/stages/options.ts'
import { compareValues } from '../../../runtime/helpers/compare.ts'
import { normalQuantile } from '../../../runtime/operators/table/forecast-models.ts'
import { DateTime, type Value } from '../../../storage/value.ts'
import type { TableReference } from './index.ts'
import {
  columnsAfter,
  compareKeys,
  inUnit,
  mean,
  nameOf,
  newRow,
  significant,
  timeOf,
  total,
  withFields,
} from './rows.ts'
import { type Series, seriesOf } from './series.ts'

interface Model {
  readonly name: string
  readonly season: number
  readonly alphas: readonly number[]
  readonly betas: readonly number[]
  readonly gammas: readonly number[]
  readonly fade: number
}

interface Fit {
  readonly parameters: readonly [number, number, number]
  readonly level: number
  readonly trend: number
  readonly seasonal: readonly number[]
  readonly errors: readonly number[]
}

const NO_FORECAST = { is_forecast: false, lower: null, upper: null, model: null }

export const forecast: TableReference<AstForecast> = (stage, { rows, columns }, evaluate) => {
  const value = nameOf(stage.value, printExpr)
  const keyNames = stage.by.map(key => nameOf(key, printExpr))
  const confidence = numberOption(stage.options, 'confidence') ?? 95
  const seasonNs = durationOption(stage.options, 'season')
  const { series, unit } = seriesOf(stage, rows, evaluate)
  const made = series.flatMap(each => {
    const grid = onGrid(each)
    if (grid === null || grid.values.length < 4) return []
    const { model, bins } = goOn(grid.values, grid.width, stage.count, seasonNs, confidence)
    return bins.map((bin, index) => ({
      time: new DateTime(grid.last + (index + 1) * grid.width),
      keys: each.keys,
      model: model.name,
      numbers: bin.map(number => (Number.isFinite(number) ? inUnit(significant(number, 6), unit) : null)),
    }))
  })
  made.sort((a, b) => compareValues(a.time, b.time) || compareKeys(a.keys, b.keys))
  return {
    rows: [
      ...rows.map(row => withFields(row, NO_FORECAST)),
      ...made.map(({ time, keys, model, numbers }) =>
        newRow({
          _time: time,
          ...Object.fromEntries(keyNames.map((name, index): [string, Value] => [name, keys[index]])),
          [value]: numbers[0],
          is_forecast: true,
          lower: numbers[1],
          upper: numbers[2],
          model,
        }),
      ),
    ],
    columns: columnsAfter(columns, Object.keys(NO_FORECAST)),
  }
}

function onGrid({ rows, numbers }: Series) {
  const micros = rows.map(row => timeOf(row)!.micros)
  const widths = micros
    .slice(1)
    .map((at, n) => at - micros[n]!)
    .filter(width => width > 0)
  const frequency = (width: number): number => widths.filter(other => other === width).length
  const [width] = widths.toSorted((a, b) => frequency(b) - frequency(a) || a - b)
  if (width === undefined) return null
  const first = micros[0]!
  const count = Math.round((micros.at(-1)! - first) / width) + 1
  if (count > 1_000_000) return null
  const known = Array.from(
    { length: count },
    (_, bin) => numbers[micros.findIndex(at => Math.round((at - first) / width) === bin)],
  )
  const values = known.map((number, bin) => {
    if (number !== undefined) return number
    const before = known.findLastIndex((other, at) => at < bin && other !== undefined)
    const after = known.findIndex((other, at) => at > bin && other !== undefined)
    return known[before]! + ((known[after]! - known[before]!) * (bin - before)) / (after - before)
  })
  return { values, width, last: first + (count - 1) * width }
}

const ALPHAS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9]
const FEW = [0.1, 0.3, 0.6, 0.9]

function models(length: number, width: number, seasonNs: number | null): Model[] {
  const plain = { season: 0, gammas: [0], alphas: [...ALPHAS, 1] }
  const seasons = (seasonNs === null ? [3600e9, 86_400e9, 604_800e9] : [seasonNs])
    .map(ns => ({ season: Math.round(ns / 1000 / width), text: formatDuration(ns) }))
    .filter(({ season }) => season >= 2 && season * 2 <= length)
  return [
    { ...plain, name: 'level', betas: [0], fade: 1 },
    { ...plain, name: 'trend', betas: ALPHAS, fade: 1 },
    { ...plain, name: 'fading trend', betas: ALPHAS, fade: 0.9 },
    ...seasons.flatMap(({ season, text }) => [
      { name: `last ${text}`, season, alphas: [0], betas: [0], gammas: [1], fade: 1 },
      { name: `season of ${text}`, season, alphas: FEW, betas: [0], gammas: FEW, fade: 1 },
      { name: `season of ${text} with trend`, season, alphas: FEW, betas: [0.05, 0.2], gammas: FEW, fade: 1 },
    ]),
  ]
}

function goOn(values: readonly number[], width: number, count: number, seasonNs: number | null, confidence: number) {
  const held = Math.max(1, Math.floor(values.length / 4))
  const known = values.slice(0, -held)
  const trials = Math.min(40, held)
  const errorOf = (model: Model): number => {
    const { parameters } = fitted(model, known)
    const errors = Array.from({ length: trials }, (_, trial) => {
      const from = known.length + Math.floor((trial * held) / trials)
      const tried = fit(model, parameters, values.slice(0, from))
      return values
        .slice(from, from + Math.max(1, count))
        .map((value, ahead) => Math.abs(expected(model, tried, from, ahead) - value))
    })
    return mean(errors.flat())
  }
  const [first, ...others] = models(known.length, width, seasonNs).map(model => ({ model, error: errorOf(model) }))
  const { model } = others.reduce((best, each) => (each.error < best.error * 0.98 - 1e-12 ? each : best), first!)
  const final = fitted(model, values)
  const sigma = Math.sqrt(total(final.errors.map(error => error ** 2)) / Math.max(1, final.errors.length))
  const quantile = normalQuantile(0.5 + confidence / 200)
  const least = values.every(value => value >= 0) ? 0 : Number.NEGATIVE_INFINITY
  const bins = Array.from({ length: count }, (_, ahead) => {
    const point = expected(model, final, values.length, ahead)
    const reach = quantile * sigma * Math.sqrt(1 + total(weights(model, final, ahead).map(weight => weight ** 2)))
    return [point, point - reach, point + reach].map(number => Math.max(least, number))
  })
  return { model, bins }
}

/** How much an error made so many bins ago still counts. */
function weights({ season, fade }: Model, { parameters: [alpha, beta, gamma] }: Fit, ahead: number): number[] {
  return Array.from({ length: ahead }, (_, n) => {
    const faded = total(Array.from({ length: n + 1 }, (_, power) => fade ** (power + 1)))
    return alpha * (1 + beta * faded) + (season > 0 && (n + 1) % season === 0 ? gamma : 0)
  })
}

function expected({ season, fade }: Model, { level, trend, seasonal }: Fit, length: number, ahead: number): number {
  const rise = trend * total(Array.from({ length: ahead + 1 }, (_, n) => fade ** (n + 1)))
  return level + rise + (season > 0 ? seasonal[(length + ahead) % season]! : 0)
}

function fitted(model: Model, values: readonly number[]): Fit {
  const fits = model.alphas.flatMap(alpha =>
    model.betas.flatMap(beta => model.gammas.map(gamma => fit(model, [alpha, beta, gamma], values))),
  )
  const squares = ({ errors }: Fit): number => total(errors.map(error => error ** 2))
  return fits.reduce((best, each) => (squares(each) < squares(best) * (1 - 1e-9) ? each : best))
}

function fit(
  { season, fade, betas }: Model,
  parameters: readonly [number, number, number],
  values: readonly number[],
): Fit {
  const [alpha, beta, gamma] = parameters
  const hasTrend = betas[0] !== 0
  const seasonal: number[] = []
  const errors: number[] = []
  let [level, trend, from] = [values[0]!, 0, 1]
  if (season > 0) {
    const center = mean(values.slice(0, season))
    trend = hasTrend ? (mean(values.slice(season, 2 * season)) - center) / season : 0
    for (let at = 0; at < season; at++) seasonal.push(values[at]! - (center + trend * (at - (season - 1) / 2)))
    level = center + (trend * (season - 1)) / 2
    from = season
  } else if (hasTrend && values.length >= 2) [level, trend, from] = [values[1]!, values[1]! - values[0]!, 2]
  for (let at = from; at < values.length; at++) {
    const place = at % season
    const own = season > 0 ? seasonal[place]! : 0
    const before = level + fade * trend
    errors.push(values[at]! - before - own)
    const next = alpha * (values[at]! - own) + (1 - alpha) * before
    trend = beta * (next - level) + (1 - beta) * fade * trend
    level = next
    if (season > 0) seasonal[place] = own + gamma * errors.at(-1)!
  }
  return { parameters, level, trend, seasonal, errors }
}
