/** Random lines of HAProxy. */
import type { Value } from '../../../storage/value.ts'
import type { Random } from '../random.ts'
import { type FormatLine, ip, type LineMaker, orMissing, request } from './parts.ts'

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

export const HAPROXY_LINES = {
  haproxy: random => (random.chance(0.7) ? haproxyHttp(random) : haproxyTcp(random)),
} satisfies Readonly<Record<string, LineMaker>>
