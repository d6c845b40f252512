/** diff: every field counted on both sides of a condition, and what differs by more than chance. */
import type { Value } from '../../../storage/value.ts'
import type { Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { batchOf, shownOf, vectorOf } from '../../column-batch.ts'
import { compareValues } from '../../helpers/compare.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { DIFF_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { FieldTally } from './field-tally.ts'
import { rounded } from './measures.ts'
import { counted, type TableRun } from './table.ts'

interface Finding {
  readonly field: string
  readonly test: '==' | '>=' | '<' | 'exists' | 'missing'
  readonly value: Value
  readonly matching: number
  readonly rest: number
}

export class DiffOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'diff'>
  readonly #tallies = new Map<string, FieldTally>()
  readonly #isLeftOut: (name: string) => boolean
  /** Rows of the rest, rows that match. */
  readonly #rows: [number, number] = [0, 0]

  constructor(run: TableRun<'diff'>) {
    const without = new Set([run.inputs.match, '_raw', ...run.options.without])
    this.#run = run
    this.#isLeftOut = name => without.has(name)
  }

  push(batch: Batch): void {
    const matches = batch.column(this.#run.inputs.match as string)
    const sides = new Uint8Array(batch.selectedCount)
    for (let n = 0; n < batch.selectedCount; n++) {
      sides[n] = valueAt(matches, batch.selection === null ? n : batch.selection[n]!) === true ? 1 : 0
      this.#rows[sides[n]!]!++
    }
    for (const name of batch.names) {
      if (this.#isLeftOut(name)) continue
      let tally = this.#tallies.get(name)
      if (tally === undefined) {
        tally = new FieldTally(this.#run.options.distinct, bytes => this.#run.context.memory.charge(bytes, 'diff'))
        this.#tallies.set(name, tally)
      }
      // A row that shows an object by its members has those, and no field of that name.
      count(tally, shownOf(batch.column(name)), batch, sides)
    }
  }

  finish(): void {
    const { context, next, options } = this.#run
    const [rest, matching] = this.#rows
    if (matching === 0 && rest > 0) context.count('note:the condition of diff is true of no row')
    if (rest === 0 && matching > 0) context.count('note:the condition of diff is true of every row')
    const findings = [...this.#tallies].flatMap(([field, tally]) => findingsOf(field, tally, matching, rest))
    const told = findings.filter(each => isBeyondChance(each.matching, matching, each.rest, rest))
    told.sort(
      (a, b) =>
        differenceOf(b, matching, rest) - differenceOf(a, matching, rest) ||
        b.matching - a.matching ||
        compareValues(a.field, b.field) ||
        compareValues(a.test, b.test) ||
        compareValues(a.value, b.value),
    )
    if (told.length > options.limit)
      context.count(`note:diff shows ${options.limit} of ${told.length} differences; limit=${told.length} shows all`)
    const varied = [...this.#tallies]
      .filter(([, { values, scale }]) => values === null && scale === null)
      .map(([name]) => name)
    if (varied.length > 0) {
      const names = varied.sort().join(', ')
      context.count(`note:with more than ${counted(options.distinct, 'different value')} not compared: ${names}`)
    }
    const rows = told.slice(0, options.limit).map(each => valuesOf(each, matching, rest))
    if (rows.length > 0) {
      next.push(
        batchOf(new Map(DIFF_COLUMNS.map((name, index) => [name, vectorOf(rows.map(row => row[index]))])), rows.length),
      )
    }
    next.finish()
  }
}

function differenceOf(finding: Finding, matching: number, rest: number): number {
  return finding.matching / matching - finding.rest / rest
}

function valuesOf(finding: Finding, matching: number, rest: number): Value[] {
  const { field, test, value } = finding
  const shares = [finding.matching / matching, finding.rest / rest, differenceOf(finding, matching, rest)]
  return [field, test, value, ...shares.map(share => rounded(share)), finding.matching, finding.rest]
}

/** Dictionaries are counted by code, so that each value is looked at once per block. */
function count(tally: FieldTally, vector: Vector, batch: Batch, sides: Uint8Array): void {
  const { selection, selectedCount } = batch
  if (vector.kind === 'const' || vector.kind === 'dict') {
    const values = vector.kind === 'const' ? [vector.value] : vector.dictionary.values
    const counts = new Uint32Array(values.length * 2)
    for (let n = 0; n < selectedCount; n++) {
      const row = selection === null ? n : selection[n]!
      counts[(vector.kind === 'const' ? 0 : vector.codes[row]!) * 2 + sides[n]!]!++
    }
    for (let code = 0; code < values.length; code++) {
      const [rest, matching] = [counts[code * 2]!, counts[code * 2 + 1]!]
      if (rest + matching > 0) tally.add(values[code], matching, rest)
    }
    return
  }
  for (let n = 0; n < selectedCount; n++) {
    const side = sides[n]!
    tally.add(valueAt(vector, selection === null ? n : selection[n]!), side, 1 - side)
  }
}

// ── What there is to tell of a field ────────────────────────────────────────────────────────────────────────────────

function findingsOf(field: string, tally: FieldTally, matching: number, rest: number): Finding[] {
  const findings: Finding[] = []
  const { present, values, scale } = tally
  const all = [...(values?.values() ?? [])]
  // Of a time only where it divides is worth telling, not each instant.
  const isTime = tally.kind === 'datetime'
  if (!isTime) {
    for (const { value, matching: m, rest: r } of all) findings.push({ field, test: '==', value, matching: m, rest: r })
  }
  // A field with one value exists where it has that value.
  if (all.length !== 1 || isTime) {
    findings.push({ field, test: 'exists', value: null, matching: present.matching, rest: present.rest })
  }
  findings.push({
    field,
    test: 'missing',
    value: null,
    matching: matching - present.matching,
    rest: rest - present.rest,
  })
  const best = scale === null ? null : bestCut(field, scale, matching, rest)
  return best === null ? findings : [...findings, best]
}

/** The number that has most more of the matching rows on one side of it (Kolmogorov and Smirnov's distance). */
function bestCut(
  field: string,
  scale: readonly { readonly value: Value; readonly matching: number; readonly rest: number }[],
  matching: number,
  rest: number,
): Finding | null {
  const all = { matching: 0, rest: 0 }
  for (const each of scale) {
    all.matching += each.matching
    all.rest += each.rest
  }
  let best: Finding | null = null
  const offer = (finding: Finding): void => {
    if (best === null || differenceOf(finding, matching, rest) > differenceOf(best, matching, rest)) best = finding
  }
  const below = { matching: 0, rest: 0 }
  for (const [index, each] of scale.entries()) {
    if (index > 0) {
      const { value } = each
      offer({ field, test: '>=', value, matching: all.matching - below.matching, rest: all.rest - below.rest })
      offer({ field, test: '<', value, ...below })
    }
    below.matching += each.matching
    below.rest += each.rest
  }
  return best
}

/** Three standard errors: with so many values compared, two would be met by chance all the time. */
const STANDARD_ERRORS = 3

/** Agresti and Caffo (2000): a success and a failure added to each side, so that small and extreme counts are judged soberly. */
function isBeyondChance(matching: number, ofMatching: number, rest: number, ofRest: number): boolean {
  if (ofMatching === 0 || ofRest === 0) return false
  const p = (matching + 1) / (ofMatching + 2)
  const q = (rest + 1) / (ofRest + 2)
  return p - q > STANDARD_ERRORS * Math.sqrt((p * (1 - p)) / (ofMatching + 2) + (q * (1 - q)) / (ofRest + 2))
}
