/** About how many rows an op gives, from statistics: good enough to say which of two sides is the small one. */
import type { FieldStatistics } from '../catalog.ts'
import type { JoinOp, LogicalOp, ScanOp } from '../logical/ops.ts'
import { traitsOf } from '../logical/traits.ts'
import { inputsOf } from '../logical/walk.ts'
import type { PassContext } from '../pass.ts'
import { selectivityOf } from './cost.ts'

type Knows = Pick<PassContext, 'catalog'>

/** Groups of a key of which nothing is known, as a share of the rows. */
const GROUPS = 0.1
/** Rows a lookup table is taken to have: tables are written by people. */
const TABLE_ROWS = 1000

/** Null where nothing is known, as of a pipe. */
export function rowsOf(op: LogicalOp, cx: Knows): number | null {
  switch (op.kind) {
    case 'scan':
      return rowsOfScan(op, cx)
    case 'union': {
      const rows = inputsOf(op).map(input => rowsOf(input, cx))
      return rows.some(each => each === null) ? null : rows.reduce<number>((sum, each) => sum + each!, 0)
    }
    case 'join':
      return rowsOfJoin(op, cx)
    default: {
      const below = rowsOf(op.input, cx)
      return below === null ? null : rowsAbove(op, below, cx)
    }
  }
}

function rowsAbove(op: Exclude<LogicalOp, ScanOp>, below: number, cx: Knows): number {
  switch (op.kind) {
    case 'filter': {
      const statisticsOf = (field: string): FieldStatistics | null => statisticsIn(op.input, field, cx)
      return op.conjuncts.reduce((rows, conjunct) => rows * selectivityOf(conjunct, statisticsOf), below)
    }
    case 'head':
    case 'tail':
    case 'topk':
      return Math.min(op.count, below)
    case 'aggregate': {
      const keys = op.keys.map(({ value }) => (value.kind === 'field' ? distinctIn(op.input, value.name, cx) : null))
      return groupsOf(keys, below)
    }
    case 'dedup':
      return (
        op.count *
        groupsOf(
          op.fields.map(field => distinctIn(op.input, field, cx)),
          below,
        )
      )
    default:
      return below
  }
}

function groupsOf(distinct: readonly (number | null)[], rows: number): number {
  return Math.min(
    rows,
    distinct.reduce<number>((groups, values) => groups * (values ?? Math.max(1, rows * GROUPS)), 1),
  )
}

function rowsOfScan(scan: ScanOp, { catalog }: Knows): number | null {
  if (scan.nothing !== null) return 0
  if (scan.lookup !== null) return TABLE_ROWS
  const rows = catalog.rowCount?.(scan.indexes) ?? null
  if (rows === null) return null
  const times = catalog.statistics?.(scan.indexes, '_time') ?? null
  if (times === null || times.min === null || times.max === null) return rows
  const from = Math.max(times.min, scan.time.fromMicros ?? times.min)
  const to = Math.min(times.max, scan.time.toMicros ?? times.max)
  if (to < from) return 0
  return times.max === times.min ? rows : (rows * (to - from)) / (times.max - times.min)
}

/** Keys are taken to have each other's values, as those of a relation have. */
function rowsOfJoin(op: JoinOp, cx: Knows): number | null {
  const left = rowsOf(op.input, cx)
  const right = rowsOf(op.right, cx)
  if (left === null || right === null) return null
  const values = op.keys
    .map(key => distinctIn(op.input, key.left, cx))
    .reduce((a, b) => (a === null || b === null ? null : a * b), 1)
  const share = Math.min(1, right / Math.max(1, values ?? left))
  switch (op.type) {
    case 'semi':
      return left * share
    case 'anti':
      return left * (1 - share)
    case 'inner':
      return values === null ? left : (left * right) / Math.max(1, values, right)
    case 'left':
      return left
    case 'outer':
      return left + right
  }
}

function distinctIn(op: LogicalOp, field: string, cx: Knows): number | null {
  return statisticsIn(op, field, cx)?.distinct ?? null
}

/** Of a field that comes out of a scan as it is. */
export function statisticsIn(op: LogicalOp, field: string, cx: Knows): FieldStatistics | null {
  if (op.kind === 'scan') return op.lookup === null ? (cx.catalog.statistics?.(op.indexes, field) ?? null) : null
  const below = op.kind === 'union' ? null : traitsOf(op).source(op, field)
  return below === null ? null : statisticsIn(op.input, below, cx)
}
