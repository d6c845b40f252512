/** What lowering needs at hand: where to report, what exists, what is bound. */
import type { AstInput } from '../../grammar/ast.ts'
import type { Diagnostic } from '../../grammar/diagnostics.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import type { DateTime, Value, ValueType } from '../../storage/value.ts'
import type { Catalog } from '../catalog.ts'
import type { FunctionRegistry } from '../functions/descriptor.ts'
import type { NamedField } from '../hints/unseen-fields.ts'
import type { LogicalOp } from '../logical/ops.ts'
import type { Scope } from './scope.ts'

/** Fields the data is known to have and their types, for near names and hints; null: not known. */
export type KnownFields = ReadonlyMap<string, ValueType> | null

/** A pipeline, resolved: what gives its rows, and what may be said of them. */
export interface Resolved {
  readonly plan: LogicalOp
  readonly scope: Scope
  readonly knownFields: KnownFields
}

/** What `let`s name, seen from one place in the query. */
export interface Lets {
  /** Those that stand before this place. */
  readonly defined: ReadonlyMap<string, Resolved>
  /** All the query has: one that comes later, or is being defined, is told apart from one that is nowhere. */
  readonly names: readonly string[]
  /** The one that is being defined. */
  readonly current: string | null
  markUsed(name: string): void
}

export interface ResolveContext {
  readonly functions: FunctionRegistry
  readonly catalog: Catalog
  readonly variables: Readonly<Record<string, Value>>
  /** Names of fields the query reads anywhere; lambdas bind others. */
  readonly freeNames: ReadonlySet<string>
  report(diagnostic: Diagnostic): unknown
  hint(diagnostic: Diagnostic): void
  /** A field of events of which nothing is known yet. */
  named(field: NamedField): void
  readonly knownFields: KnownFields
  /** The range every scan of the query lies in. */
  readonly time: TimeRange
  /** The query's `now()`. */
  now(): DateTime
  readonly lets: Lets
  /** May stages write files? */
  readonly writesFiles: boolean
  /** The pipeline is a let's, or stands in brackets. */
  readonly isInner: boolean
  /** The rows of another pipeline. */
  rowsOf(input: AstInput): Resolved
}
