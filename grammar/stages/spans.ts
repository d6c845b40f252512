/** Where `trace` and `topology` find the parts of a span; without an option the usual names are looked for. */
import type { StageOption } from './options.ts'

export const SPAN_OPTIONS: readonly StageOption[] = [
  { name: 'trace_id', value: 'expression', doc: 'The trace; else `trace_id`, `traceId`, `trace.id`, ….' },
  { name: 'span_id', value: 'expression', doc: 'The span; else `span_id`, `spanId`, `span.id`, ….' },
  {
    name: 'parent',
    value: 'expression',
    doc: 'The span it was called from; else `parent_span_id`, `parentSpanId`, `parent.id`, ….',
  },
  { name: 'service', value: 'expression', doc: 'Whose span it is; else `service.name`, `service`, `_source`, ….' },
  {
    name: 'start',
    value: 'expression',
    doc: 'When it began: a time, or a number since 1970 in s, ms, us or ns; else `startTimeUnixNano`, `start_time`, …, `_time`.',
  },
  {
    name: 'duration',
    value: 'expression',
    doc: 'How long it took: a duration, or a number of milliseconds; else `duration_ms`, `duration_ns`, …, or from start and end.',
  },
  {
    name: 'error',
    value: 'predicate',
    doc: 'Whether it failed; else an error flag, an error status, a level of error or worse, or an HTTP status of 500 or more.',
  },
]
