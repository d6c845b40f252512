/**
 * join: the right side is read first and held, the left side streams past it. Rows come out in the order of the left side, the matches
 * of one row in the order of the right side; rows of the right side that nothing matched (`outer`) come last. A right side that does not
 * fit in memory is joined from disk (`partitioned-join.ts`).
 */
import type { Batch } from '../../batch.ts'
import { ColumnBatch, withSelection } from '../../column-batch.ts'
import { isMember } from '../../object-fields.ts'
import type { JoinSpec } from '../../program.ts'
import { heldBytesOf } from '../../spill/size.ts'
import { takeRows } from '../../take-rows.ts'
import type { Operator, RunContext } from '../operator.ts'
import { joinedBatch, type RightNames } from './joined-batch.ts'
import { MatchTable } from './match-table.ts'
import { type PairJoin, PartitionedJoin } from './partitioned-join.ts'
import { RightRows } from './right-rows.ts'

const OUTPUT_ROWS = 8192
/** Rough cost of a row of the right side, beside the table: its key, and of each of its columns a value. */
const ROW_BYTES = 48
const VALUE_BYTES = 16

/** A pair of partitions to join, of which level, and the fields of the whole right side. */
interface Part {
  readonly level: number
  readonly names: ReadonlySet<string>
}

const WHOLE: Part = { level: 0, names: new Set() }

export class JoinOperator implements PairJoin {
  /** What the right side feeds, to its end, before the left side begins. */
  readonly build: Operator
  readonly probe: Operator
  readonly #spec: JoinSpec
  readonly #context: RunContext
  readonly #next: Operator
  readonly #table: MatchTable
  readonly #right: RightRows
  readonly #leftFields: readonly string[]
  readonly #rightFields: readonly string[]
  /** Output names of the right side's fields, known once it has been read. */
  #names: RightNames = new Map()
  /** `outer`: by row of the right side, has it been matched? */
  #matched = new Uint8Array(0)
  /** Where the next output row stands, when rows of the left side have become several. */
  #position = 0
  #heldBytes = 0
  readonly #part: Part
  #disk: PartitionedJoin | null = null

  constructor(spec: JoinSpec, context: RunContext, next: Operator, part: Part = WHOLE) {
    this.#part = part
    this.#spec = spec
    this.#context = context
    this.#next = next
    this.#leftFields = spec.keys.map(key => key.left)
    this.#rightFields = spec.keys.map(key => key.right)
    this.#table = new MatchTable(spec.keys.length, { keepsRows: this.#keepsRows, matchesNull: spec.matchesNull })
    this.#right = new RightRows(part.names)
    let isBuilt = false
    const table = this.#table
    const isInMemory = (): boolean => this.#disk === null
    const needsMatch = spec.type === 'inner' || spec.type === 'semi'
    this.build = {
      get isDone() {
        return next.isDone
      },
      push: batch => this.#add(batch),
      finish: () => {
        isBuilt = true
        this.#close()
      },
    }
    this.probe = {
      get isDone() {
        return next.isDone || (isBuilt && isInMemory() && needsMatch && table.rowCount === 0)
      },
      push: batch => (this.#disk === null ? this.#match(batch) : this.#disk.addLeft(batch)),
      finish: () => this.#finish(),
    }
  }

  get #keepsRows(): boolean {
    return this.#spec.type !== 'semi' && this.#spec.type !== 'anti'
  }

  #add(batch: Batch): void {
    // To know that there is a match, keys are enough.
    const rows = this.#keepsRows ? batch : onlyColumns(batch, this.#rightFields)
    if (this.#disk !== null) {
      this.#disk.addRight(rows)
      return
    }
    const before = this.#table.sizeBytes
    this.#table.add(batch, this.#rightFields)
    this.#right.add(rows)
    const width = ROW_BYTES + (this.#keepsRows ? batch.names.length * VALUE_BYTES : 0)
    const bytes = this.#table.sizeBytes - before + batch.selectedCount * width + heldBytesOf(rows)
    this.#heldBytes += bytes
    if (!this.#context.memory.hold(bytes)) this.#toDisk()
  }

  #toDisk(): void {
    this.#disk = new PartitionedJoin(this.#spec, this.#context, this.#next, {
      level: this.#part.level,
      names: this.#right.names,
      joinPair: (context, next, level, names) => new JoinOperator(this.#spec, context, next, { level, names }),
    })
    for (const batch of this.#right.take()) this.#disk.addRight(batch)
    this.#letGo()
  }

  #letGo(): void {
    this.#context.memory.release(this.#heldBytes)
    this.#heldBytes = 0
  }

  #close(): void {
    this.#table.close()
    const { keys, prefix, type } = this.#spec
    const shared = keys.filter(key => key.left === key.right).map(key => key.right)
    const isShared = (name: string): boolean => shared.some(key => name === key || isMember(key, name))
    this.#names = new Map(
      this.#right.names.filter(name => !isShared(name)).map(name => [`${prefix}${name}`, name] as const),
    )
    if (type === 'outer') this.#matched = new Uint8Array(this.#table.rowCount + 1)
  }

  #match(batch: Batch): void {
    const first = this.#table.find(batch, this.#leftFields)
    switch (this.#spec.type) {
      case 'semi':
      case 'anti':
        this.#select(batch, first, this.#spec.type === 'semi')
        return
      default:
        if (this.#table.hasRepeats && this.#hasSeveral(first, batch.selectedCount)) this.#emitSeveral(batch, first)
        else this.#emitSingle(batch, first)
    }
  }

  #select(batch: Batch, first: Uint32Array, isMatch: boolean): void {
    const kept = new Uint32Array(batch.selectedCount)
    let count = 0
    for (let n = 0; n < batch.selectedCount; n++) {
      if ((first[n] !== 0) === isMatch) kept[count++] = batch.selection === null ? n : batch.selection[n]!
    }
    if (count > 0) this.#next.push(count === batch.selectedCount ? batch : withSelection(batch, kept, count))
  }

  #hasSeveral(first: Uint32Array, count: number): boolean {
    for (let n = 0; n < count; n++) if (first[n] !== 0 && this.#table.nextOf(first[n]!) !== 0) return true
    return false
  }

  /** No row has more than one match: the columns of the left side go on as they are. */
  #emitSingle(batch: Batch, first: Uint32Array): void {
    const keepsAll = this.#spec.type !== 'inner'
    const rows = new Uint32Array(batch.rowCount)
    const kept = new Uint32Array(batch.selectedCount)
    let count = 0
    for (let n = 0; n < batch.selectedCount; n++) {
      const match = first[n]!
      if (match === 0 && !keepsAll) continue
      const row = batch.selection === null ? n : batch.selection[n]!
      rows[row] = match
      kept[count++] = row
    }
    if (count === 0) return
    this.#mark(rows)
    const left = this.#placed(count === batch.selectedCount ? batch : withSelection(batch, kept, count))
    this.#next.push(joinedBatch(left, this.#right, rows, this.#names))
  }

  /** Every row once for each of its matches. */
  #emitSeveral(batch: Batch, first: Uint32Array): void {
    const keepsAll = this.#spec.type !== 'inner'
    let taken = new Uint32Array(OUTPUT_ROWS)
    let rows = new Uint32Array(OUTPUT_ROWS)
    let count = 0
    const flush = (): void => {
      if (count > 0) this.#emitTaken(batch, taken.subarray(0, count), rows.subarray(0, count))
      taken = new Uint32Array(OUTPUT_ROWS)
      rows = new Uint32Array(OUTPUT_ROWS)
      count = 0
    }
    for (let n = 0; n < batch.selectedCount; n++) {
      let match = first[n]!
      if (match === 0 && !keepsAll) continue
      const row = batch.selection === null ? n : batch.selection[n]!
      do {
        taken[count] = row
        rows[count++] = match
        if (count === OUTPUT_ROWS) {
          flush()
          if (this.#next.isDone) return
        }
        match = match === 0 ? 0 : this.#table.nextOf(match)
      } while (match !== 0)
    }
    flush()
  }

  #emitTaken(batch: Batch, taken: Uint32Array, rows: Uint32Array): void {
    this.#mark(rows)
    const rowCount = taken.length
    const size = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase: 0 }
    const left = new ColumnBatch(size, batch.names, name => takeRows(batch.column(name), taken))
    this.#next.push(joinedBatch(this.#placed(left), this.#right, rows, this.#names))
  }

  /** Positions of the left side hold while each of its rows is one row of the output. */
  #placed(batch: Batch): Batch {
    if (!this.#table.hasRepeats) {
      this.#position = Math.max(this.#position, batch.rowOrderBase + batch.rowCount)
      return batch
    }
    const { rowCount, selection, selectedCount } = batch
    const rowOrderBase = this.#position
    this.#position += rowCount
    return new ColumnBatch({ rowCount, selection, selectedCount, rowOrderBase }, batch.names, name =>
      batch.column(name),
    )
  }

  #mark(rows: Uint32Array): void {
    if (this.#spec.type !== 'outer') return
    for (let n = 0; n < rows.length; n++) this.#matched[rows[n]!] = 1
  }

  #finish(): void {
    if (this.#disk !== null) {
      this.#context.defer(this.#disk.finish())
      return
    }
    if (this.#spec.type === 'outer') this.#emitUnmatched()
    this.#letGo()
    this.#next.finish()
  }

  /** Keys that both sides have under one name are there as well: rows are told apart by them. */
  #emitUnmatched(): void {
    const unmatched: number[] = []
    for (let row = 1; row <= this.#table.rowCount; row++) if (this.#matched[row] !== 1) unmatched.push(row)
    const fields = new Map<string, string>()
    for (const { left, right } of this.#spec.keys) if (left === right) fields.set(left, right)
    for (const [name, field] of this.#names) fields.set(name, field)
    for (let start = 0; start < unmatched.length && !this.#next.isDone; start += OUTPUT_ROWS) {
      const rows = Uint32Array.from(unmatched.slice(start, start + OUTPUT_ROWS))
      const size = {
        rowCount: rows.length,
        selection: null,
        selectedCount: rows.length,
        rowOrderBase: this.#position + start,
      }
      const nothing = new ColumnBatch(size, [], () => null)
      this.#next.push(joinedBatch(nothing, this.#right, rows, fields))
    }
  }
}

/** The selected rows with these columns, holding on to nothing else of the batch. */
function onlyColumns(batch: Batch, names: readonly string[]): Batch {
  const { rowCount, selection, selectedCount, rowOrderBase } = batch
  const columns = new Map(names.map(name => [name, batch.column(name)] as const))
  const some = new ColumnBatch({ rowCount, selection, selectedCount, rowOrderBase }, names, name => {
    return columns.get(name) ?? null
  })
  // Read, so that what they weigh is seen.
  for (const name of names) some.column(name)
  return some
}
