import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { vectorOf } from '../../runtime/column-batch.ts'
import { valueAt } from '../../runtime/helpers/vectors.ts'
import { takeRows } from '../../runtime/take-rows.ts'
import type { Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import { anyValue } from './helpers/arbitrary-values.ts'

// Found by the fuzzer: what a whole event shows of a column stayed in its old order (explode after a join that wrote to disk).
test('rows that are taken are those of the column, and of what is shown of it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyValue, anyValue), { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(1000), { maxLength: 30 }),
      (pairs, picks) => {
        const values: Value[] = pairs.map(([value]) => value)
        const shown: Value[] = pairs.map(([, value]) => value)
        const rows = Uint32Array.from(picks, pick => pick % pairs.length)
        const vector: Vector = { kind: 'any', rowCount: pairs.length, values, shown: vectorOf(shown) }
        const taken = takeRows(vector, rows)
        assert.equal(taken.rowCount, rows.length)
        assert.ok(taken.kind === 'any' && taken.shown !== undefined)
        for (const [n, row] of rows.entries()) {
          assert.deepEqual(valueAt(taken, n), values[row])
          assert.deepEqual(valueAt(taken.shown, n), shown[row])
        }
      },
    ),
  )
})
