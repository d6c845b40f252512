import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdleCollector } from '../../server/idle.ts'

const MIB = 2 ** 20

interface Seen {
  busy: number
  held: number
  live: number
  givenBack: number
}

function watched(): { readonly seen: Seen; readonly looks: () => number } {
  const seen = { busy: 0, held: 0, live: 0, givenBack: 0 }
  let collections = 0
  const collector = new IdleCollector({
    busy: () => seen.busy,
    held: () => seen.held,
    collect() {
      collections++
      seen.held = seen.live
    },
    giveBack() {
      seen.givenBack++
    },
  })
  return {
    seen,
    looks() {
      collector.look()
      return collections
    },
  }
}

test('a server at rest collects what events have left, and once more when it has made nothing since', () => {
  const { seen, looks } = watched()
  seen.live = 30 * MIB
  seen.held = 300 * MIB
  assert.equal(looks(), 1)
  assert.equal(looks(), 2, 'now V8 gives back the room for what is young')
  assert.equal(looks(), 2, 'there is nothing new to collect')
  seen.held = 33 * MIB
  assert.equal(looks(), 2, 'too little to be worth it')
  seen.held = 90 * MIB
  assert.equal(looks(), 3)
  seen.busy = 0.3
  assert.equal(looks(), 3, 'it has been asked meanwhile')
  seen.busy = 0
  assert.equal(looks(), 4)
  assert.equal(looks(), 4)
})

test('a server that is asked does not', () => {
  const { seen, looks } = watched()
  seen.held = 300 * MIB
  seen.busy = 0.3
  assert.equal(looks(), 0)
  seen.busy = 0.001
  assert.equal(looks(), 1)
})

test('what was freed is given back at each look of a server at rest, whether or not it had anything to collect', () => {
  const { seen, looks } = watched()
  looks()
  assert.equal(seen.givenBack, 1, 'threads that ended left something, too')
  looks()
  assert.equal(seen.givenBack, 2)
  seen.busy = 0.3
  looks()
  assert.equal(seen.givenBack, 2, 'it would be wanted again')
})
