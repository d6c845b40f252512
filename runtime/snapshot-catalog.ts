/** What a snapshot tells the compiler about the data: the shape of the compiler's `Catalog`, which this room does not know. */
import type { PartReader, Snapshot } from '../storage/index.ts'
import { commonTypeOf, type ValueType } from '../storage/value.ts'
import { type FieldStatistics, fieldStatistics } from './field-statistics.ts'
import type { QueryTables } from './query-tables.ts'
import { sourcesOf } from './source-names.ts'

export interface SnapshotCatalog {
  readonly version: string
  readonly indexes: readonly string[]
  readonly sources: readonly string[]
  readonly lookups: readonly string[]
  lookup(name: string): ReturnType<QueryTables['lookup']>
  fields(indexes: readonly string[]): ReadonlyMap<string, ValueType>
  rowCount(indexes: readonly string[]): number
  hasRows(indexes: readonly string[], rows: number): boolean
  statistics(indexes: readonly string[], field: string): FieldStatistics | null
}

/** What is known of a part never changes, and what it is of grows by becoming another reader: so a number for each says it all, and holds none. */
const numbers = new WeakMap<object, number>()
let lastNumber = 0

function numberOf(part: PartReader): number {
  let number = numbers.get(part)
  if (number === undefined) numbers.set(part, (number = ++lastNumber))
  return number
}

/** Merged from the statistics of the parts, once per set of indexes asked about. */
export function catalogOf(snapshot: Snapshot, tables: QueryTables): SnapshotCatalog {
  const indexes = new Set([...snapshot.indexes, ...snapshot.parts.map(part => part.index)])
  const rowCount = (wanted: readonly string[]): number =>
    snapshot.parts.reduce((rows, part) => rows + (wanted.includes(part.index) ? part.rowCount : 0), 0)
  return {
    get version() {
      return snapshot.parts.map(numberOf).join()
    },
    indexes: [...indexes].sort(),
    get sources() {
      return sourcesOf(snapshot)
    },
    get lookups() {
      return tables.names
    },
    lookup: name => tables.lookup(name),
    fields(wanted) {
      const fields = new Map<string, ValueType>()
      for (const part of snapshot.parts) {
        if (!wanted.includes(part.index)) continue
        for (const { name, type } of part.fields) {
          const known = fields.get(name)
          fields.set(name, known === undefined ? type : commonTypeOf(known, type))
        }
      }
      return fields
    },
    rowCount,
    hasRows: (wanted, rows) => rowCount(wanted) >= rows,
    statistics(wanted, field) {
      return fieldStatistics(
        snapshot.parts.filter(part => wanted.includes(part.index)),
        field,
      )
    },
  }
}
