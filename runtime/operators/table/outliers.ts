/** outliers: bounds from all values of a group, then the rows beyond them. */
import type { Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { OUTLIER_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { type Fence, fenceOf } from './fences.ts'
import { Keys, keyColumns } from './keys.ts'
import { inUnit, measuresOf, rounded, toDecimals } from './measures.ts'
import { CollectedRows, type TableRun } from './table.ts'

/** Of one value: boxed, as a number, and sorted with those of its group. */
const VALUE_BYTES = 56

export class OutliersOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'outliers'>
  readonly #collected: CollectedRows
  readonly #keys: Keys

  constructor(run: TableRun<'outliers'>) {
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'outliers')
    this.#keys = new Keys(keyColumns(run.inputs), run.context.memory, 'outliers')
  }

  push(batch: Batch): void {
    this.#run.context.memory.charge(batch.selectedCount * VALUE_BYTES, 'outliers')
    this.#collected.add(batch)
    this.#keys.add(batch)
  }

  finish(): void {
    const { inputs, next, options } = this.#run
    const { numbers, unit } = measuresOf(this.#collected.values(inputs.value as string))
    const fences = this.#fences(numbers)
    const shown = (bound: number): Value =>
      inUnit(unit === 'datetime' ? bound : (rounded(bound, 6) ?? Number.NaN), unit)
    const bounds = fences.map(fence => [fence && shown(fence.lower), fence && shown(fence.upper)])
    const rows = numbers.length
    const kept: number[] = []
    const [score, lower, upper, isOutlier] = [0, 0, 0, 0].map(() => new Array<Value>(rows).fill(null))
    for (let row = 0; row < rows; row++) {
      const group = this.#keys.of(row)
      const fence = fences[group]
      const value = numbers[row]!
      const isOut = fence != null && (value < fence.lower || value > fence.upper)
      if (isOut || options.mark) kept.push(row)
      isOutlier![row] = isOut
      if (fence == null || Number.isNaN(value)) continue
      score![row] = toDecimals(scoreOf(value, fence))
      ;[lower![row], upper![row]] = bounds[group] as [Value, Value]
    }
    const added = new Map(OUTLIER_COLUMNS.map((name, index) => [name as string, [score!, lower!, upper!][index]!]))
    if (options.mark) added.set('is_outlier', isOutlier!)
    this.#collected.emit(next, kept, added)
    next.finish()
  }

  #fences(numbers: Float64Array): (Fence | null)[] {
    const { method, threshold } = this.#run.options
    const sizes = new Uint32Array(this.#keys.count)
    for (let row = 0; row < numbers.length; row++) if (!Number.isNaN(numbers[row])) sizes[this.#keys.of(row)]!++
    const values = Array.from(sizes, size => new Float64Array(size))
    const filled = new Uint32Array(sizes.length)
    for (let row = 0; row < numbers.length; row++) {
      const group = this.#keys.of(row)
      if (!Number.isNaN(numbers[row])) values[group]![filled[group]!++] = numbers[row]!
    }
    return values.map(group => fenceOf(group.sort(), method, threshold))
  }
}

function scoreOf(value: number, { low, high, scale }: Fence): number {
  if (scale === 0) return 0
  return value > high ? (value - high) / scale : value < low ? (value - low) / scale : 0
}
