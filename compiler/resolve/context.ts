/** What lowering needs at hand: where to report, what exists, what is bound. */
import type { Diagnostic } from '../../grammar/diagnostics.ts'
import type { Value } from '../../storage/value.ts'
import type { Catalog } from '../catalog.ts'
import type { FunctionRegistry } from '../functions/descriptor.ts'

export interface ResolveContext {
  readonly functions: FunctionRegistry
  readonly catalog: Catalog
  readonly variables: Readonly<Record<string, Value>>
  report(diagnostic: Diagnostic): unknown
  hint(diagnostic: Diagnostic): void
  /** Fields the data is known to have, for near names; null: not known. */
  readonly knownFields: ReadonlySet<string> | null
}
