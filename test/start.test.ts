/** How the command line starts: from chunks when they are those of the files, and with no more of the engine than a command needs. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sourceStack } from '../cli/source-stack.ts'
import { repositoryRoot } from './repository.ts'

const ROOT = repositoryRoot()

/** Imports that are there when a module starts: neither types nor what is imported later. */
const STATIC = /^(?:import|export)\s(?!type\b)(?:[^'"`;]*?\sfrom\s+)?'([^']+)'/gm

/** Files and libraries that importing a file loads. */
function loadedBy(file: string): ReadonlySet<string> {
  const loaded = new Set([file])
  for (const each of loaded) {
    if (!each.endsWith('.ts')) continue
    const text = readFileSync(join(ROOT, each), 'utf8')
    for (const [, specifier = ''] of text.matchAll(STATIC)) {
      loaded.add(specifier.startsWith('.') ? posix.join(posix.dirname(each), specifier) : specifier)
    }
  }
  return loaded
}

test('a query over a pipe loads neither a store nor a server, nor anything native', () => {
  const loaded = loadedBy('cli/commands/query.ts')
  assert.ok(loaded.size > 300, `only ${loaded.size} modules seen`)
  const libraries = [...loaded].filter(name => !name.endsWith('.ts') && !name.startsWith('node:')).sort()
  assert.deepEqual(libraries, ['acorn', 'astring', 'xxhash-wasm'])
  const rooms = [...loaded].filter(name =>
    /^(?:server|storage\/(?:catalog|compaction|build|tools)|engine\.ts)/.test(name),
  )
  assert.deepEqual(rooms, [])
})

test('a server loads what one protocol alone needs when somebody first speaks it', () => {
  const loaded = loadedBy('cli/commands/server.ts')
  assert.ok(loaded.has('server/listeners/otlp-grpc.ts') && loaded.has('server/tail/web-socket.ts'))
  assert.deepEqual([...loaded].filter(name => !name.endsWith('.ts') && !name.startsWith('node:')).sort(), [
    '@sinclair/typebox',
    'acorn',
    'ajv',
    'astring',
    'fastify',
    'fzstd',
    'lmdb',
    'prom-client',
    'xxhash-wasm',
  ])
})

test('the commands themselves load nothing until one is run', () => {
  const loaded = [...loadedBy('cli/main.ts'), ...loadedBy('cli/program.ts')].filter(name => !name.startsWith('node:'))
  assert.deepEqual(loaded.sort(), [
    'cli/data-home.ts',
    'cli/exit-codes.ts',
    'cli/main.ts',
    'cli/program.ts',
    'cli/source-stack.ts',
    'commander',
    'storage/entry.ts',
  ])
})

test('the chunks are taken unless the files are newer', () => {
  const directory = mkdtempSync(join(tmpdir(), 'quern-start-'))
  try {
    const main = join(directory, 'dist/cli/main.js')
    const chunks = join(directory, 'dist/bundle/program.js')
    const record = join(directory, 'dist/.tsbuildinfo')
    const entry = join(directory, 'dist/storage/entry.js')
    for (const file of [main, chunks, entry]) mkdirSync(dirname(file), { recursive: true })
    copyFileSync(join(ROOT, 'dist/cli/main.js'), main)
    copyFileSync(join(ROOT, 'dist/storage/entry.js'), entry)
    const says = (what: string): string => `export const main = () => process.stdout.write('${what}')\n`
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
    writeFileSync(join(directory, 'dist/cli/program.js'), says('files'))
    const started = (): string => spawnSync(process.execPath, [main], { encoding: 'utf8' }).stdout
    assert.equal(started(), 'files')
    writeFileSync(chunks, says('chunks'))
    assert.equal(started(), 'chunks')
    writeFileSync(record, '')
    utimesSync(chunks, 1000, 1000)
    assert.equal(started(), 'files')
    utimesSync(record, 999, 999)
    assert.equal(started(), 'chunks')
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('a place in a chunk is told as the place in the source it came from', context => {
  const chunk = ['worker.js', 'program.js'].map(name => join(ROOT, 'dist/bundle', name)).find(file => existsSync(file))
  if (chunk === undefined)
    return context.skip('no chunks: tsc alone was run, or the bundler has no build for this machine')
  const lines = readFileSync(chunk, 'utf8').split('\n')
  const line = lines.findIndex(text => /files ?= ?createPartFiles\(/.test(text))
  const url = pathToFileURL(chunk).href
  const column = (lines[line] ?? '').search(/(?<=files ?= ?)createPartFiles\(/)
  const told = sourceStack(`Error: x\n    at f (${url}:${line + 1}:${column + 1})\n    at node:internal:1:2`)
  assert.match(told, /^Error: x\n {4}at f \(.*worker\.ts:\d+:\d+\)\n {4}at node:internal:1:2$/)
})

test('chunks are small, functions and classes keep their names in them, and a server reads no library but what is native or tiny', context => {
  const directory = join(ROOT, 'dist/bundle')
  if (!existsSync(directory))
    return context.skip('no chunks: tsc alone was run, or the bundler has no build for this machine')
  const files = readdirSync(directory).filter(name => name.endsWith('.js'))
  const chunks = files.map(name => readFileSync(join(directory, name), 'utf8')).join('\n')
  assert.ok(chunks.length > 1_000_000, `only ${chunks.length} characters seen`)
  for (const name of ['IdleCollector', 'CompileError'])
    assert.match(chunks, new RegExp(`\\b(?:class ${name}\\b|${name} ?= ?class\\b)`))
  for (const name of ['createPartFiles', 'collectForRest']) assert.match(chunks, new RegExp(`\\bfunction ${name}\\(`))
  assert.ok(chunks.split('\n').length * 500 < chunks.length, 'V8 would hold what nobody reads')
  const read = new Set([...chunks.matchAll(/\bfrom ?"([^"./][^"]*)"/g)].map(([, name = '']) => name))
  assert.deepEqual([...read].filter(name => !name.startsWith('node:')).sort(), ['fzstd', 'lmdb'])
})
