/** Every operator of a stage of its own, by name. The type makes it complete. */
import type { TableSpec } from '../../program.ts'
import type { TableOperatorName } from '../../table.ts'
import type { Operator, RunContext } from '../operator.ts'
import { ChangepointOperator } from './changepoint.ts'
import { ContextOperator } from './context.ts'
import { CorrelateOperator } from './correlate.ts'
import { DiffOperator } from './diff.ts'
import { ExplodeOperator } from './explode.ts'
import { fillOperator } from './fill.ts'
import { ForecastOperator } from './forecast.ts'
import { OutliersOperator } from './outliers.ts'
import { patternsOperator } from './patterns.ts'
import { rollupOperator } from './rollup.ts'
import { sampleOperator } from './sample.ts'
import { SessionizeOperator } from './sessionize.ts'
import { type TableRun, withoutColumns } from './table.ts'
import { TeeOperator } from './tee.ts'
import { TopologyOperator } from './topology.ts'
import { TraceOperator } from './trace.ts'
import { TransactionOperator } from './transaction.ts'
import { xyseriesOperator } from './xyseries.ts'

const TABLE_OPERATORS: { readonly [N in TableOperatorName]: (run: TableRun<N>) => Operator } = {
  sample: sampleOperator,
  fill: fillOperator,
  xyseries: xyseriesOperator,
  rollup: rollupOperator,
  sessionize: run => new SessionizeOperator(run),
  transaction: run => new TransactionOperator(run),
  trace: run => new TraceOperator(run),
  topology: run => new TopologyOperator(run),
  correlate: run => new CorrelateOperator(run),
  outliers: run => new OutliersOperator(run),
  context: run => new ContextOperator(run),
  diff: run => new DiffOperator(run),
  changepoint: run => new ChangepointOperator(run),
  forecast: run => new ForecastOperator(run),
  patterns: patternsOperator,
  explode: run => new ExplodeOperator(run),
  tee: run => new TeeOperator(run),
}

export function createTableOperator(spec: TableSpec, context: RunContext, next: Operator): Operator {
  // The registry is keyed by the name the options go with, which the type system cannot follow through a union.
  const create = TABLE_OPERATORS[spec.call.name] as (run: TableRun<TableOperatorName>) => Operator
  return create({
    options: spec.call.options,
    inputs: spec.inputs,
    context,
    next: withoutColumns(next, spec.temporary),
  })
}
