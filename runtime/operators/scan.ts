/**
 * The scan: which blocks are read at all (time, verdicts), in which order, and their columns, decoded when asked for.
 * A conjunct whose verdict on a block is `none` skips the block, `all` skips its kernel; rows are decided by kernels alone.
 */
import { CorruptPartError } from '../../storage/errors.ts'
import type { BlockReader, PartReader } from '../../storage/index.ts'
import { pickRows } from '../../storage/pick.ts'
import type { ScanPredicate, TimeRange } from '../../storage/predicate.ts'
import { mustGiveWay } from '../../storage/turns.ts'
import { DateTime } from '../../storage/value.ts'
import { PRESENT, showing, type Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { ColumnBatch, withSelection } from '../column-batch.ts'
import { passesWhole, readsTokens } from '../estimate.ts'
import { borrowing, Lender, lending } from '../helpers/lent.ts'
import { firstOf, isMember, memberOf, overlay, pathWithin } from '../object-fields.ts'
import { Pace } from '../pace.ts'
import type { ScanProfile } from '../profile.ts'
import type { ScanSpec } from '../program.ts'
import type { Owner } from '../stopwatch.ts'
import { ConditionOrder } from './condition-order.ts'
import { FilterRunner } from './filter.ts'
import type { RunContext } from './operator.ts'
import { TextCandidates } from './text-candidates.ts'

/** A block and where its first row stands in the whole input. */
export interface Place {
  readonly part: PartReader
  readonly block: BlockReader
  readonly rowOrderBase: number
  /** Of the block in its part, and of the part among all. */
  readonly number: number
  readonly partNumber: number
}

/**
 * While a block is being processed, the whole block is given up (by the driver) when something of it cannot be read. Later its rows are in the
 * answer or held for it: what cannot be read is missing then, and the answer says that it is incomplete.
 */
interface Reading {
  isLate: boolean
}

function atOnce<T>(reading: Reading, run: () => T): T {
  reading.isLate = false
  try {
    return run()
  } finally {
    reading.isLate = true
  }
}

type TakesWhole = (part: PartReader, block: BlockReader) => boolean

/** What operators above tell a scan while it runs. */
export interface ScanSurroundings {
  /** Blocks that end before this instant cannot matter any more (newest-first top-k); null: all matter. */
  boundary(): number | null
  /** Takes a block of which every row passes without its rows being read; false: it has to be read. */
  readonly takesWhole: TakesWhole | null
  /** Nothing holds a batch, or what was made of it, once the next block is read. */
  readonly holdsNothing: boolean
  /** What keys of a join, read by now, say of blocks; null: nothing. */
  keys(): ScanPredicate | null
}

export class Scan {
  readonly spec: ScanSpec
  /** Rows of the blocks it has read. */
  rowCount = 0
  readonly #context: RunContext
  readonly #filters: readonly FilterRunner[]
  /** By condition. */
  readonly #searched: readonly (TextCandidates | null)[]
  readonly #order: ConditionOrder
  readonly #boundary: ScanSurroundings['boundary']
  readonly #takesWhole: ScanSurroundings['takesWhole']
  readonly #keys: ScanSurroundings['keys']
  /** Of memory for the rows of a block that passed, and for what is made of a batch; null: somebody may hold either. */
  readonly #passed: Lender | null
  readonly #handed: Lender | null
  readonly #names = new WeakMap<PartReader, readonly string[]>()
  readonly #pace = new Pace(mustGiveWay)
  #rowOrder = 0
  /** Of the block read last. */
  #reading: Reading | null = null
  /** Reading and decoding columns, whoever asks for them. */
  readonly decoding: Owner = { durationNs: 0 }

  constructor(spec: ScanSpec, context: RunContext, { boundary, takesWhole, keys, holdsNothing }: ScanSurroundings) {
    this.spec = spec
    this.#passed = holdsNothing ? new Lender() : null
    this.#handed = holdsNothing ? new Lender() : null
    this.#keys = keys
    this.#context = context
    this.#boundary = boundary
    this.#takesWhole = takesWhole
    this.#order = new ConditionOrder(spec.conjuncts.map(conjunct => conjunct.mayFail))
    this.#filters = spec.conjuncts.map(conjunct => new FilterRunner(conjunct.kernel, context))
    this.#searched = spec.conjuncts.map(conjunct => TextCandidates.of(conjunct.searches))
  }

  /** Its conditions in the order measuring led to; null: that of the plan was kept. */
  get learnedOrder(): readonly string[] | null {
    const { order, isLearned } = this.#order
    return isLearned ? order.map(at => this.spec.conjuncts[at]!.text) : null
  }

  /** Batches of the blocks it `takes`, one by one; null where rows gave none, so that the driver can check for cancellation and give way. */
  *batches(places: readonly Place[], takes: (at: number) => boolean): Generator<Batch | null> {
    const { scan } = this.#context.profile
    const read = new Set<PartReader>()
    let at = 0
    try {
      for (; at < places.length; at++) {
        if (!takes(at)) continue
        const place = places[at]!
        const boundary = this.#boundary()
        if (boundary !== null && place.block.maxTime.micros < boundary) {
          scan.blocksSkippedBySortBoundary++
          continue
        }
        if (this.#skips(place.block)) {
          yield null
          continue
        }
        if (!read.has(place.part)) {
          read.add(place.part)
          // At once, and not at the end: who waits for a query watches it.
          scan.partsRead++
          place.part.willRead?.(this.#stepFrom(places, at))
        }
        scan.blocksRead++
        yield* this.#read(place)
      }
    } finally {
      // Whoever has enough stops asking.
      scan.blocksSkippedByLimit += Math.max(0, places.length - at - 1)
    }
  }

  /** How far behind the block at `at` the next one of its part lies; 0: who knows whether it is read. */
  #stepFrom(places: readonly Place[], at: number): number {
    if (this.spec.order === 'newest-first') return 0
    const { part, number } = places[at]!
    const next = places.find((place, later) => later > at && place.part === part)
    return next === undefined ? 0 : next.number - number
  }

  /** What operators do at once with the rows given last: when something of the block cannot be read meanwhile, it throws. */
  hand(push: () => void): void {
    const reading = this.#reading
    const handed = reading === null ? push : () => atOnce(reading, push)
    if (this.#handed === null) handed()
    else lending(this.#handed, handed)
  }

  /** The blocks to look at, in the order of the scan. Asked once for each part: it counts them, and where their rows stand. */
  places(parts: readonly PartReader[]): Place[] {
    const { scan } = this.#context.profile
    const { indexes, lookup, time, order, nothing } = this.spec
    const keys = this.#keys()
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
        else if (keys !== null && block.verdict(keys) === 'none') scan.blocksSkippedByJoin++
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
      try {
        if (!passesWhole(this.spec, block) || !takesWhole(part, block)) return true
      } catch (error) {
        // Whoever reads the block will meet the damage, and tell of it.
        if (error instanceof CorruptPartError) return true
        throw error
      }
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

  /** The rows of a block that pass, in parts where they are slow to decide; null for a part of which none does. */
  *#read({ part, block, rowOrderBase }: Place): Generator<Batch | null> {
    const { profile, stopwatch } = this.#context
    const { fields, conjuncts, time } = this.spec
    const names = fields === null ? part.fields.map(field => field.name) : this.#namesIn(part, fields)
    const reading: Reading = { isLate: true }
    this.#reading = reading
    this.#passed?.takeBack()
    const forgives = (error: unknown): boolean => {
      if (!reading.isLate || !(error instanceof CorruptPartError)) return false
      noteDamage(profile.damaged, error)
      return true
    }
    const guarded = (read: () => Vector | null): Vector | null => {
      try {
        return stopwatch.time(this.decoding, read)
      } catch (error) {
        if (!forgives(error)) throw error
        return null
      }
    }
    const load = (name: string): Vector | null => {
      const vector = guarded(() => loadColumn(part, block, name, profile.scan))
      if (vector?.kind === 'text' && vector.pieces !== undefined) vector.pieces.forgives = forgives
      return vector
    }
    const { rowCount } = block
    const pinnedBytes = part.path === null ? (part.sizeBytes * rowCount) / Math.max(1, part.rowCount) : 0
    const whole = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase, pinnedBytes }
    const narrowed = (rows: Uint32Array) => (name: string) => {
      // An object whose members lie apart is put together of whole columns.
      if (name === 'index' || parentsOf(part).has(name)) return allRows(name, rows)
      return guarded(() => loadRows(block, name, rows, profile.scan)) ?? allRows(name, rows)
    }
    const allRows = (name: string, rows: Uint32Array): Vector | null => {
      const vector = load(name)
      return vector === null ? null : pickRows(vector, rows)
    }
    const guardedBatch = <Made>(make: () => Made | null): Made | null => {
      try {
        return atOnce(reading, make)
      } catch (error) {
        if (!(error instanceof CorruptPartError)) throw error
        noteDamage(profile.damaged, error)
        return null
      }
    }
    profile.scan.rows += rowCount
    this.rowCount += rowCount
    const all = new ColumnBatch(whole, names, load, narrowed)
    const inTime = block.verdictTime(time) === 'all' ? all : guardedBatch(() => withinTime(all, time))
    const undecided: number[] = []
    for (const at of inTime === null ? [] : this.#order.order) {
      const { pushed, isExact } = conjuncts[at]!
      if (pushed !== null && isExact && block.verdict(pushed) === 'all') profile.scan.predicatesSkipped++
      else undecided.push(at)
    }
    if (inTime === null || undecided.length === 0) yield inTime
    else {
      const candidates = guardedBatch(() => this.#candidatesOf(undecided, inTime, block))
      if (candidates === null) yield null
      else {
        for (const rows of this.#pace.parts(candidates.rows)) {
          const startedAt = performance.now()
          const passing = guardedBatch(() =>
            borrowing(this.#passed, () => this.#passing(undecided, rows, candidates.apart)),
          )
          this.#pace.note(rows.selectedCount, performance.now() - startedAt)
          yield passing
        }
      }
    }
    this.#order.next()
  }

  /** The rows but for those that a text which is not put together yet rules out; null: all of them. */
  #candidatesOf(conditions: readonly number[], batch: Batch, block: BlockReader): Candidates | null {
    let rows: Batch | null = batch
    const apart = new Set<number>()
    for (const condition of conditions) {
      const candidates = this.#searched[condition]!
      const parts = candidates === null ? null : block.madeOf(candidates.field)
      if (candidates === null || parts === null) continue
      const marks = this.#context.stopwatch.time(this.decoding, () => candidates.marks(parts))
      if (marks === null) continue
      apart.add(condition)
      rows = marked(rows, marks)
      if (rows === null) return null
    }
    return { rows, apart }
  }

  /** The rows that pass the conditions; what each took is noted. */
  #passing(conditions: readonly number[], batch: Batch, apart: Candidates['apart']): Batch | null {
    const { stopwatch } = this.#context
    let rest: Batch | null = batch
    for (const condition of conditions) {
      if (rest === null) break
      const { selectedCount } = rest
      const start = stopwatch.now()
      const filter = this.#filters[condition]!
      rest = apart.has(condition) ? filter.applyToFew(rest) : filter.apply(rest)
      this.#order.note(condition, selectedCount, rest?.selectedCount ?? 0, stopwatch.now() - start)
    }
    return rest
  }
}

interface Candidates {
  readonly rows: Batch
  /** Conditions on text that is not put together: reading it for few rows is cheaper. */
  readonly apart: ReadonlySet<number>
}

/** The rows of a batch that are marked; null: none is. */
function marked(batch: Batch, marks: Uint8Array): Batch | null {
  const { selection, selectedCount } = batch
  const out = new Uint32Array(selectedCount)
  let count = 0
  for (let n = 0; n < selectedCount; n++) {
    const row = selection === null ? n : selection[n]!
    if (marks[row] === 1) out[count++] = row
  }
  if (count === 0) return null
  return count === selectedCount ? batch : withSelection(batch, out.slice(0, count), count)
}

export function noteDamage(damaged: string[], error: CorruptPartError): void {
  if (!damaged.includes(error.message)) damaged.push(error.message)
}

function loadColumn(part: PartReader, block: BlockReader, name: string, scan: ScanProfile): Vector | null {
  if (name === 'index') {
    const own = block.column('index')
    return own ?? { kind: 'const', rowCount: block.rowCount, value: part.index }
  }
  const vector = block.column(name, scan)
  if (vector !== null) scan.bytes += block.columnBytes(name)
  // The time of an event is a time, whatever fields are named as if they were members of it.
  if (vector !== null && (name === '_time' || !parentsOf(part).has(name))) return vector
  const object = assembled(part, block, name, scan)
  // A null or an empty object in some events, an object of several fields in others: those the event shows beside it.
  const isField = vector !== null || part.fields.some(field => field.name === name)
  if (object === null || !isField) return object ?? vector
  const stored: Vector = vector ?? { kind: 'const', rowCount: block.rowCount, value: undefined }
  return showing(firstOf(stored, object), stored)
}

function loadRows(block: BlockReader, name: string, rows: Uint32Array, scan: ScanProfile): Vector | null {
  const vector = block.rows(name, rows, scan)
  if (vector !== null) scan.bytes += block.columnBytes(name)
  return vector
}

const parents = new WeakMap<PartReader, ReadonlySet<string>>()

/** Names that other fields of the part are members of: `a` and `a.b` where there is an `a.b.c`. */
function parentsOf(part: PartReader): ReadonlySet<string> {
  let names = parents.get(part)
  if (names === undefined) {
    const found = new Set<string>()
    for (const { name } of part.fields) {
      for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) found.add(name.slice(0, dot))
    }
    parents.set(part, (names = found))
  }
  return names
}

/** `a` where only `a.b`, `a.c` are stored, or `a.b` where an object is stored at `a`. */
function assembled(part: PartReader, block: BlockReader, name: string, scan: ScanProfile): Vector | null {
  const members = part.fields.flatMap(field => {
    const vector = isMember(name, field.name) ? block.column(field.name, scan) : null
    return vector === null ? [] : [{ path: pathWithin(name, field.name), vector }]
  })
  if (members.length > 0) return overlay(null, members, block.rowCount)
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const outer = block.column(name.slice(0, dot), scan)
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
