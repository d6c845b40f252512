/**
 * join: the right side is held, the left side goes past it. Rows come out in the order of the left side, the matches of one row in the
 * order of the right side; rows of the right side that nothing matched (`outer`) come last. Where the left side is read first, it is
 * held too until the right side, of which only what can match is kept, has been read. What does not fit goes to disk, both sides whole.
 */
import type { ScanPredicate } from '../../../storage/predicate.ts'
import type { Batch } from '../../batch.ts'
import { ColumnBatch, withSelection } from '../../column-batch.ts'
import type { JoinSpec } from '../../program.ts'
import { Inlet, type Operator, type RunContext } from '../operator.ts'
import { HeldJoin } from './held-join.ts'
import { MatchTable } from './match-table.ts'
import { PartitionedJoin } from './partitioned-join.ts'
import { bytesOfBatch, heldBatch } from './right-rows.ts'

/** The left side, where it is read first: its rows, and what they can match. */
interface HeldLeft {
  readonly keys: MatchTable
  readonly batches: Batch[]
}

export class JoinOperator {
  /** What each side feeds; the one that is read first ends before the other begins. */
  readonly left: Operator
  readonly right: Operator
  readonly #spec: JoinSpec
  readonly #context: RunContext
  readonly #next: Operator
  #held: HeldJoin
  #heldLeft: HeldLeft | null = null
  #heldLeftBytes = 0
  /** Since memory was full. */
  #onDisk: PartitionedJoin | null = null
  /** Where the next output row stands, when rows of the left side have become several. */
  #position = 0

  constructor(spec: JoinSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#next = next
    this.#held = new HeldJoin(spec, context)
    if (spec.readFirst === 'left') {
      const { matchesNull } = spec
      const heldLeft = {
        keys: new MatchTable(spec.keys.length, { keeps: 'keys', matchesNull }),
        batches: [],
      }
      this.#heldLeft = heldLeft
      this.left = this.#side(
        batch => this.#holdLeft(batch, heldLeft),
        () => heldLeft.keys.close(),
      )
      this.right = this.#side(
        batch => this.#addMatching(batch, heldLeft),
        () => this.#finishRight(heldLeft),
        // Without any key on the left nothing on the right can match.
        () => heldLeft.keys.rowCount > 0,
      )
    } else {
      const needsMatch = spec.type === 'inner' || spec.type === 'semi'
      this.right = this.#side(
        batch => this.#add(batch),
        () => this.#held.close(),
      )
      this.left = this.#side(
        batch => this.#match(batch),
        () => this.#finish(),
        () => !needsMatch || this.#held.table.rowCount > 0,
      )
    }
  }

  /** @param matters  once the other side has been read: can anything come of this one? */
  #side(push: (batch: Batch) => void, finish: () => void, matters: () => boolean = () => true): Operator {
    return new Inlet(() => this.#next.isDone || (this.#onDisk === null && !matters()), push, finish)
  }

  /** What blocks of the side that is read second are asked, once the other has been read. */
  keyPredicate(key: number, field: string): ScanPredicate | null {
    if (this.#onDisk !== null) return null
    return (this.#heldLeft?.keys ?? this.#held.table).keyPredicate(key, field)
  }

  // ── The right side first ──────────────────────────────────────────────────────────────────────────────────────────

  #add(batch: Batch): void {
    if (this.#onDisk !== null) this.#onDisk.addRight(batch)
    else if (!this.#held.add(batch)) this.#goToDisk()
  }

  #match(batch: Batch): void {
    if (this.#onDisk !== null) this.#onDisk.addLeft(batch)
    else this.#held.match(batch, output => this.#emit(output))
  }

  #emit(output: Batch): boolean {
    this.#next.push(this.#placed(output))
    return !this.#next.isDone
  }

  #finish(): void {
    if (this.#onDisk !== null) {
      this.#context.defer(this.#fromDisk(this.#onDisk))
      return
    }
    for (const { batch } of this.#held.unmatched()) if (!this.#next.isDone) this.#emit(batch)
    this.#held.release()
    this.#next.finish()
  }

  /** Positions of the left side hold while each of its rows is one row of the output. */
  #placed(batch: Batch): Batch {
    const { rowCount, selection, selectedCount } = batch
    if (!this.#held.table.hasRepeats && this.#spec.type !== 'outer') return batch
    const rowOrderBase = this.#position
    this.#position += rowCount
    return new ColumnBatch({ rowCount, selection, selectedCount, rowOrderBase }, batch.names, name =>
      batch.column(name),
    )
  }

  // ── The left side first ───────────────────────────────────────────────────────────────────────────────────────────

  #holdLeft(batch: Batch, { keys, batches }: HeldLeft): void {
    if (this.#onDisk !== null) {
      this.#onDisk.addLeft(batch)
      return
    }
    const before = keys.sizeBytes
    keys.add(
      batch,
      this.#spec.keys.map(key => key.left),
      new Uint32Array(batch.selectedCount),
    )
    const held = heldBatch(batch)
    batches.push(held)
    const bytes = keys.sizeBytes - before + bytesOfBatch(held)
    this.#heldLeftBytes += bytes
    if (!this.#context.memory.hold(bytes)) this.#goToDisk()
  }

  #addMatching(batch: Batch, { keys }: HeldLeft): void {
    if (this.#onDisk !== null) {
      this.#onDisk.addRight(batch)
      return
    }
    const matching = matchingIn(
      batch,
      keys,
      this.#spec.keys.map(key => key.right),
    )
    if (matching !== null) this.#add(matching)
  }

  #finishRight({ batches }: HeldLeft): void {
    if (this.#onDisk === null) {
      this.#held.close()
      for (const batch of batches) {
        if (this.#next.isDone) break
        this.#match(batch)
      }
      this.#context.memory.release(this.#heldLeftBytes)
    }
    this.#finish()
  }

  // ── Disk ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What is held, and all that comes from here on. */
  #goToDisk(): void {
    const onDisk = new PartitionedJoin(this.#spec, this.#context)
    for (const batch of this.#heldLeft?.batches ?? []) onDisk.addLeft(batch)
    for (const batch of this.#held.batches) onDisk.addRight(batch)
    this.#onDisk = onDisk
    this.#held.release()
    this.#context.memory.release(this.#heldLeftBytes)
    this.#held = new HeldJoin(this.#spec, this.#context)
    if (this.#heldLeft !== null) this.#heldLeft.batches.length = 0
  }

  *#fromDisk(onDisk: PartitionedJoin): Generator<void> {
    for (const batch of onDisk.joined()) {
      if (this.#next.isDone) break
      if (batch !== null) this.#next.push(batch)
      yield
    }
    this.#next.finish()
  }
}

/** The rows whose key was added; null: none. */
function matchingIn(batch: Batch, keys: MatchTable, fields: readonly string[]): Batch | null {
  const first = keys.find(batch, fields)
  const kept = new Uint32Array(batch.selectedCount)
  let count = 0
  for (let n = 0; n < batch.selectedCount; n++) {
    if (first[n] !== 0) kept[count++] = batch.selection === null ? n : batch.selection[n]!
  }
  if (count === 0) return null
  return count === batch.selectedCount ? batch : withSelection(batch, kept, count)
}
