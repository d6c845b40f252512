/** What the compiler takes and gives: the types of `compile` and `explain` (compiler/index.ts). */
import type { Diagnostic } from '../grammar/diagnostics.ts'
import type { Fragments } from '../grammar/fragments.ts'
import type { Span } from '../grammar/source.ts'
import type { Program } from '../runtime/program.ts'
import type { TimeRange } from '../storage/predicate.ts'
import type { DateTime, Value } from '../storage/value.ts'
import type { Catalog } from './catalog.ts'
import type { FunctionRegistry } from './functions/descriptor.ts'
import type { NamedField } from './hints/unseen-fields.ts'

/** Asked only by what depends on it, so that asking tells. Answers the same throughout a query. */
export type Clock = () => DateTime

export interface CompileOptions {
  readonly catalog: Catalog
  /** The query's `now()`; also what relative times count from. */
  readonly now: DateTime | Clock
  /** From the request's `from` and `to`; the tighter of this and the query's own range wins. */
  readonly time?: TimeRange
  /** Bind `$name` as typed values. */
  readonly variables?: Readonly<Record<string, Value>>
  readonly functions?: FunctionRegistry
  /** Saved stages, for `use`. */
  readonly fragments?: Fragments
  /** May stages write files (tee)? */
  readonly writesFiles?: boolean
  /** Names of optimiser rules to leave out (`all` for every one). */
  readonly without?: readonly string[]
  /** From how many rows on a query without a time range gets a hint. */
  readonly muchDataRows?: number
  /** Record the plan after every pass and rule. */
  readonly trace?: boolean
  /** Emit source maps in kernels. */
  readonly sourceMaps?: boolean
}

/** A short form and what it stands for; `meta.rewrites`. */
export interface Rewrite {
  readonly before: string
  readonly after: string
  readonly reason: string
}

export interface TraceEntry {
  /** `resolve`, `optimise/push-filter`, `choose` … */
  readonly name: string
  /** The representation printed after it; null when the rule did not apply. */
  readonly text: string | null
  /** Of a rule that applied: what it is for, which lines of the plan it took away (`-`) and gave (`+`), and what it found out. */
  readonly summary?: string
  readonly changes?: readonly string[]
  readonly notes?: readonly string[]
}

/** One node of the physical plan as explain shows it; `children` are inputs. */
export interface PlanNode {
  readonly op: string
  readonly label: string
  readonly details: readonly (readonly [key: string, value: string])[]
  /** Its kernels, and what of the query each computes. */
  readonly kernels: readonly { readonly name: string; readonly of: string }[]
  readonly origin: Span
  readonly children: readonly PlanNode[]
}

export interface Compiled {
  readonly program: Program
  /** Canonical query text. */
  readonly canonical: string
  readonly rewrites: readonly Rewrite[]
  readonly hints: readonly Diagnostic[]
  /** Hints of a run in which no row passed what is searched for. */
  readonly hintsOfNothing: readonly Diagnostic[]
  /** Fields of events the query names, where no catalog could say whether there are any. */
  readonly namedFields: readonly NamedField[]
  readonly trace: readonly TraceEntry[]
  readonly plan: PlanNode
  /** Rules that applied, in order. */
  readonly rules: readonly { readonly name: string; readonly summary: string }[]
  readonly pushed: readonly string[]
  readonly residual: readonly string[]
  /** Of each residual condition, why storage cannot judge it. */
  readonly notByIndex: readonly { readonly condition: string; readonly reason: string }[]
  readonly time: TimeRange
  /** Stage kinds in order, for explain's `parsed.pipeline`. */
  readonly stages: readonly { readonly type: string; readonly text: string; readonly streams: boolean }[]
  /** Does it ask what time it is? Then the same query over the same data may answer differently later. */
  readonly readsClock: boolean
  readonly fieldsRead: readonly string[] | null
  readonly fieldsProduced: readonly string[] | null
}
