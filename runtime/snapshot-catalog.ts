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
  return new CatalogOfSnapshot(snapshot, tables)
}

class CatalogOfSnapshot implements SnapshotCatalog {
  readonly indexes: readonly string[]
  readonly #snapshot: Snapshot
  readonly #tables: QueryTables

  constructor(snapshot: Snapshot, tables: QueryTables) {
    this.indexes = [...new Set([...snapshot.indexes, ...snapshot.parts.map(part => part.index)])].sort()
    this.#snapshot = snapshot
    this.#tables = tables
  }

  get version(): string {
    return this.#snapshot.parts.map(numberOf).join()
  }

  get sources(): readonly string[] {
    return sourcesOf(this.#snapshot)
  }

  get lookups(): readonly string[] {
    return this.#tables.names
  }

  lookup(name: string): ReturnType<QueryTables['lookup']> {
    return this.#tables.lookup(name)
  }

  fields(indexes: readonly string[]): ReadonlyMap<string, ValueType> {
    const fields = new Map<string, ValueType>()
    for (const part of this.#partsOf(indexes)) {
      for (const { name, type } of part.fields) {
        const known = fields.get(name)
        fields.set(name, known === undefined ? type : commonTypeOf(known, type))
      }
    }
    return fields
  }

  rowCount(indexes: readonly string[]): number {
    return this.#partsOf(indexes).reduce((rows, part) => rows + part.rowCount, 0)
  }

  hasRows(indexes: readonly string[], rows: number): boolean {
    return this.rowCount(indexes) >= rows
  }

  statistics(indexes: readonly string[], field: string): FieldStatistics | null {
    return fieldStatistics(this.#partsOf(indexes), field)
  }

  #partsOf(indexes: readonly string[]): readonly PartReader[] {
    return this.#snapshot.parts.filter(part => indexes.includes(part.index))
  }
}
