/** Functions of time. Every one that reads a clock takes an IANA zone last; without it the clock is UTC. */
import { isTimePattern } from '../../../runtime/helpers/strftime.ts'
import { binOrigin } from '../../../runtime/helpers/time.ts'
import { isZone } from '../../../runtime/helpers/zones.ts'
import { Duration, type Value, type ValueType } from '../../../storage/value.ts'
import { js } from '../../codegen/js.ts'
import type { ScalarFunction, TypeProblem } from '../descriptor.ts'
import { CONSTANT, emitted, isNumeric, param, scalarsOf, withArticle } from './build.ts'

const time = scalarsOf('time')
const ZONE = param('zone', 'string', 'IANA name or offset: `Europe/Berlin`, `+02:00`.', {
  optional: true,
  constant: true,
})
const T = param('t', 'datetime', 'A point in time.')
const PATTERN = param('pattern', 'string', '`%Y %m %d %H %M %S %f %z` and the others of strftime.', CONSTANT)

function checkZone(args: readonly (Value | undefined)[], argument: number): TypeProblem | null {
  const zone = args[argument]
  return typeof zone === 'string' && !isZone(zone)
    ? { problem: `no time zone ${JSON.stringify(zone)}`, argument }
    : null
}

function checkPatternAndZone(args: readonly (Value | undefined)[]): TypeProblem | null {
  const pattern = args[1]
  if (typeof pattern === 'string' && !isTimePattern(pattern)) {
    return { problem: `unknown directive in ${JSON.stringify(pattern)}`, argument: 1 }
  }
  return checkZone(args, 2)
}

const now = time({
  name: 'now',
  helper: 'now',
  purity: 'per-query',
  foreign: ['current_timestamp', 'sysdate', 'utcnow', 'getdate'],
  parameters: [],
  summary: 'The start of the query: one instant for the whole run.',
  examples: [['now() - now()', '"0s"']],
  result: 'datetime',
})

const bin = time({
  name: 'bin',
  helper: 'bin',
  foreign: ['bin_at', 'date_trunc', 'time_bucket', 'datetrunc', 'date_bin', 'startofday', 'span'],
  parameters: [
    param('x', 'any', 'A datetime, a duration or a number.'),
    param('span', 'any', 'The width: a duration, or a number for numbers.', CONSTANT),
    ZONE,
  ],
  summary:
    'The start of the bin x falls into. Bins count from 1970, weeks from a Monday; with a zone whole days begin at its midnight.',
  examples: [
    ['bin(2026-06-01T10:37:12Z, 5m)', '"2026-06-01T10:35:00.000Z"'],
    ['bin(2026-06-04T10:00:00Z, 1w)', '"2026-06-01T00:00:00.000Z"'],
    ['bin(2026-06-01T23:30:00Z, 1d, "Europe/Berlin")', '"2026-06-01T22:00:00.000Z"'],
    ['bin(137, 50)', '100'],
  ],
  result: ([x = 'any', span = 'any']) => binType(x, span),
  check: args => checkSpan(args[1]) ?? checkZone(args, 2),
  emit: (args, cx) => {
    const [x, span, zone] = args
    if (x?.repr !== 'time' || zone !== undefined || !(span?.constant instanceof Duration)) return null
    const width = span.constant.ns / 1000
    if (!(width > 0) || !Number.isInteger(width)) return null
    const [w, origin] = [cx.constant(width), cx.constant(binOrigin(width))]
    return emitted('time', js.expr`Math.floor((${x.value} - ${origin}) / ${w}) * ${w} + ${origin}`)
  },
})

function binType(x: ValueType, span: ValueType): ValueType | TypeProblem {
  const isOpen = x === 'any' || x === 'null'
  if (x === 'bool' || x === 'array' || x === 'object') return { problem: `${withArticle(x)} has no bins`, argument: 0 }
  if ((x === 'datetime' || x === 'duration') && isNumeric(span)) {
    return { problem: `the span of ${withArticle(x)} is a duration, such as 5m`, argument: 1 }
  }
  if (isNumeric(x) && span === 'duration') return { problem: 'the span of a number is a number', argument: 1 }
  if (isOpen) return span === 'duration' ? 'any' : isNumeric(span) ? 'number' : 'any'
  return x === 'string' ? 'any' : isNumeric(x) ? 'number' : x
}

function checkSpan(span: Value | undefined): TypeProblem | null {
  if (span === undefined || span === null) return null
  const width = span instanceof Duration ? span.ns : span
  return typeof width === 'number' && width <= 0 ? { problem: 'the span must be greater than zero', argument: 1 } : null
}

const strftime = time({
  name: 'strftime',
  helper: 'strftime',
  foreign: ['format_datetime', 'date_format', 'to_char', 'formatdatetime'],
  parameters: [T, PATTERN, ZONE],
  summary: 'A point in time as text by a pattern.',
  examples: [
    ['strftime(2026-06-01T10:37:12.5Z, "%d/%b/%Y %H:%M:%S.%L")', '"01/Jun/2026 10:37:12.500"'],
    ['strftime(2026-06-01T10:37:12Z, "%H:%M %z", "Asia/Kolkata")', '"16:07 +0530"'],
  ],
  result: 'string',
  check: checkPatternAndZone,
})

const strptime = time({
  name: 'strptime',
  helper: 'strptime',
  foreign: ['parse_datetime', 'to_timestamp', 'str_to_date', 'date_parse'],
  parameters: [param('text', 'string', 'The text.'), PATTERN, ZONE],
  summary: 'Text read as a point in time by a pattern; null when it does not follow it. A zone in the text wins.',
  examples: [
    ['strptime("01/Jun/2026:10:37:12 +0200", "%d/%b/%Y:%H:%M:%S %z")', '"2026-06-01T08:37:12.000Z"'],
    ['strptime("2026-06-01 10:00", "%F %R", "America/New_York")', '"2026-06-01T14:00:00.000Z"'],
    ['strptime("2026-06-31", "%F")', 'null'],
  ],
  result: 'datetime',
  check: checkPatternAndZone,
})

const timeOfDay = time({
  name: 'time_of_day',
  helper: 'timeOfDay',
  foreign: ['timeofday'],
  parameters: [T, ZONE],
  summary: 'How long after midnight, as a duration.',
  examples: [
    ['time_of_day(2026-06-01T10:30:00Z)', '"10h30m"'],
    ['time_of_day(2026-06-01T10:30:00Z, "Asia/Tokyo")', '"19h30m"'],
  ],
  result: 'duration',
  check: args => checkZone(args, 1),
})

const dayOfWeek = time({
  name: 'day_of_week',
  helper: 'dayOfWeek',
  foreign: ['dayofweek', 'weekday', 'dow'],
  parameters: [T, ZONE],
  summary: 'The day of the week: 1 is Monday, 7 is Sunday.',
  examples: [
    ['day_of_week(2026-06-01T10:00:00Z)', '1'],
    ['day_of_week(2026-05-31T23:30:00Z, "Europe/Berlin")', '1'],
  ],
  result: 'int',
  check: args => checkZone(args, 1),
})

const hour = time({
  name: 'hour_of_day',
  helper: 'hourOfDay',
  foreign: ['hourofday', 'hour', 'gethour'],
  parameters: [T, ZONE],
  summary: 'The hour of the day, 0 to 23.',
  examples: [['hour_of_day(2026-06-01T10:30:00Z)', '10']],
  result: 'int',
  check: args => checkZone(args, 1),
})

export const TIMES: readonly ScalarFunction[] = [now, bin, strftime, strptime, timeOfDay, dayOfWeek, hour]
