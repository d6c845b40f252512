/** Every case file under test/cases: what each section says is what the program does. `--update` or UPDATE=1 rewrites them. */
import assert from 'node:assert/strict'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { parseCaseFile, printCaseFile } from './case-file.ts'
import { loadCases } from './case-input.ts'
import { findCaseFiles, repositoryRoot } from './repository.ts'
import { checkCase, isUpdating, updateFile } from './run-cases.ts'

const root = repositoryRoot()
const files = findCaseFiles(join(root, 'test/cases'))

test('there are case files', () => {
  assert.ok(files.length > 10)
})

test('a case without sections, or text outside of them, is refused', () => {
  assert.throws(() => parseCaseFile('x.case', '# a title alone\n'), /no sections/)
  assert.throws(() => parseCaseFile('x.case', 'stray\n# title\n-- query\nfrom main\n'), /before the first section/)
  assert.throws(() => parseCaseFile('x.case', ''), /no case/)
  assert.throws(() => parseCaseFile('x.case', '-- query\nfrom main\n'), /before the first title/)
})

test('printing a case file gives back what was read, marked lines included', () => {
  const text = '# one\n-- query\nfrom main\n\n-- input app\n\\# not a title\n\n-- output\n\n# two\n-- query\nx\n'
  assert.equal(printCaseFile(parseCaseFile('x.case', text)), text)
})

for (const file of files) {
  const name = relative(root, file)
  if (isUpdating()) {
    test(`${name} is brought up to date`, async () => {
      await updateFile(file)
    })
    continue
  }
  test(name, async t => {
    for (const each of loadCases(file)) {
      await t.test(each.title, async () => {
        for (const { section, actual } of await checkCase(each)) {
          assert.equal(actual, section.body, `${each.file}:${each.line} -- ${section.name}`)
          // Texts that look alike and yet differ (an order, a type) must not pass.
          assert.fail(`${each.file}:${each.line} -- ${section.name} does not hold:\n${actual}`)
        }
      })
    }
  })
}
