/** The answers of an aggregate, by group, as columns of batches: numbers as numbers, everything else by group code. */
import type { Value } from '../../storage/value.ts'
import { type Dictionary, NULL, PRESENT, type Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { withComputed } from '../column-batch.ts'

/** The batch with its answers; `groups` by position among the selected rows, null: there is one group. */
export function withAnswers(
  batch: Batch,
  groups: Uint32Array | null,
  names: readonly string[],
  columns: readonly AnswerColumn[],
): Batch {
  return withComputed(batch, names, name => columns[names.indexOf(name)]!.over(batch, groups))
}

export class AnswerColumn {
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
