/** A part that begins while the one before waits to be written goes on with its dictionaries; neither shows anything of the other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Generation } from '../../storage/ingest/buffer.ts'
import { RecentParts } from '../../storage/ingest/recent-parts.ts'
import { TextSizes } from '../../storage/ingest/text-sizes.ts'
import type { BlockColumns } from '../../storage/part/columns.ts'
import type { Value } from '../../storage/value.ts'
import { valuesOf } from './part-support.ts'
import { event, T0 } from './store-support.ts'

const BLOCK_ROWS = 2048

/** Fields of a row: many users, some of each part its own, missing now and then; and few levels. */
function fieldsOf(part: number, row: number): Record<string, Value> {
  const user = row % 3 === 0 ? `user ${part} ${row % 900}` : `user ${(row * 7919) % 4000}`
  return { level: `level ${row % 4}`, ...(row % 5 !== 1 && { user: row % 11 === 0 ? null : user }) }
}

const wanted = (part: number, count: number, name: string): Value[] =>
  Array.from({ length: count }, (_, row) => fieldsOf(part, row)[name])

function valuesIn(blocks: Iterable<BlockColumns>, name: string): Value[] {
  return [...blocks].flatMap(({ columns, rowCount }) => valuesOf(columns.get(name) ?? null, rowCount))
}

test('parts of a flood hold what was appended to each, though one dictionary serves them all', () => {
  const recent = new RecentParts()
  const begin = () => new Generation(BLOCK_ROWS, () => 'p', new TextSizes(), recent)
  const append = (generation: Generation, part: number, row: number) =>
    generation.append(event(fieldsOf(part, row), { micros: T0 + row }), 1, row + 1, 0)
  const first = begin()
  // The last row has no user.
  const counts = [3 * BLOCK_ROWS + 8, 2 * BLOCK_ROWS + 57] as const
  for (let row = 0; row < counts[0]; row++) append(first, 0, row)
  const second = begin()
  const [part] = first.parts
  assert.deepEqual(fieldsOf(0, counts[0] - 1).user, undefined)

  // Written while the next one fills.
  const blocks: BlockColumns[] = []
  const dictionaries = new Set<unknown>()
  let row = 0
  for (const block of part!.columns()) {
    blocks.push(block)
    for (; row < (counts[1] * blocks.length) / 4; row++) append(second, 1, row)
    const users = block.columns.get('user')
    assert.equal(users?.kind, 'dict')
    dictionaries.add(users?.kind === 'dict' ? users.dictionary : null)
  }
  for (; row < counts[1]; row++) append(second, 1, row)
  assert.equal(dictionaries.size, 1, 'what a part says of a field is sent once')
  for (const name of ['user', 'level']) {
    assert.deepEqual(valuesIn(blocks, name), wanted(0, counts[0], name))
    assert.deepEqual(valuesIn(second.parts[0]!.columns(), name), wanted(1, counts[1], name))
    for (const [number, generation] of [first, second].entries()) {
      const reader = generation.snapshot()[0]!
      const read = Array.from({ length: reader.blockCount }, (_, at) => reader.block(at)).flatMap(block =>
        valuesOf(block.column(name), block.rowCount),
      )
      assert.deepEqual(read, wanted(number, counts[number]!, name))
    }
  }
  const sizeOf = (generation: Generation): number => {
    const users = generation.snapshot()[0]!.block(0).column('user')
    return users?.kind === 'dict' ? users.dictionary.values.length : 0
  }
  const own = new Set(wanted(1, counts[1], 'user')).size
  assert.ok(sizeOf(second) > own, 'the second goes on with the dictionary of the first')

  // Once it is written, nobody goes on with it.
  first.drop(part!)
  second.drop(second.parts[0]!)
  const third = begin()
  for (let row = 0; row < 20; row++) append(third, 2, row)
  assert.ok(sizeOf(third) < 20)
})
