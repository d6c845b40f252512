/**
 * The verification ladder: a case's answer must not depend on how it was computed. Each rung computes it another way:
 * without rules, from canonical text, by the reference, in odd blocks, over many parts, from disk.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, print } from '../grammar/index.ts'
import type { WholeThread } from '../runtime/parallel/elsewhere.ts'
import type { Lanes } from '../runtime/parallel/lanes.ts'
import { sectionOf, type TestCase } from './case-file.ts'
import { eventsOf, NOW, optionsOf, queryOf, type RunOptions } from './case-input.ts'
import { inAnyWords, isOrdered, isSameResult, spokenFields } from './compare-rows.ts'
import { answer, answerInLittleMemory, ask, ruleNames, withEngine } from './harness.ts'
import { InlineLanes } from './inline-lanes.ts'
import { InlineWhole } from './inline-whole.ts'
import { askReference } from './reference/index.ts'
import { type NamedRow, parseRow, rowText } from './rows.ts'

export interface Rung {
  readonly name: string
  /** Is this way of computing the case's answer one that promises the same? */
  readonly fits?: (test: TestCase) => boolean
  /** It says in words of its own why something failed. */
  readonly wordsItsOwn?: true
  rows(test: TestCase): Promise<Computed>
}

interface Computed {
  readonly rows: readonly NamedRow[]
  readonly isEvents: boolean
}

async function compute(test: TestCase, change: RunOptions, text: string = queryOf(test)): Promise<Computed> {
  const result = await answer(text, eventsOf(test), { ...optionsOf(test), ...change })
  return { rows: result.rows, isEvents: result.kind === 'events' }
}

async function onDisk(
  test: TestCase,
  eventsPerPart: number,
  blockRows?: number,
  threads: { readonly lanes?: Lanes; readonly whole?: WholeThread } = {},
): Promise<Computed> {
  const directory = mkdtempSync(join(tmpdir(), 'quern-ladder-'))
  try {
    const change = { directory, eventsPerPart, ...(blockRows !== undefined && { blockRows }), ...threads }
    return await compute(test, change)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Queries of the ladder that were answered by a plan that had answered before. */
export const planned = { again: 0, anew: 0 }

/** The same plan a second time: whatever a run might leave in it shows. */
async function askedAgain(test: TestCase): Promise<Computed> {
  const options = { ...optionsOf(test), blockRows: 2 }
  return await withEngine(eventsOf(test), options, async engine => {
    await ask(engine, queryOf(test), options)
    const { rows, kind, profile } = await ask(engine, queryOf(test), options)
    planned[profile.plan?.cached === true ? 'again' : 'anew']++
    return { rows, isEvents: kind === 'events' }
  })
}

/** Stages that wrote to disk while the ladder was climbed: how often each. */
export const spilledStages = new Map<string, number>()

async function withHardlyAnyMemory(test: TestCase): Promise<Computed> {
  const options = { ...optionsOf(test), memoryBytes: 256, blockRows: 2 }
  const { rows, kind, profile } = await answerInLittleMemory(queryOf(test), eventsOf(test), options)
  for (const counter of profile.counters.keys()) {
    const [what, stage] = counter.split(':')
    if (what === 'spilled') spilledStages.set(stage!, (spilledStages.get(stage!) ?? 0) + 1)
  }
  return { rows, isEvents: kind === 'events' }
}

/** Which row is first is an accident of the scan unless the query sorted before it asked. */
function isFreeOfScanOrder(test: TestCase): boolean {
  return !/\b(?:head|tail|dedup|first|last|list)\b/.test(queryOf(test)) || /\bsort\b/.test(queryOf(test))
}

/** Case by case the rungs that every run of the tests climbs; the others when QUERN_LADDER=all. */
export const USUAL_RUNGS: readonly Rung[] = [
  { name: 'without any rule', rows: test => compute(test, { without: ['all'] }) },
  {
    name: 'by the reference interpreter',
    wordsItsOwn: true,
    fits: test => {
      const { from, to } = optionsOf(test)
      return from === undefined && to === undefined && !/\bdescribe\b/.test(queryOf(test))
    },
    rows: async test => {
      const { variables = {}, lookups = {}, fragments = {} } = optionsOf(test)
      const { rows, columns } = askReference(queryOf(test), eventsOf(test), { now: NOW, variables, lookups, fragments })
      const present = rows.map(row => new Map([...row].filter(([, value]) => value !== undefined)))
      return { rows: present, isEvents: columns === null }
    },
  },
  { name: 'in blocks of two rows, with the plan of the time before', rows: askedAgain },
  { name: 'with hardly any memory', rows: withHardlyAnyMemory },
  {
    name: 'shared between three threads',
    fits: isFreeOfScanOrder,
    rows: test => onDisk(test, 3, 1, { lanes: new InlineLanes(2) }),
  },
]

export const OTHER_RUNGS: readonly Rung[] = [
  { name: 'by another thread', rows: test => onDisk(test, 100_000, 2, { whole: new InlineWhole() }) },
  { name: 'by another thread, from memory', rows: test => compute(test, { blockRows: 2, whole: new InlineWhole() }) },
  { name: 'from its canonical text', rows: test => compute(test, {}, print(parse(queryOf(test)).query)) },
  { name: 'in blocks of one row', rows: test => compute(test, { blockRows: 1 }) },
  { name: 'in blocks of seven rows', rows: test => compute(test, { blockRows: 7 }) },
  { name: 'ingested one event at a time', rows: test => compute(test, { eventsPerPart: 1 }) },
  { name: 'from disk', rows: test => onDisk(test, 100_000) },
  { name: 'from disk in blocks of two rows', rows: test => onDisk(test, 100_000, 2) },
  {
    name: 'from disk, one part for every two events',
    fits: isFreeOfScanOrder,
    rows: test => onDisk(test, 2),
  },
  {
    name: 'from disk, one part for each event',
    fits: isFreeOfScanOrder,
    rows: test => onDisk(test, 1),
  },
]

/** One rung per optimiser rule: the plan without it. */
export async function ruleRungs(): Promise<Rung[]> {
  const names = await withEngine([], {}, engine => ruleNames(engine))
  return names.map(rule => ({ name: `without the rule ${rule}`, rows: test => compute(test, { without: [rule] }) }))
}

export function isClimbable(test: TestCase): boolean {
  return sectionOf(test, 'query') !== undefined && sectionOf(test, 'output') !== undefined
}

/** Null when the rung agrees with the case's expectation, else what it gave instead. */
export async function climb(test: TestCase, rung: Rung): Promise<string | null> {
  if (rung.fits !== undefined && !rung.fits(test)) return null
  const expected = (sectionOf(test, 'output')?.body ?? '')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(parseRow)
  const { rows, isEvents } = await rung.rows(test)
  const actual = isEvents ? spokenFields(rows, expected) : rows
  const wanted = rung.wordsItsOwn === true ? inAnyWords(expected) : expected
  if (isSameResult(actual, wanted, isOrdered(parse(queryOf(test)).query))) return null
  return actual.map(row => rowText(row)).join('\n')
}
