/**
 * eventstats: batches are held while their rows are aggregated, then go on as they came, with the answers of their groups as columns.
 * A column of answers is made for a batch when somebody reads it.
 */
import type { Value } from '../../storage/value.ts'
import { type Dictionary, NULL, PRESENT, type Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { withComputed } from '../column-batch.ts'
import type { EventstatsSpec } from '../program.ts'
import { Aggregation } from './aggregation.ts'
import type { Operator, RunContext } from './operator.ts'
import { withoutColumns } from './table/table.ts'

/** Of a held row: its group, its place in the selection, and roughly what is decoded of it. */
const ROW_BYTES = 24

interface Held {
  readonly batch: Batch
  /** By position in the selection; null: one group. */
  readonly groups: Uint32Array | null
}

export class EventstatsOperator implements Operator {
  readonly isDone = false
  readonly #spec: EventstatsSpec
  readonly #context: RunContext
  readonly #aggregation: Aggregation
  readonly #next: Operator
  #held: Held[] = []

  constructor(spec: EventstatsSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#aggregation = new Aggregation(spec, context, 'eventstats')
    this.#next = withoutColumns(next, spec.temporary)
  }

  push(batch: Batch): void {
    this.#context.memory.charge(batch.selectedCount * ROW_BYTES, 'eventstats')
    this.#aggregation.add(batch)
    this.#held.push({ batch, groups: this.#aggregation.groupsOf(batch) })
  }

  finish(): void {
    const { outputs } = this.#spec
    const columns = this.#aggregation.results().answers.map(answers => new AnswerColumn(answers))
    for (const { batch, groups } of this.#held) {
      if (this.#next.isDone) break
      this.#next.push(withComputed(batch, outputs, name => columns[outputs.indexOf(name)]!.over(batch, groups)))
    }
    this.#held = []
    this.#next.finish()
  }
}

/** The answers of an aggregate, by group, as columns of batches: numbers as numbers, everything else by group code. */
class AnswerColumn {
  readonly #answers: readonly Value[]
  readonly #numbers: Float64Array | null
  readonly #presence: Uint8Array | null
  readonly #dictionary: Dictionary

  constructor(answers: readonly Value[]) {
    this.#answers = answers
    const isNumeric = answers.every(answer => answer === null || typeof answer === 'number')
    this.#numbers = isNumeric ? Float64Array.from(answers, answer => (answer === null ? 0 : (answer as number))) : null
    this.#presence = answers.includes(null)
      ? Uint8Array.from(answers, answer => (answer === null ? NULL : PRESENT))
      : null
    this.#dictionary = { values: answers, repeats: true }
  }

  over(batch: Batch, groups: Uint32Array | null): Vector {
    const { rowCount, selection, selectedCount } = batch
    if (groups === null) return { kind: 'const', rowCount, value: this.#answers[0] ?? null }
    const rowAt = (n: number): number => (selection === null ? n : selection[n]!)
    if (this.#numbers === null) {
      let codes = groups
      if (selection !== null) {
        codes = new Uint32Array(rowCount)
        for (let n = 0; n < selectedCount; n++) codes[rowAt(n)] = groups[n]!
      }
      return { kind: 'dict', rowCount, codes, dictionary: this.#dictionary }
    }
    const values = new Float64Array(rowCount)
    const presence = this.#presence === null ? null : new Uint8Array(rowCount).fill(NULL)
    for (let n = 0; n < selectedCount; n++) {
      const row = rowAt(n)
      const group = groups[n]!
      values[row] = this.#numbers[group]!
      if (presence !== null) presence[row] = this.#presence![group]!
    }
    return { kind: 'number', rowCount, values, presence }
  }
}
