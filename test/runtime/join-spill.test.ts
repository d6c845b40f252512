/** A join that does not fit into memory gives what it would give there: the same rows in the same order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, open, QueryMemoryError } from '../../engine.ts'
import { createRandom, type Random } from '../../fuzz/generate/random.ts'
import type { OperatorProfile } from '../../runtime/profile.ts'
import { NOW, readEvents } from '../case-input.ts'
import { rowText } from '../rows.ts'

const KEYS = ['n', '"n"', 'null', '{"deep":n}', '[n]', 'n.5', '900719925474099n', '"ä n"', '"x n"']

function line(random: Random, id: number): string {
  const key = random.pick(KEYS).replace('n', String(random.int(0, 200)))
  const side = random.pick(['l', 'l', 'r'])
  const more = random.chance(0.5) ? `,"more":"${id} ${'x'.repeat(random.int(100, 300))}"` : ''
  return `{"id":${id},"side":"${side}","k":${key},"j":${random.int(0, 5)}${more}}`
}

async function withData(run: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await open(null)
  try {
    const random = createRandom(7)
    const lines = Array.from({ length: 1500 }, (_, id) => line(random, id))
    for (let start = 0; start < lines.length; start += 300) {
      engine.ingest(readEvents([{ index: 'main', text: lines.slice(start, start + 300).join('\n') }]))
      await engine.flush()
    }
    await run(engine)
  } finally {
    await engine.close()
  }
}

async function answer(engine: Engine, text: string, memoryBytes: number) {
  const run = engine.query(text, { now: NOW, memoryBytes })
  const rows: string[] = []
  for await (const row of run.rows()) rows.push(rowText(new Map(Object.entries(row))))
  return { text: rows.join('\n'), files: filesOf(run.profile.root) }
}

/** Written by joins. */
function filesOf(operator: OperatorProfile | null): number {
  if (operator === null) return 0
  return operator.children
    .map(filesOf)
    .reduce((sum, files) => sum + files, operator.op === 'join' ? operator.spilledFiles : 0)
}

const RIGHT = 'where side == "r" | keep id, k, j, more'

/** Each with the bytes it is given. */
const QUERIES: readonly (readonly [query: string, memoryBytes: number])[] = [
  ...['inner', 'left', 'outer'].map(
    type =>
      [
        `where side == "l" | join type=${type} on k, j with [${RIGHT}] | keep id, k, j, more, id_right`,
        40_000,
      ] as const,
  ),
  [`where side == "l" | join type=outer on k with [${RIGHT}] as r | keep id, k, r.id, r.k, r.more`, 40_000],
  // The left side is read first: what is held of it is what does not fit.
  ['where side == "l" | head 200 | join type=left on k with [keep id, k, more] as r | keep id, k, more, r.id', 40_000],
  ...['semi', 'anti'].map(
    type => [`join type=${type} on id with [where side == "r" | keep id] | keep id`, 4_000] as const,
  ),
]

test('joins beyond their memory give the same rows in the same order, from disk', async () => {
  await withData(async engine => {
    for (const [query, memoryBytes] of QUERIES) {
      const whole = await answer(engine, query, 512 * 1024 * 1024)
      assert.equal(whole.files, 0, query)
      assert.ok(whole.text.length > 100, query)
      const small = await answer(engine, query, memoryBytes)
      assert.equal(small.text, whole.text, query)
      assert.ok(small.files > 0, `${query} wrote no file`)
    }
  })
})

test('without room for files, or for the rows of one key, a join says what to do', async () => {
  await withData(async engine => {
    const query = `where side == "l" | join on k with [${RIGHT}] | stats count()`
    const refused = engine.query(query, { now: NOW, memoryBytes: 40_000, diskBytes: 0 }).collect()
    await assert.rejects(refused, error => error instanceof QueryMemoryError && /query.disk is 0/.test(error.message))
    const heavy = 'extend k = 1 | join on k with [extend k = 1 | keep k, id, more] as r | stats count()'
    const indivisible = engine.query(heavy, { now: NOW, memoryBytes: 40_000 }).collect()
    await assert.rejects(indivisible, error => error instanceof QueryMemoryError && /one key/.test(error.message))
  })
})
