/** What is known of the rows an op gives, beyond their fields: their order, and which fields no two of them agree on. */
import { seriesWidthNs } from '../stages/stats.ts'
import type { LogicalOp } from './ops.ts'
import { traitsOf } from './traits.ts'

export interface OrderKey {
  readonly field: string
  readonly descending: boolean
}

/** The order rows come in, as far as it is a promise; empty: none. Rows equal in all of it are in no order of their own. */
export function orderOf(op: LogicalOp): readonly OrderKey[] {
  if (op.kind === 'sort' || op.kind === 'topk') {
    const keys: OrderKey[] = []
    for (const { value, descending } of op.keys) {
      if (value.kind !== 'field') break
      keys.push({ field: value.name, descending })
    }
    return keys
  }
  if (op.kind === 'aggregate') {
    // Series come out in the order of time.
    const bin = op.keys.find(key => seriesWidthNs(key.value) !== null)
    return bin === undefined ? [] : [{ field: bin.name, descending: false }]
  }
  if (op.kind === 'scan' || traitsOf(op).order(op) !== 'kept') return []
  const keys: OrderKey[] = []
  for (const { field, descending } of orderOf(op.input)) {
    const name = nameAbove(op, field)
    if (name === null) break
    keys.push({ field: name, descending })
  }
  return keys
}

/** Fields of which every row has values that no other row has; none at all: there is one row at most. Null: nothing is known. */
export function uniqueFieldsOf(op: LogicalOp): ReadonlySet<string> | null {
  switch (op.kind) {
    case 'aggregate':
      return new Set(op.keys.map(key => key.name))
    case 'describe':
      return new Set(['field'])
    case 'scan':
      return null
    default: {
      if (op.kind === 'head' && op.count <= 1) return new Set()
      const below = traitsOf(op).rows(op) === 'own' ? null : uniqueFieldsOf(op.input)
      const names = below === null ? [null] : [...below].map(field => nameAbove(op, field))
      if (names.every(name => name !== null)) return new Set(names)
      return op.kind === 'dedup' && op.count === 1 ? new Set(op.fields) : null
    }
  }
}

/** Under which name the values of a field below can be read above; null: under none, or nobody can tell. */
function nameAbove(op: LogicalOp, field: string): string | null {
  const candidates = op.kind === 'rename' ? [...op.pairs.map(pair => pair.to), field] : [field]
  return candidates.find(name => traitsOf(op).source(op, name) === field) ?? null
}
