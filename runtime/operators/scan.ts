/**
 * The scan: which blocks are read at all (time, verdicts), in which order, and their columns, decoded when asked for.
 * A conjunct whose verdict on a block is `none` skips the block, `all` skips its kernel; rows are decided by kernels alone.
 */
import { CorruptPartError } from '../../storage/errors.ts'
import type { BlockReader, PartReader } from '../../storage/index.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import { DateTime } from '../../storage/value.ts'
import { PRESENT, type Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { ColumnBatch, withSelection } from '../column-batch.ts'
import { passesWhole, readsTokens } from '../estimate.ts'
import { isMember, memberOf, overlay, pathWithin } from '../object-fields.ts'
import type { ScanSpec } from '../program.ts'
import { FilterRunner } from './filter.ts'
import type { RunContext } from './operator.ts'

/** A block and where its first row stands in the whole input. */
export interface Place {
  readonly part: PartReader
  readonly block: BlockReader
  readonly rowOrderBase: number
  /** Of the block in its part, and of the part among all. */
  readonly number: number
  readonly partNumber: number
}

type TakesWhole = (part: PartReader, block: BlockReader) => boolean

export class Scan {
  readonly spec: ScanSpec
  /** Rows of the blocks it has read. */
  rowCount = 0
  readonly #context: RunContext
  readonly #filters: readonly FilterRunner[]
  /** Blocks that end before this instant cannot matter any more (newest-first top-k); null: all matter. */
  readonly #boundary: () => number | null
  /** Takes a block of which every row passes without its rows being read; false: it has to be read. */
  readonly #takesWhole: TakesWhole | null
  readonly #names = new WeakMap<PartReader, readonly string[]>()
  #rowOrder = 0

  constructor(spec: ScanSpec, context: RunContext, boundary: () => number | null, takesWhole: TakesWhole | null) {
    this.spec = spec
    this.#context = context
    this.#boundary = boundary
    this.#takesWhole = takesWhole
    this.#filters = spec.conjuncts.map(conjunct => new FilterRunner(conjunct.kernel, context))
  }

  /** Batches of blocks, one by one; null where a block gave none, so that the driver can check for cancellation. */
  *batches(places: readonly Place[]): Generator<Batch | null> {
    const { scan } = this.#context.profile
    const read = new Set<PartReader>()
    for (const place of places) {
      const boundary = this.#boundary()
      if (boundary !== null && place.block.maxTime.micros < boundary) {
        scan.blocksSkippedByTime++
        continue
      }
      if (this.#skips(place.block)) {
        yield null
        continue
      }
      read.add(place.part)
      scan.blocksRead++
      yield this.#read(place)
    }
    scan.partsRead += read.size
  }

  /** The blocks to look at, in the order of the scan. Asked once for each part: it counts them, and where their rows stand. */
  places(parts: readonly PartReader[]): Place[] {
    const { scan } = this.#context.profile
    const { indexes, lookup, time, order, nothing } = this.spec
    const places: Place[] = []
    for (const [partNumber, part] of parts.entries()) {
      scan.partsTotal++
      scan.blocksTotal += part.blockCount
      const base = this.#rowOrder
      this.#rowOrder += part.rowCount
      if (lookup === null && !indexes.includes(part.index)) {
        scan.partsSkippedByIndex++
        continue
      }
      if (nothing !== null) {
        scan.partsSkippedByPlan++
        continue
      }
      let rowOrderBase = base
      let outside = 0
      for (let index = 0; index < part.blockCount; index++) {
        const block = part.block(index)
        if (block.verdictTime(time) === 'none') outside++
        else places.push({ part, block, rowOrderBase, number: index, partNumber })
        rowOrderBase += block.rowCount
      }
      if (outside === part.blockCount) scan.partsSkippedByTime++
      else scan.blocksSkippedByTime += outside
    }
    // Newest first; among equals the later block, so that ties are found where they are needed.
    if (order === 'newest-first') places.sort((a, b) => b.block.maxTime.micros - a.block.maxTime.micros)
    return places
  }

  #skips(block: BlockReader): boolean {
    const { scan } = this.#context.profile
    for (const { pushed } of this.spec.conjuncts) {
      if (pushed === null || block.verdict(pushed) !== 'none') continue
      if (readsTokens(pushed)) scan.blocksSkippedByTokenFilter++
      else scan.blocksSkippedByZoneMap++
      return true
    }
    return false
  }

  /** The blocks that have to be read: the others their statistics answer for, here and now. */
  unanswered(places: readonly Place[]): readonly Place[] {
    const takesWhole = this.#takesWhole
    if (takesWhole === null) return places
    const { scan } = this.#context.profile
    return places.filter(({ part, block }) => {
      if (!passesWhole(this.spec, block) || !takesWhole(part, block)) return true
      scan.blocksAnswered++
      scan.rowsAnswered += block.rowCount
      return false
    })
  }

  /** What of the part belongs to the fields that are read: themselves, members of one, the object one is a member of. */
  #namesIn(part: PartReader, fields: readonly string[]): readonly string[] {
    let names = this.#names.get(part)
    if (names === undefined) {
      const isRead = (name: string): boolean =>
        fields.some(field => field === name || isMember(field, name) || isMember(name, field))
      names = part.fields.map(field => field.name).filter(isRead)
      this.#names.set(part, names)
    }
    return names
  }

  #read({ part, block, rowOrderBase }: Place): Batch | null {
    const { profile } = this.#context
    const { fields, conjuncts, time } = this.spec
    const names = fields === null ? part.fields.map(field => field.name) : this.#namesIn(part, fields)
    let isLate = false
    const load = (name: string): Vector | null => {
      try {
        return loadColumn(part, block, name, bytes => {
          profile.scan.bytes += bytes
        })
      } catch (error) {
        // While the block is being processed the whole block is given up (by the driver); once rows of it are in the answer,
        // what cannot be read is missing and the answer says it is incomplete.
        if (!isLate || !(error instanceof CorruptPartError)) throw error
        noteDamage(profile.damaged, error)
        return null
      }
    }
    const { rowCount } = block
    const whole = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase }
    let batch: Batch | null = new ColumnBatch(whole, names, load)
    profile.scan.rows += rowCount
    this.rowCount += rowCount
    try {
      if (block.verdictTime(time) !== 'all') batch = withinTime(batch, time)
      for (const [at, { pushed, isExact }] of conjuncts.entries()) {
        if (batch === null) return null
        if (pushed !== null && isExact && block.verdict(pushed) === 'all') profile.scan.predicatesSkipped++
        else batch = this.#filters[at]!.apply(batch)
      }
      return batch
    } catch (error) {
      if (!(error instanceof CorruptPartError)) throw error
      noteDamage(profile.damaged, error)
      return null
    } finally {
      // The batch leaves the scan; from the next block on, reads of this one are late.
      queueMicrotask(() => {
        isLate = true
      })
    }
  }
}

export function noteDamage(damaged: string[], error: CorruptPartError): void {
  if (!damaged.includes(error.message)) damaged.push(error.message)
}

function loadColumn(
  part: PartReader,
  block: BlockReader,
  name: string,
  onBytes: (bytes: number) => void,
): Vector | null {
  if (name === 'index') {
    const own = block.column('index')
    return own ?? { kind: 'const', rowCount: block.rowCount, value: part.index }
  }
  const vector = block.column(name)
  if (vector !== null) {
    onBytes(block.columnBytes(name))
    return vector
  }
  return assembled(part, block, name)
}

/** `a` where only `a.b`, `a.c` are stored, or `a.b` where an object is stored at `a`. */
function assembled(part: PartReader, block: BlockReader, name: string): Vector | null {
  const members = part.fields.flatMap(field => {
    const vector = isMember(name, field.name) ? block.column(field.name) : null
    return vector === null ? [] : [{ path: pathWithin(name, field.name), vector }]
  })
  if (members.length > 0) return overlay(null, members, block.rowCount)
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const outer = block.column(name.slice(0, dot))
    if (outer?.kind === 'any' || outer?.kind === 'dict') return memberOf(outer, name.slice(dot + 1).split('.'), null)
  }
  return null
}

/** Rows with `from <= _time < to`. Bounds are whole microseconds, so nanoseconds below them cannot matter. */
function withinTime(batch: Batch, { fromMicros, toMicros }: TimeRange): Batch | null {
  const times = batch.column('_time')
  const from = fromMicros ?? Number.NEGATIVE_INFINITY
  const to = toMicros ?? Number.POSITIVE_INFINITY
  if (times.kind === 'const' && times.value instanceof DateTime) {
    const { micros } = times.value
    return micros >= from && micros < to ? batch : null
  }
  if (times.kind !== 'time') throw new Error(`_time is held as ${times.kind}`)
  const { micros, presence } = times
  const out = new Uint32Array(batch.rowCount)
  let count = 0
  for (let row = 0; row < batch.rowCount; row++) {
    const at = micros[row]!
    if (at >= from && at < to && (presence === null || presence[row] === PRESENT)) out[count++] = row
  }
  if (count === 0) return null
  return count === batch.rowCount ? batch : withSelection(batch, out, count)
}
