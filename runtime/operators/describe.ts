/** describe: one row per field, in order of first appearance. Values are counted once each, so the figures are exact. */
import { typeOf, type Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { batchOf, shownOf, vectorOf } from '../column-batch.ts'
import { compareValues, keyOf } from '../helpers/compare.ts'
import { HLL_HELPERS, type Hll } from '../helpers/hll.ts'
import { valueAt } from '../helpers/vectors.ts'
import type { Operator, RunContext } from './operator.ts'

/** Beyond this many distinct values a field's top values would not be worth their memory: they are left out, not guessed. */
const TALLY_MAX = 10_000
const TOP_VALUES = 5

interface FieldFacts {
  present: number
  readonly types: Set<string>
  readonly distinct: Hll
  min: Value
  max: Value
  tally: Map<string | number, { readonly value: Value; count: number }> | null
}

export class DescribeOperator implements Operator {
  readonly isDone = false
  readonly #next: Operator
  readonly #context: RunContext
  readonly #fields = new Map<string, FieldFacts>()
  #rows = 0

  constructor(context: RunContext, next: Operator) {
    this.#context = context
    this.#next = next
  }

  push(batch: Batch): void {
    this.#rows += batch.selectedCount
    for (const name of batch.names) {
      let facts = this.#fields.get(name)
      if (facts === undefined) {
        this.#context.memory.charge(20_000, 'describe')
        facts = {
          present: 0,
          types: new Set(),
          distinct: HLL_HELPERS.hllNew(),
          min: null,
          max: null,
          tally: new Map(),
        }
        this.#fields.set(name, facts)
      }
      observeColumn(facts, shownOf(batch.column(name)), batch)
    }
  }

  finish(): void {
    const described = [...this.#fields].filter(([, facts]) => facts.present > 0)
    if (described.length > 0) {
      const columns = new Map<string, Vector>([
        ['field', vectorOf(described.map(([name]) => name))],
        ['type', vectorOf(described.map(([, facts]) => [...facts.types].sort().join('|')))],
        ['coverage', vectorOf(described.map(([, facts]) => facts.present / this.#rows))],
        ['distinct_est', vectorOf(described.map(([, facts]) => HLL_HELPERS.hllCount(facts.distinct)))],
        ['min', vectorOf(described.map(([, facts]) => facts.min))],
        ['max', vectorOf(described.map(([, facts]) => facts.max))],
        ['top_values', vectorOf(described.map(([, facts]) => topValues(facts)))],
      ])
      this.#next.push(batchOf(columns, described.length))
    }
    this.#next.finish()
  }
}

function observeColumn(facts: FieldFacts, vector: Vector, batch: Batch): void {
  if (vector.kind === 'dict') {
    // Counted by code first: each distinct value is looked at once per block.
    const counts = new Uint32Array(vector.dictionary.values.length)
    for (let n = 0; n < batch.selectedCount; n++)
      counts[vector.codes[batch.selection === null ? n : batch.selection[n]!]!]!++
    for (const [code, count] of counts.entries()) if (count > 0) observe(facts, vector.dictionary.values[code], count)
    return
  }
  if (vector.kind === 'const') {
    observe(facts, vector.value, batch.selectedCount)
    return
  }
  for (let n = 0; n < batch.selectedCount; n++) {
    observe(facts, valueAt(vector, batch.selection === null ? n : batch.selection[n]!), 1)
  }
}

function observe(facts: FieldFacts, value: Value, count: number): void {
  if (value === null || value === undefined) return
  facts.present += count
  facts.types.add(typeOf(value))
  HLL_HELPERS.hllAdd(facts.distinct, value)
  if (facts.min === null || compareValues(value, facts.min) < 0) facts.min = value
  if (facts.max === null || compareValues(value, facts.max) > 0) facts.max = value
  if (facts.tally === null) return
  const key = keyOf(value)
  const entry = facts.tally.get(key)
  if (entry !== undefined) entry.count += count
  else if (facts.tally.size < TALLY_MAX) facts.tally.set(key, { value, count })
  else facts.tally = null
}

function topValues(facts: FieldFacts): Value {
  if (facts.tally === null) return null
  return [...facts.tally.values()]
    .sort((a, b) => b.count - a.count || compareValues(a.value, b.value))
    .slice(0, TOP_VALUES)
    .map(({ value, count }) => ({ value, count }))
}
