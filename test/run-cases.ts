/**
 * Runs case files (test/case-file.ts): what a section says is compared with what the program does. A section's `actual`
 * is computed by one function; `--update` writes it back in place.
 */
import { writeFileSync } from 'node:fs'
import type { Explanation } from '../engine.ts'
import { CompileError, type Diagnostic, renderDiagnostic } from '../grammar/diagnostics.ts'
import { desugar, format, parse, print } from '../grammar/index.ts'
import type { Profile } from '../runtime/profile.ts'
import { type CaseSection, printCaseFile, sectionOf, type TestCase } from './case-file.ts'
import { eventsOf, loadCases, optionsOf, queryOf, where } from './case-input.ts'
import { isOrdered, isSameResult, spokenFields } from './compare-rows.ts'
import { type Answer, answer, queryOptions, ruleNames, withEngine } from './harness.ts'
import { parseRow, rowText } from './rows.ts'
import { serviceText } from './service-sections.ts'

/** Sections that set a case up; every other is checked. */
const GIVEN = new Set(['query', 'input', 'lookup', 'fragment', 'options', 'only', 'note'])

export interface Mismatch {
  readonly section: CaseSection
  readonly actual: string
}

/** Every section that does not hold. @throws when the case itself is wrong. */
export async function checkCase(test: TestCase): Promise<Mismatch[]> {
  const checked = test.sections.filter(section => !GIVEN.has(section.name))
  if (checked.length === 0) throw new Error(`${where(test)}: nothing to check`)
  const mismatches: Mismatch[] = []
  const run = once(() => answer(queryOf(test), eventsOf(test), optionsOf(test)))
  for (const section of checked) {
    const actual = await checkSection(test, section, run)
    if (actual !== null) mismatches.push({ section, actual })
  }
  return mismatches
}

function once<T>(compute: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= compute()
    return result
  }
}

/** Null when the section holds, else what would hold. */
async function checkSection(test: TestCase, section: CaseSection, run: () => Promise<Answer>): Promise<string | null> {
  if (section.name === 'output') return checkOutput(test, section, await run())
  if (section.name === 'profile') return checkProfile(section, (await run()).profile)
  const actual = await textOfSection(test, section, run)
  return isSameText(actual, section.body) ? null : actual
}

async function textOfSection(test: TestCase, section: CaseSection, run: () => Promise<Answer>): Promise<string> {
  switch (section.name) {
    case 'format':
      return print(parse(queryOf(test)).query)
    case 'layout':
      return format(queryOf(test)).text
    case 'desugar':
      return print(desugar(parse(queryOf(test)).query).query)
    case 'error':
      return isOfGrammar(test) ? framesOf(parse(queryOf(test))) : await errorText(run)
    case 'columns':
      return (await run()).columns.join(', ')
    case 'hints':
      return (await run()).hints.map(hint => `${hint.code}: ${hint.message}`).join('\n')
    case 'logical':
    case 'optimise':
    case 'physical':
    case 'js':
      return explained(section, await explain(test))
    case 'complete':
    case 'signature':
    case 'describe':
    case 'tokens':
      return serviceText(section.name, section.argument, queryOf(test))
    default:
      throw new Error(`${where(test)}: unknown section '${section.name}'`)
  }
}

/** Cases of the grammar are about the parser alone: names that nothing has are not its concern. */
function isOfGrammar(test: TestCase): boolean {
  return test.file.startsWith('test/cases/grammar/')
}

function framesOf({
  source,
  diagnostics,
}: Pick<CompileError, 'source'> & { diagnostics: readonly Diagnostic[] }): string {
  return diagnostics.map(each => renderDiagnostic(source, each)).join('\n')
}

async function errorText(run: () => Promise<Answer>): Promise<string> {
  try {
    await run()
  } catch (error) {
    if (error instanceof CompileError) {
      return framesOf(error)
    }
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
  return 'no error'
}

async function explain(test: TestCase): Promise<Explanation> {
  const only = sectionOf(test, 'only')?.argument
  return await withEngine(eventsOf(test), optionsOf(test), async engine => {
    // `-- only push-filter`: without every other rule.
    const without = only === undefined ? {} : { without: (await ruleNames(engine)).filter(name => name !== only) }
    return await engine.explain(queryOf(test), {
      ...queryOptions({ ...optionsOf(test), ...without }),
      passes: true,
      js: true,
    })
  })
}

function explained(section: CaseSection, explanation: Explanation): string {
  if (section.name === 'physical') return String(explanation.text ?? '')
  if (section.name === 'js') {
    const kernels = (explanation.js ?? []) as readonly { readonly kernel: string; readonly source: string }[]
    const shown = kernels.filter(({ kernel }) => section.argument === '' || kernel.includes(section.argument))
    return shown.map(({ kernel, source }) => `// ${kernel}\n${source.trim()}`).join('\n\n')
  }
  const passes = (explanation.passes ?? []) as readonly { readonly name: string; readonly text: string | null }[]
  const wanted = passes.filter(({ name, text }) => text !== null && (section.name === 'optimise' || name === 'resolve'))
  return wanted.filter(({ name }) => name === 'resolve' || name.startsWith('optimise/')).at(-1)?.text ?? ''
}

/** `<any>` stands for any text on its line. */
export function isSameText(actual: string, expected: string): boolean {
  const tidy = (text: string): string => text.replace(/[ \t]+$/gm, '').trim()
  if (!expected.includes('<any>')) return tidy(actual) === tidy(expected)
  const pieces = tidy(expected).split('<any>')
  const regex = pieces.map(piece => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')
  return new RegExp(`^${regex}$`).test(tidy(actual))
}

// ── Rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function checkOutput(test: TestCase, section: CaseSection, result: Answer): string | null {
  const expected = section.body
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(parseRow)
  const actual = result.kind === 'events' ? spokenFields(result.rows, expected) : result.rows
  if (isSameResult(actual, expected, isOrdered(parse(queryOf(test)).query))) return null
  return actual.map(row => rowText(row)).join('\n')
}

// ── Profile ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Counters as lines: `blocks read 1 of 3`, `coerced:status 2`. */
export function profileLines(profile: Profile): string[] {
  const { scan } = profile
  return [
    `parts read ${scan.partsRead} of ${scan.partsTotal}`,
    `parts skipped by time ${scan.partsSkippedByTime}`,
    `parts skipped by index ${scan.partsSkippedByIndex}`,
    `parts skipped by plan ${scan.partsSkippedByPlan}`,
    `blocks read ${scan.blocksRead} of ${scan.blocksTotal}`,
    `blocks skipped by time ${scan.blocksSkippedByTime}`,
    `blocks skipped by zone map ${scan.blocksSkippedByZoneMap}`,
    `blocks skipped by token filter ${scan.blocksSkippedByTokenFilter}`,
    `blocks skipped by join ${scan.blocksSkippedByJoin}`,
    `blocks answered ${scan.blocksAnswered}`,
    `predicates skipped ${scan.predicatesSkipped}`,
    `rows ${scan.rows}`,
    ...[...profile.counters].map(([name, count]) => `${name} ${count}`),
  ]
}

/** Only the lines a case names are looked at. */
function checkProfile(section: CaseSection, profile: Profile): string | null {
  const lines = profileLines(profile)
  const keyOf = (line: string): string => line.replace(/ \d+( of \d+)?$/, '')
  const expected = section.body.split('\n').filter(line => line.trim() !== '')
  if (expected.every(line => lines.includes(line.trim()))) return null
  return expected.map(line => lines.find(each => keyOf(each) === keyOf(line.trim())) ?? `${keyOf(line)} 0`).join('\n')
}

// ── Updating ────────────────────────────────────────────────────────────────────────────────────────────────────────

export function isUpdating(): boolean {
  return process.argv.includes('--update') || process.env.UPDATE === '1'
}

/** Runs every case of a file and writes what they gave in place of what they said. */
export async function updateFile(file: string): Promise<number> {
  const cases = loadCases(file)
  let changed = 0
  for (const test of cases) {
    for (const { section, actual } of await checkCase(test)) {
      section.body = actual
      changed++
    }
  }
  if (changed > 0) writeFileSync(file, printCaseFile(cases))
  return changed
}
