/** What the machine loop adds is, to the bit, what the loop over rows adds that kernels fall back on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ADD_HELPERS, type Key, type Step, settleAdded } from '../../../runtime/helpers/add-by-slot.ts'
import { DISTINCT_HELPERS, type Distinct } from '../../../runtime/helpers/distinct.ts'
import { Interner } from '../../../runtime/helpers/interner.ts'
import { SKETCH_HELPERS, type Sketch } from '../../../runtime/helpers/sketch.ts'

interface Column {
  readonly kind: Step[0]
  readonly isFloat: boolean
  /** Of whole numbers. */
  readonly divisor: number
  readonly isKept: boolean
  readonly numbers: readonly number[]
}

function lanesOf({ kind, isFloat, divisor, isKept, numbers }: Column, rowCount: number, slotCount: number): Step {
  if (kind === 'distinct') return codesOf(numbers, rowCount, slotCount)
  // Of negative numbers, and of numbers so far apart, a sketch is not made this way.
  const near = numbers.map(number => (number === 0 || (number >= 1 && number < 1000) ? number : 8))
  const all = kind === 'sketch' ? near : numbers
  const at = (row: number): number => all[row % all.length]!
  const lane = isFloat ? new Float64Array(rowCount) : new Int32Array(rowCount)
  for (let row = 0; row < rowCount; row++) lane[row] = isFloat ? at(row) + row / 8 : at(row) | 0
  const values = lane instanceof Int32Array && divisor > 1 ? { whole: lane, divisor } : lane
  // What earlier blocks left stays in the states.
  const before = Float64Array.from({ length: slotCount + 3 }, (_, slot) => slot / 3)
  switch (kind) {
    case 'sum':
      return [kind, values, before, isKept ? new Float64Array(slotCount + 3) : null]
    case 'sketch':
      return [kind, values, Array.from(before, sketchOf), null]
    default:
      return [kind, values, before, null]
  }
}

const DICTIONARY = { values: [...Array.from({ length: 600 }, (_, code) => `v${code}`), null, undefined] }
const interner = new Interner()

function codesOf(numbers: readonly number[], rowCount: number, slotCount: number): Step {
  const codes = new Uint16Array(rowCount)
  for (let row = 0; row < rowCount; row++)
    codes[row] = Math.abs((numbers[row % numbers.length]! | 0) + row) % DICTIONARY.values.length
  const sets = Array.from({ length: slotCount + 3 }, () => {
    const set = DISTINCT_HELPERS.distinctNew(interner)
    DISTINCT_HELPERS.distinctAdd(set, 'of an earlier block')
    return set
  })
  return ['distinct', codes, sets, DICTIONARY]
}

function sketchOf(number: number): Sketch {
  const sketch = SKETCH_HELPERS.sketchNew()
  SKETCH_HELPERS.sketchAdd(sketch, number)
  return sketch
}

function addOneByOne(rowCount: number, keys: readonly Key[], counted: Int32Array, numbers: readonly Step[]): void {
  for (let row = 0; row < rowCount; row++) {
    let slot = 0
    for (const { codes, size } of [...keys].reverse()) slot = slot * size + codes[row]!
    counted[slot]!++
    for (const each of numbers) takeOne(each, row, slot)
  }
}

function takeOne([kind, values, to, lost]: Step, row: number, slot: number): void {
  const x = 'whole' in values ? values.whole[row]! / values.divisor : values[row]!
  if (kind === 'sketch') {
    SKETCH_HELPERS.sketchAdd(to[slot]!, x)
    return
  }
  if (kind === 'distinct') {
    DISTINCT_HELPERS.distinctAddCode(to[slot]!, lost, x)
    return
  }
  const before = to[slot]!
  if (kind === 'least') to[slot] = x < before ? x : before
  else if (kind === 'greatest') to[slot] = x > before ? x : before
  else {
    const sum = before + x
    const part = sum - before
    if (lost !== null) lost[slot]! += before - (sum - part) + (x - part)
    to[slot] = sum
  }
}

/** Of a sketch what it tells: its window of counters may be another. */
function told(numbers: readonly Step[]): unknown {
  const sketched = (sketch: Sketch): unknown => ({
    ...sketch,
    positive: [...sketch.positive.counts].flatMap((count, at) =>
      count === 0 ? [] : [[sketch.positive.base + at, count]],
    ),
  })
  const counted = (set: Distinct): unknown => [
    DISTINCT_HELPERS.distinctCount(set),
    DISTINCT_HELPERS.distinctAdd(set, 'v7'),
    DISTINCT_HELPERS.distinctCount(set),
  ]
  return numbers.map(([kind, values, to, lost]) => {
    if (kind === 'sketch') return [kind, to.map(sketched)]
    return kind === 'distinct' ? [kind, to.map(counted)] : [kind, values, to, lost]
  })
}

const settle = (steps: readonly Step[]): void => {
  for (const [, , to] of steps) settleAdded(to)
}

const key = fc.record({
  Codes: fc.constantFrom(Uint8Array, Uint16Array, Uint32Array),
  seeds: fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
})
const column = fc.record({
  kind: fc.constantFrom<Step[0]>('sum', 'least', 'greatest', 'sketch', 'distinct'),
  isFloat: fc.boolean(),
  divisor: fc.constantFrom(1, 10, 1000),
  isKept: fc.boolean(),
  numbers: fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.constantFrom(0, -0, 2 ** 53, 1e300)), {
    minLength: 1,
    maxLength: 7,
  }),
})

test('rows are counted and numbers taken as by the loop over rows, for every width of codes and kind of numbers', () => {
  fc.assert(
    fc.property(
      fc.array(key, { minLength: 1, maxLength: 2 }),
      fc.array(column, { maxLength: 3 }),
      fc.integer({ min: 16_000, max: 17_000 }),
      (given, columns, rowCount) => {
        const keys = given.map(({ Codes, seeds }) => {
          const codes = new Codes(rowCount + 2)
          for (let row = 0; row < rowCount; row++) codes[row] = seeds[(row * 7) % seeds.length]!
          return { codes, size: 4 }
        })
        const slotCount = 4 ** keys.length
        const state = () => ({
          counted: new Int32Array(slotCount + 3).fill(2),
          numbers: columns.map(each => lanesOf(each, rowCount, slotCount)),
        })
        const [expected, actual] = [state(), state()]
        addOneByOne(rowCount, keys, expected.counted, expected.numbers)
        assert.equal(ADD_HELPERS.addBySlot(rowCount, keys, slotCount, actual.counted, ...actual.numbers), true)
        settle(actual.numbers)
        assert.deepEqual(actual.counted, expected.counted)
        assert.deepEqual(told(actual.numbers), told(expected.numbers))
      },
    ),
    { numRuns: 30 },
  )
})

test('blocks of several queries in any order, looked at in between or not, come to what each of them has', () => {
  const blocks = fc.array(
    fc.record({ query: fc.nat(2), isLookedAt: fc.boolean(), shift: fc.integer({ min: 0, max: 40 }) }),
    { minLength: 1, maxLength: 8 },
  )
  const rowCount = 16_000
  const narrow = Uint8Array.from({ length: rowCount }, (_, row) => (row * 7) % 3)
  const wide = Uint16Array.from(narrow)
  const ROW_NUMBERS = Array.from({ length: 13 }, (_, at) => 1 + at * 11)
  fc.assert(
    fc.property(blocks, fc.constantFrom<Step[0]>('sketch', 'distinct'), (sequence, kind) => {
      const column: Column = { kind, isFloat: true, divisor: 1, isKept: false, numbers: ROW_NUMBERS }
      const states = () => [0, 1, 2].map(() => ({ counted: new Int32Array(7), step: lanesOf(column, rowCount, 4) }))
      const [expected, actual] = [states(), states()]
      for (const { query, isLookedAt, shift } of sequence) {
        // Wider and narrower ranges, other codes, and codes of another width than the block before.
        const keys = [{ codes: shift % 3 === 0 ? wide : narrow, size: 4 }]
        const values = (kind === 'distinct' ? new Uint16Array(rowCount) : new Float64Array(rowCount)).map(
          (_, row) => ROW_NUMBERS[row % 13]! + (kind === 'distinct' ? shift : 2 ** (shift / 4)),
        )
        const add = ({ counted, step }: (typeof actual)[0], isPlain: boolean): void => {
          const [, , to, rest] = step
          const mine = [kind, values, to, rest] as unknown as Step
          if (isPlain) addOneByOne(rowCount, keys, counted, [mine])
          else assert.equal(ADD_HELPERS.addBySlot(rowCount, keys, 4, counted, mine), true)
          if (isLookedAt && !isPlain) settleAdded(to)
        }
        add(expected[query]!, true)
        add(actual[query]!, false)
      }
      settle(actual.map(({ step }) => step))
      assert.deepEqual(
        actual.map(({ counted }) => counted),
        expected.map(({ counted }) => counted),
      )
      assert.deepEqual(told(actual.map(({ step }) => step)), told(expected.map(({ step }) => step)))
    }),
    { numRuns: 40 },
  )
})

test('numbers that are negative, or too far apart for so many slots, are left to the loop over rows', () => {
  const keys = [{ codes: new Uint8Array(1000), size: 6 }]
  const answer = (values: Float64Array): boolean => {
    const sketches = Array.from({ length: 6 }, SKETCH_HELPERS.sketchNew)
    const isDone = ADD_HELPERS.addBySlot(1000, keys, 6, new Int32Array(6), ['sketch', values, sketches, null])
    if (!isDone) assert.deepEqual(sketches, Array.from({ length: 6 }, SKETCH_HELPERS.sketchNew))
    return isDone
  }
  assert.equal(answer(new Float64Array(1000).fill(3)), true)
  assert.equal(answer(new Float64Array(1000)), true)
  assert.equal(answer(new Float64Array(1000).fill(3).fill(-1, 999)), false)
  assert.equal(answer(new Float64Array(1000).fill(3).fill(1e300, 999)), false)
  assert.equal(answer(new Float64Array(1000).fill(3).fill(5e-324, 999)), false)
})

test('with few rows for its slots nothing is done, and the loop over rows is to be run', () => {
  const counted = new Int32Array(600)
  const key = { codes: new Uint8Array(1000), size: 600 }
  assert.equal(ADD_HELPERS.addBySlot(1000, [key], 600, counted), false)
  assert.ok(counted.every(count => count === 0))
})
