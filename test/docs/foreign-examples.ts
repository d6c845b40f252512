/**
 * What people bring from other languages, for docs/errors.md: each is an error whose fix is a whole query that runs. The fix is asked of the
 * grammar when the page is written, so the table cannot say what is not so.
 */
import { fixOf, parse } from '../../grammar/index.ts'

export const FOREIGN_EXAMPLES: readonly (readonly [language: string, query: string])[] = [
  ['SPL', 'index=web status=500 | stats count by host'],
  ['SPL', 'error | eval secs=ms/1000 | table host secs'],
  ['SPL', 'error | timechart span=5m count by host'],
  ['SPL', 'error | rex "user=(?<user>\\w+)" | top limit=5 user'],
  ['SPL', 'error | fillnull value=0 ms | fields host, ms'],
  ['SPL', 'error | search host="web-1"'],
  ['SPL', 'error | stats count as n by host | where isnotnull(host)'],
  ['KQL', 'error | where status == 500 | summarize count() by bin(_time, 5m)'],
  ['KQL', 'error | project host, ms | take 10'],
  ['KQL', 'error | order by ms desc | limit 10'],
  ['KQL', 'error | mv-expand tags'],
  [
    'SQL',
    "SELECT host, count(*) FROM web WHERE status >= 500 AND host LIKE 'web%' GROUP BY host ORDER BY count(*) DESC LIMIT 5",
  ],
  ['SQL', 'where host is null or status <> 200'],
  ['JavaScript', 'where status === 500 && !ok || ms > 10'],
  ['LogQL', 'error | logfmt | host =~ "web-[0-9]+"'],
]

/** Null: no fix is offered. */
export function fixedQuery(query: string): string | null {
  const { source, diagnostics } = parse(query)
  return diagnostics.length === 0 ? null : fixOf(source, diagnostics)
}
