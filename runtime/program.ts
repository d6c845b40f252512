/**
 * The contract between compiler and runtime, owned by the consumer: an operator tree whose expressions are kernels.
 * A kernel is text specialised to the shapes of the columns at hand; the runtime asks for it per shape, instantiates and caches it.
 */
import type { CastType, JoinType, ParseFormat } from '../grammar/ast.ts'
import type { RenamePair } from '../grammar/renamed.ts'
import type { Span } from '../grammar/source.ts'
import type { ScanPredicate, TimeRange } from '../storage/predicate.ts'
import type { ValueType } from '../storage/value.ts'
import type { ColumnShape } from './batch.ts'
import type { TableCall } from './table.ts'

export interface Program {
  /** Canonical text of the query and a short hash of it: kernel file names are `query/<hash>/<kernel>.js`. */
  readonly query: string
  readonly hash: string
  readonly root: OperatorSpec
  readonly result: ResultShape
  /** Parts of the plan that several threads may run over different blocks, the lowest over each scan. */
  readonly splits: readonly SplitPlan[]
  /** The text of the whole plan, for a thread that runs all of it; null: only the asking thread can. */
  readonly whole?: (() => string | null) | null
}

/** An aggregation and everything below it, each op of which looks at one row at a time. */
export interface SplitPlan {
  readonly aggregate: AggregateSpec
  /** The same for another thread, whose compiler makes the same program of it. Written when first asked for. */
  text(): string
}

export interface ResultShape {
  /** `events`: rows are whole events of any fields. Otherwise `columns` says all; null: the rows do. */
  readonly kind: 'events' | 'aggregate' | 'timechart'
  readonly columns: readonly { readonly name: string; readonly type: ValueType }[] | null
  /** Of events, the fields that stages made: what a reader short of room wants to see beside time and text. */
  readonly made?: readonly string[]
  /** Of events, the fields a `keep` left, in its order; absent where others may stand beside them. */
  readonly kept?: readonly string[]
  /** `5m` for a timechart. */
  readonly interval: string | null
}

/** One generated function, before specialisation. */
export interface KernelSpec {
  /** `kernel1_where` */
  readonly name: string
  readonly origin: Span
  /** Columns it reads, in the order `specialise` wants their shapes. */
  readonly fields: readonly string[]
  /** Pure; the runtime caches by the joined shape keys and the mode. */
  specialise(shapes: readonly ColumnShape[], mode: KernelMode): KernelText
}

export interface KernelMode {
  /** Does the kernel get a selection? Its loop is written for one case or the other. */
  readonly selected: boolean
  /** After a bail-out: integers that leave ±2^53 stay exact, at the price of boxed values. */
  readonly exact: boolean
  /** Of an aggregation: states by slot, of few rows, that are merged into those of groups. */
  readonly bySlot?: true
}

export interface KernelText {
  /**
   * A function body that returns the kernel: `"use strict"; return function kernel1_where(rt, k, …) {…}`. Helpers and constants are its first
   * parameters, so that one function, and the machine code made of it, serves every run.
   */
  readonly text: string
  /** Values the text refers to as `k[n]`. */
  readonly constants: readonly unknown[]
  /** What it computes once per distinct value of a field, where the field is held as a dictionary. */
  readonly tables: readonly { readonly site: string; readonly expression: string; readonly field: string }[]
  /** Source map (JSON) to the query text; null when not asked for. */
  readonly map: string | null
}

/**
 * `(columns, rowCount, selection, selectedCount, out) => count`: writes surviving row indices to `out`, ascending.
 * -1: it bailed out, run the exact specialisation instead.
 */
export type FilterKernel = (
  columns: readonly unknown[],
  rowCount: number,
  selection: Uint32Array | null,
  selectedCount: number,
  out: Uint32Array,
) => number

/**
 * `(columns, rowCount, selection, selectedCount) => Vector[]`: one vector per output; rows outside the selection hold anything.
 * Null: it bailed out, run the exact specialisation instead.
 */
export type ExtendKernel = (
  columns: readonly unknown[],
  rowCount: number,
  selection: Uint32Array | null,
  selectedCount: number,
) => readonly unknown[] | null

export type OperatorSpec =
  | ScanSpec
  | FilterSpec
  | ExtendSpec
  | KeepSpec
  | DropSpec
  | RenameSpec
  | ParseSpec
  | HeadSpec
  | TailSpec
  | SortSpec
  | DedupSpec
  | AggregateSpec
  | EventstatsSpec
  | StreamstatsSpec
  | DescribeSpec
  | TableSpec
  | UnionSpec
  | JoinSpec

interface Spec<K extends string> {
  readonly op: K
  readonly origin: Span
  /** One line for explain. */
  readonly label: string
}

interface UnarySpec<K extends string> extends Spec<K> {
  readonly input: OperatorSpec
}

/** A text that a field must hold, as `contains` finds it, or `contains_cs` where case counts. */
export interface TextSearch {
  readonly field: string
  readonly text: string
  readonly ignoreCase: boolean
}

/** A conjunct next to the scan. `pushed` gives verdicts per block (null: none possible); the kernel decides rows where the verdict is `some`. */
export interface ScanConjunct {
  readonly pushed: ScanPredicate | null
  /** Does an `all` verdict of `pushed` mean that every row passes? If not, it may only rule blocks out. */
  readonly isExact: boolean
  /** Rows that pass hold one of these; null: nothing of that kind is known. */
  readonly searches: readonly TextSearch[] | null
  /** It holds a strict cast: it is asked of the rows the plan says, neither sooner nor later. */
  readonly mayFail: boolean
  readonly kernel: KernelSpec
  readonly text: string
}

/** Only rows whose field has a value of that key of the side read first can come through the join. */
export interface KeyFilter {
  /** `JoinSpec.id` */
  readonly join: number
  /** Position in `JoinSpec.keys`. */
  readonly key: number
  readonly field: string
}

export interface ScanSpec extends Spec<'scan'> {
  readonly indexes: readonly string[]
  /** A lookup table that is read instead of indexes. */
  readonly lookup: string | null
  readonly time: TimeRange
  readonly conjuncts: readonly ScanConjunct[]
  /** Null: all fields. */
  readonly fields: readonly string[] | null
  /** `newest-first` when what is above wants the latest rows and may stop early. */
  readonly order: 'natural' | 'newest-first'
  /** Why no row can come of it: nothing is read. Null: one may. */
  readonly nothing: string | null
  readonly keyFilters: readonly KeyFilter[]
  /** Stop after this many surviving rows. */
  readonly limit: number | null
}

export interface FilterSpec extends UnarySpec<'filter'> {
  readonly kernels: readonly KernelSpec[]
}

export interface ExtendSpec extends UnarySpec<'extend'> {
  readonly kernel: KernelSpec
  readonly outputs: readonly string[]
}

export interface KeepSpec extends UnarySpec<'keep'> {
  readonly fields: readonly string[]
  readonly except: readonly string[]
}

export interface DropSpec extends UnarySpec<'drop'> {
  readonly fields: readonly string[]
}

export interface RenameSpec extends UnarySpec<'rename'> {
  readonly pairs: readonly RenamePair[]
}

/** A format of parse with its arguments. */
export interface FormatSpec {
  readonly format: ParseFormat
  readonly pattern: string | null
  readonly options: Readonly<Record<string, string>>
  /** What first_of tries, in order. */
  readonly alternatives: readonly FormatSpec[]
}

export interface ParseSpec extends UnarySpec<'parse'>, FormatSpec {
  readonly from: string
  readonly outputs: readonly { readonly name: string; readonly cast: CastType | null }[] | null
  readonly prefix: string
  readonly onError: 'propagate' | 'null' | 'drop' | 'strict'
  /** Of the fields it could set, those anything above reads; null: all. */
  readonly demanded: readonly string[] | null
}

export interface HeadSpec extends UnarySpec<'head'> {
  readonly count: number
}

export interface TailSpec extends UnarySpec<'tail'> {
  readonly count: number
}

/** Keys are columns of the input (computed by an extend below when they are expressions). `limit` null: a full sort. */
export interface SortSpec extends UnarySpec<'sort'> {
  readonly keys: readonly { readonly field: string; readonly descending: boolean }[]
  readonly limit: number | null
  /** Helper columns made only for sorting, dropped from the output. */
  readonly temporary: readonly string[]
}

export interface DedupSpec extends UnarySpec<'dedup'> {
  readonly count: number
  readonly fields: readonly string[]
}

/** Which codes a key column is turned into before grouping; see runtime/operators/key-coder.ts. */
export interface AggregateKey {
  /** A column of the input (computed by an extend below when it is an expression). */
  readonly field: string
  readonly name: string
  /** Set when the key is `bin(field, span)` with a constant span in microseconds, counted from 1970: binned while coding, no column is made. */
  readonly binMicros: number | null
  /** A bin of time, however it is made: groups come out in its order. */
  readonly isSeries?: true
}

/**
 * Step kernel: `(columns, rowCount, selection, selectedCount, keys, groups, state, rowOrderBase) => void`, specialised to
 * the columns its arguments read; `keys[n].codes` are row-indexed codes, `groups.slots[slot]` is the group or -1,
 * `groups.add(slot)` makes it, `state[n]` is the typed array (or JS array) of state column n.
 * Merge kernel: `(into, from, mapping, count) => void`: group g of `from` goes to `mapping[g]` of `into`.
 * Finish kernel: `(state, count) => Value[][]`, one array per aggregate, by group.
 */
/** What a block's statistics may be asked: its rows, the rows in which a field is present, the bounds of its numbers or times. */
export type StatisticKind = 'rows' | 'present' | 'min' | 'max'

export interface StatisticFact {
  readonly kind: StatisticKind
  /** Null for `rows`. */
  readonly field: string | null
  /** The aggregate's own condition: a block of which it is neither true nor untrue throughout is read. */
  readonly where: ScanPredicate | null
}

export interface AggregationSpec {
  readonly keys: readonly AggregateKey[]
  readonly state: readonly StateColumnSpec[]
  /** The state column in which the rows of a group are counted for all aggregates at once, where no row can be left out. */
  readonly rowsColumn: number | null
  /** Each takes every row, for some of the aggregates; more than one only where they are very many. */
  readonly steps: readonly KernelSpec[]
  /** When every aggregate counts rows and nothing else: rows are counted per slot first. `(rowCount, selection, selectedCount, keys, slotCount, stride, lanes) => void`. */
  readonly tally: KernelSpec | null
  readonly merge: KernelSpec
  readonly finish: KernelSpec
  /**
   * Set when statistics of blocks may stand for their rows. Absorb kernel: `(rowCount, keys, groups, state, facts) => void`, a row for each
   * value of the keys, `facts[n]` with `numbers` and `micros` by row.
   */
  readonly statistics: { readonly facts: readonly StatisticFact[]; readonly absorb: KernelSpec } | null
}

/** `outputs`: keys, then aggregates. */
export interface AggregateSpec extends UnarySpec<'aggregate'>, AggregationSpec {
  readonly outputs: readonly { readonly name: string; readonly type: ValueType }[]
}

/** `outputs`: aggregates, as columns beside the rows that pass. */
export interface EventstatsSpec extends UnarySpec<'eventstats'>, AggregationSpec {
  readonly outputs: readonly string[]
  /** Columns made only for it, dropped from the output. */
  readonly temporary: readonly string[]
}

/** Each column of `outputs` is made in one of three ways; nothing may be made in some of them. */
export interface StreamstatsSpec extends UnarySpec<'streamstats'> {
  readonly keys: readonly AggregateKey[]
  readonly outputs: readonly string[]
  /** Row by row from states that rows move on. */
  readonly forward: RunningSpec | null
  /** The same from the last row to the first: what looks ahead. */
  readonly backward: RunningSpec | null
  /** From scratch for each row, over the last rows of its group: what keeps values, and so cannot be taken apart again. */
  readonly windowed: readonly WindowedSpec[]
  readonly temporary: readonly string[]
}

/**
 * Kernel: `(columns, rowCount, selection, selectedCount, groupOf, state, rowOrderBase, charge) => Vector[]`, one vector per output; `groupOf[n]`
 * is the group of the n-th selected row, `state[i]` has `slots` entries for each group, `charge(array)` pays for an array made for a row.
 */
export interface RunningSpec {
  readonly outputs: readonly string[]
  readonly kernel: KernelSpec
  readonly state: readonly { readonly column: StateColumnSpec; readonly slots: number }[]
}

/** `steps` and `finish` as in AggregationSpec, without keys. */
export interface WindowedSpec {
  readonly outputs: readonly string[]
  readonly rows: number
  readonly current: boolean
  readonly state: readonly StateColumnSpec[]
  readonly steps: readonly KernelSpec[]
  readonly finish: KernelSpec
}

export type StateColumnSpec =
  | { readonly type: 'count'; readonly init: 0 }
  | { readonly type: 'f64' | 'i32' | 'u32' | 'u8'; readonly init: number }
  | {
      readonly type: 'object'
      readonly init: string | null
      readonly holds?: string
      readonly bySlot?: true
      /** It has each value it was given once: with many of them merging two takes as long as making one. */
      readonly ofValues?: true
    }

export interface DescribeSpec extends UnarySpec<'describe'> {}

/** A stage with an operator of its own: `runtime/operators/table/`. */
export interface TableSpec extends UnarySpec<'table'> {
  readonly call: TableCall
  /** Its columns, by the name the operator knows them under. */
  readonly inputs: Readonly<Record<string, string>>
  /** Columns made only for it, dropped from the output. */
  readonly temporary: readonly string[]
}

/** Inputs run one after the other, in this order. */
export interface UnionSpec extends UnarySpec<'union'> {
  readonly others: readonly OperatorSpec[]
}

/** The right side is held; see `operators/join/`. */
export interface JoinSpec extends UnarySpec<'join'> {
  readonly right: OperatorSpec
  readonly type: JoinType
  /** Columns of either side; none: every row matches every row. */
  readonly keys: readonly { readonly left: string; readonly right: string }[]
  /** Put before the names of the right side's fields. */
  readonly prefix: string
  /** Null and missing match each other; otherwise they match nothing. */
  readonly matchesNull: boolean
  /** The side that is read whole before the other. */
  readonly readFirst: 'left' | 'right'
  readonly id: number
}

/** What feeds an operator, in the order explain shows it. */
export function inputsOf(spec: OperatorSpec): readonly OperatorSpec[] {
  switch (spec.op) {
    case 'scan':
      return []
    case 'union':
      return [spec.input, ...spec.others]
    case 'join':
      return [spec.input, spec.right]
    default:
      return [spec.input]
  }
}

/** Every scan below an operator, in that order. */
export function scansOf(spec: OperatorSpec): ScanSpec[] {
  return spec.op === 'scan' ? [spec] : inputsOf(spec).flatMap(scansOf)
}
