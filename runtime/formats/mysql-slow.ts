/** mysql_slow: one entry of the slow query log of MySQL, MariaDB or Percona Server: comment lines with numbers, then the statement. */
import type { Value } from '../../storage/value.ts'
import type { FieldDoc, FormatDescriptor } from './descriptor.ts'
import { type Extractor, openExtractor } from './extractor.ts'
import { Pairs, typedCapture } from './values.ts'

const FIELDS: readonly FieldDoc[] = [
  { name: 'timestamp', type: 'any', doc: 'of `# Time:` as written; else the epoch seconds of `SET timestamp=`' },
  { name: 'user', type: 'string', doc: 'who asked' },
  { name: 'host', type: 'string', doc: 'name of the client' },
  { name: 'clientip', type: 'string', doc: 'address of the client' },
  { name: 'connection', type: 'int', doc: 'its number: `Id:`' },
  { name: 'query_time', type: 'number', doc: 'seconds' },
  { name: 'lock_time', type: 'number', doc: 'seconds' },
  { name: 'rows_sent', type: 'int', doc: 'to the client' },
  { name: 'rows_examined', type: 'int', doc: 'to find them' },
  { name: 'database', type: 'string', doc: 'of `use …;` or `Schema:`' },
  { name: 'statement', type: 'string', doc: 'the SQL, or the administrator command' },
]

const ADMINISTRATOR = '# administrator command: '

export function createMysqlSlow(): Extractor {
  const words = new Pairs()
  const numbers = new Pairs()
  return openExtractor({
    read(text) {
      words.clear()
      numbers.clear()
      const lines = text.split('\n').map(line => (line.endsWith('\r') ? line.slice(0, -1) : line))
      let next = 0
      for (; next < lines.length && (lines[next]!.startsWith('#') || lines[next] === ''); next++) {
        const line = lines[next]!
        if (line.startsWith('# Time: ')) words.add('timestamp', line.slice(8).trim())
        else if (line.startsWith('# User@Host: ')) readUser(line.slice(13), words, numbers)
        else if (line.startsWith(ADMINISTRATOR)) words.add('statement', line.slice(2))
        else if (line.startsWith('# ')) readNumbers(line.slice(2), words, numbers)
      }
      if (!numbers.has('query_time')) return 'no line # Query_time: in the text'
      readStatement(lines, next, words, numbers)
      return null
    },
    emit(sink) {
      numbers.emit(sink, measured)
      words.emit(sink, text => text)
    },
  })
}

/** Numbers are measured, so `0.000100` is one; a word among them (`QC_hit: No`) stays. */
function measured(text: string): Value {
  return /^\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : typedCapture(text)
}

/** `root[root] @ localhost [127.0.0.1]  Id:    10`; host and address may be empty. */
function readUser(text: string, words: Pairs, numbers: Pairs): void {
  const place = text.indexOf('@')
  if (place < 0) return
  const alias = text.indexOf('[')
  const user = text.slice(0, alias >= 0 && alias < place ? alias : place).trim()
  const open = text.indexOf('[', place)
  const close = text.indexOf(']', open + 1)
  const host = text.slice(place + 1, open < 0 ? text.length : open).trim()
  if (user !== '') words.add('user', user)
  if (host !== '') words.add('host', host)
  if (open < 0 || close < 0) return
  if (close > open + 1) words.add('clientip', text.slice(open + 1, close))
  const id = /^\s*Id:\s*(\d+)/.exec(text.slice(close + 1))?.[1]
  if (id !== undefined) numbers.add('connection', id)
}

/** `Query_time: 2.000123  Lock_time: 0.000100 Rows_sent: 1`: lower-cased names. */
function readNumbers(text: string, words: Pairs, numbers: Pairs): void {
  const pieces = text.split(/\s+/)
  for (let i = 0; i + 1 < pieces.length; i++) {
    const name = pieces[i]!
    // A name whose value is left out is followed by the next name.
    if (!name.endsWith(':') || name.length === 1 || pieces[i + 1]!.endsWith(':')) continue
    if (name === 'Schema:') words.add('database', pieces[i + 1]!)
    else numbers.add(name.slice(0, -1).toLowerCase(), pieces[i + 1]!)
    i++
  }
}

/** `use shop;` and `SET timestamp=1465776000;` stand before the statement itself. */
function readStatement(lines: readonly string[], start: number, words: Pairs, numbers: Pairs): void {
  let next = start
  const database = /^use [`"]?([^`";]+)/i.exec(lines[next] ?? '')?.[1]
  if (database !== undefined) {
    words.add('database', database.trim())
    next++
  }
  const seconds = /^SET timestamp=(\d+)/i.exec(lines[next] ?? '')?.[1]
  if (seconds !== undefined) {
    if (!words.has('timestamp')) numbers.add('timestamp', seconds)
    next++
  }
  const statement = lines.slice(next).join('\n').trim()
  if (statement !== '') words.add('statement', statement.startsWith(ADMINISTRATOR) ? statement.slice(2) : statement)
}

export const mysqlSlow: FormatDescriptor = {
  summary: 'An entry of the slow query log of MySQL, MariaDB or Percona Server, its lines in one text.',
  options: {},
  fields: FIELDS,
  otherFields: 'one for each other number of the entry, its name in lower case: `rows_affected`, `bytes_sent`, …',
  example: {
    query: 'parse mysql_slow from entry | keep user, query_time, rows_examined, database, statement',
    input:
      '{"entry":"# Time: 2026-06-01T10:00:00.123456Z\\n# User@Host: app[app] @ web-1 [10.0.0.7]  Id:    42\\n# Query_time: 2.000123  Lock_time: 0.0001 Rows_sent: 1  Rows_examined: 100000\\nuse shop;\\nSET timestamp=1780308000;\\nSELECT * FROM orders WHERE total > 10;"}',
    output:
      '{"user":"app","query_time":2.000123,"rows_examined":100000,"database":"shop","statement":"SELECT * FROM orders WHERE total > 10;"}',
  },
  create: createMysqlSlow,
}
