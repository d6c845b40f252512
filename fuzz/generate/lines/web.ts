/** Random lines of web servers. */
import type { Random } from '../random.ts'
import {
  AGENTS,
  clock,
  DAYS,
  dashed,
  date,
  type FormatLine,
  ip,
  type LineMaker,
  MONTHS,
  orMissing,
  plainMessage,
  request,
  two,
} from './parts.ts'

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

export const WEB_LINES = {
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
} satisfies Readonly<Record<string, LineMaker>>
