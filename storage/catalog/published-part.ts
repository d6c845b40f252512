/**
 * A part of the catalog as queries see it: opened when first read, watched for damage while read, closed when it is retired and no
 * snapshot holds it any more.
 */
import { CorruptPartError } from '../errors.ts'
import type { BlockReader, BlockStatistics, FieldSummary, PartReader, ReadTally, TextParts } from '../index.ts'
import type { PartDescription } from '../part/columns.ts'
import { WovenVector } from '../part/woven/lazy.ts'
import type { ScanPredicate, TimeRange, Verdict } from '../predicate.ts'
import { DateTime } from '../value.ts'
import type { Vector } from '../vector.ts'

type OpenPart = PartReader & { close(): void }

export interface PublishedPartHooks {
  pathOf(description: PartDescription): string
  open(description: PartDescription): OpenPart
  /** Called once, before the error reaches the reader. */
  damaged(part: PublishedPart, error: CorruptPartError): void
  /** Its file is open now; closing parts that were opened long ago is the owner's to decide. */
  opened(part: PublishedPart): void
}

export class PublishedPart implements PartReader {
  readonly description: PartDescription
  private readonly hooks: PublishedPartHooks
  private opened: OpenPart | null = null
  private holders = 0
  private whenFree: (() => void) | null = null
  private isDamaged = false

  constructor(description: PartDescription, hooks: PublishedPartHooks) {
    this.description = description
    this.hooks = hooks
  }

  get id(): string {
    return this.description.id
  }

  get path(): string {
    return this.hooks.pathOf(this.description)
  }

  get index(): string {
    return this.description.index
  }

  get rowCount(): number {
    return this.description.rowCount
  }

  get blockCount(): number {
    return this.description.blockCount
  }

  get firstSequence(): number {
    return this.description.firstSequence
  }

  get lastSequence(): number {
    return this.description.lastSequence
  }

  get sizeBytes(): number {
    return this.description.sizeBytes
  }

  get minTime(): DateTime {
    return this.opened?.minTime ?? new DateTime(this.description.minMicros)
  }

  /** The description counts in microseconds; until the part is open, the latest nanosecond of the last one bounds it. */
  get maxTime(): DateTime {
    return this.opened?.maxTime ?? new DateTime(this.description.maxMicros, 999)
  }

  get fields(): readonly FieldSummary[] {
    return this.guard(() => this.reader().fields)
  }

  block(index: number): BlockReader {
    return new GuardedBlock(
      this,
      this.guard(() => this.reader().block(index)),
    )
  }

  willRead(step: number): void {
    this.opened?.willRead?.(step)
  }

  hold(): void {
    this.holders++
  }

  letGo(): void {
    this.holders--
    if (this.holders === 0 && this.whenFree !== null) this.free()
  }

  get isHeld(): boolean {
    return this.holders > 0
  }

  /** Not in any later snapshot. `whenFree` is called once no snapshot holds it and its file is closed: perhaps at once. */
  retire(whenFree: () => void): void {
    if (this.whenFree !== null) return
    this.whenFree = whenFree
    if (this.holders === 0) this.free()
  }

  close(): void {
    this.opened?.close()
    this.opened = null
  }

  guard<Result>(read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      const damage = damageIn(error, this.id)
      if (damage === null) throw error
      if (!this.isDamaged) {
        this.isDamaged = true
        this.hooks.damaged(this, damage)
      }
      throw damage
    }
  }

  private reader(): OpenPart {
    if (this.opened === null) {
      this.opened = this.hooks.open(this.description)
      this.hooks.opened(this)
    }
    return this.opened
  }

  private free(): void {
    const { whenFree } = this
    this.whenFree = () => {}
    this.close()
    whenFree?.()
  }
}

/** Damage, and a file that someone took away; not a process that is out of memory or descriptors. */
function damageIn(error: unknown, part: string): CorruptPartError | null {
  if (error instanceof CorruptPartError) return error
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return new CorruptPartError(part, 0, 'its file is missing')
  }
  return null
}

class GuardedBlock implements BlockReader {
  private readonly part: PublishedPart
  private readonly block: BlockReader

  constructor(part: PublishedPart, block: BlockReader) {
    this.part = part
    this.block = block
  }

  get rowCount(): number {
    return this.block.rowCount
  }

  get minTime(): DateTime {
    return this.block.minTime
  }

  get maxTime(): DateTime {
    return this.block.maxTime
  }

  get timeSorted(): boolean {
    return this.block.timeSorted
  }

  verdict(predicate: ScanPredicate): Verdict {
    return this.part.guard(() => this.block.verdict(predicate))
  }

  verdictTime(range: TimeRange): Verdict {
    return this.block.verdictTime(range)
  }

  column(field: string, tally?: ReadTally): Vector | null {
    const column = this.part.guard(() => this.block.column(field, tally))
    // What it reads later is read of this part as well.
    if (column instanceof WovenVector) column.guard = read => this.part.guard(read)
    return column
  }

  madeOf(field: string): TextParts | null {
    const made = this.part.guard(() => this.block.madeOf(field))
    return made && { ...made, columnOf: name => this.part.guard(() => made.columnOf(name)) }
  }

  rows(field: string, rows: Uint32Array, tally?: ReadTally): Vector | null {
    return this.part.guard(() => this.block.rows(field, rows, tally))
  }

  statistics(field: string): BlockStatistics | null {
    return this.part.guard(() => this.block.statistics(field))
  }

  columnBytes(field: string): number {
    return this.block.columnBytes(field)
  }
}
