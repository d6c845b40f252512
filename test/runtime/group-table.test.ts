import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchOf } from '../../runtime/column-batch.ts'
import { GroupTable } from '../../runtime/operators/group-table.ts'
import type { Vector } from '../../storage/vector.ts'

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
      met.push(groups.values.map(column => column[group]))
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
