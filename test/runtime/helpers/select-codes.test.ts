import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SELECT_HELPERS } from '../../../runtime/helpers/select-codes.ts'

const passesArbitrary = fc.array(fc.constantFrom(0, 1, 2), { minLength: 1, maxLength: 256 })

test('rows selected by code are those whose code passes, in order, whatever their number', () => {
  fc.assert(
    fc.property(
      passesArbitrary,
      fc.array(fc.nat(255), { maxLength: 100 }),
      fc.constantFrom(0, 1, 700),
      (passes, seeds, repeats) => {
        const codes = Uint8Array.from(
          Array.from({ length: seeds.length * (repeats + 1) }, (_, row) => seeds[row % seeds.length]! % passes.length),
        )
        const out = new Uint32Array(codes.length)
        const count = SELECT_HELPERS.selectCodes(codes, Uint8Array.from(passes), codes.length, out)
        const expected = [...codes.keys()].filter(row => passes[codes[row]!] === 1)
        assert.deepEqual([...out.subarray(0, count)], expected)
      },
    ),
  )
})

test('rows are selected by whether they are missing, null or present', () => {
  const presence = Uint8Array.from({ length: 300 }, (_, row) => (row * 7) % 3)
  for (let states = 0; states < 8; states++) {
    const out = new Uint32Array(presence.length)
    const count = SELECT_HELPERS.selectByPresence(presence, states, presence.length, out)
    const expected = [...presence.keys()].filter(row => (states & (1 << presence[row]!)) !== 0)
    assert.deepEqual([...out.subarray(0, count)], expected)
  }
})

test('every code by itself is found, and no other', () => {
  const codes = Uint8Array.from({ length: 256 }, (_, row) => row)
  for (let wanted = 0; wanted < 256; wanted++) {
    const passes = new Uint8Array(256)
    passes[wanted] = 1
    const out = new Uint32Array(256)
    assert.equal(SELECT_HELPERS.selectCodes(codes, passes, 256, out), 1)
    assert.equal(out[0], wanted)
  }
})

test('what an earlier, longer column left in memory is not selected', () => {
  const all = Uint8Array.of(1)
  SELECT_HELPERS.selectCodes(new Uint8Array(1000), all, 1000, new Uint32Array(1000))
  const out = new Uint32Array(19)
  assert.equal(SELECT_HELPERS.selectCodes(new Uint8Array(19), all, 19, out), 19)
  assert.equal(SELECT_HELPERS.selectCodes(new Uint8Array(0), all, 0, out), 0)
})
