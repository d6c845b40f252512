/** What people bring from SPL, KQL, LogsQL and SQL comes back as the query they meant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codes, fixed } from './support.ts'

const HABITS: readonly (readonly [text: string, fix: string])[] = [
  ['index=web error', 'from web error'],
  ['search index="app-*" error', 'from app-* error'],
  ['error | eval x = 1, y = x + 1', 'error | extend x = 1, y = x + 1'],
  ['error | fields host, user', 'error | keep host, user'],
  ['error | fields - host user', 'error | drop host, user'],
  ['error | fields + host', 'error | keep host'],
  ['error | table _time host', 'error | keep _time, host'],
  ['error | project host, ms', 'error | keep host, ms'],
  ['error | project host, s = ms / 1000', 'error | extend s = ms / 1000 | keep host, s'],
  ['error | project-away host, ms', 'error | drop host, ms'],
  ['error | timechart count', 'error | every 5m stats count()'],
  ['error | timechart span=1m count by host', 'error | every 1m by host stats count()'],
  ['error | timechart span=1h avg(ms) as a, count', 'error | every 1h stats avg(ms) as a, count()'],
  ['error | search level=warn "a b"', 'error | where level == "warn" and contains(_raw, "a b")'],
  ['error | rex "(?<n>\\d+)"', 'error | parse regex r"(?<n>\\d+)"'],
  ['error | rex field=msg "user=(?<u>\\w+)"', 'error | parse regex r"user=(?<u>\\w+)" from msg'],
  ['error | take 5', 'error | head 5'],
  ['error | limit 5', 'error | head 5'],
  ['error | head limit=5', 'error | head 5'],
  ['error | top limit=5 host', 'error | top 5 host'],
  ['error | order by ms desc, host asc', 'error | sort -ms, host'],
  ['error | sort by ms desc', 'error | sort -ms'],
  ['error | sort ms desc', 'error | sort -ms'],
  ['error | sort by -ms', 'error | sort -ms'],
  ['error | sort +ms', 'error | sort ms'],
  ['error | sort ms / 2 desc', 'error | sort -(ms / 2)'],
  ['error | summarize count() by host', 'error | stats count() by host'],
  ['error | summarize n = count(), avg(ms) by host', 'error | stats count() as n, avg(ms) by host'],
  ['error | stats count by host', 'error | stats count() by host'],
  ['error | stats count', 'error | stats count()'],
  ['error | stats count(*) as n avg(ms)', 'error | stats count() as n, avg(ms)'],
  ['error | stats avg ms by host', 'error | stats avg(ms) by host'],
  ['error | stats count() as "n o"', 'error | stats count() as `n o`'],
  ['error | rename a as "b c"', 'error | rename a as `b c`'],
  ['error | rename b = a', 'error | rename a as b'],
  ['error | fillnull value=0 a, b', 'error | extend a = coalesce(a, 0), b = coalesce(b, 0)'],
  ['error | fillnull value=NONE a', 'error | extend a = coalesce(a, "NONE")'],
  ['error | filter a == 1', 'error | where a == 1'],
  ['error | distinct host', 'error | dedup host'],
  ['error | where a = 1 && b like "x%" || c is null', 'error | where a == 1 and glob(b, "x*") or is_null(c)'],
  ["from 'main' | where a == 'b'", 'from main | where a == "b"'],
  ['SELECT * FROM logs', 'from logs'],
  ['select a, b as c from logs where x = 1 limit 5', 'from logs | where x == 1 | head 5 | keep a, b | rename b as c'],
  [
    "SELECT host, COUNT(*) AS n FROM logs WHERE level = 'error' GROUP BY host ORDER BY n DESC LIMIT 10;",
    'from logs | where level == "error" | stats count() as n by host | sort -n | head 10',
  ],
  ['select count(distinct host) from logs', 'from logs | stats dc(host)'],
]

for (const [text, fix] of HABITS) {
  test(`${text} becomes ${fix}`, () => {
    assert.equal(fixed(text), fix)
  })
}

test('the code says whether the word, the parentheses or the operator is foreign', () => {
  assert.deepEqual(codes('| eval x = 1'), ['E307'])
  assert.deepEqual(codes('| stats count by x'), ['E306'])
  assert.deepEqual(codes('| where a = 1'), ['E304'])
  assert.deepEqual(codes('a == 1'), ['E305'])
  assert.deepEqual(codes("| where a == 'b'"), ['E303'])
})

test('a SELECT that has no counterpart is refused without a fix', () => {
  for (const text of [
    'select a from b join c on d',
    'select (select 1) from x',
    'select case when a then b end from x',
  ]) {
    assert.deepEqual(codes(text), ['E307'], text)
    assert.equal(fixed(text), null, text)
  }
})
