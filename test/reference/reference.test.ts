/** The reference itself is held against every expectation: a case written by hand and the slow interpreter agree, or one is wrong. */
import assert from 'node:assert/strict'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { parse } from '../../grammar/index.ts'
import { sectionOf, type TestCase } from '../case-file.ts'
import { eventsOf, loadCases, NOW, optionsOf, queryOf } from '../case-input.ts'
import { inAnyWords, isOrdered, isSameResult, spokenFields } from '../compare-rows.ts'
import { findCaseFiles, repositoryRoot } from '../repository.ts'
import { parseRow, rowText } from '../rows.ts'
import { askReference } from './index.ts'

const root = repositoryRoot()

/** Time ranges of the request are not the language's, and `describe` has estimates: neither is in the reference. */
export function isInReference(test: TestCase): boolean {
  const { from, to } = optionsOf(test)
  return from === undefined && to === undefined && !/\bdescribe\b/.test(queryOf(test))
}

for (const file of findCaseFiles(join(root, 'test/cases'))) {
  const cases = loadCases(file).filter(each => sectionOf(each, 'input') && sectionOf(each, 'output'))
  if (cases.length === 0) continue
  test(`the reference gives what ${relative(root, file)} expects`, () => {
    for (const each of cases.filter(isInReference)) {
      const section = sectionOf(each, 'output')
      const expected = (section?.body ?? '')
        .split('\n')
        .filter(line => line.trim() !== '')
        .map(parseRow)
      const text = queryOf(each)
      const { variables = {}, lookups = {}, fragments = {} } = optionsOf(each)
      const { rows, columns } = askReference(text, eventsOf(each), { now: NOW, variables, lookups, fragments })
      const actual = columns === null ? spokenFields(rows, expected) : rows
      const present = actual.map(row => new Map([...row].filter(([, value]) => value !== undefined)))
      assert.ok(
        isSameResult(present, inAnyWords(expected), isOrdered(parse(text).query)),
        `${each.file}:${each.line} ${each.title}\n${text}\nreference:\n${present.map(row => rowText(row)).join('\n')}`,
      )
    }
  })
}
