/**
 * `npm run build`: tsc, then the chunks of dist/bundle that the command line and its threads start from (see main.ts). Functions and classes keep
 * their names, so that a stack trace or a profile reads as ever; a map beside each chunk leads back to the TypeScript. The rest of the text is made small,
 * as V8 holds all of it for as long as the process runs: a third less of our own.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')

/** Everything that is started by its file name, and is looked for beside the chunk that starts it. */
const ENTRIES = {
  program: 'cli/program.js',
  worker: 'worker.js',
  'build-worker': 'storage/build/build-worker.js',
  'merge-worker': 'storage/compaction/merge-worker.js',
  probe: 'storage/catalog/probe.js',
  dump: 'storage/catalog/dump.js',
}
/**
 * Libraries without native code that most commands need, one of 200 files of which few are needed, and the two a server is made of, with what they need in
 * their turn: 250 files that were found and read one by one at each start. The others stay where npm put them.
 */
const INCLUDED = new Set([
  '@sinclair/typebox',
  'acorn',
  'ajv',
  'astring',
  'commander',
  'fastify',
  'prom-client',
  'xxhash-wasm',
])

/** Of fastify: called by tests alone. */
const NEVER_RUN = new Set(['light-my-request'])

/** @returns whether everything compiled */
export function compile() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', root], { stdio: ['ignore', 2, 2] }).status === 0
}

/** The chunks are a matter of speed: where the bundler has no build for this machine, the command line runs from the files. */
export async function bundle() {
  const directory = join(dist, 'bundle')
  rmSync(directory, { recursive: true, force: true })
  let rolldown
  try {
    ;({ rolldown } = await import('rolldown'))
  } catch (error) {
    process.stderr.write(`no bundle, so commands start more slowly: ${error.message.split('\n')[0]}\n`)
    return
  }
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(dist, file)])),
    platform: 'node',
    // Half of it is reading the files of tsc, which is what it is for.
    checks: { bundlerTimings: false },
    external: isExternal,
    plugins: [{ name: 'maps-of-tsc', load: withMap }],
  })
  await build.write({
    dir: directory,
    format: 'es',
    sourcemap: true,
    comments: false,
    minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: true } },
    chunkFileNames: 'chunk-[name].js',
    entryFileNames: '[name].js',
  })
  await build.close()
  for (const file of await readdir(directory)) if (file.endsWith('.js')) await inOneByte(join(directory, file))
}

/**
 * One character beyond Latin-1 and V8 holds the whole file with two bytes a character, 1.5 MB of it twice, and parses it as that. Only texts and
 * patterns have any, and there an escape is the same.
 */
async function inOneByte(file) {
  const code = await readFile(file, 'utf8')
  const escaped = code.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  if (escaped !== code) await writeFile(file, escaped)
}

/** What an included library needs is included with it. */
function isExternal(name, importer) {
  if (/^[./]/.test(name)) return false
  const isOfLibrary = importer?.includes('/node_modules/') === true
  return isOfLibrary ? NEVER_RUN.has(name) : !INCLUDED.has(name)
}

/** What tsc wrote, and how that came from the source. */
async function withMap(file) {
  if (!existsSync(`${file}.map`)) return null
  const [code, map] = await Promise.all([readFile(file, 'utf8'), readFile(`${file}.map`, 'utf8')])
  return { code: code.replace(/\/\/# sourceMappingURL=.*\s*$/, ''), map: JSON.parse(map) }
}

/** @returns whether it succeeded; then `dist/.built` says when. */
export async function build() {
  if (!compile()) return false
  await bundle()
  writeFileSync(join(dist, '.built'), '')
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !(await build())) process.exit(1)
