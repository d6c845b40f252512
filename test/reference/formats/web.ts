/** The logs of web servers and proxies, plainly. */
import type { Value } from '../../../storage/value.ts'
import { type Found, groupsOf, request, typed, whole, withoutDashes } from './texts.ts'

const ACCESS =
  /^(?<clientip>[^ ]+) (?<ident>[^ ]*)(?: (?<auth>.*?))? \[(?<timestamp>.*?)\] "(?<line>(?:[^"\\]|\\.)*)" (?<status>\d{3}) (?<bytes>\d+|-)(?<rest>.*)$/s

export function readAccess(text: string, isCombined: boolean): Found {
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

export function readNginxError(text: string): Found {
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

export function readApacheError(text: string): Found {
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

export function readHaproxy(text: string): Found {
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

export function w3cNames(fields: string | undefined): string[] {
  const words = (fields ?? IIS).trim().replace(/^#Fields:\s*/i, '')
  return words.split(/\s+/).map(word =>
    word
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, ''),
  )
}

export function readW3c(text: string, option: string | undefined): Found {
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
