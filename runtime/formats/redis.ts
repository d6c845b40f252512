/** redis: `1234:M 01 Jun 2026 10:00:00.123 * message`, and `[1234] 01 Jun 10:00:00.123 * message` of 2.x. */
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, setSpan } from './extractor.ts'
import { computed, fieldTable, integer, text } from './fields.ts'
import { digitsEnd, hasLayout, isMonth } from './scan.ts'
import { fractionEnd } from './times.ts'

const ROLES: Readonly<Record<string, string>> = { M: 'master', S: 'replica', C: 'child', X: 'sentinel' }
const LEVELS: Readonly<Record<string, string>> = { '.': 'debug', '-': 'verbose', '*': 'notice', '#': 'warning' }

const table = fieldTable({
  pid: integer('of the server'),
  role: computed('string', 'master replica child sentinel; missing in 2.x', (line, start) => ROLES[line.charAt(start)]),
  timestamp: text('as written: `01 Jun 2026 10:00:00.123`'),
  level: computed('string', 'debug verbose notice warning', (line, start) => LEVELS[line.charAt(start)]),
  message: text('the rest'),
})
const { at } = table

export function createRedis(): Extractor {
  return table.extractor((line, spans) => {
    const isOld = line.charCodeAt(0) === 91
    const pid = isOld ? 1 : 0
    const pidEnd = digitsEnd(line, pid)
    const hasRole =
      !isOld && line[pidEnd] === ':' && ROLES[line.charAt(pidEnd + 1)] !== undefined && line[pidEnd + 2] === ' '
    if (pidEnd === pid || !(hasRole || (isOld && line.startsWith('] ', pidEnd)))) {
      return 'no process and role such as 1234:M at the start'
    }
    const time = hasRole ? pidEnd + 3 : pidEnd + 2
    const clock = hasLayout(line, time + 7, '0000 ') ? time + 12 : time + 7
    const isTime = hasLayout(line, time, '00 ') && isMonth(line, time + 3) && line[time + 6] === ' '
    if (!isTime || !hasLayout(line, clock, '00:00:00'))
      return 'no time such as 01 Jun 2026 10:00:00.123 after the process'
    const timeEnd = fractionEnd(line, clock + 8)
    const isLevel = line[timeEnd] === ' ' && LEVELS[line.charAt(timeEnd + 1)] !== undefined
    if (!isLevel || (timeEnd + 2 < line.length && line[timeEnd + 2] !== ' ')) return 'no level (. - * #) after the time'
    setSpan(spans, at.pid, pid, pidEnd)
    if (hasRole) setSpan(spans, at.role, pidEnd + 1, pidEnd + 2)
    setSpan(spans, at.timestamp, time, timeEnd)
    setSpan(spans, at.level, timeEnd + 1, timeEnd + 2)
    setSpan(spans, at.message, Math.min(timeEnd + 3, line.length), line.length)
    return null
  })
}

export const redis: FormatDescriptor = {
  summary: 'The log of Redis, Valkey and Sentinel.',
  options: {},
  fields: table.fields,
  otherFields: null,
  example: {
    query: 'parse redis | keep pid, role, level, message',
    input: '1234:M 01 Jun 2026 10:00:00.123 * Background saving terminated with success',
    output: '{"pid":1234,"role":"master","level":"notice","message":"Background saving terminated with success"}',
  },
  create: createRedis,
}
