/** Which column of streamstats is made in which way: while reading, from behind, or anew for each row. */
import type { StreamstatsSpec, WindowedSpec } from '../../runtime/program.ts'
import { emitAggregate } from '../codegen/aggregate.ts'
import type { KernelOptions } from '../codegen/kernel-spec.ts'
import { emitRunning, keepsValuesOnly } from '../codegen/stream-kernel.ts'
import type { StreamColumn } from '../logical/ops.ts'
import { columnName } from '../logical/walk.ts'
import type { PhysicalStreamstats } from '../physical/ops.ts'

type AggregateColumn = Extract<StreamColumn, { readonly kind: 'aggregate' }>

export function streamParts(
  op: PhysicalStreamstats,
  named: (suffix: string) => KernelOptions,
): Pick<StreamstatsSpec, 'outputs' | 'forward' | 'backward' | 'windowed'> {
  const isWindowed = (column: StreamColumn): column is AggregateColumn =>
    column.kind === 'aggregate' && column.rows !== null && !keepsValuesOnly(column.call.function)
  const looksAhead = (column: StreamColumn): boolean => column.kind === 'offset' && column.distance > 0
  const windowed = op.columns.filter(isWindowed)
  const backward = op.columns.filter(looksAhead)
  const forward = op.columns.filter(column => !isWindowed(column) && !looksAhead(column))
  const isGrouped = op.keys.length > 0
  const running = (columns: readonly StreamColumn[], suffix: string, isBackward: boolean) =>
    columns.length === 0 ? null : emitRunning(columns, { ...named(suffix), backward: isBackward, isGrouped })
  return {
    outputs: op.columns.map(columnName),
    forward: running(forward, 'streamstats', false),
    backward: running(backward, 'streamstats_ahead', true),
    windowed: byWindow(windowed).map(columns => windowedOf(columns, named)),
  }
}

/** Those that look at the same rows look together. */
function byWindow(columns: readonly AggregateColumn[]): readonly (readonly AggregateColumn[])[] {
  const groups = new Map<string, AggregateColumn[]>()
  for (const column of columns) {
    const key = `${column.rows} ${column.current}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [column])
    else group.push(column)
  }
  return [...groups.values()]
}

function windowedOf(columns: readonly AggregateColumn[], named: (suffix: string) => KernelOptions): WindowedSpec {
  const { rows, current } = columns[0]!
  const calls = columns.map(column => column.call)
  const { state, steps, finish } = emitAggregate(calls, 0, named('streamstats_window'))
  return { outputs: calls.map(call => call.name), rows: rows ?? 1, current, state, steps, finish }
}
