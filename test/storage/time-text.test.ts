/** Times as senders write them: as the value of a field, and at the beginning of a line. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findTime, parseTime } from '../../storage/ingest/timestamp.ts'
import { DateTime } from '../../storage/value.ts'

const RECEIVED = new DateTime(Date.UTC(2026, 5, 15, 12) * 1000)

const at = (iso: string, nanos = 0): DateTime =>
  new DateTime(Date.parse(iso) * 1000 + Math.floor(nanos / 1000), nanos % 1000)
const NOON = '2024-11-21T10:20:30Z'

const VALUES: readonly (readonly [text: unknown, time: DateTime])[] = [
  // Epochs, by their magnitude.
  [1732184430, at(NOON)],
  [1732184430.25, at(NOON, 250_000_000)],
  [1732184430123, at(NOON, 123_000_000)],
  [1732184430123456, at(NOON, 123_456_000)],
  [1732184430123456789n, at(NOON, 123_456_789)],
  ['1732184430', at(NOON)],
  ['1732184430.123456789', at(NOON, 123_456_789)],
  ['1732184430123456789', at(NOON, 123_456_789)],
  // ISO 8601 and its relatives.
  ['2024-11-21T10:20:30.123456789Z', at(NOON, 123_456_789)],
  ['2024-11-21 12:20:30,5 +0200', at(NOON, 500_000_000)],
  ['2024/11/21 10:20:30', at(NOON)],
  ['20241121T102030Z', at(NOON)],
  ['20241121T122030.250+02:00', at(NOON, 250_000_000)],
  // Web servers, mail, HTTP, C, Java.
  ['21/Nov/2024:12:20:30 +0200', at(NOON)],
  ['[21/Nov/2024:10:20:30 +0000]', at(NOON)],
  ['Thu, 21 Nov 2024 10:20:30 GMT', at(NOON)],
  ['Thu, 21 Nov 2024 12:20:30 +0200', at(NOON)],
  ['21 Nov 2024 10:20:30', at(NOON)],
  ['21-Nov-2024 10:20:30.125', at(NOON, 125_000_000)],
  ['Thu Nov 21 10:20:30 2024', at(NOON)],
  ['Nov 21, 2024 10:20:30 AM', at(NOON)],
  ['Nov 21, 2024 12:20:30 AM', at('2024-11-21T00:20:30Z')],
  ['Nov 21, 2024 12:20:30 PM', at('2024-11-21T12:20:30Z')],
  ['Nov 21, 2024 10:20:30 PM', at('2024-11-21T22:20:30Z')],
  ['Nov 21 10:20:30', at('2025-11-21T10:20:30Z')],
]

describe('times', () => {
  for (const [text, time] of VALUES) {
    test(`${text}`, () => {
      assert.deepEqual(parseTime(text, RECEIVED), time)
    })
  }

  for (const [text, time] of VALUES.filter(([text]) => typeof text === 'string' && /[A-Za-z:]/.test(text))) {
    test(`${text}, at the beginning of a line`, () => {
      assert.deepEqual(findTime(`${text} GET /`, RECEIVED), time)
      assert.deepEqual(findTime(`[${text}] GET /`, RECEIVED), time)
    })
  }

  for (const text of [
    'soon',
    'Thursday',
    'Thu, ',
    '99 Nov 2024 10:20:30',
    '21 Nov 2024',
    '21 Nev 2024 10:20:30',
    '20241321T102030Z',
    '20241121T1020',
    '1 2 3',
    7,
    12345,
    '12345',
    Number.NaN,
    null,
    true,
    {},
  ]) {
    test(`${JSON.stringify(text)} is none`, () => {
      assert.equal(parseTime(text, RECEIVED), null)
    })
  }
})
