/** What people bring from SPL, KQL, LogsQL, Lucene, LogQL and SQL comes back as the query they meant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, open } from '../../engine.ts'
import type { DiagnosticJson } from '../../grammar/index.ts'
import { NOW, readEvents } from '../case-input.ts'
import { codes, fixed } from './support.ts'

type Habit = readonly [text: string, fix: string]

const HABITS: Readonly<Record<string, readonly Habit[]>> = {
  several: [
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
    ['error | distinct host', 'error | dedup host | keep host'],
    [
      'error | where a = 1 && b like "x%" || c is null',
      'error | where a == 1 and glob(b, "x*") or (is_null(c) or is_missing(c))',
    ],
    ["from 'main' | where a == 'b'", 'from main | where a == "b"'],
    ['SELECT * FROM logs', 'from logs'],
    ['select a, b as c from logs where x = 1 limit 5', 'from logs | where x == 1 | head 5 | keep a, b | rename b as c'],
    [
      "SELECT host, COUNT(*) AS n FROM logs WHERE level = 'error' GROUP BY host ORDER BY n DESC LIMIT 10;",
      'from logs | where level == "error" | stats count() as n by host | sort -n | head 10',
    ],
    ['select count(distinct host) from logs', 'from logs | stats dc(host)'],
  ],
  SPL: [
    ['search index=web sourcetype=access status=500', 'from web sourcetype=access status=500'],
    ['index=web earliest=-1h error', 'from web [-1h] error'],
    ['index=web OR index=app error', 'from web, app error'],
    ['error | eval is_slow=if(ms>500,"yes","no")', 'error | extend is_slow=if(ms>500,"yes","no")'],
    ['error | eval m=round(ms/1000,2) | table m', 'error | extend m=round(ms/1000,2) | keep m'],
    ['error | stats count as n by host', 'error | stats count() as n by host'],
    [
      'error | stats count(eval(status>=500)) as errors by host',
      'error | stats count(where status>=500) as errors by host',
    ],
    ['error | stats dc(user) as users, perc95(ms) by host', 'error | stats dc(user) as users, p95(ms) by host'],
    ['error | chart count by host', 'error | stats count() by host'],
    ['error | timechart span=5m avg(ms) by host', 'error | every 5m by host stats avg(ms)'],
    ['error | dedup host sortby -_time', 'error | sort -_time | dedup host'],
    ['error | where isnotnull(user)', 'error | where (exists(user) and not is_null(user))'],
    ['error | where like(host, "web%")', 'error | where glob(host, "web*")'],
    ['error | where cidrmatch("10.0.0.0/8", ip)', 'error | where cidr_match(ip, "10.0.0.0/8")'],
    ['error | eval h=lower(host)."x"', 'error | extend h=lower(host) + "x"'],
    [
      'error | bin _time span=5m | stats count by _time',
      'error | extend _time = bin(_time, 5m) | stats count() by _time',
    ],
    ['error | bucket span=1h _time', 'error | extend _time = bin(_time, 1h)'],
    ['error | makemv delim="," tags', 'error | extend tags = split(tags, ",")'],
    ['error | spath', 'error | parse json'],
    ['error | spath input=msg', 'error | parse json from msg'],
    ['error | kv', 'error | parse kv'],
    ['error | regex host="^web"', 'error | where matches(host, r"^web")'],
    ['error | sort 10 -count', 'error | sort -count | head 10'],
    ['error | sort -num(ms)', 'error | sort -ms'],
    ['error | head limit=10', 'error | head 10'],
  ],
  KQL: [
    ['T | where status == 500 and host has "web"', 'T | where status == 500 and has(host, "web")'],
    ['T | where msg contains "timeout"', 'T | where contains(msg, "timeout")'],
    ['T | where msg !contains "timeout"', 'T | where not contains(msg, "timeout")'],
    ['T | where host startswith "web"', 'T | where starts_with(host, "web")'],
    ['T | where host in ("a", "b")', 'T | where host in ["a", "b"]'],
    ['T | where host !in ("a", "b")', 'T | where host not in ["a", "b"]'],
    ['T | where host =~ "WEB"', 'T | where matches(host, r"WEB")'],
    ['T | where host matches regex "^web"', 'T | where matches(host, r"^web")'],
    ['T | where Timestamp > ago(1h)', 'T | where Timestamp > now() - 1h'],
    ['T | where isempty(user)', 'T | where coalesce(user, "") == ""'],
    ['T | where isnotempty(user)', 'T | where coalesce(user, "") != ""'],
    ['T | where msg has_any ("a", "b")', 'T | where (has(msg, "a") or has(msg, "b"))'],
    ['T | summarize count() by bin(_time, 5m), host', 'T | stats count() by bin(_time, 5m), host'],
    ['T | summarize countif(status >= 500) by host', 'T | stats count(where status >= 500) by host'],
    ['T | summarize avgif(ms, ok) by host', 'T | stats avg(ms, where ok) by host'],
    ['T | project host, ms', 'T | keep host, ms'],
    ['T | project-rename server = host', 'T | rename host as server'],
    ['T | project-reorder host', 'T | keep host, *'],
    ['T | project-away ms', 'T | drop ms'],
    ['T | order by ms desc nulls last', 'T | sort -ms'],
    ['T | sort by ms asc, host desc', 'T | sort ms, -host'],
    ['T | top 10 by ms desc', 'T | sort -ms | head 10'],
    ['T | top 5 by ms', 'T | sort -ms | head 5'],
    ['T | take 5', 'T | head 5'],
    ['T | limit 10', 'T | head 10'],
    ['T | distinct host, user', 'T | dedup host, user | keep host, user'],
    ['T | parse msg with "user=" user " took " ms', 'T | parse pattern "user=<user> took <ms>" from msg'],
    ['T | make-series count() on _time step 5m', 'T | every 5m stats count()'],
    ['T | render timechart', 'T'],
    ['T | getschema', 'T | describe'],
    ['T | search "error"', 'T | where contains(_raw, "error")'],
    ['T | where _time between (ago(2h) .. ago(1h))', 'T | where _time between now() - 2h and now() - 1h'],
    ['T | serialize', 'T'],
  ],
  'Lucene and LogsQL': [
    ['_time:5m error', 'from main [-5m] error'],
    ['_time:1h AND level:error', 'from main [-1h] level:error'],
    ['level:"error message"', 'level="error message"'],
    ['level:=error', 'level=error'],
    ['level:in(error, warn)', 'level in (error, warn)'],
    ['status:>=500', 'status>=500'],
    ['status:[400 TO 499]', '(status>=400 status<=499)'],
    ['status:{400 TO 500}', '(status>400 status<500)'],
    ['_exists_:user', 'user=*'],
    ['NOT _exists_:user', 'NOT user=*'],
    ['error !debug', 'error not debug'],
    ['error | stats by (host) count() hits', 'error | stats count() as hits by host'],
    ['error | sort by (_time) desc', 'error | sort -(_time)'],
    ['error | uniq by (host)', 'error | dedup host | keep host'],
    ['error | top 5 by (host)', 'error | top 5 host'],
    ['error | filter host:web', 'error | where host == "web"'],
    ['error | unpack_json', 'error | parse json'],
    ['error | unpack_logfmt', 'error | parse logfmt'],
    ['error | extract "user=<u> "', 'error | parse pattern "user=<u> "'],
    ['error | math a+b as c', 'error | extend c = a+b'],
    ['error | copy a as b', 'error | extend b = a'],
    ['error | rm a', 'error | drop a'],
    ['error | delete a, b', 'error | drop a, b'],
    ['error | mv a b', 'error | rename a as b'],
    ['error | field_names', 'error | describe'],
  ],
  LogQL: [
    ['{app="web"} |= "error"', 'from main app="web" "error"'],
    ['{app="web"} != "debug"', 'from main app="web" not "debug"'],
    [
      '{app="web", env=~"prod|stage"} |~ "err.*" | json',
      'from main app="web" env in ("prod", "stage") | where matches(_raw, r"err.*") | parse json',
    ],
    ['{app="web"} | json | status >= 500', 'from main app="web" | parse json | status >= 500'],
    ['{app="web"} | logfmt | level="error"', 'from main app="web" | parse logfmt | level=="error"'],
    ['{app="web"} | pattern "<ip> - <_>"', 'from main app="web" | parse pattern "<ip> - <_>"'],
    ['{app="web"} | regexp "(?P<u>\\w+)"', 'from main app="web" | parse regex r"(?<u>\\w+)"'],
    ['{app="web"} | label_format a=b', 'from main app="web" | rename b as a'],
    ['rate({app="web"}[5m])', 'from main app="web" | every 5m stats rate()'],
    [
      'sum by (host) (count_over_time({app="web"} |= "error" [5m]))',
      'from main app="web" "error" | every 5m by host stats count()',
    ],
    ['count_over_time({app="web"}[5m])', 'from main app="web" | every 5m stats count()'],
    [
      '{app="web"} |= "error" |~ `re\\d+` != "x" | logfmt | level="error" and ms > 5',
      'from main app="web" "error" not "x" | where matches(_raw, r"re\\d+") | parse logfmt | level=="error" and ms > 5',
    ],
    [
      'quantile_over_time(0.95, {app="web"} | json | unwrap ms [5m]) by (host)',
      'from main app="web" | parse json | every 5m by host stats perc(ms, 95)',
    ],
  ],
  'SQL and ES|QL': [
    [
      'SELECT host, count(*) FROM logs WHERE status >= 500 GROUP BY host HAVING count(*) > 5 ORDER BY 2 DESC',
      'from logs | where status >= 500 | stats count() by host | where count() > 5 | sort -count()',
    ],
    ['SELECT DISTINCT host FROM logs', 'from logs | dedup host | keep host'],
    [
      "SELECT count(*) FROM logs WHERE msg LIKE '%timeout%' AND ts > now() - interval '1 hour'",
      'from logs | where glob(msg, "*timeout*") AND ts > now() - 1h | stats count()',
    ],
    [
      'SELECT host, avg(ms) AS m FROM logs GROUP BY host ORDER BY m DESC LIMIT 5',
      'from logs | stats avg(ms) as m by host | sort -m | head 5',
    ],
    [
      "SELECT * FROM logs WHERE host IN ('a','b') AND user IS NOT NULL",
      'from logs | where host IN ["a","b"] AND (exists(user) and not is_null(user))',
    ],
    ["SELECT date_trunc('hour', ts), count(*) FROM logs GROUP BY 1", 'from logs | stats count() by bin(ts, 1h)'],
    [
      'FROM logs | WHERE status == 500 | STATS n = COUNT(*) BY host | SORT n DESC | LIMIT 5',
      'FROM logs | WHERE status == 500 | STATS COUNT() as n BY host | SORT -n | head 5',
    ],
    ['FROM logs | DISSECT msg "%{a} %{b}"', 'FROM logs | parse pattern "<a> <b>" from msg'],
    [
      'SELECT host, count(*) AS n FROM logs GROUP BY host HAVING count(*) > 5 ORDER BY n DESC',
      'from logs | stats count() as n by host | where n > 5 | sort -n',
    ],
    [
      "SELECT date_trunc('hour', _time) AS t, count(*) FROM logs GROUP BY t",
      'from logs | stats count() by bin(_time, 1h) as t',
    ],
    ['SELECT lower(host) AS h, ms FROM logs ORDER BY ms', 'from logs | extend h = lower(host) | sort ms | keep h, ms'],
  ],
  everywhere: [
    ['from main where status = 500', 'from main | where status == 500'],
    ['error | where a <> 1', 'error | where a != 1'],
    ['error | where a = 1 OR b = 2', 'error | where a == 1 OR b == 2'],
    ['error | where !(a == 1)', 'error | where not (a == 1)'],
    ["error | where a == 'x'", 'error | where a == "x"'],
    ['error | where a is not null', 'error | where (exists(a) and not is_null(a))'],
    ["error | where a not like 'x%'", 'error | where not glob(a, "x*")'],
    ["error | where a ilike '%x%'", 'error | where contains(a, "x")'],
    ["error | where a regexp 'x'", 'error | where matches(a, r"x")'],
    ["error | where a rlike 'x'", 'error | where matches(a, r"x")'],
    ['error | where a and b && c || d', 'error | where a and b and c or d'],
    ['error | extend x := 1', 'error | extend x = 1'],
    ['error | extend x = a ?: b', 'error | extend x = a ?? b'],
    ['error | extend x = a || b', 'error | extend x = a or b'],
    ['error | extend x = case when a then b else c end', 'error | extend x = case(a, b, c)'],
    ['error | extend x = cast(a as int)', 'error | extend x = int(a)'],
    ['error | extend x = a::int', 'error | extend x = int(a)'],
    ['error | stats avg(ms) AS m BY host HAVING m > 5', 'error | stats avg(ms) AS m BY host | where m > 5'],
    ['error | group by host', 'error | count by host'],
    ['error | groupby host', 'error | count by host'],
    ['error | select host, ms', 'error | keep host, ms'],
    ['error | having n > 5', 'error | where n > 5'],
    ['error | grep "foo"', 'error | where contains(_raw, "foo")'],
  ],
}

/** Names that only the registry of functions knows: what comes of it when every correction is taken. */
const NAMES: readonly Habit[] = [
  ['where isnull(user)', 'where (is_null(user) or is_missing(user))'],
  ['where match(host, "^web")', 'where matches(host, "^web")'],
  ['extend x = iff(status > 1, "y", "n")', 'extend x = if(status > 1, "y", "n")'],
  ['extend x = tostring(status), y = todouble(ms)', 'extend x = string(status), y = float(ms)'],
  ['summarize n = dcount(user), percentile(ms, 95) by host', 'stats dc(user) as n, perc(ms, 95) by host'],
  ['stats make_set(user) by host', 'stats values(user) by host'],
  ['stats mean(ms), stddev(ms)', 'stats avg(ms), stdev(ms)'],
  ['FROM logs | EVAL x = TO_STRING(status) | KEEP x', 'FROM logs | extend x = string(status) | KEEP x'],
]

for (const [language, habits] of Object.entries(HABITS)) {
  for (const [text, fix] of habits) {
    test(`${language}: ${text} becomes ${fix}`, () => {
      assert.equal(fixed(text), fix)
    })
  }
}

/** The fix of the fix, until there is nothing to correct; what runs is what came of it. */
async function corrected(engine: Engine, text: string): Promise<string> {
  let current = text
  for (let round = 0; round < 4; round++) {
    const explained = await engine.explain(current)
    if (explained.is_valid) return current
    const errors = explained.errors as readonly DiagnosticJson[]
    const fix = errors[0]?.fix
    assert.ok(fix !== undefined, `${current}: ${errors.map(error => error.message).join('; ')}`)
    current = fix
  }
  return assert.fail(`${text} is still not right: ${current}`)
}

test('every corrected query runs, and names of functions are corrected too', async () => {
  const engine = await open(null)
  try {
    const line = JSON.stringify({ host: 'a', user: 'b', status: 500, ms: 4, msg: 'x', tags: 'a,b', n: 1 })
    const indexes = ['main', 'web', 'app', 'app-x', 'logs']
    engine.ingest(readEvents(indexes.map(index => ({ index, text: line }))))
    for (const [text, fix] of NAMES) assert.equal(await corrected(engine, text), fix)
    for (const [text] of Object.values(HABITS).flat()) {
      const query = await corrected(engine, text)
      await engine.query(query, { now: NOW }).collect()
    }
  } finally {
    await engine.close()
  }
})

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
    'select rank() over (order by a) from x',
  ]) {
    assert.deepEqual(codes(text), ['E307'], text)
    assert.equal(fixed(text), null, text)
  }
})
