/** What a snapshot tells the compiler about the data: the shape of the compiler's `Catalog`, which this room does not know. */
import type { Snapshot } from '../storage/index.ts'
import { commonTypeOf, type ValueType } from '../storage/value.ts'
import { type FieldStatistics, fieldStatistics } from './field-statistics.ts'
import type { QueryTables } from './query-tables.ts'
import { sourcesOf } from './source-names.ts'

export interface SnapshotCatalog {
  readonly indexes: readonly string[]
  readonly sources: readonly string[]
  readonly lookups: readonly string[]
  lookup(name: string): ReturnType<QueryTables['lookup']>
  fields(indexes: readonly string[]): ReadonlyMap<string, ValueType>
  rowCount(indexes: readonly string[]): number
  statistics(indexes: readonly string[], field: string): FieldStatistics | null
}

/** Merged from the statistics of the parts, once per set of indexes asked about. */
export function catalogOf(snapshot: Snapshot, tables: QueryTables): SnapshotCatalog {
  const indexes = new Set([...snapshot.indexes, ...snapshot.parts.map(part => part.index)])
  return {
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
    rowCount(wanted) {
      return snapshot.parts.reduce((rows, part) => rows + (wanted.includes(part.index) ? part.rowCount : 0), 0)
    },
    statistics(wanted, field) {
      return fieldStatistics(
        snapshot.parts.filter(part => wanted.includes(part.index)),
        field,
      )
    },
  }
}
