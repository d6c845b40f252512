/**
 * Run as a process of its own: prints every entry of the LMDB environment named on the command line, as it is at one moment, a line of JSON
 * each. It opens for reading only, so it may run beside the process that owns the environment, and a damaged file ends this one alone.
 */
import { open } from 'lmdb'

const directory = process.argv[2]
if (directory === undefined) throw new Error('usage: dump <directory>')
const environment = open<unknown, [string, string]>({ path: directory, encoding: 'json', readOnly: true })
const lines: string[] = []
for (const { key, value } of environment.getRange({})) lines.push(JSON.stringify([key, value]))
process.stdout.write(`${lines.join('\n')}\nend\n`)
