/** postgres: the stderr log of PostgreSQL. What stands between time and level is up to `log_line_prefix`; the common ones are understood. */
import type { Value } from '../../storage/value.ts'
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, setSpan } from './extractor.ts'
import { computed, fieldTable, text } from './fields.ts'
import { digitsEnd, hasLayout } from './scan.ts'
import { fractionEnd } from './times.ts'
import { integerOf, textOf } from './values.ts'

const LEVELS = new Set([
  ...['DEBUG', 'DEBUG1', 'DEBUG2', 'DEBUG3', 'DEBUG4', 'DEBUG5', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'LOG', 'FATAL'],
  ...['PANIC', 'DETAIL', 'HINT', 'QUERY', 'CONTEXT', 'STATEMENT', 'LOCATION'],
])

const table = fieldTable({
  timestamp: text('with its zone, as written: `2026-06-01 10:00:00.123 UTC`'),
  pid: computed('int', 'of the session: `[1234]`', (line, start, end) => inBrackets(line, start, end, 0)),
  session_line: computed('int', 'line of the session: `[1234-1]`, `[1-1]`', (line, start, end) =>
    inBrackets(line, start, end, 1),
  ),
  user: computed('string', '`user=ann`, or before the @ of `ann@shop`', (line, start, end) => {
    return assigned(line, 'user=', start, end) ?? besideAt(line, start, end, 'before')
  }),
  database: computed('string', '`db=shop`, or behind the @', (line, start, end) => {
    return assigned(line, 'db=', start, end) ?? besideAt(line, start, end, 'behind')
  }),
  application: computed('string', '`app=psql`', (line, start, end) => assigned(line, 'app=', start, end)),
  clientip: computed('string', '`client=10.0.0.1`, `host=…`, or `10.0.0.1(5432)`', (line, start, end) => {
    return assigned(line, 'client=', start, end) ?? assigned(line, 'host=', start, end) ?? beforePort(line, start, end)
  }),
  level: text('LOG ERROR FATAL …; DETAIL, HINT, CONTEXT and STATEMENT belong to the line before'),
  message: text('the rest'),
  duration_ms: computed('float', 'of `duration: 12.3 ms`', duration),
  statement: computed('string', 'SQL behind a duration, of `statement: …`, or of a STATEMENT line', statement),
})
const { at } = table

export function createPostgres(): Extractor {
  return table.extractor((line, spans) => {
    const time = line.startsWith('< ') ? 2 : line.charCodeAt(0) === 60 ? 1 : 0
    if (!hasLayout(line, time, '0000-00-00 00:00:00')) return 'no time such as 2026-06-01 10:00:00.123 UTC at the start'
    const timeEnd = zoneEnd(line, fractionEnd(line, time + 19))
    const levelEnd = line.indexOf(':  ', timeEnd)
    const level = levelEnd < 0 ? -1 : levelStart(line, levelEnd, timeEnd)
    if (level < 0) return 'no level such as LOG: or ERROR: with two spaces behind it'
    setSpan(spans, at.timestamp, time, timeEnd)
    for (let field = at.pid; field <= at.clientip; field++) setSpan(spans, field, timeEnd, level)
    setSpan(spans, at.level, level, levelEnd)
    for (let field = at.message; field <= at.statement; field++) setSpan(spans, field, levelEnd + 3, line.length)
    if (line.startsWith('STATEMENT', level)) setSpan(spans, at.statement, level, line.length)
    return null
  })
}

/** ` UTC`, ` CEST`, ` +03` */
function zoneEnd(line: string, start: number): number {
  if (line[start] !== ' ') return start
  let end = start + 1
  while (end < start + 7) {
    const code = line.charCodeAt(end)
    const isZone = (code >= 65 && code <= 90) || code === 43 || code === 45 || (code >= 48 && code <= 57)
    if (!isZone) break
    end++
  }
  const next = line[end]
  const isZone = end > start + 1 && (next === ' ' || next === ':' || next === '>')
  return isZone && !LEVELS.has(line.slice(start + 1, end)) ? end : start
}

function levelStart(line: string, end: number, from: number): number {
  let start = end
  while (start > from) {
    const code = line.charCodeAt(start - 1)
    if (!((code >= 65 && code <= 90) || (code >= 48 && code <= 57))) break
    start--
  }
  return LEVELS.has(line.slice(start, end)) ? start : -1
}

/** The number `[1234]` or the second one of `[1234-2]`; pgBadger's `[1234]: [2-1]` has the line in brackets of its own. */
function inBrackets(line: string, start: number, end: number, which: 0 | 1): Value {
  for (let open = line.indexOf('[', start); open >= 0 && open < end; open = line.indexOf('[', open + 1)) {
    const first = digitsEnd(line, open + 1)
    if (first === open + 1) continue
    const isPair = line[first] === '-'
    const second = isPair ? digitsEnd(line, first + 1) : first
    if (line[second] !== ']' || (isPair && second === first + 1)) continue
    if (which === 0) return integerOf(line, open + 1, first)
    if (isPair) {
      // A pair that is the first in brackets is process and line; one that follows is line and something else.
      const isFirst = line.lastIndexOf('[', open - 1) < start
      return isFirst ? integerOf(line, first + 1, second) : integerOf(line, open + 1, first)
    }
  }
  return undefined
}

/** The value of `user=` in the prefix: up to a comma or a space. */
function assigned(line: string, key: string, start: number, end: number): Value {
  let found = line.indexOf(key, start)
  while (found > start && found < end && isWordCode(line.charCodeAt(found - 1))) found = line.indexOf(key, found + 1)
  if (found < 0 || found >= end) return undefined
  let valueEnd = found + key.length
  while (valueEnd < end && line[valueEnd] !== ',' && line[valueEnd] !== ' ') valueEnd++
  return known(line.slice(found + key.length, valueEnd))
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122) || code === 95
}

/** Before there is a session PostgreSQL writes `[unknown]`. */
function known(value: string): Value {
  return value === '' || value === '[unknown]' ? undefined : value
}

function besideAt(line: string, start: number, end: number, side: 'before' | 'behind'): Value {
  const place = line.indexOf('@', start)
  if (place < 0 || place >= end) return undefined
  let edge = side === 'before' ? place : place + 1
  if (side === 'before') {
    while (edge > start && !isBreak(line.charCodeAt(edge - 1))) edge--
    return known(line.slice(edge, place))
  }
  while (edge < end && !isBreak(line.charCodeAt(edge))) edge++
  return known(line.slice(place + 1, edge))
}

/** Space, comma, colon: where a user or a database ends in the prefixes of Debian and of RDS. */
function isBreak(code: number): boolean {
  return code === 32 || code === 44 || code === 58
}

/** `10.0.0.1(5432)` */
function beforePort(line: string, start: number, end: number): Value {
  const open = line.indexOf('(', start)
  if (open < 0 || open >= end || line[digitsEnd(line, open + 1)] !== ')') return undefined
  let edge = open
  while (edge > start && !isBreak(line.charCodeAt(edge - 1))) edge--
  return known(line.slice(edge, open))
}

function duration(line: string, start: number): Value {
  if (!line.startsWith('duration: ', start)) return undefined
  const end = fractionEnd(line, digitsEnd(line, start + 10))
  return end > start + 10 && line.startsWith(' ms', end) ? Number(line.slice(start + 10, end)) : undefined
}

/** Behind `statement: `, or behind `parse <name>: ` and the like, with a duration before it or without. */
function statement(line: string, start: number, end: number): Value {
  if (line.startsWith('STATEMENT:', start)) return textOf(line, start + 12, end)
  const timed = line.startsWith('duration: ', start) ? line.indexOf(' ms  ', start) : -1
  const from = timed < 0 ? start : timed + 5
  for (const kind of ['statement', 'parse', 'bind', 'execute', 'fastpath function call']) {
    if (!line.startsWith(kind, from)) continue
    const colon = line.indexOf(': ', from)
    return colon < 0 ? undefined : textOf(line, colon + 2, end)
  }
  return undefined
}

export const postgres: FormatDescriptor = {
  summary:
    'The stderr log of PostgreSQL with the usual values of `log_line_prefix`: `%m [%p] `, Debian (`%q%u@%d`), pgBadger (`user=%u,db=%d,app=%a,client=%h`), Amazon RDS. What the prefix does not have stays missing.',
  options: {},
  fields: table.fields,
  otherFields: null,
  example: {
    query: 'parse postgres | keep pid, user, database, level, duration_ms, statement',
    input: '2026-06-01 10:00:00.123 UTC [1234] ann@shop LOG:  duration: 1532.107 ms  statement: SELECT * FROM orders',
    output:
      '{"pid":1234,"user":"ann","database":"shop","level":"LOG","duration_ms":1532.107,"statement":"SELECT * FROM orders"}',
  },
  create: createPostgres,
}
