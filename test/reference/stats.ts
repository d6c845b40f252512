/** `stats`: every group is a list of rows, every aggregate walks that list. */
import type { AstAggregate, AstKey, AstStats } from '../../grammar/ast.ts'
import { keyOf } from '../../runtime/helpers/compare.ts'
import { Duration, type Value } from '../../storage/value.ts'
import { aggregate } from './aggregates.ts'
import type { Evaluate } from './interpreter.ts'
import { aggregateName, isTimeBin, keyName } from './names.ts'
import { isAbsent, type Row, readField } from './row.ts'

interface Group {
  readonly keys: readonly Value[]
  readonly rows: Row[]
}

export function stats(stage: AstStats, rows: readonly Row[], evaluate: Evaluate): Row[] {
  const groups = new Map<string, Group>()
  if (stage.by.length === 0) groups.set('', { keys: [], rows: [...rows] })
  else for (const row of rows) addTo(groups, stage.by, row, evaluate)
  return [...groups.values()].map(group => {
    const fields = new Map<string, Value>()
    stage.by.forEach((key, i) => {
      fields.set(keyName(key), group.keys[i] ?? null)
    })
    for (const each of stage.aggregates) {
      fields.set(aggregateName(each), answer(each, group.rows, binSeconds(stage.by, group.rows, evaluate), evaluate))
    }
    return { fields, index: undefined }
  })
}

export function statsColumns(stage: AstStats): string[] {
  return [...stage.by.map(keyName), ...stage.aggregates.map(aggregateName)]
}

function addTo(groups: Map<string, Group>, by: readonly AstKey[], row: Row, evaluate: Evaluate): void {
  const keys = by.map(key => evaluate(key.value, row) ?? null)
  const id = JSON.stringify(keys.map(keyOf))
  const group = groups.get(id)
  if (group === undefined) groups.set(id, { keys, rows: [row] })
  else group.rows.push(row)
}

export function answer(each: AstAggregate, rows: readonly Row[], binSeconds: number | null, evaluate: Evaluate): Value {
  const { where } = each
  const counted = where === null ? rows : rows.filter(row => evaluate(where, row) === true)
  const [argument, ...constants] = each.args
  const samples = counted.map(row => ({
    value: argument === undefined ? true : evaluate(argument, row),
    time: readField(row, '_time'),
  }))
  return aggregate({
    name: each.name.toLowerCase(),
    samples: samples.filter(sample => !isAbsent(sample.value)),
    parameters: constants.map(constant => evaluate(constant, { fields: new Map(), index: undefined })),
    binSeconds,
  })
}

export function binSeconds(by: readonly AstKey[], rows: readonly Row[], evaluate: Evaluate): number | null {
  const bin = by.find(key => isTimeBin(key.value))?.value
  const [row] = rows
  if (bin?.kind !== 'call' || bin.args[1] === undefined || row === undefined) return null
  const width = evaluate(bin.args[1], row)
  return width instanceof Duration ? width.ns / 1e9 : null
}
