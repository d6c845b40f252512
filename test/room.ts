/**
 * The tests in a few processes rather than one for each file: starting node and the engine is 1.3 s a file on the
 * machine this was written on, half of all the time `npm test` took with a hundred files. Each file of rooms/ is
 * one process; a test file still runs alone, too, by its own name.
 */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { repositoryRoot } from './repository.ts'

/** Compiled tests. */
const root = dirname(fileURLToPath(import.meta.url))

const ROOMS: ReadonlyMap<string, RegExp> = new Map([
  ['server', /^server\//],
  ['storage', /^storage\//],
  ['runtime', /^runtime\//],
  ['language', /^(?:grammar|compiler|reference)\//],
  ['ladder', /^(?:cases|variants|fuzz-smoke)\.test\.js$/],
])

/** A test file nobody named a room for is in `others`: none is forgotten. */
function roomOf(path: string): string {
  for (const [room, pattern] of ROOMS) if (pattern.test(path)) return room
  return 'others'
}

export async function runRoom(room: string): Promise<void> {
  // As the sources are now: what an older build left behind is no test any more.
  const files = readdirSync(join(repositoryRoot(), 'test'), { recursive: true, encoding: 'utf8' })
    .map(path => path.replaceAll('\\', '/').replace(/\.ts$/, '.js'))
    .filter(path => path.endsWith('.test.js') && roomOf(path) === room)
    .sort()
  if (files.length === 0) throw new Error(`no test file is in the room ${room}`)
  for (const path of files) await import(pathToFileURL(join(root, path)).href)
}
