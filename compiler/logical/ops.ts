/** The logical plan: what to compute, not how. Rules rewrite it, `physical/` lowers it. Plain readonly data, one `kind` per op. */
import type { CastType, JoinType } from '../../grammar/ast.ts'
import type { RenamePair } from '../../grammar/renamed.ts'
import type { Span } from '../../grammar/source.ts'
import type { FormatSpec } from '../../runtime/program.ts'
import type { TableCall } from '../../runtime/table.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import type { ValueType } from '../../storage/value.ts'
import type { AggregateFunction } from '../functions/descriptor.ts'
import type { Expr } from './expr.ts'

export type LogicalOp =
  | ScanOp
  | FilterOp
  | ExtendOp
  | KeepOp
  | DropOp
  | RenameOp
  | ParseOp
  | HeadOp
  | TailOp
  | SortOp
  | TopKOp
  | DedupOp
  | AggregateOp
  | EventstatsOp
  | StreamstatsOp
  | DescribeOp
  | TableOp
  | UnionOp
  | JoinOp

export type LogicalKind = LogicalOp['kind']

interface Op<K extends string> {
  readonly kind: K
  readonly origin: Span
}

/** `input` is the pipeline a stage stands in; ops with more inputs name the others (see `inputsOf` in walk.ts). */
interface UnaryOp<K extends string> extends Op<K> {
  readonly input: LogicalOp
}

/** Which indexes: already matched against the catalog, sorted, so that a plan is a value. */
export interface ScanOp extends Op<'scan'> {
  readonly indexes: readonly string[]
  /** A lookup table that is read instead of indexes. */
  readonly lookup: string | null
  /** Every range the query and the request gave, intersected. */
  readonly time: TimeRange
  /** Fields anything above reads; null means all (events are returned whole). Set by prune-fields. */
  readonly fields: readonly string[] | null
  /** Rows enough for everything above; null without a limit. Set by push-limit. */
  readonly limit: number | null
  /** Why no row can come of it, and nothing need be read; null: one may. Set by empty-scan. */
  readonly nothing: string | null
}

/** Keeps rows for which the predicate is true; conjuncts are separate so that rules can move them one by one. */
export interface FilterOp extends UnaryOp<'filter'> {
  readonly conjuncts: readonly Expr[]
}

/** Left to right: a later assignment sees the earlier ones. Existing fields of the same name are replaced. */
export interface ExtendOp extends UnaryOp<'extend'> {
  readonly assignments: readonly { readonly name: string; readonly value: Expr }[]
}

/** Field names or `*` patterns, in output order; `except` removes from what matched. */
export interface KeepOp extends UnaryOp<'keep'> {
  readonly fields: readonly string[]
  readonly except: readonly string[]
}

export interface DropOp extends UnaryOp<'drop'> {
  readonly fields: readonly string[]
}

export interface RenameOp extends UnaryOp<'rename'> {
  readonly pairs: readonly RenamePair[]
}

/** Extracts fields from the text of `from`. Never deletes a field and never overwrites a non-null one. */
export interface ParseOp extends UnaryOp<'parse'>, FormatSpec {
  readonly from: string
  /** Fields it may set, when the text of the query says so (captures, `into`); null when only the data knows (json, kv). */
  readonly outputs: readonly { readonly name: string; readonly cast: CastType | null }[] | null
  readonly prefix: string
  readonly onError: 'propagate' | 'null' | 'drop' | 'strict'
  /** Of the fields it could set, those anything above reads; null: all. Set by prune-fields. */
  readonly demanded: readonly string[] | null
}

export interface HeadOp extends UnaryOp<'head'> {
  readonly count: number
}

export interface TailOp extends UnaryOp<'tail'> {
  readonly count: number
}

export interface SortKey {
  readonly value: Expr
  readonly descending: boolean
}

/** Stable. Nulls and missing last ascending, first descending. */
export interface SortOp extends UnaryOp<'sort'> {
  readonly keys: readonly SortKey[]
}

/** sort then head, as one op; made by the rule sort-limit-to-topk. */
export interface TopKOp extends UnaryOp<'topk'> {
  readonly keys: readonly SortKey[]
  readonly count: number
}

export interface DedupOp extends UnaryOp<'dedup'> {
  readonly count: number
  readonly fields: readonly string[]
}

export interface AggregateCall {
  readonly function: AggregateFunction
  readonly args: readonly Expr[]
  /** Constants such as the p of `perc(x, p)`, already evaluated. */
  readonly parameters: readonly number[]
  readonly where: Expr | null
  /** Output column. */
  readonly name: string
  readonly type: ValueType
  readonly origin: Span
}

export interface GroupKey {
  readonly value: Expr
  readonly name: string
}

/** Output: keys in order, then aggregates in order. Null and missing keys are one group. Without keys: always one row. */
export interface AggregateOp extends UnaryOp<'aggregate'> {
  readonly keys: readonly GroupKey[]
  readonly aggregates: readonly AggregateCall[]
  /** Blocks whose statistics tell all there is to know are not read. Set by answer-from-statistics. */
  readonly fromStatistics?: true
}

/** Every row goes on, with the aggregates of its group as columns. Without keys all rows are one group. */
export interface EventstatsOp extends UnaryOp<'eventstats'> {
  readonly keys: readonly GroupKey[]
  readonly aggregates: readonly AggregateCall[]
}

/** Every row goes on, in its place, with columns made of the rows of its group around it. */
export interface StreamstatsOp extends UnaryOp<'streamstats'> {
  readonly keys: readonly GroupKey[]
  readonly columns: readonly StreamColumn[]
}

export type StreamColumn =
  /** Over the rows of the group so far, or the last `rows` of them; `current`: this row is one of them. */
  | {
      readonly kind: 'aggregate'
      readonly call: AggregateCall
      readonly rows: number | null
      readonly current: boolean
      /** As explain shows it. */
      readonly label: string
    }
  | OffsetColumn

/** The value at another row of the group: `distance` rows further on, or back if it is negative. */
export interface OffsetColumn {
  readonly kind: 'offset'
  readonly value: Expr
  readonly distance: number
  readonly name: string
  readonly type: ValueType
  readonly origin: Span
  readonly label: string
}

export interface DescribeOp extends UnaryOp<'describe'> {}

/** A stage with an operator of its own (`runtime/operators/table/`). All that rules need to know of it stands here. */
export interface TableOp extends UnaryOp<'table'> {
  readonly call: TableCall
  /** The stage in canonical text: what explain shows. */
  readonly text: string
  /** Columns of the operator, by the name it knows them under; what is no plain field is computed below it. */
  readonly inputs: readonly { readonly name: string; readonly value: Expr }[]
  /** Fields it reads by name besides its inputs; null: all there are. */
  readonly reads: readonly string[] | null
  /** `passes`: its input rows come out of it with their fields, and `makes` beside them. Otherwise `makes` is all there is. */
  readonly passes: boolean
  /** Fields it makes; null: only the data knows. */
  readonly makes: readonly string[] | null
  /** A row that comes out is made of one that came in and of nothing else, and rows stay in their order. */
  readonly isRowByRow?: true
  /** Some of its rows come out and others do not, as they are: where two periods are compared, those of now decide which. */
  readonly choosesRows?: true
}

/** All rows of every input, one input after the other, by field name. */
export interface UnionOp extends UnaryOp<'union'> {
  readonly others: readonly LogicalOp[]
}

/**
 * Rows of `input` with the fields of the rows of `right` that have the same keys. A field of the right is named `prefix` and its name;
 * where the row has a field of that name, `_right` follows. Keys of one name on both sides are one field.
 */
export interface JoinOp extends UnaryOp<'join'> {
  readonly right: LogicalOp
  readonly type: JoinType
  readonly keys: readonly { readonly left: string; readonly right: string }[]
  readonly prefix: string
  /** Null and missing are values of a key as any other: each other's match. Left out: they match nothing. */
  readonly matchesNull?: true
  /** Which side is read before the other; the right one when left out. Set by join-side. */
  readonly readFirst?: 'left'
  /** All fields each side can have; null: only the data knows. */
  readonly leftFields: readonly string[] | null
  readonly rightFields: readonly string[] | null
}
