/**
 * `npm run -s quern -- …` from a checkout: builds when a source file is newer than the last build, then runs the command line.
 * The installed `quern` bin is dist/cli/main.js itself.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
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
  const files = readdirSync(root).filter(name => name.endsWith('.ts'))
  return (
    files.some(file => statSync(join(root, file)).mtimeMs > builtMs) ||
    rooms.some(room => newerThan(join(root, room), builtMs))
  )
}

if (!existsSync(main) || !existsSync(stamp) || isStale()) {
  const { build } = await import('./build.mjs')
  if (!(await build())) process.exit(1)
}
await import(main)
