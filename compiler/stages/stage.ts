/** What the compiler knows of one stage. Registered in `index.ts`; the grammar's half is `grammar/stages/<name>.ts`. */
import type { AstShortForm, AstStage } from '../../grammar/ast.ts'
import type { LogicalOp } from '../logical/ops.ts'
import type { KnownFields, ResolveContext } from '../resolve/context.ts'
import type { ExprResolver } from '../resolve/expression.ts'
import type { Scope } from '../resolve/scope.ts'

/** Kinds that reach the compiler; the others are short forms the grammar expands. */
export type CoreKind = Exclude<AstStage['kind'], AstShortForm['kind']>
export type CoreStage<K extends CoreKind = CoreKind> = Extract<AstStage, { readonly kind: K }>

export interface Lowered {
  readonly op: LogicalOp
  readonly scope: Scope
  /** When rows of other pipelines have come in; as before otherwise. */
  readonly knownFields?: KnownFields
}

export interface LowerContext extends ResolveContext {
  readonly input: LogicalOp
  readonly scope: Scope
  readonly exprs: ExprResolver
}

/** A query to run over NDJSON lines, and the lines it gives; run by the tests. */
export interface StageExample {
  readonly query: string
  readonly input: string
  /** Lookup tables by name, as CSV. */
  readonly lookups?: Readonly<Record<string, string>>
  readonly output: string
}

export interface Stage<K extends CoreKind> {
  readonly kind: K
  readonly doc: { readonly summary: string; readonly examples: readonly [StageExample, ...StageExample[]] }
  /** `blocks`: it needs all its input before it gives any output. What can stand in a live tail is fewer still: `compiler/live.ts`. */
  readonly class: 'streams' | 'blocks'
  /** Of a stage that streams: does this one block all the same? */
  blocks?(stage: CoreStage<K>): boolean
  /** What becomes of the order of its rows: `keeps` it, `sets` one, or `loses` it. */
  readonly order: 'keeps' | 'sets' | 'loses'
  /**
   * Over split data: `each-part` runs on every part alone; `partial` runs on every part and what they give is merged by a state or by
   * running it again; `merged` runs once, on all rows.
   */
  readonly distribution: 'each-part' | 'partial' | 'merged'
  lower(stage: CoreStage<K>, cx: LowerContext): Lowered
}
