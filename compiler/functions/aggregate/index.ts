/** Every aggregate, in the order the reference shows them. To add one: one file, one line here. */
import type { AggregateFunction } from '../descriptor.ts'
import { list, mode, topk, values } from './collect.ts'
import { count } from './count.ts'
import { dc, estdc } from './distinct-count.ts'
import { earliest, first, last, latest } from './first-last.ts'
import { max, min } from './min-max.ts'
import { exactperc, median, perc, pNN } from './percentile.ts'
import { range } from './range.ts'
import { perSecond, rate } from './rate.ts'
import { stdev, variance } from './spread.ts'
import { avg, sum } from './sum.ts'

export const AGGREGATES: readonly AggregateFunction[] = [
  count,
  sum,
  avg,
  min,
  max,
  range,
  dc,
  estdc,
  perc,
  pNN,
  exactperc,
  median,
  stdev,
  variance,
  mode,
  first,
  last,
  earliest,
  latest,
  values,
  list,
  topk,
  rate,
  perSecond,
]
