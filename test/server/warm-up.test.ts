import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from '../../engine.ts'
import { warmUp } from '../../server/warm-up.ts'

test('a server that warms up asks what can be asked, and leaves nothing behind', async () => {
  const engine = await open(null)
  await warmUp(engine)
  assert.equal(engine.planCache.hits, 0, 'every round compiles')
  assert.deepEqual((await engine.query('stats count() as n').collect()).rows, [[0]])
  await engine.close()
})
