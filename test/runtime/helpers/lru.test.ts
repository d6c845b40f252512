import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lru } from '../../../runtime/helpers/lru.ts'

test('what was not used for longest goes first, and is made anew when it is asked for again', () => {
  const lru = new Lru<string, object>(2)
  const made: string[] = []
  const get = (key: string) => lru.getOrMake(key, () => ({ key, number: made.push(key) }))
  const a = get('a')
  get('b')
  assert.equal(get('a'), a)
  get('c')
  assert.equal(get('a'), a)
  get('b')
  assert.deepEqual(made, ['a', 'b', 'c', 'b'])
  const { size, hits, misses, evictions } = lru
  assert.deepEqual({ size, hits, misses, evictions }, { size: 2, hits: 2, misses: 4, evictions: 2 })
})
