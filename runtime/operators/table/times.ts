/** The times of collected rows, and the order of time: rows of one instant stay as they came, rows without a time are not in it. */
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { PRESENT } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { Floats } from './growable.ts'

export class Times {
  /** NaN where a row has no time. */
  readonly #micros = new Floats()
  /** Null as long as no time is finer than a microsecond. */
  #nanos: Floats | null = null

  get length(): number {
    return this.#micros.length
  }

  /** The times of a batch's rows; `column` undefined: none has one. */
  add(batch: Batch, column: string | undefined): void {
    const { selection, selectedCount } = batch
    const vector = column === undefined ? null : batch.column(column)
    if (vector?.kind === 'time' && vector.nanos === null) {
      const { micros, presence } = vector
      for (let n = 0; n < selectedCount; n++) {
        const row = selection === null ? n : selection[n]!
        this.#push(presence === null || presence[row] === PRESENT ? micros[row]! : Number.NaN, 0)
      }
      return
    }
    for (let n = 0; n < selectedCount; n++) {
      const value = vector === null ? null : valueAt(vector, selection === null ? n : selection[n]!)
      if (value instanceof DateTime) this.#push(value.micros, value.nanos)
      else this.#push(Number.NaN, 0)
    }
  }

  #push(micros: number, nanos: number): void {
    if (nanos !== 0 && this.#nanos === null) {
      this.#nanos = new Floats()
      for (let n = 0; n < this.#micros.length; n++) this.#nanos.push(0)
    }
    this.#micros.push(micros)
    this.#nanos?.push(nanos)
  }

  has(position: number): boolean {
    return !Number.isNaN(this.#micros.values[position]!)
  }

  micros(position: number): number {
    return this.#micros.values[position]!
  }

  at(position: number): DateTime {
    return new DateTime(this.#micros.values[position]!, this.#nanos?.values[position] ?? 0)
  }

  /** From one row to another, in nanoseconds. */
  between(from: number, to: number): number {
    const micros = this.#micros.values
    const nanos = this.#nanos?.values
    const fine = nanos === undefined ? 0 : nanos[to]! - nanos[from]!
    return (micros[to]! - micros[from]!) * 1000 + fine
  }

  /** Positions of the rows that have a time, in its order. */
  order(): Uint32Array {
    const positions = new Uint32Array(this.length)
    let count = 0
    let isSorted = true
    for (let position = 0; position < this.length; position++) {
      if (!this.has(position)) continue
      if (count > 0 && this.between(positions[count - 1]!, position) < 0) isSorted = false
      positions[count++] = position
    }
    const present = positions.subarray(0, count)
    return isSorted ? present : present.sort((a, b) => this.between(b, a) || a - b)
  }
}

/** The same of two times. */
export function nanosBetween(from: DateTime, to: DateTime): number {
  return (to.micros - from.micros) * 1000 + (to.nanos - from.nanos)
}

export function durationBetween(times: Times, from: number, to: number): Duration {
  return new Duration(times.between(from, to))
}

/** One value per row, null where `indexOf` gives no index. */
export function spread(rows: number, indexOf: (row: number) => number, values: readonly Value[]): Value[] {
  return Array.from({ length: rows }, (_, row) => {
    const index = indexOf(row)
    return index < 0 ? null : values[index]
  })
}
