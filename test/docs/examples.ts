/**
 * Examples for what has no descriptor in the compiler: short forms (their expansion is derived) and the formats of `parse`.
 * The types make both complete: a new short form or format is an error here until it has an example.
 */

import type { CoreKind } from '../../compiler/stages/stage.ts'
import type { AstStage, ParseFormat } from '../../grammar/ast.ts'
import type { QueryExample } from './run-example.ts'

export type ShortForm = Exclude<AstStage['kind'], CoreKind>

const REQUESTS = [
  '{"_timestamp":"2026-06-01T10:00:10Z","host":"a","ms":10}',
  '{"_timestamp":"2026-06-01T10:00:50Z","host":"b","ms":20}',
  '{"_timestamp":"2026-06-01T10:01:10Z","host":"a","ms":30}',
].join('\n')

export const SHORT_FORM_EXAMPLES: Readonly<Record<ShortForm, QueryExample>> = {
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

export interface FormatDoc extends QueryExample {
  readonly summary: string
}

export const FORMAT_DOCS: Readonly<Record<ParseFormat, FormatDoc>> = {
  json: {
    summary: 'A JSON object; nested objects become dotted fields.',
    query: 'parse json from payload | keep user, http.status',
    input: '{"payload":"{\\"user\\":\\"ann\\",\\"http\\":{\\"status\\":200}}"}',
    output: '{"user":"ann","http.status":200}',
  },
  logfmt: {
    summary: 'Words of the form `key=value`; a value with spaces stands in double quotes.',
    query: 'parse logfmt | keep level, msg, ms',
    input: 'level=warn msg="slow query" ms=250',
    output: '{"level":"warn","msg":"slow query","ms":250}',
  },
  kv: {
    summary:
      'Pairs with other separators: `sep` stands between pairs (a space unless given), `assign` between name and value (`=`).',
    query: 'parse kv(sep="; ", assign=":") | keep user, ms',
    input: 'user:ann; ms:4',
    output: '{"user":"ann","ms":4}',
  },
  regex: {
    summary: 'The named groups `(?<name>…)` of the first match; linear time on any pattern and any text.',
    query: 'parse regex r"user=(?<user>\\w+) took (?<ms>\\d+)ms" | keep user, ms',
    input: 'user=ann took 12ms',
    output: '{"user":"ann","ms":12}',
  },
  pattern: {
    summary:
      'Literal text with `<name>` where a field stands; `<_>` skips. The cheapest way to take a fixed layout apart.',
    query: 'parse pattern "<ip> - <_> \\"<method> <path>\\"" | keep ip, method, path',
    input: '10.0.0.1 - ann "GET /index.html"',
    output: '{"ip":"10.0.0.1","method":"GET","path":"/index.html"}',
  },
  combined: {
    summary: 'The access log of Apache and nginx, common or combined.',
    query: 'parse combined | keep clientip, method, status, bytes',
    input: '10.0.0.1 - - [01/Jun/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512 "-" "curl/8"',
    output: '{"clientip":"10.0.0.1","method":"GET","status":200,"bytes":512}',
  },
}
