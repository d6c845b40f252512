/** Files and pipes of the command line become events: where their time comes from, and what is said when there is none. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createTally, type LocalReading, localEvents, type ReadTally } from '../cli/local-events.ts'
import { DateTime } from '../storage/value.ts'
import { NOW } from './case-input.ts'

const directory = mkdtempSync(join(tmpdir(), 'quern-local-'))
after(() => rmSync(directory, { recursive: true }))

async function read(lines: readonly string[], reading: LocalReading): Promise<{ times: DateTime[]; tally: ReadTally }> {
  const file = join(directory, 'events.ndjson')
  writeFileSync(file, lines.join('\n'))
  const tally = createTally()
  const progress = { update: () => {}, end: () => {} }
  const times: DateTime[] = []
  for await (const events of localEvents([{ file }], tally, progress, { receivedAt: NOW, ...reading })) {
    times.push(...events.map(({ time }) => time))
  }
  return { times, tally }
}

const RECORDS = ['{"eventName":"a","eventTime":"2023-07-10T12:11:15Z"}', '{"eventName":"b"}']
const WHEN = new DateTime(Date.UTC(2023, 6, 10, 12, 11, 15) * 1000)

describe('the time of local events', () => {
  it('is where --time-field says, and else when they were read', async () => {
    assert.deepEqual((await read(RECORDS, { timeField: 'eventTime' })).times, [WHEN, NOW])
  })

  it('is missed where no name is known, and the field that has it is found', async () => {
    const { times, tally } = await read(RECORDS, {})
    assert.deepEqual(times, [NOW, NOW])
    assert.equal(tally.untimed, 2)
    assert.equal(tally.timeCandidate, 'eventTime')
  })

  it('is not missed where the usual names have it', async () => {
    const { tally } = await read(['{"ts":"2023-07-10T12:11:15Z"}', '2023-07-10T12:11:15Z text'], {})
    assert.deepEqual([tally.untimed, tally.timeCandidate], [0, null])
  })
})
