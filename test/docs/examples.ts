/**
 * Examples for what has no descriptor in the compiler: short forms (their expansion is derived). The type makes them complete: a
 * new short form is an error here until it has an example.
 */

import type { AstShortForm } from '../../grammar/ast.ts'
import type { QueryExample } from './run-example.ts'

export type ShortForm = AstShortForm['kind']

const REQUESTS = [
  '{"_timestamp":"2026-06-01T10:00:10Z","host":"a","ms":10}',
  '{"_timestamp":"2026-06-01T10:00:50Z","host":"b","ms":20}',
  '{"_timestamp":"2026-06-01T10:01:10Z","host":"a","ms":30}',
].join('\n')

export const SHORT_FORM_EXAMPLES: Readonly<Record<ShortForm, QueryExample>> = {
  use: {
    query: 'use slow | stats count()',
    input: REQUESTS,
    fragments: { slow: 'where ms > 15 | keep host, ms' },
    output: '{"count()":2}',
  },
  count: {
    query: 'count by host | sort host',
    input: REQUESTS,
    output: '{"host":"a","count()":2}\n{"host":"b","count()":1}',
  },
  top: {
    query: 'top 1 host',
    input: REQUESTS,
    output: '{"host":"a","count()":2}',
  },
  rare: {
    query: 'rare 1 host',
    input: REQUESTS,
    output: '{"host":"b","count()":1}',
  },
  every: {
    query: 'every 1m stats count(), max(ms) | sort _time',
    input: REQUESTS,
    output:
      '{"_time":"2026-06-01T10:00:00.000Z","count()":2,"max(ms)":20}\n{"_time":"2026-06-01T10:01:00.000Z","count()":1,"max(ms)":30}',
  },
  rate: {
    query: 'rate per 1m | sort _time',
    input: REQUESTS,
    output: '{"_time":"2026-06-01T10:00:00.000Z","count()":2}\n{"_time":"2026-06-01T10:01:00.000Z","count()":1}',
  },
  latency: {
    query: 'latency ms every 1m',
    input: REQUESTS.replaceAll('"ms":20', '"ms":10'),
    output:
      '{"_time":"2026-06-01T10:00:00.000Z","count(ms)":2,"p50(ms)":10,"p90(ms)":10,"p95(ms)":10,"p99(ms)":10,"max(ms)":10}\n{"_time":"2026-06-01T10:01:00.000Z","count(ms)":1,"p50(ms)":30,"p90(ms)":30,"p95(ms)":30,"p99(ms)":30,"max(ms)":30}',
  },
  proportion: {
    query: 'proportion ms >= 20 as slow by host | sort host',
    input: REQUESTS,
    output: '{"host":"a","matching":1,"total":2,"slow":0.5}\n{"host":"b","matching":1,"total":1,"slow":1}',
  },
  impact: {
    query: 'impact sum(ms) by host',
    input: REQUESTS,
    output:
      '{"host":"a","sum(ms)":40,"share":0.6666666666666666,"cumulative":0.6666666666666666}\n{"host":"b","sum(ms)":20,"share":0.3333333333333333,"cumulative":1}',
  },
  facets: {
    query: 'facets host, ms limit=1',
    input: REQUESTS,
    output:
      '{"field":"host","value":"a","count":2,"share":0.6666666666666666}\n{"field":"ms","value":10,"count":1,"share":0.3333333333333333}',
  },
  exemplars: {
    query: 'exemplars 1 by host | keep host, ms',
    input: REQUESTS,
    output: '{"host":"a","ms":30}\n{"host":"b","ms":20}',
  },
  percentiles: {
    query: 'percentiles ms',
    input: '{"ms":8}\n{"ms":8}\n{"ms":8}',
    output: '{"p50(ms)":8,"p90(ms)":8,"p95(ms)":8,"p99(ms)":8}',
  },
  baseline: {
    query: 'sort _time | baseline ms window=2 | where deviation > 3 | keep ms, baseline, spread',
    input: '{"ms":10}\n{"ms":12}\n{"ms":11}\n{"ms":90}\n{"ms":11}',
    output: '{"ms":90,"baseline":11.5,"spread":0.7071067811865476}',
  },
  changes: {
    query: 'sort _time | changes state by host | keep host, state, previous',
    input:
      '{"host":"a","state":"up"}\n{"host":"b","state":"up"}\n{"host":"a","state":"up"}\n{"host":"a","state":"down"}',
    output: '{"host":"a","state":"down","previous":"up"}',
  },
}
