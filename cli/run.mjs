/**
 * `npm run -s quern -- …` from a checkout: builds when a source file is newer than the last build, then runs the command line.
 * The installed `quern` bin is dist/cli/main.js itself.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const main = join(root, 'dist/cli/main.js')
// Not tsc's own record: a check that writes nothing renews that too.
const stamp = join(root, 'dist/.built')

function newerThan(folder, builtMs) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() ? newerThan(path, builtMs) : entry.name.endsWith('.ts') && statSync(path).mtimeMs > builtMs)
      return true
  }
  return false
}

const rooms = ['grammar', 'compiler', 'runtime', 'storage', 'server', 'cli', 'test']
const isStale = () => {
  const builtMs = statSync(stamp).mtimeMs
  return statSync(join(root, 'engine.ts')).mtimeMs > builtMs || rooms.some(room => newerThan(join(root, room), builtMs))
}

if (!existsSync(main) || !existsSync(stamp) || isStale()) {
  const built = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', root], {
    stdio: ['ignore', 2, 2],
  })
  if (built.status !== 0) process.exit(built.status ?? 1)
  writeFileSync(stamp, '')
}
await import(main)
