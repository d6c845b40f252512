/** diff: every field of the rows, every value of the field, counted on both sides. */

import { diffOptions } from '../../../compiler/stages/diff.ts'
import type { AstDiff, AstExpr } from '../../../grammar/ast.ts'
import { compareValues, keyOf } from '../../../runtime/helpers/compare.ts'
import { onGrid } from '../../../runtime/operators/table/field-tally.ts'
import { DateTime, Duration, typeOf, type Value } from '../../../storage/value.ts'
import { isAbsent, type Row } from '../row.ts'
import type { TableReference } from './index.ts'
import { newRow, significant } from './rows.ts'

interface Finding {
  readonly field: string
  readonly test: string
  readonly value: Value
  readonly matching: number
  readonly rest: number
}

const COLUMNS = ['field', 'test', 'value', 'matching_share', 'rest_share', 'difference', 'matching', 'rest']

export const diff: TableReference<AstDiff> = (stage, { rows }, evaluate) => {
  const { limit, distinct } = diffOptions(stage)
  const isMatching = (row: Row): boolean => evaluate(stage.predicate, row) === true
  const [matching, rest] = [rows.filter(isMatching), rows.filter(row => !isMatching(row))]
  const without = new Set(['_raw', ...fieldsIn(stage.predicate)])
  const names = new Set(rows.flatMap(row => [...row.fields.keys()]).filter(name => !without.has(name)))
  const findings = [...names].flatMap(name => findingsOf(name, matching, rest, distinct))
  const difference = (each: Finding): number => each.matching / matching.length - each.rest / rest.length
  const result = findings
    .filter(each => isBeyondChance(each, matching.length, rest.length))
    .sort(
      (a, b) =>
        difference(b) - difference(a) ||
        b.matching - a.matching ||
        compareValues(a.field, b.field) ||
        compareValues(a.test, b.test) ||
        compareValues(a.value, b.value),
    )
    .slice(0, limit)
  return {
    rows: result.map(each =>
      newRow({
        field: each.field,
        test: each.test,
        value: each.value,
        matching_share: significant(each.matching / matching.length, 4),
        rest_share: significant(each.rest / rest.length, 4),
        difference: significant(difference(each), 4),
        matching: each.matching,
        rest: each.rest,
      }),
    ),
    columns: COLUMNS,
  }
}

/** Every field an expression names. */
function fieldsIn(expr: AstExpr): string[] {
  const names: string[] = []
  JSON.stringify(expr, (_, node: unknown) => {
    if (typeof node === 'bigint') return String(node)
    const { kind, name } = (node ?? {}) as { readonly kind?: unknown; readonly name?: unknown }
    if (kind === 'field' && typeof name === 'string') names.push(name)
    return node
  })
  return names
}

function isBeyondChance({ matching, rest }: Finding, ofMatching: number, ofRest: number): boolean {
  if (ofMatching === 0 || ofRest === 0) return false
  const [p, q] = [(matching + 1) / (ofMatching + 2), (rest + 1) / (ofRest + 2)]
  return p - q > 3 * Math.sqrt((p * (1 - p)) / (ofMatching + 2) + (q * (1 - q)) / (ofRest + 2))
}

function findingsOf(field: string, matching: readonly Row[], rest: readonly Row[], distinctMax: number): Finding[] {
  const valuesIn = (rows: readonly Row[]): Value[] =>
    rows.map(row => row.fields.get(field)).filter(value => !isAbsent(value))
  const [inMatching, inRest] = [valuesIn(matching), valuesIn(rest)]
  const all = distinct([...inMatching, ...inRest])
  const kind = mostly([...inMatching, ...inRest])
  const findings: Finding[] = []
  const tell = (test: string, value: Value, holds: (value: Value) => boolean): void => {
    findings.push({ field, test, value, matching: inMatching.filter(holds).length, rest: inRest.filter(holds).length })
  }
  if (all.length <= distinctMax && kind !== 'datetime') {
    for (const value of all) tell('==', value, other => keyOf(other) === keyOf(value))
  }
  if (all.length !== 1 || all.length > distinctMax || kind === 'datetime') tell('exists', null, () => true)
  const missing = { matching: matching.length - inMatching.length, rest: rest.length - inRest.length }
  findings.push({ field, test: 'missing', value: null, ...missing })
  if (kind !== null) {
    const coarse = coarseness([...inMatching, ...inRest], distinctMax)
    const marks = distinct(all.filter(value => kindOf(value) === kind).map(coarse)).toSorted(compareValues)
    const cuts = marks.slice(1).flatMap(mark => {
      const isAbove = (value: Value): boolean => kindOf(value) === kind && compareValues(value, mark) >= 0
      const isBelow = (value: Value): boolean => kindOf(value) === kind && compareValues(value, mark) < 0
      return [
        {
          field,
          test: '>=',
          value: mark,
          matching: inMatching.filter(isAbove).length,
          rest: inRest.filter(isAbove).length,
        },
        {
          field,
          test: '<',
          value: mark,
          matching: inMatching.filter(isBelow).length,
          rest: inRest.filter(isBelow).length,
        },
      ]
    })
    const difference = (each: Finding): number => each.matching / matching.length - each.rest / rest.length
    const [first] = cuts.toSorted((a, b) => difference(b) - difference(a))
    if (first !== undefined) findings.push(first)
  }
  return findings
}

function distinct(values: readonly Value[]): Value[] {
  return [...new Map(values.map(value => [keyOf(value), value])).values()]
}

function kindOf(value: Value): 'number' | 'duration' | 'datetime' | null {
  const type = typeOf(value)
  if (type === 'int' || type === 'float') return 'number'
  return type === 'duration' || type === 'datetime' ? type : null
}

/** The kind of measure that more than half of the values are. */
function mostly(values: readonly Value[]): 'number' | 'duration' | 'datetime' | null {
  const kinds = ['number', 'duration', 'datetime'] as const
  return kinds.find(kind => values.filter(value => kindOf(value) === kind).length * 2 > values.length) ?? null
}

const MICROS = 1e6
const TIME_BINS = [1e3, MICROS, 10 * MICROS, 60 * MICROS, 600 * MICROS, 3600 * MICROS, 36_000 * MICROS, 86_400 * MICROS]

/** What each measure counts as: itself, or the least value of its bin in the finest division that has few enough. */
function coarseness(values: readonly Value[], distinctMax: number): (value: Value) => Value {
  const bins = [...TIME_BINS, ...[10, 100, 1000, 10_000].map(days => days * 86_400 * MICROS)]
  if (distinct(values).length <= distinctMax) return value => value
  const binned =
    (width: number) =>
    (value: Value): Value => {
      if (value instanceof DateTime) return new DateTime(Math.floor(value.micros / width) * width)
      return value instanceof Duration ? new Duration(onGrid(value.ns)) : onGrid(Number(value))
    }
  const measures = values.filter(value => kindOf(value) !== null)
  const width = bins.find(each => distinct(measures.map(binned(each))).length <= distinctMax) ?? bins.at(-1)!
  return binned(width)
}
