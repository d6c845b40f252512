/** A query for every diagnostic code, and the frame the engine prints for it. The type asks for one of each new code. */
import { CompileError, open } from '../../engine.ts'
import { type Diagnostic, type DiagnosticCode, renderDiagnostic } from '../../grammar/index.ts'
import { NOW, readEvents } from '../case-input.ts'

/** Null: no query gives it yet. */
const QUERIES: Readonly<Record<DiagnosticCode, string | null>> = {
  E101: 'stats count() by host | where hsot == "a"',
  E102: 'where status >= 500 | sotr -ms',
  E103: 'from mian | head 5',
  E104: 'extend h = lowr(host)',
  E105: 'where host == $host',
  E106: 'stats max(ms) as ms, min(ms) as ms',
  E107: 'from main | parse jason',
  E108: 'from main | parse kv(asign=":")',
  E109: 'let $slow = where ms > 500; where ms > $slow',
  E110: 'lookup hosts on host',
  E111: 'use errors | head 5',
  E201: 'extend h = lower(host, "x")',
  E202: 'stats sum(ms > 5)',
  E203: 'where [1, 2] == 5',
  E204: 'where avg(ms) > 5',
  E205: 'where matches(host, r"(a")',
  E206: 'from main | head -5',
  E207: 'from main | `ms` + 1',
  E301: 'where status >= | sort -ms',
  E302: 'where host == "web',
  E303: "where host == 'web-1'",
  E304: 'from main | where status = 500',
  E305: 'extend slow == ms > 500',
  E306: 'stats count by host',
  E307: 'where status >= 500 && ms > 10',
  E308: 'where 1 < status < 500',
  E309: 'where (status >= 500',
  E310: 'where ms > 5minutes',
  E311: 'where status >= 500 # slow',
  E312: 'where status >= 500 | | head 5',
  E401: 'stats count() by host | fill',
  E402: null,
  E403: 'where ms > 5 | materialize "mv_slow"',
  E501: null,
  E502: null,
  H901: 'from main *out',
  H902: null,
  H903: 'where matches(_raw, r"\\d+")',
  H904: 'head 100 | sort -ms',
  H905: 'where code >= 500',
  H906: 'where hots == "a"',
  H907: 'parse json',
  H909: 'where ms == null',
  H908: 'extend next = 9223372036854775807 + ms',
  H910: 'diff (status > 900)',
  H911: 'parse pattern "<host> text"',
  H912: 'let $slow = where ms > 500; head 5',
  H913: 'join on host == ms with [head 1]',
  H914: 'stats avg(code) as code by host | sort -code | head 1',
  H915: null,
  H916: 'head abc',
}

/** Limits cannot be shown in a line. */
export const UNSHOWN: ReadonlyMap<DiagnosticCode, string> = new Map([
  ['E501', 'A query text longer than 1,048,576 characters.'],
  ['H902', 'A query over all time, where there are 10 million events or more: name a range, `from main[-24h]`.'],
  ['H915', 'A query whose rows or groups did not fit in its memory: its answer is the same, and took longer.'],
  ['E502', 'Brackets, operators or calls nested deeper than the parser allows.'],
])

export function queryFor(code: DiagnosticCode): string | null {
  return QUERIES[code]
}

/** What the engine says of the query, or null when there is no query for the code. @throws when it says something else. */
export async function errorExample(code: DiagnosticCode): Promise<string | null> {
  const query = QUERIES[code]
  if (query === null) return null
  const found = await diagnosticsOf(query)
  const match = found.find(({ diagnostic }) => diagnostic.code === code)
  if (match === undefined) {
    throw new Error(`${code}: '${query}' gives ${found.map(each => each.diagnostic.code).join(', ') || 'nothing'}`)
  }
  return match.text
}

async function diagnosticsOf(query: string): Promise<{ readonly diagnostic: Diagnostic; readonly text: string }[]> {
  const engine = await open(null)
  try {
    engine.ingest(
      readEvents([
        {
          index: 'main',
          text: '{"host":"a","status":200,"ms":4,"code":"200"}\nplain text\n{"message":"x","host":"b","_raw":"web text"}',
        },
      ]),
    )
    const run = engine.query(query, { now: NOW })
    await run.collect()
    return run.hints.map(diagnostic => ({ diagnostic, text: framed(query, diagnostic) }))
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    return error.diagnostics.map(diagnostic => ({ diagnostic, text: framed(query, diagnostic) }))
  } finally {
    await engine.close()
  }
}

/** What is known of the data has no place in the query. */
function framed(query: string, diagnostic: Diagnostic): string {
  if (diagnostic.span.end > diagnostic.span.start) return renderDiagnostic({ text: query }, diagnostic)
  return `${query}\n${diagnostic.code}: ${diagnostic.message}`
}
