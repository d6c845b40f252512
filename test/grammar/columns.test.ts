/** What completion believes of the columns behind a query is what the compiler knows of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile, languageCatalog } from '../../compiler/index.ts'
import { randomData } from '../../fuzz/generate/data.ts'
import { queryText, randomQuery } from '../../fuzz/generate/query.ts'
import { createRandom } from '../../fuzz/generate/random.ts'
import { columnsOf, fieldColumn } from '../../grammar/columns.ts'
import { CompileError, parse } from '../../grammar/index.ts'
import { NOW } from '../case-input.ts'

const FORMATS = new Map(
  languageCatalog().parse_formats.map(({ name, fields }) => [name, fields.map(field => field.name)]),
)

/** Null where the compiler does not know them either. */
function columnsOfCompiler(text: string, fields: readonly string[]): readonly string[] | null {
  const catalog = {
    indexes: ['main'],
    sources: [],
    fields: () => new Map(fields.map(name => [name, 'any' as const])),
    lookups: [],
    lookup: () => null,
  }
  try {
    const { result } = compile(text, { catalog, now: NOW }).program
    return result.columns?.map(column => column.name) ?? null
  } catch (error) {
    if (error instanceof CompileError) return null
    throw error
  }
}

test('behind a thousand random queries', () => {
  let compared = 0
  for (let seed = 1; seed <= 1000; seed++) {
    const random = createRandom(seed)
    const { fields } = randomData(random, 3)
    const names = ['_time', '_raw', ...fields.map(field => field.name)]
    const text = queryText(randomQuery(random, fields))
    const known = columnsOfCompiler(text, names)
    if (known === null) continue
    const { lets, pipeline } = parse(text).query
    const believed = columnsOf(pipeline, {
      lets,
      events: () => ({ all: names.map(fieldColumn), isOpen: true, formats: FORMATS }),
      table: () => ({ all: [], isOpen: true }),
    })
    assert.equal(believed.isOpen, false, text)
    assert.deepEqual(believed.all.map(column => column.name).toSorted(), known.toSorted(), text)
    compared++
  }
  assert.ok(compared > 200, `only ${compared} queries have known columns`)
})
