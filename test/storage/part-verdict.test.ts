/** Verdicts held against brute force: the language's comparisons, written down here a second time and applied row by row. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { CompareOperator, ScanPredicate, Verdict } from '../../storage/predicate.ts'
import { tokensOf } from '../../storage/tokens.ts'
import { DateTime, Duration, type Scalar, type Value } from '../../storage/value.ts'
import {
  anyVector,
  blockOf,
  blockWith,
  columnArbitrary,
  dictVector,
  numberArbitrary,
  partOf,
  scalarArbitrary,
  stringArbitrary,
  textVector,
} from './part-support.ts'

const OPERATORS: readonly CompareOperator[] = ['==', '!=', '<', '<=', '>', '>=']

/** Below 0, 0 or above; null when the two do not compare. */
function orderOf(left: Value, right: Scalar): number | null {
  const sign = (a: number | bigint | string | boolean, b: typeof a) => (a < b ? -1 : a > b ? 1 : 0)
  const numeric = (value: Value) => typeof value === 'number' || typeof value === 'bigint'
  const parsed = (text: string) => (/^\s*[-+]?\d+(\.\d+)?([eE][-+]?\d+)?\s*$/.test(text) ? Number(text) : null)
  const time = (text: string) => (Number.isNaN(Date.parse(text)) ? null : new DateTime(Date.parse(text) * 1000))
  if (left === undefined || left === null) return null
  if (numeric(left) && numeric(right)) return sign(left as number, right as number)
  if (numeric(left) && typeof right === 'string') {
    const number = parsed(right)
    return number === null ? null : sign(left as number, number)
  }
  if (typeof left === 'string' && numeric(right)) {
    const number = parsed(left)
    return number === null ? null : sign(number, right as number)
  }
  if (left instanceof DateTime && typeof right === 'string') {
    const other = time(right)
    return other === null ? null : orderOf(left, other)
  }
  if (typeof left === 'string' && right instanceof DateTime) {
    const own = time(left)
    return own === null ? null : orderOf(own, right)
  }
  if (left instanceof DateTime && right instanceof DateTime) {
    return sign(left.micros, right.micros) || sign(left.nanos, right.nanos)
  }
  if (left instanceof Duration && right instanceof Duration) return sign(left.ns, right.ns)
  if (typeof left !== typeof right || typeof left === 'object') return null
  return sign(left as string, right as string)
}

function compares(left: Value, operator: CompareOperator, right: Scalar): boolean {
  const order = orderOf(left, right)
  if (order === null) return false
  switch (operator) {
    case '==':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

type Row = Readonly<Record<string, Value>>

function matches(predicate: ScanPredicate, row: Row, nullExists: boolean): boolean {
  switch (predicate.kind) {
    case 'always':
      return true
    case 'never':
      return false
    case 'and':
      return predicate.of.every(part => matches(part, row, nullExists))
    case 'or':
      return predicate.of.some(part => matches(part, row, nullExists))
    case 'compare':
      return compares(row[predicate.field], predicate.operator, predicate.value)
    case 'in':
      return predicate.values.some(value => compares(row[predicate.field], '==', value))
    case 'exists':
      return row[predicate.field] !== undefined && (nullExists || row[predicate.field] !== null)
    case 'tokens': {
      const value = row[predicate.field]
      const tokens =
        typeof value === 'string' ? tokensOf(value) : typeof value === 'number' ? tokensOf(String(value)) : []
      return predicate.tokens.every(token => tokens.includes(token))
    }
  }
}

function assertSound(verdict: Verdict, predicate: ScanPredicate, rows: readonly Row[]): void {
  for (const nullExists of [false, true]) {
    const count = rows.filter(row => matches(predicate, row, nullExists)).length
    if (verdict === 'none') assert.equal(count, 0)
    if (verdict === 'all') assert.equal(count, rows.length)
  }
}

/** Values that occur, and such as lie near them: those are where verdicts go wrong. */
function literalOf(values: readonly Value[]): fc.Arbitrary<Scalar> {
  const near = values.flatMap((value): Scalar[] => {
    if (typeof value === 'number') return [value, value + 1, value - 0.5, String(value)]
    if (value instanceof DateTime) {
      return [value, new DateTime(value.micros, value.nanos === 0 ? 1 : 0), new DateTime(value.micros - 1, 999)]
    }
    if (value instanceof Duration) return [value, new Duration(value.ns + 1)]
    if (typeof value === 'string') return [value, `${value}1`, value.toUpperCase(), ...(value === '12' ? [12] : [])]
    return typeof value === 'bigint' || typeof value === 'boolean' ? [value] : []
  })
  const finite = near.filter(value => typeof value !== 'number' || Number.isFinite(value))
  return finite.length === 0 ? scalarArbitrary : fc.oneof(scalarArbitrary, fc.constantFrom(...finite))
}

function predicateArbitrary(values: readonly Value[]): fc.Arbitrary<ScanPredicate> {
  const field = fc.constantFrom('f', 'f', 'f', 'f', 'absent')
  const literal = literalOf(values)
  const words = [...new Set(values.flatMap(value => (typeof value === 'string' ? tokensOf(value) : [])))]
  const token = fc.oneof(
    fc.constantFrom('alpha', 'zzz', '12', ...words),
    stringArbitrary.map(text => tokensOf(text)[0] ?? 'q'),
  )
  return fc.letrec<{ predicate: ScanPredicate; leaf: ScanPredicate }>(tie => ({
    leaf: fc.oneof(
      fc.record({
        kind: fc.constant('compare' as const),
        field,
        operator: fc.constantFrom(...OPERATORS),
        value: literal,
      }),
      fc.record({ kind: fc.constant('in' as const), field, values: fc.array(literal, { maxLength: 3 }) }),
      fc.record({
        kind: fc.constant('tokens' as const),
        field,
        tokens: fc.array(token, { minLength: 1, maxLength: 2 }),
      }),
      fc.record({ kind: fc.constant('exists' as const), field }),
      fc.record({ kind: fc.constantFrom('always' as const, 'never' as const) }),
    ),
    predicate: fc.oneof(
      { maxDepth: 2 },
      tie('leaf'),
      tie('leaf'),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        of: fc.array(tie('predicate'), { maxLength: 3 }),
      }),
    ),
  })).predicate
}

const caseArbitrary = columnArbitrary.chain(values =>
  fc.record({
    values: fc.constant(values),
    vector: fc.constantFrom(anyVector(values), dictVector(values)),
    predicate: predicateArbitrary(values),
  }),
)

test('a verdict is sound for any column and any predicate', () => {
  const seen = { none: 0, some: 0, all: 0 }
  fc.assert(
    fc.property(caseArbitrary, ({ values, vector, predicate }) => {
      const verdict = blockWith(values, vector).verdict(predicate)
      seen[verdict]++
      assertSound(
        verdict,
        predicate,
        values.map(value => ({ f: value })),
      )
    }),
    { numRuns: 3000 },
  )
  assert.ok(Math.min(seen.none, seen.some, seen.all) > 200, JSON.stringify(seen))
})

test('comparisons with wide numeric columns are sound', () => {
  const column = fc.array(numberArbitrary, { minLength: 17, maxLength: 40 })
  const cases = column.chain(values => fc.tuple(fc.constant(values), literalOf(values), fc.constantFrom(...OPERATORS)))
  fc.assert(
    fc.property(cases, ([values, value, operator]) => {
      const predicate: ScanPredicate = { kind: 'compare', field: 'f', operator, value }
      assertSound(
        blockWith(values).verdict(predicate),
        predicate,
        values.map(each => ({ f: each })),
      )
    }),
    { numRuns: 1000 },
  )
})

const compare = (field: string, operator: CompareOperator, value: Scalar): ScanPredicate => ({
  kind: 'compare',
  field,
  operator,
  value,
})

test('zones of numbers, times and durations answer none and all', () => {
  const rows = Array.from({ length: 100 }, (_, row) => row)
  const block = partOf(
    blockOf(100, {
      n: anyVector(rows.map(row => row + 10)),
      t: anyVector(rows.map(row => new DateTime(row + 10, 5))),
      d: anyVector(rows.map(row => new Duration(row + 10))),
    }),
  ).part.block(0)
  const ask = (operator: CompareOperator, value: number) => [
    block.verdict(compare('n', operator, value)),
    block.verdict(compare('t', operator, new DateTime(value, 5))),
    block.verdict(compare('d', operator, new Duration(value))),
  ]
  const three = (verdict: Verdict) => [verdict, verdict, verdict]
  assert.deepEqual(ask('<', 10), three('none'))
  assert.deepEqual(ask('<=', 10), three('some'))
  assert.deepEqual(ask('<', 110), three('all'))
  assert.deepEqual(ask('>', 109), three('none'))
  assert.deepEqual(ask('>=', 10), three('all'))
  assert.deepEqual(ask('==', 9), three('none'))
  assert.deepEqual(ask('!=', 9), three('all'))
  assert.equal(block.verdict(compare('t', '>=', new DateTime(109, 6))), 'none')
  assert.equal(block.verdict(compare('n', '>', '200')), 'none')
  assert.equal(block.verdict(compare('n', '<', '200')), 'some')
  assert.equal(block.verdict(compare('n', '==', 'error')), 'none')
})

test('dictionary columns answer from the values that occur in the block, not in the part', () => {
  const first = anyVector(Array.from({ length: 60 }, (_, row) => `web-${row % 20}`))
  const second = anyVector(Array.from({ length: 60 }, (_, row) => `db-${row % 20} master`))
  const { part } = partOf(blockOf(60, { host: first }), blockOf(60, { host: second }))
  const verdicts = (predicate: ScanPredicate) => [part.block(0).verdict(predicate), part.block(1).verdict(predicate)]
  assert.equal(part.block(0).column('host')?.kind, 'dict')
  assert.deepEqual(verdicts(compare('host', '==', 'web-7')), ['some', 'none'])
  assert.deepEqual(verdicts(compare('host', '!=', 'web-7')), ['some', 'all'])
  assert.deepEqual(verdicts(compare('host', '>=', 'web')), ['all', 'none'])
  assert.deepEqual(verdicts({ kind: 'in', field: 'host', values: ['db-3 master', 'x'] }), ['none', 'some'])
  assert.deepEqual(verdicts({ kind: 'tokens', field: 'host', tokens: ['master', 'db'] }), ['none', 'some'])
  assert.deepEqual(verdicts({ kind: 'tokens', field: 'host', tokens: ['web', 'master'] }), ['none', 'none'])
})

test('a token filter finds what is there and hardly anything else', () => {
  const ids = Array.from({ length: 5000 }, (_, row) => `trace ${(row * 2654435761).toString(16)}`)
  const block = partOf(blockOf(5000, { _raw: textVector(ids) })).part.block(0)
  const ask = (token: string) => block.verdict({ kind: 'tokens', field: '_raw', tokens: ['trace', token] })
  for (const id of ids.slice(0, 200)) assert.equal(ask(tokensOf(id)[1]!), 'some')
  const wrong = Array.from({ length: 2000 }, (_, row) => ask(`absent${row}`)).filter(
    verdict => verdict === 'some',
  ).length
  assert.ok(wrong < 40, `${wrong} of 2000`)
  assert.equal(block.verdict(compare('_raw', '==', 'no such line')), 'none')
  assert.equal(block.verdict(compare('_raw', '==', ids[77]!)), 'some')
})

test('null and missing keep a verdict from being all', () => {
  const block = blockWith([1, 2, null])
  assert.equal(block.verdict(compare('f', '>', 0)), 'some')
  assert.equal(block.verdict(compare('f', '>', 5)), 'none')
  assert.equal(block.verdict({ kind: 'exists', field: 'f' }), 'some')
  assert.equal(blockWith([1, 2]).verdict({ kind: 'exists', field: 'f' }), 'all')
})

test('a field that the block does not have matches nothing, unless objects may be assembled in its place', () => {
  const { part } = partOf(blockOf(1, { 'http.status.code': anyVector([1]) }))
  const verdicts = ['http', 'http.status', 'http.status.code', 'http.st', 'other'].map(field =>
    part.block(0).verdict({ kind: 'exists', field }),
  )
  assert.deepEqual(verdicts, ['some', 'some', 'all', 'none', 'none'])
})

test('the index of the part answers for the virtual field of that name', () => {
  const { part } = partOf(blockOf(1, {}))
  assert.equal(part.block(0).verdict(compare('index', '==', 'web')), 'all')
  assert.equal(part.block(0).verdict(compare('index', '==', 'app')), 'none')
  assert.equal(part.block(0).verdict({ kind: 'exists', field: 'index' }), 'all')
  const own = partOf(blockOf(1, { index: anyVector(['app']) })).part.block(0)
  assert.equal(own.verdict(compare('index', '==', 'app')), 'some')
})

test('time ranges are half-open', () => {
  const block = partOf(blockOf(2, { _time: anyVectorOfTimes(10, 20) })).part.block(0)
  const ask = (fromMicros: number | null, toMicros: number | null) => block.verdictTime({ fromMicros, toMicros })
  assert.deepEqual(
    [ask(10, 21), ask(null, null), ask(10, 20), ask(21, null), ask(null, 10), ask(20, 21), ask(11, 12)],
    ['all', 'all', 'some', 'none', 'none', 'some', 'some'],
  )
})

function anyVectorOfTimes(...micros: number[]) {
  return {
    kind: 'time',
    rowCount: micros.length,
    micros: Float64Array.from(micros),
    nanos: null,
    presence: null,
  } as const
}
