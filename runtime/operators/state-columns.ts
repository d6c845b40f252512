/** State of aggregates: one array per state column, one entry per group (or several, where a group keeps a window of states). */
import { HELPERS } from '../helpers/index.ts'
import type { Interner } from '../helpers/interner.ts'
import type { StateArray } from '../parallel/state.ts'
import type { StateColumnSpec } from '../program.ts'

export function allocate(column: StateColumnSpec, capacity: number): StateArray {
  switch (column.type) {
    case 'count':
      return new Int32Array(capacity)
    case 'f64':
      return column.init === 0 ? new Float64Array(capacity) : new Float64Array(capacity).fill(column.init)
    case 'i32':
      return column.init === 0 ? new Int32Array(capacity) : new Int32Array(capacity).fill(column.init)
    case 'u32':
      return new Uint32Array(capacity).fill(column.init)
    case 'u8':
      return new Uint8Array(capacity).fill(column.init)
    case 'object':
      return new Array(capacity).fill(null)
  }
}

export function grow(old: StateArray, column: StateColumnSpec, capacity: number): StateArray {
  const grown = allocate(column, capacity)
  if (Array.isArray(grown)) for (const [index, item] of (old as unknown[]).entries()) grown[index] = item
  else grown.set(old as Float64Array)
  return grown
}

/** Entries `from … to` get the empty set or sketch they begin with; one of interned numbers is told whose. */
export function fill(state: StateArray, column: StateColumnSpec, from: number, to: number, interner?: Interner): void {
  if (column.type !== 'object' || column.init === null) return
  const make = (HELPERS as unknown as Record<string, (interner?: Interner) => unknown>)[column.init]!
  const objects = state as unknown[]
  for (let at = from; at < to; at++) objects[at] ??= make(interner)
}
