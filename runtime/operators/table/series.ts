/** Rows as series: by their keys, each in order of time, with the numbers that are measured. */
import type { Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import type { RunContext } from '../operator.ts'
import { Keys, keyColumns } from './keys.ts'
import { measuresOf, type Unit } from './measures.ts'
import { CollectedRows, counted } from './table.ts'
import { Times } from './times.ts'

export interface Series {
  readonly group: number
  /** Rows that have a time and a number, in order of time. */
  readonly rows: readonly number[]
  readonly numbers: Float64Array
}

/** Of one row: its value boxed and as a number, its time, its place in the series. */
const ROW_BYTES = 64

export class SeriesRows {
  readonly collected: CollectedRows
  readonly keys: Keys
  readonly times = new Times()
  readonly #context: RunContext
  readonly #inputs: Readonly<Record<string, string>>
  readonly #stage: string

  constructor(context: RunContext, inputs: Readonly<Record<string, string>>, stage: string) {
    this.#context = context
    this.#inputs = inputs
    this.#stage = stage
    this.collected = new CollectedRows(context, stage)
    this.keys = new Keys(keyColumns(inputs), context.memory, stage)
  }

  add(batch: Batch): void {
    this.#context.memory.charge(batch.selectedCount * ROW_BYTES, this.#stage)
    this.collected.add(batch)
    this.keys.add(batch)
    this.times.add(batch, this.#inputs.time)
  }

  /** In order of their keys. Says so where rows of one series share a time, which a forgotten `by` looks like. */
  series(): { readonly series: readonly Series[]; readonly unit: Unit } {
    const { numbers, unit } = measuresOf(this.collected.values(this.#inputs.value as string))
    const members: number[][] = Array.from({ length: this.keys.count }, () => [])
    for (const row of this.times.order()) if (!Number.isNaN(numbers[row])) members[this.keys.of(row)]!.push(row)
    let doubled = 0
    for (const rows of members) {
      for (let n = 1; n < rows.length; n++) if (this.times.between(rows[n - 1]!, rows[n]!) === 0) doubled++
    }
    if (doubled > 0) {
      const told = `${counted(doubled, 'row')} with the time of another row of the series; ${this.#stage} … by <key> tells series apart`
      this.#context.count(`note:${told}`)
    }
    const series = this.keys.inOrder().map(group => {
      const rows = members[group]!
      return { group, rows, numbers: Float64Array.from(rows, row => numbers[row]!) }
    })
    return { series, unit }
  }

  keyValues(group: number, keys: readonly string[]): Value[] {
    return keys.map((_, key) => this.keys.value(group, key))
  }
}
