import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseDateTime } from '../../../grammar/literals.ts'
import { civilFromDays, daysFromCivil, formatDateTime } from '../../../runtime/helpers/format-value.ts'
import { HELPERS } from '../../../runtime/helpers/index.ts'
import { instantOf, offsetAt } from '../../../runtime/helpers/zones.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'

const { bin, strftime, strptime, timeOfDay, dayOfWeek } = HELPERS
const MINUTE = 60e9
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

function at(text: string): DateTime {
  const time = parseDateTime(text)
  assert.ok(time, text)
  return new DateTime(time.micros, time.nanos)
}

const text = (value: Value) => (value instanceof DateTime ? formatDateTime(value) : value)
/** The years 1701 to 2255, within which microseconds are exact. */
const anyTime = fc
  .tuple(
    fc.integer({ min: -8_488_000_000, max: 9_007_000_000 }),
    fc.integer({ min: 0, max: 999_999 }),
    fc.integer({ min: 0, max: 999 }),
  )
  .map(([seconds, micros, nanos]) => new DateTime(Math.trunc(seconds) * 1e6 + micros, nanos))
/** Since zones are what they are today. */
const modernTime = fc.integer({ min: 0, max: 2_000_000_000 }).map(seconds => new DateTime(seconds * 1e6))
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  '+05:45',
)

describe('datetimes as text', () => {
  it('have 3, 6 or 9 digits of fraction', () => {
    assert.equal(formatDateTime(new DateTime(0)), '1970-01-01T00:00:00.000Z')
    assert.equal(formatDateTime(new DateTime(1)), '1970-01-01T00:00:00.000001Z')
    assert.equal(formatDateTime(new DateTime(-1, 5)), '1969-12-31T23:59:59.999999005Z')
  })

  it('are read back as the same instant', () => {
    fc.assert(fc.property(anyTime, time => assert.deepEqual(at(formatDateTime(time)), time)))
  })

  it('know every date of the calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000_000, max: 100_000_000 }), days => {
        const { year, month, day } = civilFromDays(days)
        assert.equal(daysFromCivil(year, month, day), days)
        const date = new Date(days * 86_400_000)
        assert.deepEqual([year, month, day], [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()])
      }),
    )
  })
})

describe('bin', () => {
  const span = fc
    .constantFrom(MINUTE, 5 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, 250e6, 1000)
    .map(ns => new Duration(ns))

  it('is idempotent, not after its argument, and nearer than its span', () => {
    fc.assert(
      fc.property(anyTime, span, (time, width) => {
        const start = bin(time, width) as DateTime
        assert.deepEqual(bin(start, width), start)
        assert.ok(start.micros <= time.micros && time.micros - start.micros < width.ns / 1000)
      }),
    )
  })

  it('is idempotent with a zone, and its days begin at that midnight', () => {
    fc.assert(
      fc.property(modernTime, fc.constantFrom(MINUTE, HOUR, DAY, 7 * DAY), zone, (time, ns, name) => {
        const start = bin(time, new Duration(ns), name) as DateTime
        assert.ok(start.micros <= time.micros, `${text(time)} in ${name}`)
        assert.deepEqual(bin(start, new Duration(ns), name), start, `${text(time)} in ${name}`)
        if (ns === DAY && name !== 'Pacific/Apia')
          assert.deepEqual(timeOfDay(start, name), new Duration(0), `${text(start)} in ${name}`)
      }),
      { numRuns: 500 },
    )
  })

  it('has days of 23 and 25 hours where clocks change', () => {
    const day = new Duration(DAY)
    const start = (time: string) => text(bin(at(time), day, 'Europe/Berlin'))
    assert.equal(start('2026-03-29T12:00:00Z'), '2026-03-28T23:00:00.000Z')
    assert.equal(start('2026-03-29T22:00:00Z'), '2026-03-29T22:00:00.000Z')
    assert.equal(start('2026-10-25T22:30:00Z'), '2026-10-24T22:00:00.000Z')
    assert.equal(start('2026-10-25T23:00:00Z'), '2026-10-25T23:00:00.000Z')
  })

  it('keeps the two hours of the same name apart', () => {
    const hour = new Duration(HOUR)
    assert.equal(text(bin(at('2026-10-25T00:30:00Z'), hour, 'Europe/Berlin')), '2026-10-25T00:00:00.000Z')
    assert.equal(text(bin(at('2026-10-25T01:30:00Z'), hour, 'Europe/Berlin')), '2026-10-25T01:00:00.000Z')
  })

  it('works on numbers and durations, and has null for what has no bins', () => {
    assert.equal(bin(137, 50), 100)
    assert.equal(bin(-1, 50), -50)
    assert.equal(bin(2.7, 0.5), 2.5)
    assert.equal(bin(1152921504606846983n, 10), 1152921504606846980n)
    assert.deepEqual(bin(new Duration(95e9), new Duration(60e9)), new Duration(60e9))
    assert.equal(bin(137, 0), null)
    assert.equal(bin(true, 5), null)
    assert.equal(bin(at('2026-01-01T00:00:00Z'), new Duration(0)), null)
    assert.equal(bin(at('2026-01-01T00:00:00Z'), new Duration(HOUR), 'No/Where'), null)
  })

  it('has bins of nanoseconds', () => {
    assert.deepEqual(bin(new DateTime(5, 777), new Duration(250)), new DateTime(5, 750))
    assert.deepEqual(bin(new DateTime(-1, 10), new Duration(300)), new DateTime(-2, 800))
  })
})

describe('strptime', () => {
  it('reads what strftime wrote', () => {
    const patterns = [
      '%Y-%m-%dT%H:%M:%S.%N%z',
      '%d/%b/%Y:%H:%M:%S.%N %z',
      '%A %e %B %Y %I:%M:%S %p %N %:z',
      '%j %Y %T.%N',
      '%s.%N',
      '%F %T.%N',
    ]
    fc.assert(
      fc.property(anyTime, fc.constantFrom(...patterns), (time, pattern) => {
        assert.deepEqual(strptime(strftime(time, pattern), pattern), time)
      }),
      { numRuns: 500 },
    )
  })

  it('reads a wall clock back in its zone, but for the hour that comes twice', () => {
    fc.assert(
      fc.property(modernTime, zone, (time, name) => {
        const wall = strftime(time, '%F %T', name)
        const back = strptime(wall, '%F %T', name) as DateTime
        assert.equal(strftime(back, '%F %T', name), wall)
        assert.ok(Math.abs(back.micros - time.micros) <= 3600e6)
      }),
    )
  })

  it('knows the formats of logs', () => {
    const cases: readonly (readonly [string, string, string | null])[] = [
      ['07/Aug/2020:14:32:25 +0200', '%d/%b/%Y:%H:%M:%S %z', '2020-08-07T12:32:25.000Z'],
      ['Aug  7 2020 02:32:25 PM', '%b %e %Y %I:%M:%S %p', '2020-08-07T14:32:25.000Z'],
      ['2020-08-07 14:32:25,358', '%F %T,%L', '2020-08-07T14:32:25.358Z'],
      ['12:00 AM 2020-01-01', '%I:%M %p %F', '2020-01-01T00:00:00.000Z'],
      ['1596810745', '%s', '2020-08-07T14:32:25.000Z'],
      ['69-01-01', '%y-%m-%d', '1969-01-01T00:00:00.000Z'],
      ['2020-02-30', '%F', null],
      ['2020-13-01', '%F', null],
      ['2020-01-01x', '%F', null],
      ['2020-366', '%Y-%j', '2020-12-31T00:00:00.000Z'],
      ['2021-366', '%Y-%j', null],
    ]
    for (const [input, pattern, expected] of cases) assert.equal(text(strptime(input, pattern)), expected, input)
  })

  it('reads an hour that clocks skip as one after the jump', () => {
    assert.equal(text(strptime('2026-03-29 02:30', '%F %R', 'Europe/Berlin')), '2026-03-29T01:30:00.000Z')
    assert.equal(text(strptime('2026-10-25 02:30', '%F %R', 'Europe/Berlin')), '2026-10-25T00:30:00.000Z')
  })
})

describe('zones', () => {
  it('give the offset of the instant', () => {
    assert.equal(offsetAt('Europe/Berlin', at('2026-01-01T00:00:00Z').micros), 3600)
    assert.equal(offsetAt('Europe/Berlin', at('2026-07-01T00:00:00Z').micros), 7200)
    assert.equal(offsetAt('Asia/Kathmandu', at('2026-07-01T00:00:00Z').micros), 20_700)
    assert.equal(offsetAt('-03:30', 0), -12_600)
    assert.equal(offsetAt('Nowhere', 0), null)
    assert.equal(instantOf('America/New_York', at('2026-06-01T00:00:00Z').micros), at('2026-06-01T04:00:00Z').micros)
  })

  it('decide the day of the week', () => {
    assert.equal(dayOfWeek(at('2026-06-01T00:00:00Z')), 1)
    assert.equal(dayOfWeek(at('2026-06-01T00:00:00Z'), 'America/New_York'), 7)
    assert.equal(dayOfWeek(at('1969-12-31T00:00:00Z')), 3)
  })
})
