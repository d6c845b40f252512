/** The physical plan: how it will run. Algorithms, read order, what storage is told and what kernels decide are fixed here. */
import type { Span } from '../../grammar/source.ts'
import type { KeyFilter, StatisticFact, TextSearch } from '../../runtime/program.ts'
import type { TableCall } from '../../runtime/table.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import type { Expr } from '../logical/expr.ts'
import type {
  AggregateCall,
  DescribeOp,
  DropOp,
  HeadOp,
  JoinOp,
  KeepOp,
  ParseOp,
  RenameOp,
  StreamColumn,
  TailOp,
} from '../logical/ops.ts'
import type { Split } from './split-predicate.ts'

export type PhysicalOp =
  | PhysicalScan
  | PhysicalFilter
  | PhysicalExtend
  | PhysicalSort
  | PhysicalDedup
  | PhysicalAggregate
  | PhysicalEventstats
  | PhysicalStreamstats
  | PhysicalTable
  | PhysicalUnion
  | PhysicalJoin
  | Over<KeepOp | DropOp | RenameOp | ParseOp | HeadOp | TailOp | DescribeOp>

/** Ops that run as they are written. */
type Over<T> = T extends { readonly input: unknown } ? Omit<T, 'input'> & { readonly input: PhysicalOp } : never

interface Unary<K extends string> {
  readonly kind: K
  readonly origin: Span
  readonly input: PhysicalOp
}

export interface PhysicalScan {
  readonly kind: 'scan'
  readonly origin: Span
  readonly indexes: readonly string[]
  readonly lookup: string | null
  readonly time: TimeRange
  readonly fields: readonly string[] | null
  readonly order: 'natural' | 'newest-first'
  /** Fields whose values must be keys that the other side of a join has, as is known once that side has been read. */
  readonly keyFilters: readonly KeyFilter[]
  /** Why nothing need be read; null: something may pass. */
  readonly nothing: string | null
  /** Decided per block by `pushed` where it can, per row by the expression's kernel, in this order. */
  readonly conjuncts: readonly ScanCondition[]
}

export type ScanCondition = Split & {
  readonly expr: Expr
  /** `ScanConjunct.searches` */
  readonly searches: readonly TextSearch[] | null
}

export interface PhysicalFilter extends Unary<'filter'> {
  readonly conjuncts: readonly Expr[]
}

/** Assignments of one op do not read each other. */
export interface PhysicalExtend extends Unary<'extend'> {
  readonly assignments: readonly { readonly name: string; readonly value: Expr }[]
}

/** Keys are columns; those made only to sort by are `temporary`. */
export interface PhysicalSort extends Unary<'sort'> {
  readonly keys: readonly { readonly field: string; readonly descending: boolean; readonly text: string }[]
  readonly limit: number | null
  readonly temporary: readonly string[]
}

export interface PhysicalDedup extends Unary<'dedup'> {
  readonly count: number
  readonly fields: readonly string[]
}

/** A column, binned while it is coded where the key is `bin(field, constant)`. */
export interface PhysicalKey {
  readonly field: string
  readonly name: string
  readonly binMicros: number | null
  /** A bin of time: groups come out in its order. */
  readonly isSeries?: true
  readonly text: string
}

export interface PhysicalAggregate extends Unary<'aggregate'> {
  readonly keys: readonly PhysicalKey[]
  readonly aggregates: readonly AggregateCall[]
  /** What statistics of blocks are asked instead of their rows; null: rows are read. */
  readonly facts: readonly StatisticFact[] | null
}

/** Arguments are columns; those made only for it are `temporary`. */
export interface PhysicalEventstats extends Unary<'eventstats'> {
  readonly keys: readonly PhysicalKey[]
  readonly aggregates: readonly AggregateCall[]
  readonly temporary: readonly string[]
}

/** As eventstats; what an offset looks at is a column too. */
export interface PhysicalStreamstats extends Unary<'streamstats'> {
  readonly keys: readonly PhysicalKey[]
  readonly columns: readonly StreamColumn[]
  readonly temporary: readonly string[]
}

/** Inputs are columns; those made only for the operator are `temporary`. */
export interface PhysicalTable extends Unary<'table'> {
  readonly call: TableCall
  readonly text: string
  readonly inputs: readonly { readonly name: string; readonly field: string }[]
  readonly temporary: readonly string[]
}

/** Inputs run one after the other, in this order. */
export interface PhysicalUnion extends Unary<'union'> {
  readonly others: readonly PhysicalOp[]
}

/** The right side is read first and held; the left side streams past it. */
export interface PhysicalJoin extends Unary<'join'> {
  readonly right: PhysicalOp
  readonly type: JoinOp['type']
  readonly keys: JoinOp['keys']
  readonly prefix: string
  readonly matchesNull: boolean
  readonly readFirst: 'left' | 'right'
  /** Names it for the scans that ask it (`PhysicalScan.keyFilters`). */
  readonly id: number
}

/** What feeds an op, in the order explain shows it. */
export function physicalInputs(op: PhysicalOp): readonly PhysicalOp[] {
  switch (op.kind) {
    case 'scan':
      return []
    case 'union':
      return [op.input, ...op.others]
    case 'join':
      return [op.input, op.right]
    default:
      return [op.input]
  }
}

/** Every scan of the plan, in that order. */
export function scansIn(op: PhysicalOp): PhysicalScan[] {
  return op.kind === 'scan' ? [op] : physicalInputs(op).flatMap(scansIn)
}
