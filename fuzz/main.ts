/**
 * `npm run fuzz -- [target …] [options]`, `--help` lists both: runs the targets and prints, for each failure, the line that repeats it. The exit
 * code is 1 when anything was found.
 */
import { parseArgs } from 'node:util'
import { leaveOut } from './generate/data.ts'
import { runTarget } from './run.ts'
import { CANARY, Finding, LONG_TARGETS, TARGETS } from './targets.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string' },
    count: { type: 'string' },
    failures: { type: 'string' },
    first: { type: 'string' },
    without: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const without = values.without === undefined ? '' : ` --without ${values.without}`
leaveOut(values.without?.split(',') ?? [])

const known = [...TARGETS, ...LONG_TARGETS, CANARY]
const chosen = positionals.length === 0 ? TARGETS : known.filter(target => positionals.includes(target.name))
const listed = `targets: ${known.map(target => `${target.name} (${target.summary})`).join('\n         ')}\n`
if (values.help) {
  process.stdout.write(`npm run fuzz -- [target …] [options]

--seed N         that seed alone
--first N        that seed and those after it; the date's otherwise
--seconds N      for each target (20)
--count N        seeds of each target
--failures N     to end a target after (3)
--without a,b    fields and stages that no query has

${listed}`)
  process.exit(0)
}
if (chosen.length < positionals.length || chosen.length === 0) {
  process.stderr.write(listed)
  process.exit(2)
}

let failed = false
for (const target of chosen) {
  const single = values.seed === undefined ? null : Number(values.seed)
  // A new start every day, so that nights of fuzzing do not repeat each other.
  const firstSeed = single ?? Number(values.first ?? Math.floor(Date.now() / 1000))
  const report = await runTarget(target, {
    firstSeed,
    count: single === null ? Number(values.count ?? Number.POSITIVE_INFINITY) : 1,
    seconds: Number(values.seconds ?? 20),
    maxFailures: Number(values.failures ?? 3),
  })
  const share = report.runs === 0 ? 0 : report.skipped / report.runs
  process.stdout.write(
    `${target.name}: ${report.runs} runs, ${(share * 100).toFixed(0)} % skipped, ${report.failures.length} failures\n`,
  )
  if (target.counts !== undefined) process.stdout.write(`  from seed ${firstSeed}: ${target.counts()}\n`)
  for (const { seed, error } of report.failures) {
    const detail = error instanceof Finding ? error.detail : ''
    process.stdout.write(`\n${error.stack}\n${detail}\n\n  npm run fuzz -- ${target.name} --seed ${seed}${without}\n\n`)
  }
  const tooManySkips = single === null && report.runs > 50 && share > target.skipLimit
  if (tooManySkips) process.stdout.write(`${target.name} skipped too much: limit ${target.skipLimit * 100} %\n`)
  failed ||= report.failures.length > 0 || tooManySkips
}
process.exitCode = failed ? 1 : 0
