/** Events as lines of JSON, and lines as programs write them, and as they should not. */
import fc from 'fast-check'
import type { IncomingEvent } from '../../storage/index.ts'
import { createEventReader, TIMESTAMP_FIELDS } from '../../storage/ingest/read-event.ts'
import { DateTime } from '../../storage/value.ts'
import { T0 } from './store-support.ts'

const reader = createEventReader()

export function eventOf(line: string, host: string | null = null): IncomingEvent {
  const defaults = { index: 'main', source: null, sourcetype: null, host, receivedAt: new DateTime(T0) }
  const read = reader.fromLine(line, { ...defaults, timestampFields: TIMESTAMP_FIELDS })
  if ('problem' in read) throw new Error(read.problem.message)
  // All in one part, whatever day a line names.
  return { ...read.event, time: new DateTime(T0) }
}

/** JSON as programs write it, and as they should not: spaces, escapes, names given twice, numbers with more to them than their value. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('null', 'true', 'false', '0', '-0', '1.50', '1e3', '12', '-7', '0.1', '9007199254740993', '1e400'),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.integer().map(String),
    fc.string({ unit: 'grapheme' }).map(text => JSON.stringify(text)),
    fc.constantFrom('"a\\/b"', '"\\u00e9"', '"tab\\tend"', '"\\ud83d\\ude00"', '"é"', '"\\ud800"'),
    fc.array(tie('value'), { maxLength: 3 }).map(items => `[${items.join(',')}]`),
    fc.array(tie('value'), { maxLength: 3 }).map(items => `[ ${items.join(', ')} ]`),
    tie('object'),
  ),
  object: fc
    .tuple(
      fc.array(
        fc.tuple(fc.constantFrom('a', 'b', 'a.b', 'x y', '__proto__', '', 'é', '_time', '_raw', '"'), tie('value')),
        {
          maxLength: 4,
        },
      ),
      fc.constantFrom('', ' ', '\t'),
    )
    .map(([members, space]) => {
      const inner = members.map(([name, value]) => `${JSON.stringify(name)}:${space}${value}`).join(`,${space}`)
      return `{${space}${inner}${space}}`
    }),
})).object
