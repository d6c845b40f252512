/** rollup: every batch goes on once for each width, with the bin of each row and the width as columns; stats above does the rest. */
import { DateTime, Duration } from '../../../storage/value.ts'
import type { Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { vectorOf, withComputed } from '../../column-batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { inletOf, type Operator } from '../operator.ts'
import type { TableRun } from './table.ts'

export function rollupOperator({ options, inputs, next }: TableRun<'rollup'>): Operator {
  const { bin, width } = options
  return inletOf(next, batch => {
    for (const micros of options.widthsMicros) {
      const compute = (name: string): Vector =>
        name === bin
          ? binned(batch.column(inputs.time!), micros, batch)
          : { kind: 'const', rowCount: batch.rowCount, value: new Duration(micros * 1000) }
      next.push(withComputed(batch, [bin, width], compute))
    }
  })
}

function binned(times: Vector, width: number, batch: Batch): Vector {
  if (times.kind === 'time') {
    const micros = times.micros.map(each => Math.floor(each / width) * width)
    return { kind: 'time', rowCount: times.rowCount, micros, nanos: null, presence: times.presence }
  }
  const values = Array.from({ length: batch.rowCount }, (_, row) => {
    const time = valueAt(times, row)
    return time instanceof DateTime ? new DateTime(Math.floor(time.micros / width) * width) : null
  })
  return vectorOf(values)
}
