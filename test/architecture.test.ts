/**
 * The rooms and who may enter: every import of the source is read and held against ARCHITECTURE.md. Also the house rules that
 * a formatter cannot see: registries list their directories, files stay small, nothing is left for later.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { repositoryRoot } from './repository.ts'

const ROOT = repositoryRoot()
const ROOMS = ['grammar', 'storage', 'runtime', 'compiler', 'server', 'cli', 'test', 'fuzz'] as const

/** The files beside the rooms: what the engine is made of, and a thread that helps it. */
const COMPOSITION_ROOTS: readonly string[] = ['engine.ts', 'query-run.ts', 'query-stream.ts', 'worker.ts']

interface SourceFile {
  readonly path: string
  readonly text: string
  readonly imports: readonly string[]
}

function sourceFiles(): SourceFile[] {
  const paths = ROOMS.flatMap(room =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => posix.join(room, name.replaceAll('\\', '/'))),
  )
  return [...paths, ...COMPOSITION_ROOTS].map(path => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return { path, text, imports: importsOf(text) }
  })
}

const IMPORT = /^\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm

/** Every module a text names: static, side-effect, re-exported, dynamic and type-only imports. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(match => (match[1] ?? match[2]) as string)
}

const FILES = sourceFiles()

function roomOf(path: string): string {
  return COMPOSITION_ROOTS.includes(path) ? path : (path.split('/')[0] as string)
}

function target(file: SourceFile, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file.path), specifier)) : null
}

/** What each room may import of ours, beyond itself: folders end in a slash. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  grammar: [],
  // Times and durations in events are written as in queries; the literals are pure text functions.
  storage: ['grammar/literals.ts'],
  // Column names that operators make are words of the language.
  runtime: [
    'storage/',
    'grammar/literals.ts',
    'grammar/made-columns.ts',
    'grammar/renamed.ts',
    'grammar/ast.ts',
    'grammar/source.ts',
    'grammar/diagnostics.ts',
  ],
  compiler: [
    'grammar/',
    'runtime/program.ts',
    'runtime/batch.ts',
    'runtime/table.ts',
    // Which states may leave their thread decides whether a plan is split.
    'runtime/parallel/state.ts',
    'runtime/result.ts',
    'runtime/profile.ts',
    'runtime/evaluate-constant.ts',
    'runtime/formats/',
    'runtime/helpers/',
    // Which fields a parse format gives is known where the format is read.
    'runtime/formats/index.ts',
    'storage/value.ts',
    'storage/vector.ts',
    'storage/predicate.ts',
    'storage/index.ts',
    'storage/tokens.ts',
  ],
  'worker.ts': ['compiler/', 'runtime/', 'storage/'],
  'engine.ts': ['query-run.ts', 'query-stream.ts', 'grammar/', 'compiler/', 'runtime/', 'storage/'],
  'query-run.ts': ['grammar/', 'compiler/', 'runtime/', 'storage/'],
  'query-stream.ts': ['query-run.ts', 'grammar/', 'compiler/', 'runtime/', 'storage/'],
  server: ['engine.ts', 'grammar/', 'compiler/', 'runtime/', 'storage/'],
  cli: ['engine.ts', 'query-stream.ts', 'server/', 'grammar/', 'compiler/', 'runtime/', 'storage/'],
  test: [...ROOMS.map(room => `${room}/`), 'engine.ts'],
  fuzz: [...ROOMS.map(room => `${room}/`), 'engine.ts'],
}

/** Only the folder named may import the library: a library used in one folder can be replaced in one folder. */
const LIBRARY_HOMES: Readonly<Record<string, readonly string[]>> = {
  fastify: ['server/'],
  '@fastify/*': ['server/'],
  ws: ['server/'],
  yaml: ['server/'],
  'prom-client': ['server/'],
  '@sinclair/typebox': ['server/'],
  ajv: ['server/'],
  lmdb: ['storage/catalog/'],
  'lz4-napi': ['storage/part/'],
  'ffi-rs': ['storage/malloc.ts'],
  '@cloudpss/zstd': ['storage/part/'],
  'xxhash-wasm': ['storage/part/', 'storage/ingest/', 'runtime/helpers/', 'server/encodings/', 'server/ingest/'],
  fzstd: ['server/encodings/'],
  protobufjs: ['server/protocols/'],
  'apache-arrow': ['runtime/interchange/', 'server/query/'],
  hyparquet: ['runtime/interchange/'],
  'hyparquet-writer': ['runtime/interchange/'],
  'hyparquet-compressors': ['runtime/interchange/'],
  '@grpc/grpc-js': ['server/listeners/'],
  acorn: ['compiler/codegen/'],
  astring: ['compiler/codegen/'],
  estree: ['compiler/'],
  re2js: ['runtime/helpers/'],
  commander: ['cli/'],
}

function homeOf(specifier: string): readonly string[] | undefined {
  const name = specifier.startsWith('@')
    ? specifier.split('/').slice(0, 2).join('/')
    : (specifier.split('/')[0] as string)
  return LIBRARY_HOMES[name] ?? (name.startsWith('@fastify/') ? LIBRARY_HOMES['@fastify/*'] : undefined)
}

const isProduct = (file: SourceFile): boolean => !['test', 'fuzz'].includes(roomOf(file.path))

test('the scanner sees the source: files, edges, and imports of every form', () => {
  assert.ok(FILES.length > 50, `only ${FILES.length} files seen`)
  assert.ok(FILES.flatMap(file => file.imports).length > 100)
  const text =
    "import a from './a.ts'\nimport type { B } from './b.ts'\nexport * from './c.ts'\nimport {\n  d,\n} from './d.ts'\nimport './e.ts'\nawait import('./f.ts')\n"
  assert.deepEqual(importsOf(text), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts'])
})

test('rooms import only what is below them', () => {
  const violations = FILES.flatMap(file =>
    file.imports.flatMap(specifier => {
      const path = target(file, specifier)
      const room = roomOf(file.path)
      if (path === null || roomOf(path) === room) return []
      return (ALLOWED[room] ?? []).some(
        allowed => path === allowed || (allowed.endsWith('/') && path.startsWith(allowed)),
      )
        ? []
        : [`${file.path} imports ${path}`]
    }),
  )
  assert.deepEqual(violations, [])
})

test('every library enters the product through one folder, and every one is known here', () => {
  const violations = FILES.filter(isProduct).flatMap(file =>
    file.imports.flatMap(specifier => {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) return []
      const homes = homeOf(specifier)
      if (homes === undefined) return [`${file.path} imports ${specifier}, which has no home`]
      return homes.some(home => file.path.startsWith(home))
        ? []
        : [`${file.path} imports ${specifier}, at home in ${homes}`]
    }),
  )
  assert.deepEqual(violations, [])
})

test('node built-ins are imported with their prefix', () => {
  const violations = FILES.flatMap(file =>
    file.imports
      .filter(specifier =>
        /^(?:fs|path|os|crypto|vm|util|stream|worker_threads|zlib|http|net|url|buffer|events)$/.test(specifier),
      )
      .map(specifier => `${file.path} imports ${specifier}`),
  )
  assert.deepEqual(violations, [])
})

test('a server loads node:tls when it needs it: from then on Node holds all root certificates as texts', () => {
  const violations = FILES.filter(isProduct)
    .filter(file => /^import (?!type\b).*'node:tls'/m.test(file.text))
    .map(file => file.path)
  assert.deepEqual(violations, [])
})

/** Directories whose index.ts is the registry of the files beside it. */
const REGISTRIES = [
  'grammar/stages',
  'compiler/stages',
  'compiler/functions/scalar',
  'compiler/functions/aggregate',
  'compiler/functions/window',
  'compiler/optimise',
  'runtime/formats',
  'runtime/operators/table',
  'storage/part/encodings',
]

test('a registry lists every file of its directory', () => {
  const unlisted = REGISTRIES.flatMap(directory => {
    const index = FILES.find(file => file.path === `${directory}/index.ts`)
    const reached = new Set<string>()
    const visit = (file: SourceFile): void => {
      for (const specifier of file.imports) {
        const path = target(file, specifier)
        const next = FILES.find(each => each.path === path)
        if (next === undefined || reached.has(next.path) || !next.path.startsWith(`${directory}/`)) continue
        reached.add(next.path)
        visit(next)
      }
    }
    if (index === undefined) return [`${directory} has no index.ts`]
    visit(index)
    return FILES.filter(file => file.path.startsWith(`${directory}/`) && file !== index && !reached.has(file.path)).map(
      file => `${file.path} is not reached from ${directory}/index.ts`,
    )
  })
  assert.deepEqual(unlisted, [])
})

test('nothing is exported by default and nothing is left for later', () => {
  // The patterns are put together so that this file does not break its own rule.
  const rules: readonly (readonly [RegExp, string])[] = [
    [/^export default/m, 'a default export'],
    [
      new RegExp(`\\b(?:${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')}|${['HA', 'CK'].join('')})\\b`),
      'a note for later',
    ],
    [new RegExp(`@ts-${'ignore'}|@ts-${'expect-error'}`), 'a silenced type error'],
    [/^(?!\s*(?:\*|\/[/*])).*(?:\bas any\b|: any\b(?![`']))/m, 'an any'],
    [/^(?:export )?(?:const )?enum /m, 'an enum'],
  ]
  const found = FILES.filter(file => file.path !== 'test/architecture.test.ts').flatMap(file =>
    rules.filter(([pattern]) => pattern.test(withoutStrings(file.text))).map(([, what]) => `${file.path} has ${what}`),
  )
  assert.deepEqual(found, [])
})

/** Text in quotes and comments of prose may say anything but a note for later, which lives in comments. */
function withoutStrings(text: string): string {
  return text.replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
}

test('no file is longer than 600 lines', () => {
  const long = FILES.filter(file => file.text.split('\n').length > 600).map(file => file.path)
  assert.deepEqual(long, [])
})

test('every file of the product says at its top why it exists', () => {
  const silent = FILES.filter(isProduct)
    .filter(file => file.text.split('\n').length > 60 && !/^\/\*\*/m.test(file.text.slice(0, 2000)))
    .map(file => file.path)
  assert.deepEqual(silent, [])
})
