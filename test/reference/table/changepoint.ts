/** changepoint: of all ways to cut a series the cheapest, each piece measured anew. */
import type { AstChangepoint } from '../../../grammar/ast.ts'
import { printExpr } from '../../../grammar/index.ts'
import { numberOption, wordOption } from '../../../grammar/stages/options.ts'
import { compareValues } from '../../../runtime/helpers/compare.ts'
import type { Value } from '../../../storage/value.ts'
import type { TableReference } from './index.ts'
import { compareKeys, inUnit, mean, median, nameOf, newRow, significant, timeOf, total } from './rows.ts'
import { type Series, seriesOf } from './series.ts'

type Model = 'level' | 'trend'

export const changepoint: TableReference<AstChangepoint> = (stage, { rows }, evaluate) => {
  const model: Model = wordOption(stage.options, 'model') === 'trend' ? 'trend' : 'level'
  const penalty = numberOption(stage.options, 'penalty') ?? 3
  const names = stage.by.map(key => nameOf(key, printExpr))
  const { series, unit } = seriesOf(stage, rows, evaluate)
  const measured = unit === 'datetime' ? 'duration' : unit
  const found = series.flatMap(each =>
    changesOf(each, model, penalty).map(change => ({
      ...change,
      keys: each.keys,
      time: timeOf(each.rows[change.cut]!),
    })),
  )
  found.sort((a, b) => compareValues(a.time, b.time) || compareKeys(a.keys, b.keys))
  return {
    rows: found.map(({ time, keys, before, after, score }) =>
      newRow({
        _time: time,
        ...Object.fromEntries(names.map((name, index): [string, Value] => [name, keys[index]])),
        before: inUnit(before, measured),
        after: inUnit(after, measured),
        change: inUnit(after - before, measured),
        change_pct: before === 0 ? null : significant((100 * (after - before)) / Math.abs(before), 4),
        score: significant(score, 4),
      }),
    ),
    columns: ['_time', ...names, 'before', 'after', 'change', 'change_pct', 'score'],
  }
}

function changesOf({ numbers }: Series, model: Model, penalty: number) {
  const noise = noiseOf(numbers, model)
  if (noise === 0) return []
  const middle = median(numbers)
  const smooth = numbers.map((number, at) =>
    at === 0 || at === numbers.length - 1 ? number : median([numbers[at - 1]!, number, numbers[at + 1]!]),
  )
  const scaled = smooth.map(number => (number - middle) / noise)
  const cost = (from: number, to: number): number => deviation(scaled.slice(from, to), model)
  const cuts = cheapestCuts(scaled.length, model, penalty, cost)
  const edges = [0, ...cuts, scaled.length]
  return cuts.map((cut, index) => {
    const [from, to] = [edges[index]!, edges[index + 2]!]
    const told = (side: readonly number[]): number => (model === 'level' ? median(side) : significant(slope(side), 6))
    const gain = cost(from, to) - cost(from, cut) - cost(cut, to)
    const [before, after] = [told(numbers.slice(from, cut)), told(numbers.slice(cut, to))]
    return { cut, before, after, score: Math.sqrt(Math.max(0, gain)) }
  })
}

function cheapestCuts(
  length: number,
  model: Model,
  penalty: number,
  cost: (from: number, to: number) => number,
): number[] {
  const least = model === 'level' ? 2 : 3
  const price = penalty * Math.log(length) * (model === 'level' ? 1 : 1.5)
  const best: { cost: number; cuts: number[] }[] = [{ cost: -price, cuts: [] }]
  for (let to = least; to <= length; to++) {
    for (let from = 0; from <= to - least; from++) {
      const before = best[from]
      if (before === undefined) continue
      const all = before.cost + cost(from, to) + price
      // Of ways that cost the same, the one with the longer last piece: rounding must not decide.
      const known = best[to]
      if (known === undefined || all < known.cost - 1e-7) {
        best[to] = { cost: all, cuts: from === 0 ? [] : [...before.cuts, from] }
      }
    }
  }
  return best[length]?.cuts ?? []
}

/** Sum of squares around the mean, or around the line that fits best. */
function deviation(values: readonly number[], model: Model): number {
  const center = mean(values)
  const rise = model === 'level' ? 0 : slope(values)
  const middle = (values.length - 1) / 2
  return total(values.map((value, at) => (value - center - rise * (at - middle)) ** 2))
}

function slope(values: readonly number[]): number {
  if (values.length < 2) return 0
  const middle = (values.length - 1) / 2
  const places = values.map((_, at) => at - middle)
  return total(places.map((place, at) => place * (values[at]! - values[0]!))) / total(places.map(place => place ** 2))
}

function noiseOf(numbers: readonly number[], model: Model): number {
  const steps = (values: readonly number[]): number[] => values.slice(1).map((value, at) => value - values[at]!)
  const changes = model === 'level' ? steps(numbers) : steps(steps(numbers))
  if (changes.length === 0) return 0
  const deviations = changes.map(change => Math.abs(change - median(changes))).sort((a, b) => a - b)
  const rounding = 1e-9 * Math.max(...numbers.map(Math.abs))
  const noise = median(deviations) > rounding ? median(deviations) / 0.6745 : mean(deviations) * 1.253314
  return noise > rounding ? noise / Math.sqrt(model === 'level' ? 2 : 6) : 0
}
