/** Random lines of formats whose layout is in the text or in the query. */
import { ip, type LineMaker, message, orMissing, PATHS, plainMessage, two } from './parts.ts'

function csvCell(text: string): string {
  return /[",\n]|^ | $/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text
}

export const LAYOUT_LINES = {
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
} satisfies Readonly<Record<string, LineMaker>>
