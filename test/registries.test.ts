/**
 * A registry is its directory: what a file exports as a stage, a function, a format or an operator is registered, and what is registered
 * comes from there. Descriptors are known by what they are made of, so a file may stand there that only helps.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { AGGREGATES, SCALARS, WINDOWS } from '../compiler/functions/index.ts'
import { STAGES } from '../compiler/stages/index.ts'
import { STAGE_SYNTAX } from '../grammar/index.ts'
import { FORMATS } from '../runtime/formats/index.ts'
import { HELPERS } from '../runtime/helpers/index.ts'
import { repositoryRoot } from './repository.ts'

interface Registry {
  readonly directory: string
  readonly registered: readonly unknown[]
  /** Does it have the members of a descriptor? */
  readonly members: readonly string[]
}

const REGISTRIES: readonly Registry[] = [
  { directory: 'grammar/stages', registered: Object.values(STAGE_SYNTAX), members: ['keyword', 'parse', 'print'] },
  { directory: 'compiler/stages', registered: Object.values(STAGES), members: ['kind', 'doc', 'lower'] },
  { directory: 'compiler/functions/scalar', registered: SCALARS, members: ['name', 'doc', 'helper'] },
  { directory: 'compiler/functions/aggregate', registered: AGGREGATES, members: ['name', 'doc', 'merging'] },
  { directory: 'compiler/functions/window', registered: WINDOWS, members: ['name', 'doc'] },
  { directory: 'runtime/formats', registered: Object.values(FORMATS), members: ['summary', 'create', 'example'] },
]

/** Everything the files of a directory export, what stands in exported arrays included. */
async function exportsOf(directory: string): Promise<Map<unknown, string>> {
  const found = new Map<unknown, string>()
  const root = repositoryRoot()
  // As the sources are now: what an older build left behind is nobody's.
  for (const source of readdirSync(join(root, directory))) {
    if (!source.endsWith('.ts') || source === 'index.ts') continue
    const file = source.replace(/ts$/, 'js')
    const module: Readonly<Record<string, unknown>> = await import(
      pathToFileURL(join(root, 'dist', directory, file)).href
    )
    for (const [name, value] of Object.entries(module)) {
      for (const each of Array.isArray(value) ? value : [value]) found.set(each, `${file} ${name}`)
    }
  }
  return found
}

function hasAll(value: unknown, members: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && members.every(member => member in value)
}

describe('a registry', () => {
  for (const { directory, registered, members } of REGISTRIES) {
    it(`of ${directory} has every descriptor that stands there, once, and no other`, async () => {
      const exported = await exportsOf(directory)
      const forgotten = [...exported].filter(([value]) => hasAll(value, members) && !registered.includes(value))
      assert.deepEqual(
        forgotten.map(([, where]) => where),
        [],
        'not registered',
      )
      for (const value of registered) assert.ok(hasAll(value, members), `no descriptor: ${JSON.stringify(value)}`)
      assert.equal(new Set(registered).size, registered.length, 'registered twice')
      // A format that needs the others is made in the registry itself.
      const foreign = registered.filter(value => !exported.has(value) && value !== FORMATS.first_of)
      assert.deepEqual(foreign, [], 'from elsewhere')
    })
  }

  it('of stages calls each by its own keyword', () => {
    for (const [kind, syntax] of Object.entries(STAGE_SYNTAX)) assert.equal(syntax.keyword, kind)
    for (const [kind, stage] of Object.entries(STAGES)) assert.equal(stage.kind, kind)
  })
})

/** `values(x)` in stats collects, elsewhere it takes an object apart: the one name the language gives to two functions. */
const IN_TWO_TABLES: readonly string[] = ['values']

describe('a name', () => {
  it('of a function stands in one table only', () => {
    const names = [...SCALARS, ...AGGREGATES, ...WINDOWS].map(({ name }) => name)
    assert.deepEqual(repeated(names), IN_TWO_TABLES)
  })

  it('of a helper stands in one table only, and every table is part of the whole', async () => {
    const tables = [...(await exportsOf('runtime/helpers'))].flatMap(([table, where]) =>
      /_HELPERS$/.test(where) ? Object.keys(table as object) : [],
    )
    assert.deepEqual(repeated(tables), [])
    assert.deepEqual(tables.toSorted(), Object.keys(HELPERS).toSorted())
  })
})

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index)
}
