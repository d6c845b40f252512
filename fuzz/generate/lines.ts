/**
 * A random line of each format of `parse`, and the fields it was made from: what parsing it must give back. Also what the fuzzer
 * puts into events, and what the bench measures over.
 */
import type { ParseFormat } from '../../grammar/ast.ts'
import type { Value } from '../../storage/value.ts'
import type { Random } from './random.ts'

export interface FormatLine {
  /** The format with its arguments, as a query writes it. */
  readonly format: string
  readonly line: string
  /** Fields whose value is undefined must be missing. */
  readonly fields: Readonly<Record<string, Value>>
}

type LineMaker = (random: Random) => FormatLine

const WORDS = [
  'connection',
  'reset',
  'by',
  'peer',
  'größe',
  'user=ada',
  'GET',
  '10.0.0.1',
  '[x]',
  '{y}',
  '"q"',
  "it's",
  '50%',
  'a|b',
  'c\\d',
  '-',
]
const NAMES = ['web-1', 'db.example.com', 'ip-10-0-0-7', 'combo', 'a']
const PROGRAMS = ['sshd', 'kernel', 'postfix/smtpd', 'sshd(pam_unix)', 'systemd-logind', 'CRON']
const PATHS = ['/', '/index.html', '/api/v1/users/42?x=1&y=%20', '/ä', '*']
const AGENTS = ['curl/8.5.0', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'a "quoted" one']
const METHODS = ['GET', 'POST', 'DELETE', 'PROPFIND', 'M-SEARCH']
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const DAYS = 'Mon Tue Wed Thu Fri Sat Sun'.split(' ')

const two = (n: number): string => String(n).padStart(2, '0')

function message(random: Random): string {
  return Array.from({ length: random.int(1, 8) }, () => random.pick(WORDS)).join(' ')
}

function ip(random: Random): string {
  if (random.chance(0.1)) return random.pick(['::1', '2001:db8::7', 'fe80::1:2'])
  return Array.from({ length: 4 }, () => random.int(0, 255)).join('.')
}

function clock(random: Random): string {
  return `${two(random.int(0, 23))}:${two(random.int(0, 59))}:${two(random.int(0, 59))}`
}

function date(random: Random): string {
  return `20${two(random.int(10, 30))}-${two(random.int(1, 12))}-${two(random.int(1, 28))}`
}

function isoTime(random: Random): string {
  const fraction = random.pick(['', '.123', '.123456789', ',5'])
  return `${date(random)}T${clock(random)}${fraction}${random.pick(['Z', '+02:00', '-0700', ''])}`
}

function orMissing<T>(random: Random, value: T): T | undefined {
  return random.chance(0.25) ? undefined : value
}

/** As a line has it: `-` where there is nothing. */
function dashed(value: Value): string {
  return value === undefined ? '-' : String(value)
}

function request(random: Random): { readonly text: string; readonly fields: Readonly<Record<string, Value>> } {
  if (random.chance(0.1)) return { text: '-', fields: { method: undefined, request: undefined } }
  if (random.chance(0.1)) return { text: '\\x16\\x03\\x01', fields: { method: undefined, request: '\\x16\\x03\\x01' } }
  const [method, path, httpversion] = [random.pick(METHODS), random.pick(PATHS), random.pick(['1.0', '1.1', '2.0'])]
  return { text: `${method} ${path} HTTP/${httpversion}`, fields: { method, request: path, httpversion } }
}

function access(random: Random): Omit<FormatLine, 'format'> {
  const { text, fields } = request(random)
  const clientip = ip(random)
  const auth = orMissing(random, random.pick(['frank', 'ann@example.com']))
  const timestamp = `${two(random.int(1, 28))}/${random.pick(MONTHS)}/2026:${clock(random)} +0000`
  const status = random.int(100, 599)
  const bytes = orMissing(random, random.int(0, 1e9))
  const line = `${clientip} - ${dashed(auth)} [${timestamp}] "${text}" ${status} ${dashed(bytes)}`
  return { line, fields: { clientip, ident: undefined, auth, timestamp, status, bytes, ...fields } }
}

const FACILITIES = ['kern', 'user', 'mail', 'daemon', 'auth']
const SEVERITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']

function pri(random: Random): { readonly text: string; readonly fields: Readonly<Record<string, Value>> } {
  const [facility, severity] = [random.int(0, 4), random.int(0, 7)]
  return {
    text: `<${facility * 8 + severity}>`,
    fields: { facility: FACILITIES[facility], severity: SEVERITIES[severity] },
  }
}

function syslog5424(random: Random): FormatLine {
  const { text, fields } = pri(random)
  const timestamp = orMissing(random, isoTime(random))
  const hostname = orMissing(random, random.pick(NAMES))
  const appname = orMissing(random, random.pick(PROGRAMS))
  const procid = orMissing(random, random.int(1, 99_999))
  const msgid = orMissing(random, random.pick(['ID47', 'TCPIN']))
  const value = random.pick(['', 'Application', 'a b', 'x"y', 'p]q', 'back\\slash'])
  const data = orMissing(random, { 'exampleSDID@32473': { iut: '3', eventSource: value }, origin: { ip: '10.0.0.1' } })
  const escaped = value.replace(/["\]\\]/g, '\\$&')
  const element = `[exampleSDID@32473 iut="3" eventSource="${escaped}"][origin ip="10.0.0.1"]`
  const header = [timestamp, hostname, appname, procid, msgid].map(dashed).join(' ')
  const text5424 = orMissing(random, message(random))
  const line = `${text}1 ${header} ${data === undefined ? '-' : element}${text5424 === undefined ? '' : ` ${text5424}`}`
  const found = {
    ...fields,
    version: 1,
    timestamp,
    hostname,
    appname,
    procid,
    msgid,
    structured_data: data,
    message: text5424,
  }
  return { format: 'syslog', line, fields: found }
}

function syslog3164(random: Random): FormatLine {
  const sent = random.chance(0.5) ? pri(random) : { text: '', fields: { facility: undefined, severity: undefined } }
  const day = random.int(1, 28)
  const classic = `${random.pick(MONTHS)} ${random.pick([String(day).padStart(2, ' '), two(day), String(day)])} ${clock(random)}`
  const timestamp = random.chance(0.8) ? classic : isoTime(random)
  const hostname = random.pick(NAMES)
  const appname = random.pick(PROGRAMS)
  const procid = orMissing(random, random.int(1, 99_999))
  const text = message(random)
  const line = `${sent.text}${timestamp} ${hostname} ${appname}${procid === undefined ? '' : `[${procid}]`}: ${text}`
  return { format: 'syslog', line, fields: { ...sent.fields, timestamp, hostname, appname, procid, message: text } }
}

/** None is a word of another detail: nginx quotes nothing in its messages. */
function plainMessage(random: Random): string {
  return Array.from({ length: random.int(1, 8) }, () =>
    random.pick(['open()', 'failed', '(2:', 'No', 'such', 'file)', 'ä']),
  ).join(' ')
}

function csvCell(text: string): string {
  return /[",\n]|^ | $/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text
}

function cefValue(text: string): string {
  return text.replace(/[\\=]/g, '\\$&').replaceAll('\n', '\\n')
}

export const FORMAT_LINES: Readonly<Record<Exclude<ParseFormat, 'auto' | 'first_of'>, LineMaker>> = {
  json: random => {
    const fields = { user: message(random), n: random.int(-9, 1e6), ok: random.chance(0.5) }
    return { format: 'json', line: JSON.stringify(fields), fields }
  },

  logfmt: random => {
    const msg = message(random)
    const fields = { level: random.pick(['info', 'warn']), msg, ms: random.int(0, 5000), flag: orMissing(random, true) }
    const quoted = `"${msg.replace(/["\\]/g, '\\$&')}"`
    const flag = fields.flag === undefined ? '' : ' flag'
    return { format: 'logfmt', line: `level=${fields.level} msg=${quoted} ms=${fields.ms}${flag}`, fields }
  },

  kv: random => {
    const text = message(random)
    const fields = { a: random.int(0, 99), text, b: 'two' }
    const line = `a:${fields.a};text:"${text.replace(/["\\]/g, '\\$&')}";b:two`
    return { format: 'kv(sep=";", assign=":")', line, fields }
  },

  csv: random => {
    const comment = message(random)
    const empty = random.pick(['', 'x'])
    const fields = { id: random.int(0, 1e6), comment, empty, none: undefined, ms: random.int(0, 9999) / 8 }
    const line = [String(fields.id), csvCell(comment), csvCell(empty), '', String(fields.ms)].join(',')
    // A word that happens to be a canonical number would become one.
    return { format: 'csv(columns="id,comment,empty,none,ms")', line, fields }
  },

  syslog: random => (random.chance(0.5) ? syslog5424(random) : syslog3164(random)),

  clf: random => ({ format: 'clf', ...access(random) }),

  combined: random => {
    const { line, fields } = access(random)
    const referrer = orMissing(random, 'http://example.com/?q=1')
    const agent = orMissing(random, random.pick(AGENTS).replaceAll('"', '\\"'))
    return {
      format: 'combined',
      line: `${line} "${dashed(referrer)}" "${dashed(agent)}"`,
      fields: { ...fields, referrer, agent },
    }
  },

  nginx_error: random => {
    const asked = request(random)
    const fields = {
      timestamp: `${date(random).replaceAll('-', '/')} ${clock(random)}`,
      level: random.pick(['error', 'warn', 'crit']),
      pid: random.int(1, 99_999),
      tid: random.int(0, 9),
      connection: orMissing(random, random.int(1, 1e9)),
      message: plainMessage(random),
      clientip: ip(random),
      server: orMissing(random, 'example.com'),
      upstream: orMissing(random, 'http://127.0.0.1:8080/api, x'),
      host: orMissing(random, 'example.com:8443'),
      ...asked.fields,
    }
    const connection = fields.connection === undefined ? '' : `*${fields.connection} `
    const line = [
      `${fields.timestamp} [${fields.level}] ${fields.pid}#${fields.tid}: ${connection}${fields.message}`,
      `client: ${fields.clientip}`,
      ...(fields.server === undefined ? [] : [`server: ${fields.server}`]),
      ...(asked.text === '-' ? [] : [`request: "${asked.text}"`]),
      ...(fields.upstream === undefined ? [] : [`upstream: "${fields.upstream}"`]),
      ...(fields.host === undefined ? [] : [`host: "${fields.host}"`]),
    ].join(', ')
    return { format: 'nginx_error', line, fields }
  },

  apache_error: random => {
    const isNew = random.chance(0.6)
    const day = `${random.pick(DAYS)} ${random.pick(MONTHS)} ${two(random.int(1, 28))} ${clock(random)}`
    const fields = {
      timestamp: `${day}${isNew ? '.902022' : ''} 2026`,
      module: isNew ? orMissing(random, 'core') : undefined,
      level: random.pick(['error', 'notice', 'warn', 'trace1']),
      pid: isNew ? random.int(1, 99_999) : undefined,
      tid: isNew ? orMissing(random, random.int(1, 2 ** 46)) : undefined,
      os_error: orMissing(random, '(13)Permission denied'),
      clientip: orMissing(random, ip(random)),
      code: isNew ? orMissing(random, 'AH00128') : undefined,
      message: plainMessage(random),
      referrer: orMissing(random, 'http://example.com/a, b'),
    }
    const clientport = isNew && fields.clientip !== undefined ? random.int(1, 65_535) : undefined
    const thread = fields.tid === undefined ? '' : `:tid ${fields.tid}`
    const line = [
      `[${fields.timestamp}] [${isNew ? `${fields.module ?? ''}:` : ''}${fields.level}] `,
      fields.pid === undefined ? '' : `[pid ${fields.pid}${thread}] `,
      fields.os_error === undefined ? '' : `${fields.os_error}: `,
      fields.clientip === undefined ? '' : `[client ${fields.clientip}${isNew ? `:${clientport}` : ''}] `,
      fields.code === undefined ? '' : `${fields.code}: `,
      fields.message,
      fields.referrer === undefined ? '' : `, referer: ${fields.referrer}`,
    ].join('')
    return { format: 'apache_error', line, fields: { ...fields, clientport } }
  },

  haproxy: random => (random.chance(0.7) ? haproxyHttp(random) : haproxyTcp(random)),

  w3c: random => {
    const fields = {
      date: date(random),
      time: clock(random),
      s_ip: '10.0.0.9',
      cs_method: random.pick(['GET', 'POST']),
      cs_uri_stem: random.pick(['/', '/a/b.aspx']),
      cs_uri_query: orMissing(random, 'x=1'),
      s_port: 443,
      cs_username: orMissing(random, 'ann'),
      c_ip: ip(random),
      cs_user_agent: random.pick(['Mozilla/5.0+(X11)', 'Mozilla/5.0 (X11)']),
      cs_referer: undefined,
      sc_status: random.int(200, 599),
      sc_substatus: 0,
      sc_win32_status: random.int(0, 64),
      time_taken: random.int(0, 9999),
    }
    const values = Object.values(fields).map(dashed)
    return { format: 'w3c', line: values.map(value => (value.includes(' ') ? `"${value}"` : value)).join(' '), fields }
  },

  cef: random => {
    const header = {
      cefVersion: 0,
      deviceVendor: random.pick(['Security', 'A|B', 'c\\d']),
      deviceProduct: 'threatmanager',
      deviceVersion: '1.0',
      deviceEventClassId: String(random.int(1, 999)),
      name: 'worm | stopped',
      severity: random.int(0, 10),
    }
    const extension = {
      src: ip(random),
      spt: random.int(1, 65_535),
      msg: message(random).trim(),
      act: 'blocked = yes\\no',
      cs1Label: 'two words',
    }
    const bars = Object.values(header).map(value => String(value).replace(/[\\|]/g, '\\$&'))
    const pairs = Object.entries(extension).map(([name, value]) => `${name}=${cefValue(String(value))}`)
    const front = random.pick(['', 'Sep 19 08:26:10 host ', '<134>1 2026-06-01T00:00:00Z fw - - - - '])
    return {
      format: 'cef',
      line: `${front}CEF:${bars.join('|')}|${pairs.join(' ')}`,
      fields: { ...header, ...extension },
    }
  },

  leef: random => {
    const isNew = random.chance(0.5)
    const delimiter = isNew ? random.pick(['^', '~', '\t']) : '\t'
    const declared = isNew ? `|${delimiter === '\t' ? random.pick(['x09', '0x09', '']) : delimiter}` : ''
    const header = {
      leefVersion: isNew ? '2.0' : '1.0',
      deviceVendor: 'Lancope',
      deviceProduct: 'StealthWatch',
      deviceVersion: '1.0',
      eventId: String(random.int(1, 99)),
    }
    const attributes = {
      src: ip(random),
      sev: random.int(1, 10),
      msg: plainMessage(random),
      devTime: 'Sep 19 2026 = x',
    }
    const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`)
    const line = `LEEF:${Object.values(header).join('|')}${declared}|${pairs.join(delimiter)}`
    return { format: 'leef', line, fields: { ...header, ...attributes } }
  },

  docker: random => {
    const fields = {
      timestamp: '2026-06-01T10:00:00.123456789Z',
      stream: random.pick(['stdout', 'stderr']),
      partial: random.chance(0.2),
      message: message(random),
      attrs: orMissing(random, { tag: 'web', region: 'eu' }),
    }
    const log = fields.message + (fields.partial ? '' : '\n')
    const line = JSON.stringify({ log, stream: fields.stream, attrs: fields.attrs, time: fields.timestamp })
    return { format: 'docker', line, fields }
  },

  cri: random => {
    const fields = {
      timestamp: '2026-06-01T10:00:00.123456789Z',
      stream: random.pick(['stdout', 'stderr']),
      partial: random.chance(0.2),
      message: random.pick(['', ' indented', message(random)]),
    }
    const line = `${fields.timestamp} ${fields.stream} ${fields.partial ? 'P' : 'F'} ${fields.message}`
    return { format: 'cri', line, fields }
  },

  klog: random => {
    const [letter, level] = random.pick([['I', 'info'] as const, ['W', 'warning'] as const, ['E', 'error'] as const])
    const timestamp = `${two(random.int(1, 12))}${two(random.int(1, 28))} ${clock(random)}.123456`
    const fields = {
      level,
      timestamp,
      pid: random.int(1, 99_999),
      file: 'reflector.go',
      line: random.int(1, 999),
      message: message(random),
    }
    const line = `${letter}${timestamp} ${String(fields.pid).padStart(7)} ${fields.file}:${fields.line}] ${fields.message}`
    return { format: 'klog', line, fields }
  },

  redis: random => {
    const [letter, role] = random.pick([['M', 'master'] as const, ['S', 'replica'] as const, ['C', 'child'] as const])
    const [sign, level] = random.pick([['*', 'notice'] as const, ['#', 'warning'] as const, ['.', 'debug'] as const])
    const timestamp = `${two(random.int(1, 28))} ${random.pick(MONTHS)} 2026 ${clock(random)}.123`
    const fields = { pid: random.int(1, 99_999), role, timestamp, level, message: message(random) }
    return { format: 'redis', line: `${fields.pid}:${letter} ${timestamp} ${sign} ${fields.message}`, fields }
  },

  postgres: random => {
    const [user, database] = [orMissing(random, 'ann'), 'shop']
    const statement = orMissing(random, 'SELECT 1 -- x: y')
    const duration_ms = statement === undefined ? undefined : random.int(1, 99_999) / 8
    const text = statement === undefined ? plainMessage(random) : `duration: ${duration_ms} ms  statement: ${statement}`
    const level = statement === undefined ? random.pick(['ERROR', 'FATAL', 'LOG']) : 'LOG'
    const pid = random.int(1, 99_999)
    const session_line = random.int(1, 99)
    const timestamp = `${date(random)} ${clock(random)}.123 ${random.pick(['UTC', 'CEST', '+03'])}`
    const common = { timestamp, pid, level, message: text, statement, duration_ms }
    const at = user === undefined ? '' : `${user}@${database} `
    const names = { user, database: user === undefined ? undefined : database }
    const [prefix, fields] = random.pick([
      [`[${pid}] `, {}] as const,
      [`[${pid}] ${at}`, names] as const,
      [`[${pid}-${session_line}] ${at}`, { ...names, session_line }] as const,
      [
        `[${pid}]: [${session_line}-1] user=${user ?? '[unknown]'},db=${database},app=psql,client=10.0.0.1 `,
        { user, database, application: 'psql', clientip: '10.0.0.1', session_line },
      ] as const,
    ])
    return { format: 'postgres', line: `${timestamp} ${prefix}${level}:  ${text}`, fields: { ...common, ...fields } }
  },

  mysql_slow: random => {
    const fields = {
      timestamp: isoTime(random),
      user: 'app',
      host: orMissing(random, 'web-1'),
      clientip: orMissing(random, '10.0.0.7'),
      connection: random.int(1, 99_999),
      query_time: random.int(1, 9999) / 8,
      lock_time: 0.125,
      rows_sent: random.int(0, 99),
      rows_examined: random.int(0, 1e6),
      database: orMissing(random, 'shop'),
      statement: 'SELECT *\nFROM orders;',
    }
    const line = [
      `# Time: ${fields.timestamp}`,
      `# User@Host: app[app] @ ${fields.host ?? ''} [${fields.clientip ?? ''}]  Id: ${String(fields.connection).padStart(5)}`,
      `# Query_time: ${fields.query_time}  Lock_time: ${fields.lock_time} Rows_sent: ${fields.rows_sent}  Rows_examined: ${fields.rows_examined}`,
      ...(fields.database === undefined ? [] : [`use ${fields.database};`]),
      'SET timestamp=1780308000;',
      fields.statement,
    ].join('\n')
    return { format: 'mysql_slow', line, fields }
  },

  java_stack: random => {
    const text = orMissing(random, plainMessage(random))
    const exception = random.pick(['java.lang.IllegalStateException', 'shop.OrderError'])
    const frames = ['shop.Orders.ship(Orders.java:42)', 'java.base/java.lang.Thread.run(Thread.java:829)']
    const cause = orMissing(random, 'java.io.IOException: disk full')
    const logger = random.pick(['', '2026-06-01 10:00:00 ERROR [main] shop.Orders - failed\n'])
    const head = `${exception}${text === undefined ? '' : `: ${text}`}`
    const causes = cause === undefined ? '' : `\nCaused by: ${cause}\n\tat shop.Disk.write(Disk.java:9)\n\t... 1 more`
    const fields = {
      exception,
      message: text,
      frames,
      caused_by: cause === undefined ? undefined : [cause],
      root_cause: cause === undefined ? undefined : 'java.io.IOException',
    }
    return {
      format: 'java_stack',
      line: `${logger}${head}\n${frames.map(frame => `\tat ${frame}`).join('\n')}${causes}`,
      fields,
    }
  },

  regex: random => {
    const fields = { user: random.pick(['ada', 'bob']), ms: random.int(0, 9999) }
    const format = 'regex r"user=(?<user>\\w+) took (?<ms>\\d+)ms"'
    return { format, line: `${plainMessage(random)} user=${fields.user} took ${fields.ms}ms`, fields }
  },

  pattern: random => {
    const fields = { ip: ip(random), user: random.pick(['ada', 'bob']), path: random.pick(PATHS) }
    return {
      format: 'pattern "<ip> - <user> \\"GET <path>\\" <_>"',
      line: `${fields.ip} - ${fields.user} "GET ${fields.path}" 200`,
      fields,
    }
  },

  grok: random => {
    const fields = {
      ip: ip(random),
      method: random.pick(['GET', 'POST']),
      path: random.pick(['/index.html', '/a/b?c=d']),
      bytes: random.int(0, 1e9),
      took: random.int(0, 9999) / 8,
    }
    return {
      format: 'grok "%{IP:ip} %{WORD:method} %{URIPATHPARAM:path} %{INT:bytes:int} %{NUMBER:took:float}"',
      line: `${fields.ip} ${fields.method} ${fields.path} ${two(fields.bytes)} ${fields.took}`,
      fields,
    }
  },
}

function haproxyStart(random: Random): { readonly text: string; readonly fields: Readonly<Record<string, Value>> } {
  const fields = {
    clientip: ip(random),
    clientport: random.int(1, 65_535),
    timestamp: '06/Feb/2026:12:14:14.655',
    frontend: random.pick(['http-in', 'https~']),
    backend: 'static',
    server: random.pick(['srv1', '<NOSRV>']),
  }
  const front = random.pick(['', 'Feb  6 12:14:14 localhost haproxy[14389]: '])
  const { clientip, clientport, timestamp, frontend, backend, server } = fields
  return { text: `${front}${clientip}:${clientport} [${timestamp}] ${frontend} ${backend}/${server}`, fields }
}

const HAPROXY_COUNTS = { actconn: 3, feconn: 2, beconn: 1, srvconn: 1, retries: 0, srv_queue: 0, backend_queue: 0 }

function haproxyHttp(random: Random): FormatLine {
  const { text, fields } = haproxyStart(random)
  const asked = request(random)
  const times = {
    time_request: random.int(-1, 99),
    time_queue: random.int(-1, 9),
    time_connect: random.int(-1, 9),
    time_response: random.int(-1, 999),
    time_total: random.int(0, 9999),
  }
  const status = random.pick([200, 404, 503, -1])
  const bytes = random.int(0, 1e9)
  const request_headers = orMissing(random, '1wt.eu|curl')
  const headers = request_headers === undefined ? '' : `{${request_headers}} {} `
  const plus = random.pick(['', '+'])
  const line = `${text} ${Object.values(times).slice(0, 4).join('/')}/${plus}${times.time_total} ${status} ${plus}${bytes} - - ---- 3/2/1/1/0 0/0 ${headers}"${asked.text}"`
  const found = { ...fields, ...times, ...HAPROXY_COUNTS, ...asked.fields, status, bytes, request_headers }
  return { format: 'haproxy', line, fields: { ...found, termination_state: '----', request_cookie: undefined } }
}

function haproxyTcp(random: Random): FormatLine {
  const { text, fields } = haproxyStart(random)
  const times = { time_queue: random.int(-1, 9), time_connect: random.int(-1, 9), time_total: random.int(0, 99_999) }
  const bytes = random.int(0, 1e9)
  const line = `${text} ${Object.values(times).join('/')} ${bytes} -- 3/2/1/1/0 0/0`
  const found = { ...fields, ...times, ...HAPROXY_COUNTS, bytes, termination_state: '--', status: undefined }
  return { format: 'haproxy', line, fields: found }
}
