/**
 * The syntax tree. Every node has `kind` and `span`; short forms are still present as the user wrote them.
 * Plain readonly data: `parse` makes it, `print` prints it, `compiler/resolve` lowers it.
 */
import type { AstExpr, AstFieldRef } from './ast-expr.ts'
import type { Span } from './source.ts'

export type * from './ast-expr.ts'

// ── Pipeline ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A whole query: what it names first, then the pipeline that gives its rows. */
export interface AstQuery {
  readonly kind: 'query'
  readonly span: Span
  readonly lets: readonly AstLet[]
  readonly pipeline: AstPipeline
}

export interface AstLet {
  readonly kind: 'let'
  readonly span: Span
  readonly name: string
  readonly nameSpan: Span
  readonly pipeline: AstPipeline
}

export interface AstPipeline {
  readonly kind: 'pipeline'
  readonly span: Span
  readonly from: AstFrom | null
  /** Search terms after the source; already ordinary expressions (`has(_raw, "x")`, `status == 500`), see grammar/search.ts. */
  readonly search: AstExpr | null
  readonly stages: readonly AstStage[]
}

export interface AstFrom {
  readonly kind: 'from'
  readonly span: Span
  readonly sources: readonly AstSourceName[]
  readonly ranges: readonly AstTimeRange[]
}

/** `main`, `app-*`, `!app-debug`, `$name`; `*` is a pattern. */
export interface AstSourceName {
  readonly kind: 'source'
  readonly span: Span
  readonly pattern: string
  readonly exclude: boolean
  readonly isLet: boolean
}

export interface AstTimeRange {
  readonly kind: 'time-range'
  readonly span: Span
  readonly from: AstTimePoint | null
  readonly to: AstTimePoint | null
}

/** `-1h`: offset in ns from now. `@d`: start of the current day; `-1h@h` would be both. An RFC 3339 instant otherwise. */
export type AstTimePoint =
  | {
      readonly kind: 'relative'
      readonly span: Span
      readonly offsetNs: number
      readonly text: string
      readonly snap: SnapUnit | null
    }
  | {
      readonly kind: 'absolute'
      readonly span: Span
      readonly text: string
      readonly micros: number
      readonly nanos: number
    }

export type SnapUnit = 's' | 'm' | 'h' | 'd' | 'w' | 'mon' | 'y'

// ── Stages ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export type AstStage =
  | AstWhere
  | AstParse
  | AstExtend
  | AstKeep
  | AstDrop
  | AstRename
  | AstStats
  | AstEventstats
  | AstStreamstats
  | AstSort
  | AstHead
  | AstTail
  | AstDedup
  | AstDescribe
  | AstSample
  | AstFill
  | AstXyseries
  | AstRollup
  | AstSessionize
  | AstTransaction
  | AstTrace
  | AstTopology
  | AstCorrelate
  | AstOutliers
  | AstContext
  | AstDiff
  | AstChangepoint
  | AstForecast
  | AstPatterns
  | AstUnion
  | AstCompare
  | AstExplode
  | AstTee
  | AstJoin
  | AstLookup
  | AstShortForm

/** Stages that stand for others: the compiler never sees them. */
export type AstShortForm =
  | AstUse
  | AstCount
  | AstTop
  | AstRare
  | AstEvery
  | AstRate
  | AstPercentiles
  | AstBaseline
  | AstChanges
  | AstLatency
  | AstProportion
  | AstFacets
  | AstExemplars
  | AstImpact

interface Stage<K extends string> {
  readonly kind: K
  readonly span: Span
}

export interface AstWhere extends Stage<'where'> {
  readonly predicate: AstExpr
  /** True for a stage that is a bare predicate. */
  readonly implicit: boolean
}

export type ParseFormat =
  | 'json'
  | 'logfmt'
  | 'kv'
  | 'csv'
  | 'syslog'
  | 'clf'
  | 'combined'
  | 'nginx_error'
  | 'apache_error'
  | 'haproxy'
  | 'w3c'
  | 'cef'
  | 'leef'
  | 'docker'
  | 'cri'
  | 'redis'
  | 'postgres'
  | 'mysql_slow'
  | 'klog'
  | 'java_stack'
  | 'regex'
  | 'pattern'
  | 'grok'
  | 'auto'
  | 'first_of'

/** The string that says what regex, pattern and grok look for. */
export interface AstFormatText {
  readonly text: string
  readonly span: Span
  /** Where the text itself stands in the query, between its quotes; null: escapes make it another there. */
  readonly textSpan: Span | null
}

/** A format with its arguments. */
export interface AstFormat {
  readonly format: ParseFormat
  /** What regex, pattern and grok are given; null for other formats. */
  readonly pattern: AstFormatText | null
  /** `sep=`, `assign=` of kv. */
  readonly options: readonly { readonly name: string; readonly value: string; readonly span: Span }[]
  /** What first_of tries, in order; empty for other formats. */
  readonly alternatives: readonly AstFormat[]
}

export interface AstParse extends Stage<'parse'>, AstFormat {
  readonly from: AstFieldRef | null
  readonly into: readonly { readonly name: string; readonly type: CastType | null; readonly span: Span }[] | null
  readonly prefix: string | null
  readonly onError: 'propagate' | 'null' | 'drop' | 'strict' | null
}

export type CastType = 'int' | 'float' | 'string' | 'bool' | 'datetime' | 'duration'

export interface AstAssignment {
  readonly name: string
  readonly nameSpan: Span
  readonly value: AstExpr
}

export interface AstExtend extends Stage<'extend'> {
  readonly assignments: readonly AstAssignment[]
}

/** A field name or a pattern with `*`. */
export interface AstFieldPattern {
  readonly pattern: string
  readonly isPattern: boolean
  readonly span: Span
}

export interface AstKeep extends Stage<'keep'> {
  readonly fields: readonly AstFieldPattern[]
  /** `keep * except a, b`; empty otherwise. */
  readonly except: readonly AstFieldPattern[]
}

export interface AstDrop extends Stage<'drop'> {
  readonly fields: readonly AstFieldPattern[]
}

export interface AstRename extends Stage<'rename'> {
  readonly pairs: readonly { readonly from: AstFieldRef; readonly to: string; readonly toSpan: Span }[]
}

/** `count()`, `avg(ms, where ok) as a`. The alias is null when the canonical text names the column. */
export interface AstAggregate {
  readonly span: Span
  readonly name: string
  readonly nameSpan: Span
  readonly args: readonly AstExpr[]
  readonly where: AstExpr | null
  readonly alias: string | null
}

/** A group key: a field, or an expression, optionally `as` a name. */
export interface AstKey {
  readonly span: Span
  readonly value: AstExpr
  readonly alias: string | null
}

export interface AstStats extends Stage<'stats'> {
  readonly aggregates: readonly AstAggregate[]
  readonly by: readonly AstKey[]
}

/** As stats, and every row stays: its group's aggregates become columns of it. Keys make no columns, so none has an alias. */
export interface AstEventstats extends Stage<'eventstats'> {
  readonly aggregates: readonly AstAggregate[]
  readonly by: readonly AstKey[]
}

/** `streamstats window=5 avg(ms), lag(ms, 1) by host`: aggregates so far, and window functions. Keys have no alias. */
export interface AstStreamstats extends Stage<'streamstats'> {
  readonly options: readonly AstOption[]
  readonly aggregates: readonly AstAggregate[]
  readonly by: readonly AstKey[]
}

export interface AstSortKey {
  readonly span: Span
  readonly value: AstExpr
  readonly descending: boolean
}

export interface AstSort extends Stage<'sort'> {
  readonly keys: readonly AstSortKey[]
}

export interface AstHead extends Stage<'head'> {
  readonly count: number
}

export interface AstTail extends Stage<'tail'> {
  readonly count: number
}

export interface AstDedup extends Stage<'dedup'> {
  /** How many to keep per key; 1 by default. */
  readonly count: number
  readonly fields: readonly AstFieldRef[]
}

export interface AstDescribe extends Stage<'describe'> {}

/** `sample 100`, `sample 5%`: exactly one of the two is set. */
export interface AstSample extends Stage<'sample'> {
  readonly count: number | null
  readonly percent: number | null
  readonly options: readonly AstOption[]
}

/** `fill`, `fill 5m`: the width of the bins, or null where a stage before it says. */
export interface AstFill extends Stage<'fill'> {
  readonly width: AstExpr | null
}

export interface AstXyseries extends Stage<'xyseries'> {
  readonly x: AstFieldRef
  readonly y: AstFieldRef
  readonly value: AstFieldRef
  readonly options: readonly AstOption[]
}

/** `rollup 1m, 1h by host stats avg(ms)`; without aggregates rows are counted. */
export interface AstRollup extends Stage<'rollup'> {
  readonly widths: readonly AstExpr[]
  readonly by: readonly AstKey[]
  readonly aggregates: readonly AstAggregate[]
}

/** `sessionize maxpause=30m by user` */
export interface AstSessionize extends Stage<'sessionize'> {
  readonly options: readonly AstOption[]
  readonly by: readonly AstExpr[]
}

/** `transaction user, host startswith=… endswith=…`; keys come out as columns, so they name one. */
export interface AstTransaction extends Stage<'transaction'> {
  readonly keys: readonly AstExpr[]
  readonly options: readonly AstOption[]
}

export interface AstTrace extends Stage<'trace'> {
  readonly options: readonly AstOption[]
}

export interface AstTopology extends Stage<'topology'> {
  readonly options: readonly AstOption[]
}

/** Two or more; every pair is correlated. */
export interface AstCorrelate extends Stage<'correlate'> {
  readonly values: readonly AstExpr[]
  readonly options: readonly AstOption[]
}

export interface AstOutliers extends Stage<'outliers'> {
  readonly options: readonly AstOption[]
  readonly by: readonly AstExpr[]
}

/** `context 3 by host`: the condition it is about stands right before it. */
export interface AstContext extends Stage<'context'> {
  readonly count: number
  readonly options: readonly AstOption[]
  readonly by: readonly AstExpr[]
}

/** `diff (status >= 500)` */
export interface AstDiff extends Stage<'diff'> {
  readonly predicate: AstExpr
  readonly options: readonly AstOption[]
}

export interface AstChangepoint extends Stage<'changepoint'> {
  readonly value: AstExpr
  readonly options: readonly AstOption[]
  readonly by: readonly AstExpr[]
}

/** `forecast count() 12`: the series so far and 12 more bins. */
export interface AstForecast extends Stage<'forecast'> {
  readonly value: AstExpr
  readonly count: number
  readonly options: readonly AstOption[]
  readonly by: readonly AstExpr[]
}

export interface AstPatterns extends Stage<'patterns'> {
  readonly options: readonly AstOption[]
}

/** `explode tags as tag` */
export interface AstExplode extends Stage<'explode'> {
  readonly field: AstFieldRef
  /** Null: the field itself. */
  readonly as: string | null
}

/** `tee "/tmp/errors.ndjson"` */
export interface AstTee extends Stage<'tee'> {
  readonly path: string
  readonly pathSpan: Span
}

/** `use errors`: saved stages stand here. */
export interface AstUse extends Stage<'use'> {
  readonly name: string
  readonly nameSpan: Span
}

/** `compare 1d`, `compare previous 1d`; null: as far back as the queried range is long. */
export interface AstCompare extends Stage<'compare'> {
  readonly back: AstExpr | null
}

/** `union $x, [from app | head 5]` */
export interface AstUnion extends Stage<'union'> {
  readonly inputs: readonly AstInput[]
}

export const JOIN_TYPES = ['inner', 'left', 'outer', 'semi', 'anti'] as const

export type JoinType = (typeof JOIN_TYPES)[number]

/** Follows the name of a field of the other side in rows that have a field of that name. */
export const COLLISION_SUFFIX = '_right'

/** `join type=left on a, b == c with $x as d` */
export interface AstJoin extends Stage<'join'> {
  /** Null: not said, which is inner. */
  readonly type: JoinType | null
  readonly on: readonly AstJoinKey[]
  readonly with: AstInput
  /** Put before the names of the fields that join it, with a dot between. */
  readonly as: string | null
}

/** `lookup users on id == user_id as user` */
export interface AstLookup extends Stage<'lookup'> {
  readonly table: AstLookupInput
  readonly on: readonly AstJoinKey[]
  readonly as: string | null
}

/** `a`, or `a == c`: the field of these rows, and that of the others. */
export interface AstJoinKey {
  readonly span: Span
  readonly left: AstFieldRef
  readonly right: AstFieldRef
}

/** Rows of another pipeline or of a lookup table, as `union` and `join` take them. */
export type AstInput = AstLetInput | AstPipelineInput | AstLookupInput

interface Input<K extends string> {
  readonly kind: K
  readonly span: Span
}

/** `$name`: what a `let` before the query names. */
export interface AstLetInput extends Input<'let-input'> {
  readonly name: string
}

/** `[from app | head 5]`; the span has the brackets, the pipeline's has not. */
export interface AstPipelineInput extends Input<'pipeline-input'> {
  readonly pipeline: AstPipeline
}

/** `lookup users`: a table that was given to the engine. */
export interface AstLookupInput extends Input<'lookup-input'> {
  readonly name: string
  readonly nameSpan: Span
}

/** `limit=50` of a stage, as `grammar/stages/options.ts` reads it: a literal, a word or a field as a field, or a predicate. */
export interface AstOption {
  readonly name: string
  readonly nameSpan: Span
  readonly value: AstExpr
}

// Short forms: each has one mechanical expansion (`desugar` in grammar/stages/<name>.ts).

export interface AstCount extends Stage<'count'> {
  readonly by: readonly AstKey[]
}

export interface AstTop extends Stage<'top'> {
  readonly count: number
  readonly field: AstFieldRef
  readonly by: readonly AstKey[]
}

export interface AstRare extends Stage<'rare'> {
  readonly count: number
  readonly field: AstFieldRef
  readonly by: readonly AstKey[]
}

/** `every 5m [by k] stats …` */
export interface AstEvery extends Stage<'every'> {
  readonly width: AstExpr
  readonly by: readonly AstKey[]
  readonly aggregates: readonly AstAggregate[]
}

/** `rate [per 1m] [by k]` */
export interface AstRate extends Stage<'rate'> {
  readonly per: AstExpr | null
  readonly by: readonly AstKey[]
}

/** `baseline ms window=20 by host` */
export interface AstBaseline extends Stage<'baseline'> {
  readonly field: AstExpr
  readonly options: readonly AstOption[]
  readonly by: readonly AstKey[]
}

export interface AstChanges extends Stage<'changes'> {
  readonly field: AstExpr
  readonly by: readonly AstKey[]
}

export interface AstPercentiles extends Stage<'percentiles'> {
  readonly field: AstExpr
  readonly by: readonly AstKey[]
}

/** `latency f [every 5m] [by k]` */
export interface AstLatency extends Stage<'latency'> {
  readonly field: AstExpr
  readonly every: AstExpr | null
  readonly by: readonly AstKey[]
}

/** `proportion p as n [every 5m] [by k]` */
export interface AstProportion extends Stage<'proportion'> {
  readonly predicate: AstExpr
  readonly name: string
  readonly every: AstExpr | null
  readonly by: readonly AstKey[]
}

/** `impact [agg] by k`; without an aggregate, `count()`. */
export interface AstImpact extends Stage<'impact'> {
  readonly value: AstAggregate | null
  readonly by: readonly AstKey[]
}

/** `facets host, status limit=5` */
export interface AstFacets extends Stage<'facets'> {
  readonly fields: readonly AstFieldRef[]
  readonly options: readonly AstOption[]
}

/** `exemplars [N] [by k]` */
export interface AstExemplars extends Stage<'exemplars'> {
  readonly count: number
  readonly by: readonly AstKey[]
}
