/** A second of every fuzz target, from a fixed seed; and the canary, which must be found, or the fuzzer sees nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runTarget } from '../fuzz/run.ts'
import { CANARY, Finding, TARGETS } from '../fuzz/targets.ts'

for (const target of TARGETS) {
  test(`fuzz ${target.name}: ${target.summary}`, async () => {
    const report = await runTarget(target, { firstSeed: 1, count: 200, seconds: 1, maxFailures: 1 })
    for (const { seed, error } of report.failures) {
      const detail = error instanceof Finding ? error.detail : ''
      assert.fail(`npm run fuzz -- ${target.name} --seed ${seed}\n${error.stack}\n${detail}`)
    }
    assert.ok(report.runs > 0)
    assert.ok(
      report.runs < 50 || report.skipped / report.runs <= target.skipLimit,
      `${report.skipped} of ${report.runs} skipped`,
    )
  })
}

/** What has no case file to stand in. */
const FAILED_ONCE = [
  // A start that failed left LMDB open, and another in the same process found no catalog it could read.
  ['crash', 70_000_430],
  // Who asked for the rows of a query without conditions was thrown at by a damaged column, instead of getting the others.
  ['corruption', 32],
  // Columns of a complete block were finished when they were first looked at, and added to dictionaries that readers had taken for whole.
  ['same-results', 1_830_400_348],
  ['same-results', 1_830_411_841],
] as const

for (const [name, seed] of FAILED_ONCE) {
  test(`fuzz ${name}, seed ${seed}, which failed once`, async () => {
    const target = TARGETS.find(each => each.name === name)
    assert.ok(target !== undefined)
    const report = await runTarget(target, { firstSeed: seed, count: 1, seconds: 60, maxFailures: 1 })
    assert.deepEqual(report.failures, [])
  })
}

test('the canary is found: a planted bug does not go unseen', async () => {
  const report = await runTarget(CANARY, { firstSeed: 1, count: 50, seconds: 10, maxFailures: 1 })
  assert.equal(report.failures.length, 1)
  assert.ok(report.failures[0]?.error instanceof Finding)
})
