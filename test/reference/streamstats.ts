/** `eventstats` and `streamstats`: groups are lists of rows, walked once for all of them, and for each row. */
import type { AstAggregate, AstEventstats, AstKey, AstStreamstats } from '../../grammar/ast.ts'
import { keyOf } from '../../runtime/helpers/compare.ts'
import { toNumeric } from '../../runtime/helpers/numbers.ts'
import type { Value } from '../../storage/value.ts'
import type { Evaluate } from './interpreter.ts'
import { aggregateName } from './names.ts'
import { copyOf, type Row } from './row.ts'
import { answer, binSeconds } from './stats.ts'

export function eventstats(stage: AstEventstats, rows: readonly Row[], evaluate: Evaluate): Row[] {
  // Once a group: asked again for each of thousands of rows, a run of the fuzzer came to a stand.
  const known = new Map<readonly Row[], Map<AstAggregate, Value>>()
  return beside(rows, stage.by, stage.aggregates, evaluate, (each, group) => {
    const answers = known.get(group) ?? new Map<AstAggregate, Value>()
    known.set(group, answers)
    if (!answers.has(each)) answers.set(each, answer(each, group, binSeconds(stage.by, group, evaluate), evaluate))
    return answers.get(each) ?? null
  })
}

export function streamstats(stage: AstStreamstats, rows: readonly Row[], evaluate: Evaluate): Row[] {
  const option = (name: string): Value => {
    const value = stage.options.find(each => each.name === name)?.value
    return value === undefined ? null : evaluate(value, { fields: new Map(), index: undefined })
  }
  const size = option('window')
  const end = option('current') === false ? 0 : 1
  return beside(rows, stage.by, stage.aggregates, evaluate, (each, group, position) => {
    const ofWindow = windowFunction(each, group, position, evaluate)
    if (ofWindow !== undefined) return ofWindow
    const last = position + end
    const seen = group.slice(typeof size === 'number' ? Math.max(0, last - size) : 0, last)
    return answer(each, seen, binSeconds(stage.by, group, evaluate), evaluate)
  })
}

function beside(
  rows: readonly Row[],
  by: readonly AstKey[],
  aggregates: readonly AstAggregate[],
  evaluate: Evaluate,
  answerAt: (each: AstAggregate, group: readonly Row[], position: number) => Value,
): Row[] {
  const idOf = (row: Row): string => JSON.stringify(by.map(key => keyOf(evaluate(key.value, row) ?? null)))
  const groups = new Map<string, Row[]>()
  const places = rows.map(row => {
    const id = idOf(row)
    const group = groups.get(id) ?? []
    groups.set(id, group)
    return { group, position: group.push(row) - 1 }
  })
  return rows.map((row, at) => {
    const { group, position } = places[at]!
    const result = copyOf(row)
    for (const each of aggregates) result.fields.set(aggregateName(each), answerAt(each, group, position) ?? null)
    return result
  })
}

/** Undefined: it is an aggregate. */
function windowFunction(
  each: AstAggregate,
  group: readonly Row[],
  position: number,
  evaluate: Evaluate,
): Value | undefined {
  const { name, args } = each
  const [argument, constant] = args
  const valueAt = (at: number): Value => {
    const row = group[at]
    return row === undefined || argument === undefined ? null : (evaluate(argument, row) ?? null)
  }
  const n = constant === undefined ? 1 : Number(evaluate(constant, { fields: new Map(), index: undefined }))
  const numbers = group.slice(0, position + 1).flatMap((_, at) => {
    const number = toNumeric(valueAt(at))
    return number === null ? [] : [Number(number)]
  })
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
  switch (name) {
    case 'lag':
      return valueAt(position - n)
    case 'lead':
      return valueAt(position + n)
    case 'row_number':
      return position + 1
    case 'running_sum':
      return answer({ ...each, name: 'sum' }, group.slice(0, position + 1), null, evaluate)
    case 'moving_avg': {
      const seen = group.slice(Math.max(0, position + 1 - n), position + 1)
      return answer({ ...each, name: 'avg', args: each.args.slice(0, 1) }, seen, null, evaluate)
    }
    case 'ewma': {
      const [first, ...rest] = numbers
      return first === undefined ? null : finite(rest.reduce((mean, value) => n * value + (1 - n) * mean, first))
    }
    default:
      return undefined
  }
}
