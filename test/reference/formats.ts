/**
 * The formats of `parse`, each by the plainest regular expression that reads what people write. Slow on hostile texts, and right
 * about real ones.
 */
import type { AstFormat } from '../../grammar/ast.ts'
import { FORMATS } from '../../runtime/formats/index.ts'
import { flattenInto } from '../../storage/ingest/flatten.ts'
import { parseExactJson } from '../../storage/ingest/json.ts'
import type { Value } from '../../storage/value.ts'
import { readAuto } from './auto.ts'
import { readGrok } from './grok.ts'
import { isObject } from './row.ts'
import { readSyslog } from './syslog.ts'
import { type Found, groupsOf, isFailure, known, request, typed, unquote, whole, withoutDashes } from './texts.ts'

export function readFormat(format: AstFormat, text: string): Found {
  const option = (name: string): string | undefined => format.options.findLast(each => each.name === name)?.value
  switch (format.format) {
    case 'json':
      return readJson(text)
    case 'logfmt':
      return readLogfmt(text)
    case 'kv':
      return readKv(text, option('sep') ?? ' ', option('assign') ?? '=')
    case 'csv':
      return readCsv(text, option('columns'), option('sep') ?? ',')
    case 'regex':
      return readRegex(text, format.pattern?.text ?? '')
    case 'pattern':
      return readPattern(text, format.pattern?.text ?? '')
    case 'grok':
      return readGrok(text, format.pattern?.text ?? '')
    case 'first_of':
      return readFirst(format.alternatives.map(each => [each.format, () => readFormat(each, text)]))
    case 'auto':
      return readAuto(text, name => readFormat({ format: name, pattern: null, options: [], alternatives: [] }, text))
    case 'syslog':
      return readSyslog(text)
    case 'clf':
      return readAccess(text, false)
    case 'combined':
      return readAccess(text, true)
    case 'nginx_error':
      return readNginxError(text)
    case 'apache_error':
      return readApacheError(text)
    case 'haproxy':
      return readHaproxy(text)
    case 'w3c':
      return readW3c(text, option('fields'))
    case 'cef':
      return readCef(text)
    case 'leef':
      return readLeef(text)
    case 'docker':
      return readDocker(text)
    case 'cri':
      return readCri(text)
    case 'klog':
      return readKlog(text)
    case 'redis':
      return readRedis(text)
    case 'postgres':
      return readPostgres(text)
    case 'mysql_slow':
      return readMysqlSlow(text)
    case 'java_stack':
      return readJavaStack(text)
  }
}

/** Fields a format is known to make before any text is read; null when only texts tell. */
export function namesOf(format: AstFormat): readonly string[] | null {
  const text = format.pattern?.text ?? ''
  const option = (name: string): string | undefined => format.options.findLast(each => each.name === name)?.value
  switch (format.format) {
    case 'pattern':
      return [...text.matchAll(/<([A-Za-z_@][\w.@-]*)>/g)].map(match => match[1] as string).filter(name => name !== '_')
    case 'regex':
      return [...text.matchAll(/\(\?P?<([A-Za-z_]\w*)>/g)].map(match => match[1] as string)
    case 'grok':
      return [...text.matchAll(/%\{\w+:([^:}]+)/g)].map(match => match[1] as string)
    case 'csv':
      return option('columns')?.split(option('sep') ?? ',') ?? null
    case 'w3c':
      return w3cNames(option('fields'))
    case 'first_of': {
      const names = format.alternatives.map(namesOf)
      return names.includes(null) ? null : ['_format', ...names.flatMap(each => each ?? [])]
    }
    default: {
      const { fields, otherFields } = FORMATS[format.format]
      return otherFields === null ? fields.map(field => field.name) : null
    }
  }
}

export function readFirst(ways: readonly (readonly [format: string, read: () => Found])[]): Found {
  for (const [format, read] of ways) {
    const found = read()
    if (!isFailure(found)) return new Map<string, Value>([['_format', format], ...found])
  }
  return 'no format fits'
}

// ── Layouts of one's own ────────────────────────────────────────────────────────────────────────────────────────────

export function readJson(text: string): Found {
  let document: unknown
  try {
    document = parseExactJson(text)
  } catch {
    return 'invalid JSON'
  }
  if (!isObject(document as Value)) return 'not an object'
  const fields = new Map<string, Value>()
  flattenInto(fields, document as Readonly<Record<string, unknown>>)
  return fields
}

function pair(text: string): Value {
  return /^".*"$/s.test(text) && text.length > 1 ? unquote(text) : typed(text)
}

function readLogfmt(text: string): Found {
  if (!/^\s*[A-Za-z_@\u0080-\uffff][\w.@/\u0080-\uffff-]*=/.test(text)) return 'no pair at the start'
  const fields = new Map<string, Value>()
  const flags = new Map<string, Value>()
  for (const [, name, value, flag] of text.matchAll(/([^\s="]+)=("(?:[^"\\]|\\.)*"|\S*)|([^\s=]+)/gs)) {
    if (flag !== undefined) flags.set(flag, true)
    else fields.set(name as string, pair(value as string))
  }
  return new Map([...flags, ...fields])
}

function readKv(text: string, separator: string, assign: string): Found {
  const fields = new Map<string, Value>()
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf(separator)
    const piece = end < 0 ? rest : rest.slice(0, end)
    const at = piece.indexOf(assign)
    const name = at < 0 ? '' : piece.slice(0, at).trim()
    const value = rest.slice(at + assign.length)
    const quoted = at < 0 ? null : /^"(?:[^"\\]|\\.)*"/s.exec(value)?.[0]
    const isWhole = quoted != null && (quoted.length === value.length || value.startsWith(separator, quoted.length))
    const raw = isWhole ? quoted : at < 0 ? '' : value.slice(0, indexOrEnd(value, separator))
    if (name !== '') fields.set(name, pair(raw.trim()))
    rest = at < 0 ? rest.slice(piece.length + separator.length) : value.slice(raw.length + separator.length)
  }
  return fields.size === 0 ? 'no pairs' : fields
}

function indexOrEnd(text: string, wanted: string): number {
  const at = text.indexOf(wanted)
  return at < 0 ? text.length : at
}

function readCsv(text: string, columns: string | undefined, separator: string): Found {
  const cells = csvCells(text, separator)
  if (cells === null) return 'not csv'
  const names = columns === undefined ? cells.map((_, i) => `column${i + 1}`) : csvCells(columns, separator)
  const texts = cells.map(cellText)
  if (names === null || names.length !== cells.length || cells.length === (columns === undefined ? 1 : 0))
    return 'cells'
  if (columns !== undefined && texts.join('\n') === names.map(cellText).join('\n')) return 'the header'
  const fields = new Map<string, Value>()
  for (const [i, cell] of cells.entries()) {
    const name = cellText(names[i] as string)
    if (cell !== '' && name !== '' && name !== '_')
      fields.set(name, cell.startsWith('"') ? cellText(cell) : typed(cell))
  }
  return fields
}

/** Cells as they stand, quotes included; null when quotes are out of place. */
function csvCells(line: string, separator: string): string[] | null {
  const text = line.replace(/[\r\n]+$/, '')
  if (text === '') return null
  const blank = separator.startsWith(' ') ? '' : ' *'
  const escaped = separator.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const cells: string[] = []
  for (let rest = text; ; ) {
    const quoted = new RegExp(`^${blank}("(?:[^"]|"")*")${blank}(?:(${escaped})|$)`, 's').exec(rest)
    const plain = new RegExp(`^${blank}(?!")(.*?)${blank}(?:(${escaped})|$)`, 's').exec(rest)
    const match = quoted ?? plain
    if (match === null) return null
    cells.push(match[1] as string)
    if (match[2] === undefined) return cells
    rest = rest.slice(match[0].length)
  }
}

function cellText(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
}

function readRegex(text: string, pattern: string): Found {
  const match = new RegExp(pattern.replaceAll('(?P<', '(?<'), 'u').exec(text)
  if (match === null) return 'no match'
  return new Map([...groupsOf(match)].map(([name, value]) => [name, typed(value)]))
}

/** `<ip> - [<ts>]`: literal text around captures that reach as far as the next literal; `<_>` is skipped. */
function readPattern(text: string, pattern: string): Found {
  const names: string[] = []
  const pieces = pattern.split(/<([A-Za-z_@][\w.@-]*)>/)
  const regex = pieces.map((piece, i) => {
    if (i % 2 === 0) return piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    names.push(piece)
    return i === pieces.length - 2 && pieces.at(-1) === '' ? '(.*)' : '(.*?)'
  })
  const match = new RegExp(`^${regex.join('')}`, 's').exec(text)
  if (match === null) return 'no match'
  const fields = new Map<string, Value>()
  names.forEach((name, i) => {
    if (name !== '_') fields.set(name, typed(match[i + 1] ?? ''))
  })
  return fields
}

// ── Web servers ─────────────────────────────────────────────────────────────────────────────────────────────────────

const ACCESS =
  /^(?<clientip>[^ ]+) (?<ident>[^ ]*)(?: (?<auth>.*?))? \[(?<timestamp>.*?)\] "(?<line>(?:[^"\\]|\\.)*)" (?<status>\d{3}) (?<bytes>\d+|-)(?<rest>.*)$/s

function readAccess(text: string, isCombined: boolean): Found {
  const match = ACCESS.exec(text)
  if (match === null) return 'no match'
  const { line = '', rest = '', ...groups } = Object.fromEntries(groupsOf(match))
  if (rest !== '' && !(isCombined && rest.startsWith(' '))) return 'more than the format has'
  const tail = /^ "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"/s.exec(rest)
  const all = { ...groups, ...(tail && { referrer: tail[1] as string, agent: tail[2] as string }) }
  return new Map<string, Value>([
    ...withoutDashes(all, ['timestamp', 'clientip']).map(([name, value]): [string, Value] => [
      name,
      name === 'status' || name === 'bytes' ? whole(value) : value,
    ]),
    ...request(line),
  ])
}

const NGINX_ERROR =
  /^(?<timestamp>\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d) \[(?<level>.+?)\] (?<pid>\d+)#(?<tid>\d+): ?(?:\*(?<connection>\d+) )?(?<message>.*?)(?:, client: (?<clientip>.*?))?(?:, server: (?<server>.*?))?(?:, request: (?<line>.*?))?(?:, subrequest: (?<subrequest>.*?))?(?:, upstream: (?<upstream>.*?))?(?:, host: (?<host>.*?))?(?:, referrer: (?<referrer>.*?))?$/s

function readNginxError(text: string): Found {
  const match = NGINX_ERROR.exec(text)
  if (match === null) return 'no match'
  const fields = new Map<string, Value>()
  for (const [name, value] of groupsOf(match)) {
    const bare = name !== 'message' && /^".*"$/s.test(value) && value.length > 1 ? value.slice(1, -1) : value
    if (name === 'line') for (const [part, found] of request(bare)) fields.set(part, found)
    else fields.set(name, ['pid', 'tid', 'connection'].includes(name) ? whole(bare) : bare)
  }
  return fields
}

const APACHE_ERROR =
  /^\[(?<timestamp>\w{3} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ \d\d:\d\d:\d\d(?:\.\d+)? \d{4})\] \[(?:(?<module>[^:\]]*)(?<colon>:))?(?<level>[A-Za-z0-9]+)\] ?(?:\[pid (?<pid>\d+)(?::tid (?<tid>\d+))?\] ?)?(?:(?<source>\w+\.c\(\d+\)): ?)?(?:(?<os_error>\(\d+\).*?): )?(?:\[client (?<client>[^\]]*)\] ?)?(?:(?<code>AH\d+): )?(?<message>.*?)(?:, referer: (?<referrer>(?:(?!, referer: ).)*))?$/s

function readApacheError(text: string): Found {
  const match = APACHE_ERROR.exec(text)
  if (match === null) return 'no match'
  const { client, colon, ...groups } = Object.fromEntries(groupsOf(match))
  const fields = new Map<string, Value>()
  for (const [name, value] of Object.entries(groups)) {
    if (name !== 'module' || value !== '') fields.set(name, name === 'pid' || name === 'tid' ? whole(value) : value)
  }
  if (client !== undefined) {
    const port = colon === undefined ? null : /^(.+):(\d+)$/.exec(client)
    fields.set('clientip', port?.[1] ?? client)
    if (port !== null) fields.set('clientport', whole(port[2] as string))
  }
  return fields
}

const HAPROXY_START =
  /^(?:[^\]]*\]: )?(?<clientip>[^ ]+):(?<clientport>\d+) \[(?<timestamp>.*?)\] (?<frontend>[^ ]+) (?<rest>.*)$/s
const HAPROXY_STATE =
  '(?<termination_state>[^ ]+) (?<actconn>\\d+)/(?<feconn>\\d+)/(?<beconn>\\d+)/(?<srvconn>\\d+)/\\+?(?<retries>\\d+) (?<srv_queue>\\d+)/(?<backend_queue>\\d+)'
const HAPROXY_TARGET = '^(?<backend>[^ /]*)/(?<server>[^ ]*) '
const HAPROXY_HTTP = new RegExp(
  `${HAPROXY_TARGET}(?<time_request>-?\\d+)/(?<time_queue>-?\\d+)/(?<time_connect>-?\\d+)/(?<time_response>-?\\d+)/\\+?(?<time_total>-?\\d+) (?<status>-?\\d+) \\+?(?<bytes>-?\\d+) (?<request_cookie>[^ ]*) (?<response_cookie>[^ ]*) ${HAPROXY_STATE}(?: (?:\\{(?<request_headers>.*?)\\} )?(?:\\{(?<response_headers>.*?)\\} )?"(?:(?<line>.*)"[^"]*|(?<cut>[^"]*)))?$`,
  's',
)
const HAPROXY_TCP = new RegExp(
  `${HAPROXY_TARGET}(?<time_queue>-?\\d+)/(?<time_connect>-?\\d+)/\\+?(?<time_total>-?\\d+) \\+?(?<bytes>-?\\d+) ${HAPROXY_STATE}(?: .*)?$`,
  's',
)
const HAPROXY_TEXTS = new Set([
  ...['clientip', 'timestamp', 'frontend', 'backend', 'server', 'request_cookie', 'response_cookie'],
  ...['termination_state', 'request_headers', 'response_headers'],
])

function readHaproxy(text: string): Found {
  const start = HAPROXY_START.exec(text)
  if (start === null) return 'no match'
  const { rest = '', frontend = '', ...front } = Object.fromEntries(groupsOf(start))
  const fields = new Map<string, Value>([
    ['clientip', front.clientip],
    ['clientport', whole(front.clientport as string)],
    ['timestamp', front.timestamp],
  ])
  if (frontend.endsWith(':')) {
    const [, name, bind] = /^(.*?)(?:\/(.*))?:$/s.exec(frontend) as RegExpExecArray
    fields.set('frontend', name).set('message', rest)
    if (bind !== undefined) fields.set('bind', bind)
    return fields
  }
  const match = HAPROXY_HTTP.exec(rest) ?? HAPROXY_TCP.exec(rest)
  if (match === null) return 'no match'
  fields.set('frontend', frontend)
  for (const [name, value] of groupsOf(match)) {
    if (name === 'line' || name === 'cut') for (const [part, found] of request(value)) fields.set(part, found)
    else if (!HAPROXY_TEXTS.has(name)) fields.set(name, Number(value))
    else if (!(name.endsWith('_cookie') && value === '-')) fields.set(name, value)
  }
  return fields
}

const IIS =
  'date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken'

function w3cNames(fields: string | undefined): string[] {
  const words = (fields ?? IIS).trim().replace(/^#Fields:\s*/i, '')
  return words.split(/\s+/).map(word =>
    word
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, ''),
  )
}

function readW3c(text: string, option: string | undefined): Found {
  const names = w3cNames(option)
  const line = text.replace(/\r$/, '')
  if (line.startsWith('#')) return 'a directive'
  const cells = line.includes('\t')
    ? (line.match(/(?:^|\t)("[^\t]*?"(?=\t)|[^\t]*)/g) ?? []).map(cell => cell.replace(/^\t/, ''))
    : line.split(/ (?=(?:[^"]*"[^"]*")*[^"]*$)/)
  if (cells.length !== names.length) return 'another number of values'
  const fields = new Map<string, Value>()
  for (const [i, cell] of cells.entries()) {
    const name = names[i] as string
    if (name === 'date' && !/^\d{4}-\d\d-\d\d$/.test(cell)) return 'no date'
    if (name === 'time' && !/^\d\d:\d\d:\d\d$/.test(cell)) return 'no time'
    if (cell === '' || cell === '-') continue
    fields.set(name, /^".*"$/.test(cell) && cell.length > 1 ? cell.slice(1, -1) : typed(cell))
  }
  return fields
}

// ── Security devices ────────────────────────────────────────────────────────────────────────────────────────────────

const BARRED = '((?:[^|\\\\]|\\\\.)*)\\|'

function bareText(text: string): string {
  return text.replace(/\\([\\|=nr])/g, (_, char: string) => ({ n: '\n', r: '\r' })[char] ?? char)
}

function readCef(text: string): Found {
  const match = new RegExp(`CEF:${BARRED.repeat(7)}(.*)$`, 's').exec(text)
  if (match === null) return 'no match'
  const fields = new Map<string, Value>()
  const pieces = (match[8] as string).split(/(?:^| )([\w.[\]-]+)=/)
  // A key that is the value's beginning (`a=b=c`) belongs to the value: the split needs a space in front.
  for (let i = 1; i + 1 < pieces.length; i += 2)
    fields.set(pieces[i] as string, typed(bareText((pieces[i + 1] as string).trimEnd())))
  const names = [
    'cefVersion',
    'deviceVendor',
    'deviceProduct',
    'deviceVersion',
    'deviceEventClassId',
    'name',
    'severity',
  ]
  for (const [i, name] of names.entries()) {
    const value = match[i + 1] as string
    if (value !== '') fields.set(name, name === 'cefVersion' || name === 'severity' ? typed(value) : bareText(value))
  }
  return fields
}

function readLeef(text: string): Found {
  const match = new RegExp(`LEEF:${BARRED.repeat(5)}(.*)$`, 's').exec(text)
  if (match === null) return 'no match'
  const declared = (match[1] as string).startsWith('2')
    ? /^(?:(?:0?x([0-9a-fA-F]{1,4}))|([^|]?))\|(.*)$/s.exec(match[6] as string)
    : null
  const delimiter =
    declared?.[1] !== undefined ? String.fromCharCode(Number.parseInt(declared[1], 16)) : declared?.[2] || '\t'
  const fields = new Map<string, Value>()
  for (const piece of (declared?.[3] ?? (match[6] as string)).split(delimiter)) {
    const [, name, value] = /^\s*(.*?)\s*=(.*)$/s.exec(piece) ?? []
    if (name !== undefined && name !== '') fields.set(name, typed((value as string).trim()))
  }
  for (const [i, name] of ['leefVersion', 'deviceVendor', 'deviceProduct', 'deviceVersion', 'eventId'].entries()) {
    if (match[i + 1] !== '') fields.set(name, bareText(match[i + 1] as string))
  }
  return fields
}

// ── Containers and servers ──────────────────────────────────────────────────────────────────────────────────────────

function readDocker(text: string): Found {
  let document: Readonly<Record<string, unknown>>
  try {
    document = parseExactJson(text) as Readonly<Record<string, unknown>>
  } catch {
    return 'invalid JSON'
  }
  if (!isObject(document as Value) || typeof document.log !== 'string') return 'no log'
  const { log, stream, time, attrs } = document
  const fields = new Map<string, Value>([
    ['partial', !log.endsWith('\n')],
    ['message', log.replace(/\r?\n$/, '')],
  ])
  if (typeof stream === 'string') fields.set('stream', stream)
  if (typeof time === 'string') fields.set('timestamp', time)
  if (isObject(attrs as Value)) fields.set('attrs', attrs as Value)
  return fields
}

const ISO = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`

function readCri(text: string): Found {
  const match = new RegExp(
    `^(?<timestamp>${ISO}) (?<stream>stdout|stderr) (?<partial>[FP])(?::[^ ]*)?(?: (?<message>.*))?$`,
    's',
  ).exec(text)
  if (match === null) return 'no match'
  const groups = Object.fromEntries(groupsOf(match))
  return new Map<string, Value>([...Object.entries({ message: '', ...groups }), ['partial', groups.partial === 'P']])
}

function readKlog(text: string): Found {
  const match =
    /^(?<level>[IWEF])(?<timestamp>(?:\d{4}){1,2} \d\d:\d\d:\d\d\.\d*) +(?<pid>\d+) (?<file>[^\]]*):(?<line>\d+)\](?: (?<message>.*))?$/s.exec(
      text,
    )
  if (match === null) return 'no match'
  const groups = Object.fromEntries(groupsOf(match))
  return new Map<string, Value>([
    ...Object.entries({ message: '', ...groups }),
    ['level', { I: 'info', W: 'warning', E: 'error', F: 'fatal' }[groups.level as string]],
    ['pid', whole(groups.pid as string)],
    ['line', whole(groups.line as string)],
  ])
}

function readRedis(text: string): Found {
  const match =
    /^(?:(?<pid>\d+):(?<role>[MSCX])|\[(?<old>\d+)\]) (?<timestamp>\d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?:\d{4} )?\d\d:\d\d:\d\d(?:[.,]\d+)?) (?<level>[.*#-])(?: (?<message>.*))?$/s.exec(
      text,
    )
  if (match === null) return 'no match'
  const { pid, old, role, timestamp, level, message } = Object.fromEntries(groupsOf(match))
  return known({
    pid: whole((pid ?? old) as string),
    role: { M: 'master', S: 'replica', C: 'child', X: 'sentinel' }[role ?? ''],
    timestamp,
    level: { '.': 'debug', '-': 'verbose', '*': 'notice', '#': 'warning' }[level as string],
    message: message ?? '',
  })
}

const POSTGRES =
  /^<? ?(?<timestamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?: [A-Z0-9+-]{1,6}(?=[ :>]))?)(?<prefix>.*?)(?<level>(?:DEBUG[1-5]?|INFO|NOTICE|WARNING|ERROR|LOG|FATAL|PANIC|DETAIL|HINT|QUERY|CONTEXT|STATEMENT|LOCATION)): {2}(?<message>.*)$/s

function readPostgres(text: string): Found {
  const match = POSTGRES.exec(text)
  if (match === null) return 'no match'
  const { timestamp, prefix = '', level, message = '' } = Object.fromEntries(groupsOf(match))
  const assigned = (key: string): string | undefined => {
    const value = new RegExp(`(?<!\\w)${key}=([^, ]*)`).exec(prefix)?.[1]
    return value === '' || value === '[unknown]' ? undefined : value
  }
  const numbers = [...prefix.matchAll(/\[(\d+)(?:-(\d+))?\]/g)]
  const pairOfNumbers = numbers.find(each => each[2] !== undefined)
  const line =
    pairOfNumbers === undefined ? undefined : pairOfNumbers === numbers[0] ? pairOfNumbers[2] : pairOfNumbers[1]
  const [, user, database] = /([^ ,:]*)@([^ ,:]*)/.exec(prefix) ?? []
  const bracketless = (value: string | undefined): string | undefined =>
    value === '' || value === '[unknown]' ? undefined : value
  const [, duration] = /^duration: (\d+(?:\.\d+)?) ms/.exec(message) ?? []
  const sql = /^(?:duration: .*? ms {2})?(?:statement|parse|bind|execute|fastpath function call).*?: (.*)$/s.exec(
    message,
  )?.[1]
  return known({
    timestamp,
    level,
    message,
    pid: numbers[0] === undefined ? undefined : whole(numbers[0][1] as string),
    session_line: line === undefined ? undefined : whole(line),
    user: assigned('user') ?? bracketless(user),
    database: assigned('db') ?? bracketless(database),
    application: assigned('app'),
    clientip: assigned('client') ?? assigned('host') ?? bracketless(/([^ ,:]*)\(\d*\)/.exec(prefix)?.[1]),
    duration_ms: duration === undefined ? undefined : Number(duration),
    statement: level === 'STATEMENT' ? message : sql,
  })
}

function readMysqlSlow(text: string): Found {
  const lines = text.split(/\r?\n/)
  const body = lines.findIndex(line => line !== '' && !line.startsWith('#'))
  const comments = body < 0 ? lines : lines.slice(0, body)
  const fields = new Map<string, Value>()
  for (const line of comments) {
    const time = /^# Time: (.*)/.exec(line)?.[1]
    const user = /^# User@Host: ([^@[]*)(?:\[[^@]*)?@([^[]*)(?:\[([^\]]*)\](?:\s*Id:\s*(\d+))?)?/.exec(line)
    const command = /^# (administrator command: .*)/.exec(line)?.[1]
    if (time !== undefined) fields.set('timestamp', time.trim())
    else if (user !== null) {
      for (const [i, name] of ['user', 'host', 'clientip', 'connection'].entries()) {
        const value = user[i + 1]?.trim() ?? ''
        if (value !== '') fields.set(name, i === 3 ? whole(value) : value)
      }
    } else if (command !== undefined) fields.set('statement', command)
    else {
      for (const [, name, value] of line.matchAll(/(\S+):\s+(\S*[^:\s])(?!\S)/g)) {
        fields.set(
          name === 'Schema' ? 'database' : (name as string).toLowerCase(),
          name === 'Schema'
            ? value
            : /^\d{1,15}(\.\d+)?$/.test(value as string)
              ? Number(value)
              : typed(value as string),
        )
      }
    }
  }
  if (!fields.has('query_time')) return 'no query time'
  const rest = (body < 0 ? [] : lines.slice(body)).join('\n')
  const [, database, seconds, statement = ''] =
    /^(?:use [`"]?([^`";]+)[^\n]*\n?)?(?:SET timestamp=(\d+)[^\n]*\n?)?(.*)$/is.exec(rest) ?? []
  if (database !== undefined) fields.set('database', database.trim())
  if (seconds !== undefined && !fields.has('timestamp')) fields.set('timestamp', typed(seconds))
  if (statement.trim() !== '') fields.set('statement', statement.trim().replace(/^# (?=administrator command: )/, ''))
  return fields
}

const CLASS = String.raw`[A-Za-z_$][\w$]*(?:\.[\w$]+)+`

function readJavaStack(text: string): Found {
  const lines = text.split(/\r?\n/)
  const isFrame = (line: string): boolean => /^\s*at .*\(/.test(line)
  const firstFrame = lines.findIndex(isFrame)
  const before = firstFrame < 0 ? lines.slice(0, 1) : lines.slice(0, firstFrame)
  const atStart = new RegExp(
    `^(?:Exception in thread "(.*?)" )?(${CLASS}${firstFrame < 0 ? '(?<=Exception|Error|Throwable)' : ''})(?::(?: (.*))?)?$`,
  )
  const within = new RegExp(` ()(${CLASS}(?<=Exception|Error|Throwable))(?:: (.*))?$`)
  const heads = before.map(line => atStart.exec(line))
  const others = firstFrame < 0 ? [] : before.map(line => within.exec(line))
  const places = heads.some(head => head !== null) ? heads : others
  const at = places.findIndex(head => head !== null)
  const [, thread, exception, message = ''] = places[at] ?? []
  if (exception === undefined) return 'no exception'
  const rest = lines.slice(at + 1)
  const end = rest.findIndex(line => /^\s*(?:Caused by|Suppressed): /.test(line))
  const frames = (end < 0 ? rest : rest.slice(0, end)).filter(isFrame).map(line => line.trim().slice(3))
  const causes = rest.flatMap(line => /^\s*Caused by: (.*?)\s*$/.exec(line)?.[1] ?? [])
  const all = [message, ...lines.slice(at + 1, firstFrame < 0 ? lines.length : firstFrame)].join('\n').trim()
  return known({
    exception,
    message: all === '' ? undefined : all,
    thread: thread === '' ? undefined : thread,
    frames: frames.length === 0 ? undefined : frames,
    caused_by: causes.length === 0 ? undefined : causes,
    root_cause: new RegExp(`^${CLASS}(?=:|$)`).exec(causes.at(-1) ?? '')?.[0],
  })
}
