/** One column for each encoding of the format, as logs have it: what `--micro` times. A test holds the list against the format's. */
import type { ByteSink } from '../../storage/part/bytes.ts'
import { ENCODING_NAMES, encodeColumn, REBUILT, TIME_TEXT, WOVEN } from '../../storage/part/encodings/index.ts'
import { encodeTimeText, timeFormOf } from '../../storage/part/encodings/time-text.ts'
import { rebuild } from '../../storage/part/rebuilt/prove.ts'
import { encodeRebuilt } from '../../storage/part/rebuilt/rebuilt.ts'
import { encodeWoven, weave } from '../../storage/part/woven/woven.ts'
import { Duration, type Value } from '../../storage/value.ts'
import type { Dictionary, TextVector, TimeVector, Vector } from '../../storage/vector.ts'
import { createMessages } from './messages.ts'
import { createRandom } from './random.ts'
import { BLOCK_ROWS, type Columns, text } from './vectors.ts'

export interface EncodingBench {
  readonly name: string
  readonly vector: Vector
  /** Columns of the same block that it is put together from. */
  readonly others: Columns
  /** Writes it and answers with the number of the encoding. */
  encode(sink: ByteSink, dictionaryIdOf: (dictionary: Dictionary) => number): number
}

const ROWS = Array.from({ length: BLOCK_ROWS }, (_, row) => row)
const NONE: Columns = new Map()

/** @param columns  a block of `createBlocks` */
export function encodingBenches(columns: Columns): readonly EncodingBench[] {
  const random = createRandom(2)
  const any = (values: readonly Value[]): Vector => ({ kind: 'any', rowCount: values.length, values })
  const column = (name: string): Vector => columns.get(name)!
  const times = column('_time') as TimeVector
  const hex = (): string => random.uint32().toString(16).padStart(8, '0')
  const traces = ROWS.map(() => hex() + hex() + hex() + hex())
  const message = createMessages(random)
  const users = ROWS.map(() => `u${random.below(100_000)}`)
  const messages = ROWS.map(row =>
    message({
      user: users[row]!,
      path: '/v1/items/list/7',
      trace: traces[row]!,
      durationMs: row % 900,
      isError: false,
    }),
  )
  const others = new Map([
    ['user', text(users)],
    ['trace', text(traces)],
  ])
  const stamps = text(Array.from(times.micros, micros => new Date(micros / 1000).toISOString()))
  const wholeMillis: TimeVector = { ...times, micros: times.micros.map(micros => Math.floor(micros / 1000) * 1000) }
  const json = text(ROWS.map(row => JSON.stringify({ user: users[row], trace: traces[row] })))
  const rare: Value[] = ROWS.map(row => (row % 100 === 7 ? `seen ${row}` : undefined))
  return [
    plain('constant', { kind: 'const', rowCount: BLOCK_ROWS, value: 'production' }),
    plain('dictionary', column('path')),
    plain('integers', column('bytes')),
    plain('decimals', column('duration_ms')),
    plain('floats', column('ratio')),
    plain('booleans', {
      kind: 'bool',
      rowCount: BLOCK_ROWS,
      values: Uint8Array.from(ROWS, row => row & 1),
      presence: null,
    }),
    plain('times', times),
    plain('durations', {
      kind: 'duration',
      rowCount: BLOCK_ROWS,
      values: Float64Array.from(ROWS, () => random.below(1e9)),
      presence: null,
    }),
    plain('text', column('message')),
    plain('any', any(ROWS.map(row => [row, `t${row}`, null, new Duration(row), [row, 'a']][row % 5]))),
    plain('sparse', any(rare)),
    plain('hex', text(traces)),
    {
      name: 'time text',
      vector: stamps,
      others: new Map([['_time', wholeMillis]]),
      encode: sink => {
        encodeTimeText(sink, stamps, timeFormOf(stamps, wholeMillis)!)
        return TIME_TEXT
      },
    },
    {
      name: 'rebuilt',
      vector: json,
      others,
      encode: sink => {
        encodeRebuilt(
          sink,
          json,
          rebuild(json, { columnOf: name => others.get(name) ?? null, isIndexed: () => false }, null)!,
        )
        return REBUILT
      },
    },
    woven(text(messages), others),
  ]
}

function plain(name: string, vector: Vector): EncodingBench {
  return {
    name,
    vector,
    others: NONE,
    encode: (sink, dictionaryIdOf) => {
      const encoding = encodeColumn(sink, vector, dictionaryIdOf)
      if (ENCODING_NAMES[encoding] !== name) throw new Error(`${name} was written as ${ENCODING_NAMES[encoding]}`)
      return encoding
    },
  }
}

function woven(vector: TextVector, others: Columns): EncodingBench {
  return {
    name: 'woven',
    vector,
    others,
    encode: sink => {
      encodeWoven(sink, weave(vector, others)!)
      return WOVEN
    },
  }
}
