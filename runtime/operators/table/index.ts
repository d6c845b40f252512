/** Every operator of a stage of its own, by name. The type makes it complete. */
import type { TableSpec } from '../../program.ts'
import type { TableOperatorName } from '../../table.ts'
import type { Operator, RunContext } from '../operator.ts'
import { patternsOperator } from './patterns.ts'
import { sampleOperator } from './sample.ts'
import { type TableRun, withoutColumns } from './table.ts'

const TABLE_OPERATORS: { readonly [N in TableOperatorName]: (run: TableRun<N>) => Operator } = {
  sample: sampleOperator,
  patterns: patternsOperator,
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
