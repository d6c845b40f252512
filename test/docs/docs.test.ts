/**
 * The documentation is true: generated pages are what the source says now, and every example of the pages and of the descriptors
 * runs through the engine. How a page shows an example is said in page-examples.ts.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { AGGREGATES, SCALARS, WINDOWS } from '../../compiler/functions/index.ts'
import { RULES } from '../../compiler/index.ts'
import { STAGES } from '../../compiler/stages/index.ts'
import { CANARY, TARGETS } from '../../fuzz/targets.ts'
import type { ParseFormat } from '../../grammar/ast.ts'
import { FORMAT_SYNTAX, parse } from '../../grammar/index.ts'
import { FORMATS } from '../../runtime/formats/index.ts'
import { repositoryRoot } from '../repository.ts'
import { COOKBOOK_PAGE } from './cookbook/page.ts'
import { SHORT_FORM_EXAMPLES } from './examples.ts'
import { FOREIGN_EXAMPLES, fixedQuery } from './foreign-examples.ts'
import { type PageExample, pageExamples, problemOf } from './page-examples.ts'
import { generatedPages } from './pages.ts'
import { expansionOf, type QueryExample, runExpression, runQuery, sameLines } from './run-example.ts'

const ROOT = repositoryRoot()
const FILES = readdirSync(ROOT)
  .filter(name => !/^(?:node_modules|dist|\..*)$/.test(name))
  .flatMap(name => (statSync(join(ROOT, name)).isDirectory() ? filesIn(name) : [name]))
const PAGES = FILES.filter(name => name.endsWith('.md'))

async function holds({ query, input, output, ...given }: QueryExample): Promise<void> {
  const actual = await runQuery(query, input, output, given)
  assert.ok(sameLines(actual, output), `${query}\nsays\n${output}\ngives\n${actual}`)
}

describe('the generated pages', () => {
  it('are what the descriptors say; `npm run docs` writes them', async () => {
    for (const [path, text] of await generatedPages()) {
      assert.ok(readFileSync(join(ROOT, path), 'utf8') === text, `${path} is out of date: npm run docs`)
    }
  })
})

describe('the examples of the descriptors', () => {
  for (const stage of Object.values(STAGES)) {
    it(`of the stage ${stage.kind} give what they say`, async () => {
      for (const example of stage.doc.examples) await holds(example)
    })
  }

  for (const [name, example] of Object.entries(SHORT_FORM_EXAMPLES)) {
    it(`of ${name} give what they say`, () => holds(example))
  }

  for (const [name, format] of Object.entries(FORMATS)) {
    it(`of parse ${name} give what they say`, () => holds(format.example))

    it(`of parse ${name}: its options are those the parser takes`, () => {
      assert.deepEqual(Object.keys(format.options).toSorted(), FORMAT_SYNTAX[name as ParseFormat].options.toSorted())
    })
  }

  it('of short forms give what their expansions give', async () => {
    for (const { query, input, output, fragments } of Object.values(SHORT_FORM_EXAMPLES)) {
      await holds({ query: expansionOf(query, fragments), input, output })
    }
  })

  for (const fn of [...AGGREGATES, ...WINDOWS]) {
    it(`of ${fn.name}() give what they say`, async () => {
      for (const example of fn.doc.examples) await holds(example)
    })
  }

  for (const fn of SCALARS) {
    it(`of ${fn.name} give what they say`, async () => {
      for (const { expression, result } of fn.doc.examples) {
        assert.equal(await runExpression(expression), result, expression)
      }
    })
  }
})

/** Pages whose examples are run as they stand. Of generated pages their sources are run: the descriptors above, the entries in cookbook.test.ts. */
const PAGES_RUN: readonly string[] = ['docs/language.md', 'compiler/README.md']

describe('what other languages write', () => {
  it('is wrong here, and its fix is a query', () => {
    for (const [, query] of FOREIGN_EXAMPLES) {
      const fixed = fixedQuery(query)
      assert.ok(fixed !== null, `no fix: ${query}`)
      assert.deepEqual(parse(fixed).diagnostics, [], fixed)
    }
  })
})

describe('queries in Markdown', () => {
  it('stand only on pages whose examples are run', () => {
    const withQueries = PAGES.filter(path => readFileSync(join(ROOT, path), 'utf8').includes('\n```quern\n'))
    assert.deepEqual(withQueries.toSorted(), [...PAGES_RUN, COOKBOOK_PAGE, 'docs/reference.md'].toSorted())
  })
})

for (const path of PAGES_RUN) {
  describe(path, () => {
    for (const example of pageExamples(readFileSync(join(ROOT, path), 'utf8'))) {
      it(`line ${example.line}: ${example.query.split('\n')[0]}`, async () => {
        assert.equal(await problemOf(example), null)
      })
    }
  })
}

describe('the rooms', () => {
  it('list what is registered: rules in their order, fuzz targets, commands', () => {
    const inOrder = (path: string, names: readonly string[]): void => {
      const page = readFileSync(join(ROOT, path), 'utf8')
      const places = names.map(name => page.indexOf(`| \`${name}\` |`))
      assert.deepEqual(
        names.filter((_, index) => places[index] === -1),
        [],
        `${path} does not have these`,
      )
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
        `${path} has them in another order`,
      )
    }
    inOrder(
      'compiler/README.md',
      RULES.map(rule => rule.name),
    )
    inOrder(
      'fuzz/README.md',
      [...TARGETS, CANARY].map(target => target.name),
    )
    const commands = readdirSync(join(ROOT, 'cli/commands')).map(name => name.replace('.ts', ''))
    const page = readFileSync(join(ROOT, 'cli/README.md'), 'utf8')
    const listed = /one file a command: `([^`]+)`/.exec(page)?.[1]?.split(' ') ?? []
    assert.deepEqual(listed.toSorted(), commands.toSorted())
  })
})

describe('the examples of a page', () => {
  it('are a query, its inputs and what it gives', () => {
    const page =
      '```quern\nhead 1\n```\ntext\n```input\n{"a":1}\n```\n```input app\n{"a":2}\n```\n```output\n{"a":1}\n```\n'
    assert.deepEqual(pageExamples(page), [
      {
        line: 1,
        query: 'head 1',
        input: [
          { index: 'main', text: '{"a":1}' },
          { index: 'app', text: '{"a":2}' },
        ],
        expected: { kind: 'output', text: '{"a":1}' },
      } satisfies PageExample,
    ])
  })

  it('cannot leave out what a query gives', () => {
    assert.throws(() => pageExamples('```quern\nhead 1\n```\n'), /line 1: the query has no output/)
    assert.throws(() => pageExamples('```output\n{}\n```\n'), /line 1: output of no query/)
  })

  it('are held against the engine', async () => {
    const example = { line: 1, query: 'keep a', input: [{ index: 'main', text: '{"a":1}' }] }
    assert.equal(await problemOf({ ...example, expected: { kind: 'output', text: '{"a":1}' } }), null)
    assert.equal(await problemOf({ ...example, expected: { kind: 'output', text: '{"a":2}' } }), '{"a":1}')
    assert.equal(await problemOf({ ...example, expected: { kind: 'error', text: 'E102' } }), 'no error, but:\n{"a":1}')
    assert.match(
      (await problemOf({ ...example, expected: { kind: 'same', text: 'drop a' } })) ?? '',
      /^\{"a":1\}\nis not/,
    )
  })
})

describe('links between pages', () => {
  it('lead to files that exist', () => {
    assert.ok(PAGES.length >= 8, `only ${PAGES.length} pages seen`)
    const dead = PAGES.flatMap(page =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => ({ page, target: normalize(join(dirname(page), target)) }))
        .filter(({ target }) => !existsSync(join(ROOT, target)))
        .map(({ page: from, target }) => `${from} → ${target}`),
    )
    assert.deepEqual(dead, [])
  })

  it('and the files that a page names in code exist too', () => {
    const dead = PAGES.flatMap(page =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:[\w-]+\/)+[\w-]+\.(?:ts|md|case))`/g)]
        .map(([, target = '']) => target)
        .filter(target => !existsSync(join(ROOT, target)) && !FILES.some(file => file.endsWith(`/${target}`)))
        .map(target => `${page} → ${target}`),
    )
    assert.deepEqual(dead, [])
  })
})

function filesIn(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map(name => join(directory, name))
}
