/**
 * What the golden parts hold: values of every kind, laid out so that every encoding of the format is chosen at least once. The parts
 * themselves lie in `test/storage/golden/` as the writer of their day wrote them, each with its values beside it as text.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PartReader } from '../../storage/index.ts'
import type { BlockColumns } from '../../storage/part/columns.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { createRandom } from '../bench/random.ts'
import { repositoryRoot } from '../repository.ts'
import { anyVector, textVector, timeVector, valuesOf } from './part-support.ts'

export const GOLDEN_DIRECTORY = join(repositoryRoot(), 'test/storage/golden')

const ROWS = 96
const START = Date.UTC(2026, 5, 1) * 1000
const rows = Array.from({ length: ROWS }, (_, row) => row)
/** Enough for codes of two bytes. */
const MANY = 900
const many = Array.from({ length: MANY }, (_, row) => row)
const hex = (row: number): string =>
  Math.imul(row + 1, 0x9e3779b1)
    .toString(16)
    .replace('-', 'f')
    .padStart(16, '0')
const micros = (row: number): number => START + row * 1_250_000

function columnOf(value: (row: number) => Value): ReturnType<typeof anyVector> {
  return anyVector(rows.map(value))
}

/** Three blocks: JSON that is put together from its fields, lines of text, and numbers and codes without order. */
export function goldenBlocks(): BlockColumns[] {
  const json = rows.map(row =>
    JSON.stringify({
      timestamp: new Date(micros(row) / 1000).toISOString(),
      host: `host-${row % 3}`,
      n: row * 1000,
      price: row / 4,
      trace: hex(row),
    }),
  )
  const first = new Map<string, BlockColumns['columns'] extends ReadonlyMap<string, infer V> ? V : never>([
    ['_time', timeVector(rows.map(micros))],
    ['_raw', textVector(json)],
    ['timestamp', textVector(rows.map(row => new Date(micros(row) / 1000).toISOString()))],
    ['host', columnOf(row => `host-${row % 3}`)],
    ['n', columnOf(row => row * 1000)],
    ['price', columnOf(row => row / 4)],
    ['ratio', columnOf(row => Math.sqrt(row + 1))],
    ['trace', textVector(rows.map(hex))],
    ['ok', columnOf(row => (row % 5 === 0 ? null : row % 2 === 0))],
    ['took', columnOf(row => new Duration(row * 1e6))],
    ['when', columnOf(row => new DateTime(micros(row), row))],
    ['mixed', columnOf(row => [1, 'a', null, 2n ** 60n, undefined, -0, [1, { a: 'b' }]][row % 7])],
    ['tags', columnOf(row => [`t${row}`, row, null])],
    ['same', columnOf(() => 'same')],
    ['rare', columnOf(row => (row === 70 ? 'here' : undefined))],
    ['holes', columnOf(row => (row % 3 === 0 ? undefined : row % 3 === 1 ? null : row))],
    ['odd', columnOf(row => (row % 2 === 0 ? '\ud800' : 'ü'))],
  ])
  const second = new Map<string, BlockColumns['columns'] extends ReadonlyMap<string, infer V> ? V : never>([
    [
      '_time',
      timeVector(
        rows.map(row => micros(row) + 7),
        rows.map(row => row),
      ),
    ],
    [
      '_raw',
      textVector(
        rows.map(
          row => `Jun  1 00:00:${row} host-${row % 3} app[${row}]: user u${row * 7} logged in from 10.0.0.${row}`,
        ),
      ),
    ],
    ['user', textVector(rows.map(row => `user-${row * 7}-of-the-tenant`))],
    [
      'message',
      textVector(rows.map(row => `user-${row * 7}-of-the-tenant did what was asked, attempt ${row % 4} of 4`)),
    ],
    ['host', columnOf(row => `host-${row % 4}`)],
    ['n', columnOf(row => 2 ** 40 + row * row)],
  ])
  // Without order: such lanes are packed.
  const random = createRandom(3)
  const third = new Map<string, BlockColumns['columns'] extends ReadonlyMap<string, infer V> ? V : never>([
    ['_time', timeVector(many.map(micros))],
    ['_raw', textVector(many.map(row => `line ${row}`))],
    ['host', anyVector(many.map(() => `host-${random.below(5)}`))],
    ['user', anyVector(many.map(() => `user-${random.below(300)}`))],
    ['n', anyVector(many.map(() => random.below(2 ** 21)))],
    ['price', anyVector(many.map(() => random.below(2 ** 27) / 4))],
  ])
  return [
    { rowCount: ROWS, columns: first },
    { rowCount: ROWS, columns: second },
    { rowCount: MANY, columns: third },
  ]
}

/** Every value of a part, as text that tells any two values apart. */
export function textOfPart(part: PartReader): string {
  const lines: string[] = [`${part.id} ${part.index} ${part.rowCount}`]
  for (let number = 0; number < part.blockCount; number++) {
    const block = part.block(number)
    for (const { name } of part.fields) {
      const values = valuesOf(block.column(name), block.rowCount).map(textOfValue)
      lines.push(`block ${number} ${name}: ${values.join(' ')}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function textOfValue(value: Value): string {
  if (value === undefined) return '-'
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof DateTime) return `@${value.micros}.${value.nanos}`
  if (value instanceof Duration) return `${value.ns}ns`
  return JSON.stringify(value)
}

export function goldenFile(name: string): Buffer {
  return readFileSync(join(GOLDEN_DIRECTORY, name))
}
