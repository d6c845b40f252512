/**
 * sample: rows by a hash of their position in the input, so that the same input gives the same sample, however it is split.
 * A share streams; a number of rows keeps those with the least hashes and gives them in input order.
 */
import type { Batch } from '../../batch.ts'
import { withSelection } from '../../column-batch.ts'
import type { Operator } from '../operator.ts'
import { CollectedRows, type TableRun } from './table.ts'

export function sampleOperator(run: TableRun<'sample'>): Operator {
  return run.options.share === null ? new SampleRows(run) : new SampleShare(run, run.options.share)
}

/** A position as 32 bits that look random: the finaliser of MurmurHash3. */
export function scattered(position: number, seed: number): number {
  let hash = (position ^ Math.imul(seed + 1, 0x9e3779b1) ^ Math.floor(position / 2 ** 32)) | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

class SampleShare implements Operator {
  readonly #run: TableRun<'sample'>
  readonly #below: number
  #seen = 0

  constructor(run: TableRun<'sample'>, share: number) {
    this.#run = run
    this.#below = share * 2 ** 32
  }

  get isDone(): boolean {
    return this.#run.next.isDone
  }

  push(batch: Batch): void {
    const kept = new Uint32Array(batch.selectedCount)
    let count = 0
    for (let n = 0; n < batch.selectedCount; n++) {
      kept[count] = batch.selection === null ? n : batch.selection[n]!
      if (scattered(this.#seen + n, this.#run.options.seed) < this.#below) count++
    }
    this.#seen += batch.selectedCount
    if (count > 0) this.#run.next.push(withSelection(batch, kept.subarray(0, count), count))
  }

  finish(): void {
    this.#run.next.finish()
  }
}

class SampleRows implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'sample'>
  readonly #collected: CollectedRows
  readonly #hashes: number[] = []

  constructor(run: TableRun<'sample'>) {
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'sample')
  }

  push(batch: Batch): void {
    const before = this.#hashes.length
    for (let n = 0; n < batch.selectedCount; n++) this.#hashes.push(scattered(before + n, this.#run.options.seed))
    this.#collected.add(batch)
  }

  finish(): void {
    const { next, options } = this.#run
    const hashes = this.#hashes
    const kept = [...hashes.keys()]
      .sort((a, b) => hashes[a]! - hashes[b]! || a - b)
      .slice(0, options.count ?? 0)
      .sort((a, b) => a - b)
    this.#collected.emit(next, kept, new Map())
    next.finish()
  }
}
