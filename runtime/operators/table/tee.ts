/** tee: every row goes to a file as well. It takes its whole input, however little of it is wanted above: a file is not cut short. */
import type { Batch } from '../../batch.ts'
import { jsonKeys, objectToJson } from '../../output/json.ts'
import { rowsOf } from '../../rows.ts'
import type { LineFile, Operator } from '../operator.ts'
import type { TableRun } from './table.ts'

export class TeeOperator implements Operator {
  readonly isDone = false
  readonly #next: Operator
  readonly #file: LineFile

  constructor({ options, context, next }: TableRun<'tee'>) {
    if (context.openFile === null) throw new Error('this run writes no files')
    this.#next = next
    this.#file = context.openFile(options.path)
  }

  push(batch: Batch): void {
    const keys = jsonKeys(batch.names)
    let text = ''
    for (const row of rowsOf(batch)) text += `${objectToJson(keys, row)}\n`
    this.#file.write(text)
    if (!this.#next.isDone) this.#next.push(batch)
  }

  finish(): void {
    this.#file.close()
    this.#next.finish()
  }
}
