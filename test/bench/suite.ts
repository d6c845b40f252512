/** What is measured and what must be reached, as data: the table of design/engine.md. One question, asked of both engines. */
import type { Events } from './generate.ts'

export interface Question {
  readonly name: string
  readonly quern: string
  readonly duckdb: string
  /** How many times faster than DuckDB Quern has to be. */
  readonly mustReach: number
  /** Columns both answers have; their rows have to be the same rows, in any order. */
  readonly compare: readonly string[]
  /** Relative difference allowed between numbers. Sums of floats differ by their order, sketches by their design. */
  readonly tolerance: number
}

/** Measured once, when the events are loaded. */
export const LOAD_MUST_REACH = 1.5
/** Bytes on disk, of DuckDB's. */
export const DISK_MUST_REACH = 0.75

const SAME = 1e-9
/** DuckDB's quantiles are estimates too. */
const ESTIMATED = 0.03

export function questions(events: Events): readonly Question[] {
  return [
    question('count by level', 3, ['level', 'n'], {
      quern: 'from main | stats count() as n by level',
      duckdb: 'SELECT level, count(*) AS n FROM events GROUP BY level',
    }),
    question('status >= 500: count, avg by path, top 10', 3, ['path', 'n', 'mean'], {
      quern:
        'from main | where status >= 500 | stats count() as n, avg(duration_ms) as mean by path | sort -n, path | head 10',
      duckdb: `SELECT path, count(*) AS n, avg(duration_ms) AS mean FROM events WHERE status >= 500
               GROUP BY path ORDER BY n DESC, path LIMIT 10`,
    }),
    question('1-minute bins by service', 3, ['minute', 'service', 'n'], {
      quern: 'from main | stats count() as n by bin(_time, 1m) as minute, service',
      duckdb: `SELECT date_trunc('minute', timestamp) AS minute, service, count(*) AS n FROM events GROUP BY minute, service`,
    }),
    question('p95 by service', 5, ['service', 'p'], {
      quern: 'from main | stats p95(duration_ms) as p by service',
      duckdb: 'SELECT service, approx_quantile(duration_ms, 0.95) AS p FROM events GROUP BY service',
      tolerance: ESTIMATED,
    }),
    question('avg, sum by host and status', 1.5, ['host', 'status', 'mean', 'total'], {
      quern: 'from main | stats avg(duration_ms) as mean, sum(bytes) as total by host, status',
      duckdb: 'SELECT host, status, avg(duration_ms) AS mean, sum(bytes) AS total FROM events GROUP BY host, status',
    }),
    question('exact distinct users by service', 5, ['service', 'n'], {
      quern: 'from main | stats dc(user) as n by service',
      duckdb: 'SELECT service, count(DISTINCT user) AS n FROM events GROUP BY service',
    }),
    question('top 10 of 100 k users', 1.5, ['user', 'n'], {
      quern: 'from main | stats count() as n by user | sort -n, user | head 10',
      duckdb: 'SELECT "user", count(*) AS n FROM events GROUP BY "user" ORDER BY n DESC, "user" LIMIT 10',
    }),
    question('top 10 path', 1, ['path', 'n'], {
      quern: 'from main | stats count() as n by path | sort -n, path | head 10',
      duckdb: 'SELECT path, count(*) AS n FROM events GROUP BY path ORDER BY n DESC, path LIMIT 10',
    }),
    question('phrase in the message, common', 2, ['n'], {
      quern: 'from main | where contains(message, "connection reset") | stats count() as n',
      // Quern's `contains` ignores case, which costs DuckDB more than its `contains` does: it is given the easier question.
      duckdb: `SELECT count(*) AS n FROM events WHERE contains(message, 'connection reset')`,
    }),
    question('trace id, anywhere in the text', 50, ['_raw'], {
      // A bare word, as one is pasted: a word of the text, which filters can skip blocks by; quoted it would be any part of it.
      quern: `from main ${events.needle}`,
      duckdb: `SELECT raw AS _raw FROM texts.lines WHERE contains(raw, '${events.needle}')`,
    }),
    question('case-insensitive regex over the message', 1.5, ['n'], {
      quern: 'from main | where matches(message, r"(?i)timeout after") | stats count() as n',
      duckdb: `SELECT count(*) AS n FROM events WHERE message ILIKE '%timeout after%'`,
    }),
    question('sort by duration, first 100 whole events', 2, ['duration_ms'], {
      quern: 'from main | sort -duration_ms | head 100',
      duckdb: 'SELECT * FROM events ORDER BY duration_ms DESC LIMIT 100',
    }),
    question('newest 50 errors', 1, ['timestamp', 'level'], {
      quern: 'from main | where level == "error" | sort -_time | head 50',
      duckdb: `SELECT * FROM events WHERE level = 'error' ORDER BY timestamp DESC LIMIT 50`,
    }),
    question('regex capture, group by it', 2, ['who', 'n'], {
      quern:
        'from main | extend who = extract(message, r"user (u\\d+) logged in") | where not is_null(who)' +
        ' | stats count() as n by who | sort -n, who | head 10',
      duckdb: `SELECT regexp_extract(message, 'user (u\\d+) logged in', 1) AS who, count(*) AS n FROM events
               WHERE who <> '' GROUP BY who ORDER BY n DESC, who LIMIT 10`,
    }),
  ]
}

export function question(
  name: string,
  mustReach: number,
  compare: readonly string[],
  asked: { readonly quern: string; readonly duckdb: string; readonly tolerance?: number },
): Question {
  return { name, mustReach, compare, tolerance: SAME, ...asked }
}
