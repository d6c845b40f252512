import { optionOf } from '../../grammar/stages/options.ts'
import { TOPOLOGY_COLUMNS } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import { needInput, spanInputs } from './spans.ts'
import type { Stage } from './stage.ts'
import { closedScope, tableOp } from './table.ts'

const TYPES: Readonly<Record<(typeof TOPOLOGY_COLUMNS)[number], ValueType>> = {
  caller: 'any',
  callee: 'any',
  calls: 'int',
  errors: 'int',
  error_rate: 'float',
  p50: 'duration',
  p95: 'duration',
}

/** Of what `spanInputs` finds, what an edge needs when each row is a call. */
const OF_A_CALL = ['failed', 'duration_ns', 'duration_us', 'duration_ms', 'start', 'end', 'time']

export const topology: Stage<'topology'> = {
  kind: 'topology',
  doc: {
    summary: [
      'Who calls whom: one row for each pair of services, the most calls first, with `calls`, `errors`, `error_rate`, and the median and 95th percentile of how long the called one took (nearest rank, exact).',
      'A call is a span whose parent, among the rows, belongs to another service; or a span of a client that names its peer (`peer.service`, `db.system`, `messaging.system`) and below which no other service has a span. With `caller` and `callee` every row that has both is a call.',
    ].join(' '),
    examples: [
      {
        query: 'topology',
        input: [
          '{"trace_id":"t1","span_id":"a","service":"web","duration_ms":100}',
          '{"trace_id":"t1","span_id":"b","parent_span_id":"a","service":"cart","duration_ms":40}',
          '{"trace_id":"t1","span_id":"c","parent_span_id":"b","service":"db","duration_ms":30,"error":true}',
          '{"trace_id":"t1","span_id":"d","parent_span_id":"b","service":"db","duration_ms":5}',
        ].join('\n'),
        output: [
          '{"caller":"cart","callee":"db","calls":2,"errors":1,"error_rate":0.5,"p50":"5ms","p95":"30ms"}',
          '{"caller":"web","callee":"cart","calls":1,"errors":0,"error_rate":0,"p50":"40ms","p95":"40ms"}',
        ].join('\n'),
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'merged',
  lower(stage, cx) {
    const [caller, callee] = ['caller', 'callee'].map(name => optionOf(stage.options, name))
    const spans = spanInputs(stage, cx)
    const isOfCalls = caller != null && callee != null
    if (!isOfCalls && (caller != null || callee != null)) {
      cx.report({ code: 'E201', message: 'caller and callee go together', span: stage.span })
    }
    if (!isOfCalls) needInput('span_id', spans, stage, cx)
    const inputs = isOfCalls
      ? [
          { name: 'caller', value: cx.exprs.expr(caller) },
          { name: 'callee', value: cx.exprs.expr(callee) },
          ...spans.filter(({ name }) => OF_A_CALL.includes(name)),
        ]
      : spans.filter(({ name }) => name !== 'name')
    return {
      op: tableOp(stage, cx, {
        call: { name: 'topology', options: {} },
        inputs,
        reads: [],
        passes: false,
        makes: TOPOLOGY_COLUMNS,
      }),
      scope: closedScope(TOPOLOGY_COLUMNS.map(name => [name, TYPES[name]] as const)),
    }
  },
}
