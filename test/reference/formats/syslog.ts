/** syslog, plainly. */
import type { ObjectValue, Value } from '../../../storage/value.ts'
import { type Found, known, typed } from './texts.ts'

const SEVERITIES = 'emerg alert crit err warning notice info debug'.split(' ')
const FACILITIES =
  'kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock local0 local1 local2 local3 local4 local5 local6 local7'.split(
    ' ',
  )
const ISO = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d|[+-]\d{4})?`
const CLASSIC = String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:[.,]\d+)?`

export function readSyslog(text: string): Found {
  const pri = /^<(\d{1,3})>/.exec(text)
  if (pri !== null && Number(pri[1]) > 191) return 'no such PRI'
  const names =
    pri === null ? {} : { facility: FACILITIES[Number(pri[1]) >> 3], severity: SEVERITIES[Number(pri[1]) & 7] }
  const rest = text.slice(pri?.[0].length ?? 0)
  if (pri !== null && rest.startsWith('1 ')) return read5424(rest, names)
  const match = new RegExp(`^${pri === null ? '' : ' *'}(${ISO}|${CLASSIC})(?: +|$)(.*)$`, 's').exec(rest)
  if (match === null) return pri === null ? 'no time' : known({ ...names, message: rest.replace(/^ */, '') })
  return known({ ...names, timestamp: match[1], ...sender(match[2] as string) })
}

function sender(text: string): Readonly<Record<string, Value>> {
  // A first word that ends in a colon is the tag; else it is the host.
  const [, host = '', after = ''] = /^[^ ]+:(?: |$)/.test(text) ? ['', '', text] : (/^([^ ]*) *(.*)$/s.exec(text) ?? [])
  const hostname = host === '' ? undefined : host
  const rest = after.replace(/^: /, '')
  const tagged = /^((?:(?!:(?: |$))[^ [])+):(?: (.*)|$)/s.exec(rest) ?? null
  if (tagged !== null) return { hostname, appname: tagged[1], message: tagged[2] ?? '' }
  const numbered =
    /^((?:(?!:(?: |$))[^ [])+)\[(\d+)\](?:: ?| |$)(.*)$/s.exec(rest) ?? /^(\w[^[:]{0,47})\[(\d+)\]: ?(.*)$/s.exec(rest)
  if (numbered === null) return { hostname, message: rest }
  return { hostname, appname: numbered[1], procid: typed(numbered[2] as string), message: numbered[3] }
}

const PARAMETER = /([^\s="\]]+)="((?:[^"\\]|\\.)*)"/gs
const ELEMENT = String.raw`\[[^\]="]*(?:="(?:[^"\\]|\\.)*"[^\]="]*)*\]`

function read5424(text: string, names: Readonly<Record<string, Value>>): Found {
  const match = new RegExp(
    `^1 (-|${ISO}) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) (-|(?:${ELEMENT})+)(?: \ufeff?(.*))?$`,
    's',
  ).exec(text)
  if (match === null) return 'not RFC 5424'
  const [, ...parts] = match.map(part => (part === '-' ? undefined : part))
  const [timestamp, hostname, appname, procid, msgid, data] = parts
  const elements = [...(data ?? '').matchAll(new RegExp(ELEMENT, 'gs'))].map(([element]): [string, ObjectValue] => [
    /^\[([^ \]]*)/.exec(element)?.[1] ?? '',
    Object.fromEntries(
      [...element.matchAll(PARAMETER)].map(([, name, value]) => [
        name,
        (value as string).replace(/\\(["\\\]])/g, '$1'),
      ]),
    ),
  ])
  return known({
    ...names,
    version: 1,
    timestamp,
    hostname,
    appname,
    procid: procid === undefined ? undefined : typed(procid),
    msgid,
    structured_data: data === undefined ? undefined : Object.fromEntries(elements),
    message: match[7],
  })
}
