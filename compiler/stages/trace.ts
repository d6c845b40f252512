/** trace: spans under whatever names they come, with the columns of their tree before their own. */
import { TRACE_COLUMNS } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import { needInput, spanInputs } from './spans.ts'
import type { Stage } from './stage.ts'
import { scopeBefore, tableOp } from './table.ts'

const TYPES: Readonly<Record<(typeof TRACE_COLUMNS)[number], ValueType>> = {
  tree: 'string',
  depth: 'int',
  path: 'string',
  offset: 'duration',
  took: 'duration',
  self_time: 'duration',
  critical: 'bool',
  critical_time: 'duration',
  failed: 'bool',
}

export const trace: Stage<'trace'> = {
  kind: 'trace',
  doc: {
    summary: [
      'Spans as trees: trace after trace in order of their start, each span under the span that called it, calls of one span in order of their start.',
      'It adds `tree` (service and name, indented), `depth` (0 for a root), `path` (names from the root), `offset` (since the trace began), `took`, `self_time` (when none of its calls was running), `critical` and `critical_time` (whether, and how long, the trace waited for this span itself: the critical times of a root and all below it add up to what the root took), `failed`.',
      'A span whose parent is not among the rows is a root. A row without a duration, such as a log line of a span, stands under the span it names; rows with neither trace nor span are left out.',
    ].join(' '),
    examples: [
      {
        query: 'trace | keep tree, offset, took, self_time, critical, failed',
        input: [
          '{"_timestamp":"2026-06-01T10:00:00.000Z","trace_id":"t1","span_id":"a","service":"web","name":"GET /","duration_ms":100}',
          '{"_timestamp":"2026-06-01T10:00:00.060Z","trace_id":"t1","span_id":"c","parent_span_id":"a","service":"db","name":"query","duration_ms":30,"error":true}',
          '{"_timestamp":"2026-06-01T10:00:00.010Z","trace_id":"t1","span_id":"b","parent_span_id":"a","service":"auth","name":"check","duration_ms":40}',
        ].join('\n'),
        output: [
          '{"tree":"web: GET /","offset":"0s","took":"100ms","self_time":"30ms","critical":true,"failed":false}',
          '{"tree":"  auth: check","offset":"10ms","took":"40ms","self_time":"40ms","critical":true,"failed":false}',
          '{"tree":"  db: query","offset":"60ms","took":"30ms","self_time":"30ms","critical":true,"failed":true}',
        ].join('\n'),
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'merged',
  lower(stage, cx) {
    const inputs = spanInputs(stage, cx)
    needInput('trace_id', inputs, stage, cx)
    return {
      op: tableOp(stage, cx, {
        call: { name: 'trace', options: {} },
        inputs,
        reads: [],
        passes: true,
        makes: TRACE_COLUMNS,
      }),
      scope: scopeBefore(
        TRACE_COLUMNS.map(name => [name, TYPES[name]] as const),
        cx.scope,
      ),
    }
  },
}
