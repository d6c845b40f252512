/**
 * Run as a process of its own: opens the LMDB environment named on the command line, reads all of it and writes once. LMDB trusts what it
 * maps, so a damaged file can end the process that opens it; this one is there to be ended. Prints `sound` when nothing happened.
 */
import { open } from 'lmdb'

const directory = process.argv[2]
if (directory === undefined) throw new Error('usage: probe <directory>')
const environment = open({ path: directory, encoding: 'json' })
for (const entry of environment.getRange({})) if (entry.key === undefined) throw new Error('an entry without a key')
const key = ['probe', process.pid]
await environment.put(key, 1)
await environment.remove(key)
await environment.close()
process.stdout.write('sound\n')
