/**
 * Additive exponential smoothing in its error-correction form (Hyndman, Koehler, Ord, Snyder 2008): a level, a trend that may fade, and
 * a season, each moved by a share of what the last value was off. One recursion is all the models; a share of zero leaves a part out.
 */
import { formatDuration } from '../../../grammar/literals.ts'

export interface SeriesForecast {
  /** By bin: expected, lower, upper. */
  readonly bins: readonly (readonly [number, number, number])[]
  readonly model: string
}

interface Options {
  readonly count: number
  readonly seasonNs: number | null
  readonly confidence: number
}

/** What a model may be: how its parts are moved, and with what season, in bins. */
interface Model {
  readonly name: string
  readonly season: number
  readonly alphas: readonly number[]
  readonly betas: readonly number[]
  readonly gammas: readonly number[]
  readonly fade: number
}

interface Fit {
  readonly model: Model
  readonly alpha: number
  readonly beta: number
  readonly gamma: number
  readonly level: number
  readonly trend: number
  /** By position in the season. */
  readonly seasonal: Float64Array
  /** Sum of squared errors, and how many there were. */
  readonly squares: number
  readonly errors: number
  /** Bins that were fitted: where the forecast begins. */
  readonly length: number
}

const SHARES = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9]
const FEW_SHARES = [0.1, 0.3, 0.6, 0.9]
const FADE = 0.9
const HOUR_NS = 3_600_000_000_000
const USUAL_SEASONS_NS = [HOUR_NS, 24 * HOUR_NS, 7 * 24 * HOUR_NS]

export function forecastSeries(values: Float64Array, widthMicros: number, options: Options): SeriesForecast {
  const known = values.subarray(0, values.length - heldOut(values))
  let best: { readonly model: Model; readonly error: number } | null = null
  for (const model of modelsFor(known.length, widthMicros, options.seasonNs)) {
    const error = trialError(fitted(model, known), values, options.count)
    // Simpler models come first: a later one must be better by more than luck.
    if (best === null || error < best.error * WORTH - 1e-12) best = { model, error }
  }
  const fit = fitted(best!.model, values)
  const points = expected(fit, options.count)
  const spread = normalQuantile(0.5 + options.confidence / 200) * Math.sqrt(fit.squares / Math.max(1, fit.errors))
  const least = values.some(value => value < 0) ? Number.NEGATIVE_INFINITY : 0
  const bins = growthOf(fit, options.count).map((growth, index) => {
    const point = points[index]!
    const bounds = [point, point - spread * growth, point + spread * growth]
    return bounds.map(value => Math.max(least, value)) as [number, number, number]
  })
  return { bins, model: best!.model.name }
}

function modelsFor(length: number, widthMicros: number, seasonNs: number | null): Model[] {
  const plain = { season: 0, gammas: [0], fade: 1 }
  const models: Model[] = [
    { ...plain, name: 'level', alphas: [...SHARES, 1], betas: [0] },
    { ...plain, name: 'trend', alphas: [...SHARES, 1], betas: SHARES },
    { ...plain, name: 'fading trend', alphas: [...SHARES, 1], betas: SHARES, fade: FADE },
  ]
  for (const ns of seasonNs === null ? USUAL_SEASONS_NS : [seasonNs]) {
    const season = Math.round(ns / 1000 / widthMicros)
    if (season < 2 || season * 2 > length) continue
    const text = formatDuration(ns)
    models.push(
      { name: `last ${text}`, season, alphas: [0], betas: [0], gammas: [1], fade: 1 },
      { name: `season of ${text}`, season, alphas: FEW_SHARES, betas: [0], gammas: FEW_SHARES, fade: 1 },
      {
        name: `season of ${text} with trend`,
        season,
        alphas: FEW_SHARES,
        betas: [0.05, 0.2],
        gammas: FEW_SHARES,
        fade: 1,
      },
    )
  }
  return models
}

/** The model with the shares that give the least squared errors; of equals the first. */
function fitted(model: Model, values: Float64Array): Fit {
  let best: Fit | null = null
  for (const alpha of model.alphas) {
    for (const beta of model.betas) {
      for (const gamma of model.gammas) {
        const fit = run(model, alpha, beta, gamma, values)
        if (best === null || fit.squares < best.squares * (1 - 1e-9)) best = fit
      }
    }
  }
  return best!
}

function run(model: Model, alpha: number, beta: number, gamma: number, values: Float64Array): Fit {
  const { season, fade } = model
  const seasonal = new Float64Array(Math.max(1, season))
  const {
    level: start,
    trend: rise,
    from,
  } = season > 0 ? seasonStart(model, values, seasonal) : plainStart(model, values)
  let [level, trend, squares] = [start, rise, 0]
  for (let at = from; at < values.length; at++) {
    const place = season > 0 ? at % season : 0
    const error = values[at]! - (level + fade * trend + seasonal[place]!)
    squares += error * error
    level += fade * trend + alpha * error
    trend = fade * trend + alpha * beta * error
    seasonal[place]! += gamma * error
  }
  return {
    model,
    alpha,
    beta,
    gamma,
    level,
    trend,
    seasonal,
    squares,
    errors: values.length - from,
    length: values.length,
  }
}

interface Start {
  readonly level: number
  readonly trend: number
  /** The first value that is foretold. */
  readonly from: number
}

function plainStart({ betas }: Model, values: Float64Array): Start {
  const hasTrend = betas[0] !== 0
  if (!hasTrend || values.length < 2) return { level: values[0] ?? 0, trend: 0, from: 1 }
  return { level: values[1]!, trend: values[1]! - values[0]!, from: 2 }
}

/** Level and trend from the means of the first two seasons; the season is how the first one goes around its line. */
function seasonStart({ season, betas }: Model, values: Float64Array, seasonal: Float64Array): Start {
  const mean = (from: number): number =>
    values.subarray(from, from + season).reduce((sum, value) => sum + value, 0) / season
  const first = mean(0)
  const trend = betas[0] === 0 ? 0 : (mean(season) - first) / season
  for (let at = 0; at < season; at++) seasonal[at] = values[at]! - (first + trend * (at - (season - 1) / 2))
  return { level: first + (trend * (season - 1)) / 2, trend, from: season }
}

function expected({ model, level, trend, seasonal, length }: Fit, count: number): Float64Array {
  let rise = 0
  let fading = 1
  return Float64Array.from({ length: count }, (_, ahead) => {
    fading *= model.fade
    rise += fading * trend
    return level + rise + (model.season > 0 ? seasonal[(length + ahead) % model.season]! : 0)
  })
}

/** Models are fitted to the first three quarters and tried on the last. */
function heldOut({ length }: Float64Array): number {
  return Math.max(1, Math.floor(length / 4))
}

/** The error of a model that is not simpler must be this small a part of the other's. */
const WORTH = 0.98

/** From so many places of the last quarter models are tried. */
const TRIALS = 40

/** Mean absolute error of forecasts as long as the one that is wanted, as far as the series goes. */
function trialError({ model, alpha, beta, gamma }: Fit, values: Float64Array, count: number): number {
  const held = heldOut(values)
  let [sum, errors] = [0, 0]
  for (let trial = 0; trial < Math.min(TRIALS, held); trial++) {
    const from = values.length - held + Math.floor((trial * held) / Math.min(TRIALS, held))
    const fit = run(model, alpha, beta, gamma, values.subarray(0, from))
    const points = expected(fit, Math.min(Math.max(1, count), values.length - from))
    for (const [ahead, point] of points.entries()) sum += Math.abs(point - values[from + ahead]!)
    errors += points.length
  }
  return sum / errors
}

/** By bins ahead: how many times as wide as the first bin's the uncertainty is. */
function growthOf({ model, alpha, beta, gamma }: Fit, count: number): number[] {
  let variance = 1
  let fading = 1
  let faded = 0
  return Array.from({ length: count }, (_, ahead) => {
    if (ahead > 0) {
      fading *= model.fade
      faded += fading
      const season = model.season > 0 && ahead % model.season === 0 ? gamma : 0
      variance += (alpha * (1 + beta * faded) + season) ** 2
    }
    return Math.sqrt(variance)
  })
}

/** The inverse of the normal distribution (Acklam's approximation, to within 1.2e-9). */
export function normalQuantile(p: number): number {
  const a = [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
  ]
  const b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1]
  const c = [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ]
  const d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1]
  const polynomial = (coefficients: readonly number[], x: number): number =>
    coefficients.reduce((sum, each) => sum * x + each, 0)
  if (p > 0.97575) {
    const q = Math.sqrt(-2 * Math.log(1 - p))
    return -polynomial(c, q) / polynomial(d, q)
  }
  const q = p - 0.5
  return (q * polynomial(a, q * q)) / polynomial(b, q * q)
}
