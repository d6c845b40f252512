/**
 * docs/cookbook.md holds: it is made from its entries, every query is one, and where the logs are, every answer is still the same.
 * The largest file takes longer to load than a test may, so its questions are asked by `QUERN_LADDER=all` and by `npm run cookbook` only.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { open } from '../../engine.ts'
import { repositoryRoot } from '../repository.ts'
import { dataDirectory, outputOf, withData } from './cookbook/data.ts'
import { COOKBOOK } from './cookbook/index.ts'
import { COOKBOOK_PAGE, cookbookPage, outputsOf } from './cookbook/page.ts'

const page = readFileSync(join(repositoryRoot(), COOKBOOK_PAGE), 'utf8')
const shown = outputsOf(page)
const directory = dataDirectory()
const isAll = process.env.QUERN_LADDER === 'all'

describe('the cookbook', () => {
  it('is made from its entries; `npm run cookbook` writes it', () => {
    const made = cookbookPage(COOKBOOK, (_, { query }) => shown.get(query) ?? 'not on the page')
    assert.ok(made === page, `${COOKBOOK_PAGE} is out of date: npm run cookbook`)
  })

  it('has fifty questions or more, each asked once, each with an answer', () => {
    const queries = COOKBOOK.flatMap(({ entries }) => entries.map(({ query }) => query))
    assert.ok(queries.length >= 50, `${queries.length} questions`)
    assert.equal(new Set(queries).size, queries.length)
    for (const query of queries) assert.match(shown.get(query) ?? '', /─/, `no table: ${query}`)
  })

  it('compiles, every question of it', async () => {
    const engine = await open(null)
    try {
      for (const { entries } of COOKBOOK) for (const { query } of entries) engine.query(query)
    } finally {
      await engine.close()
    }
  })

  for (const section of COOKBOOK) {
    const isLeft = directory === null ? 'the logs are not here' : section.isLarge && !isAll ? 'QUERN_LADDER=all' : false
    it(`${section.file} still gives these answers`, { skip: isLeft }, () =>
      withData(directory!, section, async engine => {
        for (const { title, query } of section.entries) {
          assert.equal(await outputOf(engine, query), shown.get(query), title)
        }
      }),
    )
  }
})
