/** Casts, and `typeof`. */
import type { ScalarFunction } from '../descriptor.ts'
import { param, scalarsOf } from './build.ts'

const conversion = scalarsOf('conversion')
const X = [param('x', 'any', 'Any value.')]

const int = conversion({
  name: 'int',
  helper: 'toInt',
  strictHelper: 'strictInt',
  foreign: ['toint', 'tolong', 'to_int', 'tonumber', 'to_number', 'parse_int'],
  parameters: X,
  summary:
    'An int: fractions are cut off, text is read, true is 1, a datetime gives epoch seconds, a duration seconds. Null when it cannot; `int!(x)` fails the query instead.',
  examples: [
    ['int("42")', '42'],
    ['int(-2.9)', '-2'],
    ['int("9223372036854775807")', '9223372036854775807'],
    ['int("n/a")', 'null'],
    ['int(1.5m)', '90'],
  ],
  result: 'int',
})

const float = conversion({
  name: 'float',
  helper: 'toFloat',
  strictHelper: 'strictFloat',
  foreign: ['todouble', 'toreal', 'to_float', 'double'],
  parameters: X,
  summary: 'A number with its fraction; text is read, true is 1, a datetime gives epoch seconds, a duration seconds.',
  examples: [
    ['float("2.5e3")', '2500'],
    ['float(250ms)', '0.25'],
    ['float("")', 'null'],
  ],
  result: 'number',
})

const string = conversion({
  name: 'string',
  helper: 'toText',
  strictHelper: 'strictString',
  foreign: ['tostring', 'to_string', 'str'],
  parameters: X,
  summary: 'The text of a value as it prints; arrays and objects as JSON.',
  examples: [
    ['string(1.50)', '"1.5"'],
    ['string(90s)', '"1m30s"'],
    ['string([1, "a"])', '"[1,\\"a\\"]"'],
  ],
  result: 'string',
})

const bool = conversion({
  name: 'bool',
  helper: 'toBool',
  strictHelper: 'strictBool',
  foreign: ['tobool', 'to_bool', 'boolean'],
  parameters: X,
  summary: 'True or false: numbers but 0 are true; text is read (`true yes on 1`, `false no off 0`, in any case).',
  examples: [
    ['bool("Yes")', 'true'],
    ['bool(0)', 'false'],
    ['bool("maybe")', 'null'],
  ],
  result: 'bool',
})

const datetime = conversion({
  name: 'datetime',
  helper: 'toDatetime',
  strictHelper: 'strictDatetime',
  foreign: ['todatetime', 'to_datetime', 'timestamp', 'from_unixtime', 'unixtime_seconds_todatetime'],
  parameters: X,
  summary:
    'A point in time: RFC 3339 text or a date; a number is an epoch in seconds, milliseconds, microseconds or nanoseconds, told by its size.',
  examples: [
    ['datetime("2026-06-01")', '"2026-06-01T00:00:00.000Z"'],
    ['datetime(1596810745358)', '"2020-08-07T14:32:25.358Z"'],
    ['datetime("2020-08-07T16:32:25.358123456+02:00")', '"2020-08-07T14:32:25.358123456Z"'],
    ['datetime("soon")', 'null'],
  ],
  result: 'datetime',
})

const duration = conversion({
  name: 'duration',
  helper: 'toDuration',
  strictHelper: 'strictDuration',
  foreign: ['totimespan', 'timespan', 'to_duration', 'interval'],
  parameters: X,
  summary: 'A length of time: text as the language writes it (`1h30m`), or a number of seconds.',
  examples: [
    ['duration("1h30m")', '"1h30m"'],
    ['duration(0.25)', '"250ms"'],
    ['duration("long")', 'null'],
  ],
  result: 'duration',
})

const typeName = conversion({
  name: 'typeof',
  helper: 'typeOf',
  foreign: ['gettype', 'type_of', 'type'],
  nulls: 'observe',
  parameters: X,
  summary:
    'The type of a value: `int float string bool datetime duration array object null missing`. Whole numbers are ints, so 2.0 is one.',
  examples: [
    ['typeof(2.0)', '"int"'],
    ['typeof("2")', '"string"'],
    ['typeof(null)', '"null"'],
    ['typeof(5m)', '"duration"'],
  ],
  result: 'string',
})

export const CONVERSIONS: readonly ScalarFunction[] = [int, float, string, bool, datetime, duration, typeName]
