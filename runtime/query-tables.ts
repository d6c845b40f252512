/** Lookup tables as one query sees them: their columns while it is compiled, their rows while it runs. */
import { LookupError } from '../storage/errors.ts'
import type { LookupTable } from '../storage/lookups/table.ts'
import type { LookupTables } from '../storage/lookups/tables.ts'
import type { ValueType } from '../storage/value.ts'
import type { PartSource } from './execute.ts'

/** What was compiled is what runs, though a file may change meanwhile. */
export class QueryTables {
  readonly #all: LookupTables
  readonly #tables = new Map<string, LookupTable | null>()

  constructor(all: LookupTables) {
    this.#all = all
  }

  get names(): readonly string[] {
    return this.#all.names
  }

  /** For whoever writes a query: the columns of a table are read when they are asked for. */
  known(): readonly { readonly name: string; readonly columns?: readonly string[] }[] {
    const columnsOf = (name: string): readonly string[] => [...(this.lookup(name)?.columns?.keys() ?? [])]
    return this.names.map(name => ({
      name,
      get columns() {
        return columnsOf(name)
      },
    }))
  }

  /** Null when there is none of that name; no columns when it cannot be read, and why. */
  lookup(
    name: string,
  ):
    | { readonly columns: ReadonlyMap<string, ValueType> }
    | { readonly columns: null; readonly problem: string }
    | null {
    try {
      let table = this.#tables.get(name)
      if (table === undefined) this.#tables.set(name, (table = this.#all.table(name)))
      return table === null ? null : { columns: table.columns }
    } catch (error) {
      if (error instanceof LookupError) return { columns: null, problem: error.message }
      throw error
    }
  }

  /** Scans of tables get theirs, other scans what the source has. */
  before(source: PartSource): PartSource {
    return {
      parts: (scan, charge) => {
        if (scan.lookup === null) return source.parts(scan, charge)
        const table = this.#tables.get(scan.lookup)
        return table == null || table.part.rowCount === 0 ? [] : [[table.part]]
      },
      release: () => source.release(),
    }
  }
}
