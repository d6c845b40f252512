/** The logs of containers, databases and other servers, plainly. */
import { parseExactJson } from '../../../storage/ingest/json.ts'
import type { Value } from '../../../storage/value.ts'
import { isObject } from '../row.ts'
import { type Found, groupsOf, known, typed, whole } from './texts.ts'

export function readDocker(text: string): Found {
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

export function readCri(text: string): Found {
  const match = new RegExp(
    `^(?<timestamp>${ISO}) (?<stream>stdout|stderr) (?<partial>[FP])(?::[^ ]*)?(?: (?<message>.*))?$`,
    's',
  ).exec(text)
  if (match === null) return 'no match'
  const groups = Object.fromEntries(groupsOf(match))
  return new Map<string, Value>([...Object.entries({ message: '', ...groups }), ['partial', groups.partial === 'P']])
}

export function readKlog(text: string): Found {
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

export function readRedis(text: string): Found {
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

export function readPostgres(text: string): Found {
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

export function readMysqlSlow(text: string): Found {
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

export function readJavaStack(text: string): Found {
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
