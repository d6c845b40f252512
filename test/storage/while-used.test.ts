/** What is held only while it is used. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WhileUsed } from '../../storage/while-used.ts'

test('it stays while somebody asks for it, goes after some seconds, and is made again', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let count = 0
  const used = new WhileUsed(() => ({ number: ++count }))
  for (let seconds = 0; seconds < 20; seconds++) {
    assert.equal(used.get()?.number, 1)
    t.mock.timers.tick(1000)
  }
  t.mock.timers.tick(10_000)
  assert.equal(count, 1)
  assert.equal(used.get()?.number, 2)
})

test('what is not to be had is not asked for again', () => {
  let count = 0
  const none = new WhileUsed(() => {
    count++
    return null
  })
  assert.equal(none.get(), null)
  assert.equal(none.get(), null)
  assert.equal(count, 1)
})
