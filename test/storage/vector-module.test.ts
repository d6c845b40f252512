/** The memory of loops in machine code: who asks for more has what was there, and every loop works in the new one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MachineLoop, op } from '../../storage/vector-module.ts'

const [AT, BYTE] = [0, 1] as const

test('memory that becomes larger holds what it held, for all loops in it, and no array loses its own', t => {
  const room = fc.integer({ min: 0, max: 2 ** 20 }).map(bytes => ({ bytes }))
  const put = fc.record({ at: fc.nat(65_535), byte: fc.nat(255) })
  fc.assert(
    fc.property(fc.array(fc.oneof(room, put), { maxLength: 30 }), steps => {
      const reads = MachineLoop.of(1, [], [op.get(AT), op.loadByte])
      if (reads === null) return t.skip('there is no WebAssembly here')
      const writes = reads.beside(2, [], [op.get(AT), op.get(BYTE), op.storeByte(0), op.get(BYTE)])
      const before = reads.room(0)
      const expected = new Uint8Array(65_536)
      for (const step of steps) {
        if ('bytes' in step) assert.ok(reads.room(step.bytes).length >= step.bytes)
        else {
          writes.run(step.at, step.byte)
          expected[step.at] = step.byte
          assert.equal(reads.run(step.at), step.byte)
        }
      }
      assert.ok(Buffer.from(reads.room(0).subarray(0, expected.length)).equals(expected))
      assert.ok(before.length > 0, 'whoever holds the array before may look at it')
    }),
  )
})
