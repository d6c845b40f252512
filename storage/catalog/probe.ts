/**
 * Run as a process of its own: opens the LMDB environment named on the command line, reads all of it and writes once. LMDB trusts what it
 * maps, so a damaged file can end the process that opens it; this one is there to be ended. Prints `sound` when nothing happened.
 */
import { writeSync } from 'node:fs'
import { open } from 'lmdb'
import { committed, isOfTheSystem } from './commit.ts'

const directory = process.argv[2]
if (directory === undefined) throw new Error('usage: probe <directory>')
const environment = open({ path: directory, encoding: 'json', eventTurnBatching: false })
for (const entry of environment.getRange({})) if (entry.key === undefined) throw new Error('an entry without a key')
const key = ['probe', process.pid]
try {
  await committed(environment.put(key, 1))
  await committed(environment.remove(key))
} catch (error) {
  // A disk without room says nothing about what is on it.
  if (!isOfTheSystem(error)) throw error
}
writeSync(process.stdout.fd, 'sound\n')
// Closing would wait for a write that has failed.
process.exit(0)
