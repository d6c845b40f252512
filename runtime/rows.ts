/** Batches as rows, for those who want rows: programs, tests, answers of a page. */
import type { Value } from '../storage/value.ts'
import type { Vector } from '../storage/vector.ts'
import type { Batch } from './batch.ts'
import { shownOf } from './column-batch.ts'
import { valueAt } from './helpers/vectors.ts'

/** Row after row, values aligned with `names`; missing is undefined. The array is the caller's. */
export function* rowsOf(batch: Batch, names: readonly string[] = batch.names): Generator<Value[]> {
  const vectors = names.map(name => shownOf(batch.column(name)))
  for (let n = 0; n < batch.selectedCount; n++) {
    const row = batch.selection === null ? n : batch.selection[n]!
    yield vectors.map((vector: Vector) => valueAt(vector, row))
  }
}
