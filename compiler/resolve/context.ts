/** What lowering needs at hand: where to report, what exists, what is bound. */
import type { Diagnostic } from '../../grammar/diagnostics.ts'
import type { DateTime, Value, ValueType } from '../../storage/value.ts'
import type { Catalog } from '../catalog.ts'
import type { FunctionRegistry } from '../functions/descriptor.ts'
import type { NamedField } from '../hints/unseen-fields.ts'

export interface ResolveContext {
  readonly functions: FunctionRegistry
  readonly catalog: Catalog
  readonly variables: Readonly<Record<string, Value>>
  /** Names of fields the query reads anywhere; lambdas bind others. */
  readonly freeNames: ReadonlySet<string>
  /** The query's `now()`. */
  readonly now: DateTime
  report(diagnostic: Diagnostic): unknown
  hint(diagnostic: Diagnostic): void
  /** A field of events of which nothing is known yet. */
  named(field: NamedField): void
  /** Fields the data is known to have and their types, for near names and hints; null: not known. */
  readonly knownFields: ReadonlyMap<string, ValueType> | null
}
