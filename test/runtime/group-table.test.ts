import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { batchOf } from '../../runtime/column-batch.ts'
import { GroupTable } from '../../runtime/operators/group-table.ts'
import { sizeOf, TextDictionary, valueIn } from '../../storage/dictionary.ts'
import type { DateTime } from '../../storage/value.ts'
import { type Dictionary, NULL, PRESENT, type Vector } from '../../storage/vector.ts'
import { textVector } from '../storage/part-support.ts'

function numbers(values: readonly number[]): Vector {
  return { kind: 'number', rowCount: values.length, values: Int32Array.from(values), presence: null }
}

function codes(values: readonly number[]): Vector {
  return {
    kind: 'dict',
    rowCount: values.length,
    codes: Uint8Array.from(values, (_, row) => row),
    dictionary: { values },
  }
}

test('what is pending when codes begin to be combined is told by the codes it was counted under', () => {
  const fields = ['a', 'b', 'c']
  const groups = new GroupTable(fields.map(field => ({ field, binMicros: null })))
  let pending: number[] = []
  const met: unknown[] = []
  groups.beforeChange = () => {
    for (const slot of pending) {
      const group = groups.add(slot)
      met.push(fields.map((_, key) => groups.valuesOf(key)[group]))
    }
    pending = []
  }
  const add = (rows: readonly (readonly number[])[], vectorOf: (values: readonly number[]) => Vector): void => {
    const columns = new Map(fields.map((field, index) => [field, vectorOf(rows.map(row => row[index]!))]))
    groups.prepare(batchOf(columns, rows.length))
    const { keys } = groups
    pending.push(...rows.map((_, row) => keys.reduceRight((slot, key) => slot * key.size + key.codes[row]!, 0)))
  }
  const few = [
    [1, 2, 3],
    [2, 1, 3],
  ]
  // Windows this wide cannot be laid out side by side.
  const many = [
    [0, 0, 0],
    [60_000, 50_000, 40_000],
    [1, 2, 3],
  ]
  add(few, codes)
  const { slotCount } = groups
  add(many, numbers)
  assert.ok(groups.slotCount > 0 && groups.slotCount !== slotCount)
  add(few, codes)
  groups.beforeChange()
  assert.deepEqual(met, [...few, ...many, ...few])
})

test('bins of times are those of each time by itself, in order or not, across blocks', () => {
  const times = fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(times, fc.boolean()), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 2, max: 900 }),
      (blocks, unit) => {
        const groups = new GroupTable([{ field: 't', binMicros: unit }])
        for (const [values, isSorted] of blocks) {
          const micros = Float64Array.from(isSorted ? [...values].sort((a, b) => a - b) : values)
          const vector: Vector = { kind: 'time', rowCount: micros.length, micros, nanos: null, presence: null }
          groups.prepare(batchOf(new Map([['t', vector]]), micros.length))
          const [key] = groups.keys
          const bins = Array.from(micros, (_, row) => (key!.valueOf(key!.codes[row]!) as DateTime).micros)
          assert.deepEqual(
            bins,
            Array.from(micros, at => Math.floor(at / unit) * unit),
          )
        }
      },
    ),
  )
})

test('whole numbers keep their codes while the window of numbers grows', () => {
  const column = fc.array(fc.option(fc.integer({ min: -40_000, max: 40_000 })), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.array(fc.tuple(column, fc.boolean()), { minLength: 1, maxLength: 5 }), blocks => {
      const groups = new GroupTable([{ field: 'n', binMicros: null }])
      for (const [values, isNarrow] of blocks) {
        const lane = isNarrow ? new Int32Array(values.length) : new Float64Array(values.length)
        for (const [row, value] of values.entries()) lane[row] = value ?? 7
        const isWhole = values.every(value => value !== null)
        const presence = isWhole ? null : Uint8Array.from(values, value => (value === null ? NULL : PRESENT))
        const vector: Vector = { kind: 'number', rowCount: values.length, values: lane, presence }
        groups.prepare(batchOf(new Map([['n', vector]]), values.length))
        const [key] = groups.keys
        assert.deepEqual(
          values.map((_, row) => key!.valueOf(key!.codes[row]!)),
          values,
        )
        const codes = new Set(values.map((_, row) => key!.codes[row]!))
        assert.equal(codes.size, new Set(values).size)
        assert.ok(Math.max(...codes) < key!.size)
      }
    }),
  )
})

test('rows are of one group exactly when their keys are one value, whatever the blocks hold the keys as', () => {
  const wide = fc.array(fc.integer({ min: -200_000, max: 200_000 }), { minLength: 20, maxLength: 60 })
  const narrow = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 10, maxLength: 30 })
  const block = fc.tuple(fc.oneof(wide, narrow), fc.constantFrom(numbers, numbers, numbers, codes))
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), fc.constantFrom(1, 2), (blocks, keyCount) => {
      const fields = ['a', 'b'].slice(0, keyCount)
      const groups = new GroupTable(fields.map(field => ({ field, binMicros: null })))
      const groupOf = new Map<number, number>()
      for (const [values, vectorOf] of blocks) {
        const assigned = new Uint32Array(values.length)
        const batch = batchOf(new Map(fields.map(field => [field, vectorOf(values)])), values.length)
        groups.prepare(batch)
        groups.assign(batch, assigned)
        for (const [row, value] of values.entries()) {
          if (!groupOf.has(value)) groupOf.set(value, assigned[row]!)
          assert.equal(assigned[row], groupOf.get(value))
        }
      }
      assert.equal(new Set(groupOf.values()).size, groupOf.size)
      for (const [value, group] of groupOf) assert.equal(groups.valuesOf(0)[group], value)
    }),
    { numRuns: 150 },
  )
})

test('pairs that few rows could make of many are numbered, and go on being so while codes mean the same', () => {
  const dictionaries = [0, 1].map(key => ({ values: Array.from({ length: 100 }, (_, n) => `${key} ${n}`) }))
  const batchOfRows = (rowCount: number, dictionariesOf = dictionaries) =>
    batchOf(
      new Map(
        dictionariesOf.map((dictionary, key) => [
          `${key}`,
          { kind: 'dict', rowCount, codes: Uint8Array.from({ length: rowCount }, (_, row) => row % 100), dictionary },
        ]),
      ),
      rowCount,
    )
  const groups = new GroupTable([0, 1].map(key => ({ field: `${key}`, binMicros: null })))
  groups.prepare(batchOfRows(200))
  assert.ok(groups.slotCount < 10_000, `${groups.slotCount}`)
  groups.prepare(batchOfRows(5000))
  assert.ok(groups.slotCount < 10_000)
  const others = dictionaries.map(({ values }) => ({ values: [...values] }))
  groups.prepare(batchOfRows(5000, others))
  assert.equal(groups.slotCount, 10_000)
  groups.prepare(batchOfRows(200, others))
  assert.equal(groups.slotCount, 10_000)
})

test('groups are the values, whichever dictionaries and encodings they come in', () => {
  const texts = fc.uniqueArray(fc.constantFrom('', 'a', 'b', 'c', 'ü', 'd'), { minLength: 1, maxLength: 6 })
  const block = fc.record({
    texts,
    form: fc.constantFrom('stored', 'stored before', 'made', 'const', 'any'),
    rows: fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
  })
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), fc.boolean(), (blocks, isTold) => {
      const groups = new GroupTable([{ field: 'f', binMicros: null }])
      let first: TextDictionary | null = null
      const groupOf = new Map<string, number>()
      for (const { texts, form, rows } of blocks) {
        const own: Dictionary = form === 'made' ? { values: texts } : new TextDictionary(textVector(texts))
        const dictionary: Dictionary = form === 'stored before' && first !== null ? first : own
        if (dictionary instanceof TextDictionary) first ??= dictionary
        const codes = Uint8Array.from(rows, row => row % sizeOf(dictionary))
        const rowCount = rows.length
        const values = Array.from(codes, code => (form === 'const' ? texts[0]! : (valueIn(dictionary, code) as string)))
        const vector: Vector =
          form === 'const'
            ? { kind: 'const', rowCount, value: texts[0]! }
            : form === 'any'
              ? { kind: 'any', rowCount, values }
              : { kind: 'dict', rowCount, codes, dictionary }
        const batch = batchOf(new Map([['f', vector]]), rowCount)
        groups.prepare(batch)
        const assigned = new Uint32Array(rowCount)
        groups.assign(batch, assigned)
        for (const [row, value] of values.entries()) {
          if (!groupOf.has(value)) groupOf.set(value, assigned[row]!)
          assert.equal(assigned[row], groupOf.get(value), `${form} ${value}`)
        }
        // Somebody may want to know interned numbers at any time.
        if (isTold) assert.equal(groups.ids[0]!.length, groupOf.size)
      }
      assert.equal(groups.count, groupOf.size)
      const expected = [...groupOf].sort((a, b) => a[1] - b[1]).map(([value]) => value)
      assert.deepEqual(groups.valuesOf(0), expected)
      const coded = groups.codedValuesOf(0)
      if (coded !== null)
        assert.deepEqual(
          Array.from(coded.codes, code => valueIn(coded.dictionary, code)),
          expected,
        )
      assert.deepEqual(
        expected.map((_, group) => groups.interner.valueOf(groups.ids[0]!.values[group]!)),
        expected,
      )
      for (const [value, group] of groupOf) {
        assert.equal(groups.groupOfIds([groups.interner.idOf(value)]), group)
        assert.equal(groups.valueOf(0, group), value)
      }
      groups.release()
    }),
  )
})
