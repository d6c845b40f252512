/** Columns of few values of a block that is put together from rows of others: their values move, and nobody passes over the rest. */
import { isSparse } from '../part/encodings/sparse.ts'
import type { ThinColumn } from '../part/thin.ts'
import type { Value } from '../value.ts'
import type { Vector } from '../vector.ts'
import { boxed } from './gather.ts'
import type { RowSource } from './merge-order.ts'

/** Those of `names` that have few values in the new block, however they lie in its sources. */
export function gatherThin(
  rowCount: number,
  sources: readonly RowSource[],
  names: readonly string[],
): ReadonlyMap<string, ThinColumn> {
  const columns = new Map<string, ThinColumn>()
  const places: (Int32Array | undefined)[] = []
  for (const name of names) {
    if (!isSparse(valuesIn(name, sources), rowCount)) continue
    const entries = entriesOf(name, sources, number => (places[number] ??= placesOf(sources[number]!)))
    if (entries.length === 0) continue
    entries.sort((a, b) => a.row - b.row)
    const values: Vector = { kind: 'any', rowCount: entries.length, values: entries.map(entry => entry.value) }
    columns.set(name, { rows: Uint32Array.from(entries, entry => entry.row), values })
  }
  return columns
}

interface Entry {
  readonly row: number
  readonly value: Value
}

/** As many at most: a source may give the new block only some of its rows. */
function valuesIn(name: string, sources: readonly RowSource[]): number {
  let count = 0
  for (const { block } of sources) {
    if (block.columnBytes(name) === 0) continue
    const statistics = block.statistics(name)
    count += statistics === null ? block.rowCount : statistics.presentCount + statistics.nullCount
  }
  return count
}

function entriesOf(
  name: string,
  sources: readonly RowSource[],
  placesOfSource: (number: number) => Int32Array,
): Entry[] {
  const entries: Entry[] = []
  for (const [number, { block }] of sources.entries()) {
    if (block.columnBytes(name) === 0) continue
    const places = placesOfSource(number)
    const thin = block.thin?.(name) ?? null
    const vector = thin === null ? block.column(name) : thin.values
    if (vector === null) continue
    for (let at = 0; at < vector.rowCount; at++) {
      const row = places[thin === null ? at : thin.rows[at]!]!
      const value = row === -1 ? undefined : boxed(vector, at)
      if (value !== undefined) entries.push({ row, value })
    }
  }
  return entries
}

/** Where each row of a source is in the new block; -1: nowhere. */
function placesOf({ block, runs }: RowSource): Int32Array {
  const places = new Int32Array(block.rowCount).fill(-1)
  for (let run = 0; run < runs.length; run += 3) {
    for (let at = 0; at < runs[run + 2]!; at++) places[runs[run]! + at] = runs[run + 1]! + at
  }
  return places
}
