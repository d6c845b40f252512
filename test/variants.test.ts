/** Climbs the ladder of test/variants.ts with every case: three rungs always, all of them when QUERN_LADDER=all. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCases } from './case-input.ts'
import { findCaseFiles, repositoryRoot } from './repository.ts'
import {
  climb,
  isClimbable,
  OTHER_RUNGS,
  planned,
  type Rung,
  ruleRungs,
  spilledStages,
  USUAL_RUNGS,
} from './variants.ts'

const cases = findCaseFiles(join(repositoryRoot(), 'test/cases')).flatMap(loadCases).filter(isClimbable)

function climbAll(rung: Rung): void {
  test(`every case gives the same ${rung.name}`, async () => {
    assert.ok(cases.length > 50)
    const failures: string[] = []
    for (const each of cases) {
      try {
        const actual = await climb(each, rung)
        if (actual !== null) failures.push(`${each.file}:${each.line} ${each.title}\n${actual}`)
      } catch (error) {
        failures.push(
          `${each.file}:${each.line} ${each.title}\n${error instanceof Error ? error.stack : String(error)}`,
        )
      }
    }
    assert.equal(failures.length, 0, `${failures.length} of ${cases.length} cases differ:\n${failures.join('\n\n')}`)
  })
}

for (const rung of USUAL_RUNGS) climbAll(rung)

test('plans serve again, but for those of their instant', () => {
  assert.ok(planned.again > 4 * planned.anew, `${planned.again} again, ${planned.anew} anew`)
})

test('with hardly any memory every stage that can write to disk did', () => {
  for (const stage of ['sort', 'stats', 'join', 'dedup', 'eventstats', 'transaction'])
    assert.ok(spilledStages.has(stage), `${stage} wrote to disk in no case`)
})

if (process.env.QUERN_LADDER === 'all') for (const rung of [...OTHER_RUNGS, ...(await ruleRungs())]) climbAll(rung)
