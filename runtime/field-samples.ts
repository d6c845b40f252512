/** The fields of a snapshot with their types, how many events have them, and values they have: for completion and catalogs. */
import type { PartReader, Snapshot } from '../storage/index.ts'
import type { Value, ValueType } from '../storage/value.ts'
import { PRESENT, type Vector } from '../storage/vector.ts'

export type SampleValue = string | number | boolean

export interface KnownField {
  readonly name: string
  /** `any` when values differ in type. */
  readonly type: ValueType
  /** The share of events that have it, 0 to 1. */
  readonly coverage: number
  readonly indexes: readonly string[]
  /** Most frequent first, as counted in one block of each of the newest parts; none when nearly every event has its own. Reads. */
  readonly values: readonly SampleValue[]
}

/** Parts and rows looked at for values: what is typed at the next key must not wait for more. */
const SAMPLED_PARTS = 8
const SAMPLED_ROWS = 4096
/** Beyond this many distinct values a list helps nobody. */
const MAX_VALUES = 100

/** O(parts × fields); values are read when they are asked for. */
export function knownFields(snapshot: Snapshot): KnownField[] {
  const found = new Map<string, { type: ValueType; present: number; indexes: Set<string> }>()
  let rows = 0
  for (const part of snapshot.parts) {
    rows += part.rowCount
    for (const { name, type, presentCount } of part.fields) {
      const known = found.get(name)
      if (known === undefined) found.set(name, { type, present: presentCount, indexes: new Set([part.index]) })
      else {
        if (known.type !== type) known.type = 'any'
        known.present += presentCount
        known.indexes.add(part.index)
      }
    }
  }
  return [...found].map(([name, { type, present, indexes }]) => ({
    name,
    type,
    coverage: rows === 0 ? 0 : present / rows,
    indexes: [...indexes].sort(),
    get values() {
      return sampleValues(snapshot.parts, name)
    },
  }))
}

function sampleValues(parts: readonly PartReader[], name: string): SampleValue[] {
  const counts = new Map<SampleValue, number>()
  const holding = parts.filter(part => part.blockCount > 0 && part.fields.some(field => field.name === name))
  for (const part of holding.slice(-SAMPLED_PARTS)) {
    const vector = part.block(part.blockCount - 1).column(name)
    if (vector !== null) countValues(vector, counts)
    if (counts.size > MAX_VALUES) return []
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([value]) => value)
}

function countValues(vector: Vector, counts: Map<SampleValue, number>): void {
  const add = (value: Value): void => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
  }
  const rows = Math.min(vector.rowCount, SAMPLED_ROWS)
  switch (vector.kind) {
    case 'const':
      add(vector.value)
      return
    case 'dict':
      for (let i = 0; i < rows; i++) add(vector.dictionary.values[vector.codes[i]!])
      return
    case 'number':
      for (let i = 0; i < rows && counts.size <= MAX_VALUES; i++) {
        if (vector.presence === null || vector.presence[i] === PRESENT) add(vector.values[i])
      }
      return
    case 'bool':
      for (let i = 0; i < rows; i++) {
        if (vector.presence === null || vector.presence[i] === PRESENT) add(vector.values[i] === 1)
      }
      return
    default:
      return
  }
}
