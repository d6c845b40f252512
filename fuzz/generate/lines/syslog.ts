/** Random lines of both syslogs. */
import type { Value } from '../../../storage/value.ts'
import type { Random } from '../random.ts'
import {
  clock,
  dashed,
  type FormatLine,
  isoTime,
  type LineMaker,
  MONTHS,
  message,
  NAMES,
  orMissing,
  PROGRAMS,
  two,
} from './parts.ts'

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

export const SYSLOG_LINES = {
  syslog: random => (random.chance(0.5) ? syslog5424(random) : syslog3164(random)),
} satisfies Readonly<Record<string, LineMaker>>
