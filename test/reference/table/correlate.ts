/** correlate: pairs of columns, each measure written down as its definition. */
import type { AstCorrelate } from '../../../grammar/ast.ts'
import { printExpr } from '../../../grammar/index.ts'
import { wordOption } from '../../../grammar/stages/options.ts'
import { keyOf } from '../../../runtime/helpers/compare.ts'
import type { Value } from '../../../storage/value.ts'
import { isAbsent } from '../row.ts'
import type { TableReference } from './index.ts'
import { fourDecimals, mean, measure, nameOf, newRow, total, unitOf } from './rows.ts'

interface Column {
  readonly name: string
  readonly values: readonly Value[]
  readonly numbers: readonly (number | null)[]
  readonly kind: 'numbers' | 'bools' | 'categories'
}

export const correlate: TableReference<AstCorrelate> = (stage, { rows }, evaluate) => {
  const columns = stage.values.map(expr =>
    columnOf(
      nameOf(expr, printExpr),
      rows.map(row => evaluate(expr, row)),
    ),
  )
  const result = columns.flatMap((a, index) =>
    columns.slice(index + 1).map(b => {
      const method = wordOption(stage.options, 'method') ?? methodFor(a, b)
      const { value, n } = correlation(a, b, method)
      const told = value === null || !Number.isFinite(value) ? null : fourDecimals(value)
      return { a: a.name, b: b.name, method, correlation: told, n }
    }),
  )
  const strength = (value: number | null): number => (value === null ? -1 : Math.abs(value))
  result.sort((x, y) => strength(y.correlation) - strength(x.correlation))
  return { rows: result.map(newRow), columns: ['a', 'b', 'method', 'correlation', 'n'] }
}

function columnOf(name: string, values: readonly Value[]): Column {
  const unit = unitOf(values)
  const numbers = values.map(value => (typeof value === 'boolean' ? Number(value) : measure(value, unit)))
  const measured = numbers.filter(number => number !== null).length
  const bools = values.filter(value => typeof value === 'boolean').length
  const present = values.filter(value => !isAbsent(value)).length
  const kind = measured * 2 < present ? 'categories' : measured > bools ? 'numbers' : 'bools'
  return { name, values, numbers, kind }
}

function methodFor(a: Column, b: Column): string {
  if (a.kind !== 'categories' && b.kind !== 'categories') return 'pearson'
  return a.kind === 'numbers' || b.kind === 'numbers' ? 'eta' : 'cramers_v'
}

function correlation(a: Column, b: Column, method: string): { readonly value: number | null; readonly n: number } {
  if (method === 'pearson' || method === 'spearman') {
    const pairs = a.numbers.flatMap((x, row) => {
      const y = b.numbers[row]
      return x === null || y == null ? [] : [[x, y] as const]
    })
    const [x, y] = [pairs.map(pair => pair[0]), pairs.map(pair => pair[1])]
    return { value: method === 'pearson' ? pearson(x, y) : pearson(ranksOf(x), ranksOf(y)), n: pairs.length }
  }
  if (method === 'eta') {
    const [category, number] = b.kind === 'categories' ? [b, a] : [a, b]
    const pairs = category.values.flatMap((value, row) => {
      const x = number.numbers[row]
      return isAbsent(value) || x == null ? [] : [{ category: keyOf(value), x }]
    })
    return { value: eta(pairs), n: pairs.length }
  }
  const pairs = a.values.flatMap((x, row) => {
    const y = b.values[row]
    return isAbsent(x) || isAbsent(y) ? [] : [{ a: keyOf(x), b: keyOf(y) }]
  })
  return { value: cramersV(pairs), n: pairs.length }
}

function pearson(x: readonly number[], y: readonly number[]): number | null {
  if (new Set(x).size < 2 || new Set(y).size < 2) return null
  const [meanX, meanY] = [mean(x), mean(y)]
  const together = total(x.map((value, n) => (value - meanX) * (y[n]! - meanY)))
  const [spreadX, spreadY] = [total(x.map(value => (value - meanX) ** 2)), total(y.map(value => (value - meanY) ** 2))]
  return Math.max(-1, Math.min(1, together / Math.sqrt(spreadX) / Math.sqrt(spreadY)))
}

/** How many are smaller, and half of those that are equal. */
function ranksOf(values: readonly number[]): number[] {
  return values.map(value => {
    const smaller = values.filter(other => other < value).length
    const equal = values.filter(other => other === value).length
    return smaller + (equal - 1) / 2
  })
}

function eta(pairs: readonly { readonly category: string | number; readonly x: number }[]): number | null {
  const categories = [...new Set(pairs.map(({ category }) => category))]
  const all = pairs.map(({ x }) => x)
  if (categories.length < 2 || new Set(all).size < 2) return null
  if (pairs.length <= categories.length) return 0
  const center = mean(all)
  const between = categories.map(category => {
    const own = pairs.filter(pair => pair.category === category).map(({ x }) => x)
    return own.length * (mean(own) - center) ** 2
  })
  const unexplained = Math.max(0, 1 - total(between) / total(all.map(x => (x - center) ** 2)))
  const corrected = 1 - (unexplained * (pairs.length - 1)) / (pairs.length - categories.length)
  return Math.min(1, Math.sqrt(Math.max(0, corrected)))
}

function cramersV(pairs: readonly { readonly a: string | number; readonly b: string | number }[]): number | null {
  const n = pairs.length
  const [rows, columns] = [[...new Set(pairs.map(pair => pair.a))], [...new Set(pairs.map(pair => pair.b))]]
  if (rows.length < 2 || columns.length < 2) return null
  const chiSquared = total(
    rows.flatMap(a =>
      columns.map(b => {
        const observed = pairs.filter(pair => pair.a === a && pair.b === b).length
        const inRow = pairs.filter(pair => pair.a === a).length
        const inColumn = pairs.filter(pair => pair.b === b).length
        const wanted = (inRow * inColumn) / n
        return (observed - wanted) ** 2 / wanted
      }),
    ),
  )
  const [r, k] = [rows.length, columns.length]
  const corrected = Math.max(0, chiSquared / n - ((r - 1) * (k - 1)) / (n - 1))
  const least = Math.min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1))
  return least <= 1 ? 0 : Math.min(1, Math.sqrt(corrected / (least - 1)))
}
