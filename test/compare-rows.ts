/** When two results are the same: as lists where the query promises an order, as multisets otherwise, estimates within their error. */
import { STAGES } from '../compiler/stages/index.ts'
import type { CoreKind } from '../compiler/stages/stage.ts'
import type { AstInput, AstPipeline, AstQuery } from '../grammar/ast.ts'
import { desugar } from '../grammar/index.ts'
import { type Tolerance, toleranceOf } from './reference/aggregates.ts'
import { isSameRow, type NamedRow, rowText, sortedRow } from './rows.ts'

/** Every event has these; an expectation need not repeat them, but once it names one, it is compared. */
const UNSPOKEN: readonly string[] = ['_time', '_raw', 'index']

/** Of events, only what one of the expected rows names; `_time` and `_raw` would drown every expectation. */
export function spokenFields(actual: readonly NamedRow[], expected: readonly NamedRow[]): NamedRow[] {
  const spoken = new Set(expected.flatMap(row => [...row.keys()]))
  return actual.map(row => new Map([...row].filter(([name]) => spoken.has(name) || !UNSPOKEN.includes(name))))
}

/** Why a text could not be parsed is worded once, by the formats: the reference says only that it could not. */
export function inAnyWords(expected: readonly NamedRow[]): NamedRow[] {
  return expected.map(
    row => new Map([...row].map(([name, value]) => [name, name.endsWith('_error_detail') ? '<any>' : value] as const)),
  )
}

/** Rows in their order when the query promises one, as a multiset otherwise. */
export function isSameResult(actual: readonly NamedRow[], expected: readonly NamedRow[], ordered: boolean): boolean {
  if (actual.length !== expected.length) return false
  if (ordered) return actual.every((row, i) => isSameRow(row, expected[i] as NamedRow, toleranceOfColumn))
  const left = inOrder(actual)
  const right = inOrder(expected)
  if (left.every((row, i) => isSameRow(row, right[i] as NamedRow, toleranceOfColumn))) return true
  // Rounding or `<any>` may have put equal rows at different places.
  if (left.length > 300) return false
  const open = [...right]
  return left.every(row => {
    const at = open.findIndex(other => isSameRow(row, other, toleranceOfColumn))
    if (at >= 0) open.splice(at, 1)
    return at >= 0
  })
}

function inOrder(rows: readonly NamedRow[]): NamedRow[] {
  const keyed = rows.map(row => ({ row, text: rowText(sortedRow(row)) }))
  return keyed.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).map(({ row }) => row)
}

/**
 * A column named by its aggregate (`p95(ms)`, the fuzzer's `a0_p95`) has its error, that of the other side of a join (`o.a0_p95`, `a0_p95_right`) too;
 * under another alias only rounding is forgiven.
 */
function toleranceOfColumn(column: string): Tolerance {
  const name = column.replace(/^\w+\.(?=a\d_)/, '').replace(/_right$/, '')
  return toleranceOf(
    /^(?:a\d_([a-z0-9_]+)$|([a-z0-9_]+)\()/
      .exec(name)
      ?.slice(1)
      .find(text => text !== undefined) ?? '',
  )
}

type Order = 'keeps' | 'sets' | 'loses'

/** Does the query promise an order of its rows? The last stage that sets or loses one decides. */
export function isOrdered(query: AstQuery): boolean {
  const { pipeline, lets } = desugar(query).query
  return orderOf(pipeline, lets) === 'sets'
}

function orderOf({ stages }: AstPipeline, lets: AstQuery['lets']): Order {
  let last: Order = 'keeps'
  for (const stage of stages) {
    // Saved stages are not in the query's text; nothing is promised of them.
    const order = stage.kind === 'use' ? 'loses' : STAGES[stage.kind as CoreKind].order
    if (order !== 'keeps') last = order
    // Rows that match, and those of an outer join that do not, come in the order of the other side.
    if (stage.kind === 'join' && losesOrder(stage.with, lets)) last = 'loses'
  }
  return last
}

function losesOrder(input: AstInput, lets: AstQuery['lets']): boolean {
  if (input.kind === 'pipeline-input') return orderOf(input.pipeline, lets) === 'loses'
  const definition = input.kind === 'let-input' ? lets.find(({ name }) => name === input.name) : undefined
  return definition !== undefined && orderOf(definition.pipeline, lets) === 'loses'
}
