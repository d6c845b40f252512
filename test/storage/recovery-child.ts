/** Started by `recovery.test.ts` to be killed: appends numbered events for ever and prints every batch that was published. */
import { ThreadBuilder } from '../../storage/build/builder.ts'
import { openStore } from '../../storage/store.ts'
import { event } from './store-support.ts'

const BATCH = 7
const [directory, firstText] = process.argv.slice(2)
if (directory !== undefined) {
  // One killed process in two was building its parts in a thread.
  const builder = Number(firstText) % 2_000_000 === 0 ? {} : { builder: new ThreadBuilder(0) }
  const store = await openStore({ directory, flushAgeMs: 3, blockRows: 16, ...builder })
  process.stdout.write('open\n')
  for (let first = Number(firstText); ; first += BATCH) {
    const events = Array.from({ length: BATCH }, (_, at) => event({ n: first + at, s: `v${at % 3}` }))
    const from = first
    void store
      .append(events)
      .published()
      .then(() => process.stdout.write(`${from} ${from + BATCH}\n`))
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}
