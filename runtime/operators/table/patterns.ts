/**
 * patterns: signatures are counted block by block, templates are mined from them when the input ends (`runtime/patterns/`).
 * Rows that lack the text do not count. Of values that blocks hold once for many rows, each is masked once per dictionary.
 */
import { DateTime, type Value } from '../../../storage/value.ts'
import { type Dictionary, PRESENT, type TextVector, type TimeVector, type Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { batchOf, vectorOf } from '../../column-batch.ts'
import { toText } from '../../helpers/format-value.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { mine } from '../../patterns/mine.ts'
import { type Entry, SignatureTable } from '../../patterns/signatures.ts'
import { PATTERN_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import type { TableRun } from './table.ts'

/** Bytes of a value, and the number of its signature at the level of the table it was found at. */
interface KnownText {
  readonly bytes: Uint8Array
  id: number
  level: number
}

interface PatternRow {
  readonly pattern: string
  readonly count: number
  readonly first: Value
  readonly last: Value
  readonly sample: string
}

export const patternsOperator = (run: TableRun<'patterns'>): Operator => new Patterns(run)

class Patterns implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'patterns'>
  readonly #table: SignatureTable
  #dictionary: Dictionary | null = null
  #known: (KnownText | null | undefined)[] = []

  constructor(run: TableRun<'patterns'>) {
    this.#run = run
    this.#table = new SignatureTable(undefined, bytes => run.context.memory.charge(bytes, 'patterns'))
  }

  push(batch: Batch): void {
    const vector = batch.column(this.#run.inputs.text!)
    const clock = clockOf(batch.column('_time'))
    if (vector.kind === 'text') this.#pushText(batch, vector, clock)
    else if (vector.kind === 'dict') this.#pushDictionary(batch, vector.codes, vector.dictionary, clock)
    else this.#pushValues(batch, vector, clock)
  }

  #pushText(batch: Batch, { bytes, offsets, presence }: TextVector, clock: Clock): void {
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      if (presence !== null && presence[row] !== PRESENT) continue
      this.#table.add(bytes, offsets[row]!, offsets[row + 1]!, clock.micros(row), clock.nanos(row))
    }
  }

  #pushDictionary(batch: Batch, codes: ArrayLike<number>, dictionary: Dictionary, clock: Clock): void {
    if (dictionary !== this.#dictionary) {
      this.#dictionary = dictionary
      this.#known = []
    }
    const table = this.#table
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      const code = codes[row]!
      let known = this.#known[code]
      if (known === undefined) known = this.#known[code] = knownText(dictionary.values[code])
      if (known === null) continue
      const { bytes } = known
      if (known.level === table.level) {
        table.addTo(known.id, bytes, 0, bytes.length, clock.micros(row), clock.nanos(row))
      } else {
        const { level } = table
        known.id = table.add(bytes, 0, bytes.length, clock.micros(row), clock.nanos(row))
        // The line that fills the table makes it coarser, and its number void.
        known.level = table.level === level ? level : -1
      }
    }
  }

  #pushValues(batch: Batch, vector: Vector, clock: Clock): void {
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      const known = knownText(valueAt(vector, row))
      if (known !== null) this.#table.add(known.bytes, 0, known.bytes.length, clock.micros(row), clock.nanos(row))
    }
  }

  finish(): void {
    const { next, options, context } = this.#run
    const entries = this.#table.entries()
    const lines = this.#table.lines
    const rows = mine(entries).map(({ pattern, members }) =>
      rowOf(
        pattern,
        members.map(member => entries[member]!),
      ),
    )
    rows.sort((a, b) => b.count - a.count || (a.pattern < b.pattern ? -1 : 1))
    const shown = rows.slice(0, options.limit)
    if (shown.length < rows.length) {
      const cut = rows.slice(options.limit).reduce((sum, row) => sum + row.count, 0)
      const share = ((100 * cut) / lines).toPrecision(2)
      context.count(
        `note:${shown.length} of ${rows.length} patterns are shown; the others have ${cut} lines, ${share}%; limit=${rows.length} shows all`,
      )
    }
    if (this.#table.level > 0) {
      context.count(
        'note:the texts have so many different words that patterns compared only their beginnings; filter first, or take a narrower field',
      )
    }
    if (shown.length > 0) {
      const columns: Record<(typeof PATTERN_COLUMNS)[number], Value[]> = {
        pattern: shown.map(row => row.pattern),
        count: shown.map(row => row.count),
        share: shown.map(row => row.count / lines),
        first_seen: shown.map(row => row.first),
        last_seen: shown.map(row => row.last),
        sample: shown.map(row => row.sample),
      }
      next.push(batchOf(new Map(PATTERN_COLUMNS.map(name => [name, vectorOf(columns[name])])), shown.length))
    }
    next.finish()
  }
}

function knownText(value: Value): KnownText | null {
  const text = toText(value)
  return text === null ? null : { bytes: Buffer.from(text), id: -1, level: -1 }
}

function rowOf(pattern: string, entries: readonly Entry[]): PatternRow {
  let count = 0
  let earliest = entries[0]!
  let latest = entries[0]!
  for (const entry of entries) {
    count += entry.count
    if (isBefore(entry, earliest)) earliest = entry
    if (
      entry.lastMicros > latest.lastMicros ||
      (entry.lastMicros === latest.lastMicros && entry.lastNanos > latest.lastNanos)
    ) {
      latest = entry
    }
  }
  return {
    pattern,
    count,
    first: timeOf(earliest.firstMicros, earliest.firstNanos),
    last: timeOf(latest.lastMicros, latest.lastNanos),
    sample: Buffer.from(earliest.sample).toString('utf8'),
  }
}

/** The earlier first line; of equally early ones the lesser text. */
function isBefore(a: Entry, b: Entry): boolean {
  if (a.firstMicros !== b.firstMicros) return a.firstMicros < b.firstMicros
  if (a.firstNanos !== b.firstNanos) return a.firstNanos < b.firstNanos
  return Buffer.compare(a.sample, b.sample) < 0
}

function timeOf(micros: number, nanos: number): Value {
  return Number.isFinite(micros) ? new DateTime(micros, nanos) : null
}

/** The time of a row; NaN where it has none. */
interface Clock {
  micros(row: number): number
  nanos(row: number): number
}

const NO_CLOCK: Clock = { micros: () => Number.NaN, nanos: () => 0 }

function clockOf(vector: Vector): Clock {
  if (vector.kind === 'time') return timesOf(vector)
  if (vector.kind === 'const') {
    const { value } = vector
    return value instanceof DateTime ? { micros: () => value.micros, nanos: () => value.nanos } : NO_CLOCK
  }
  const at = (row: number): Value => valueAt(vector, row)
  return {
    micros(row) {
      const value = at(row)
      return value instanceof DateTime ? value.micros : Number.NaN
    },
    nanos(row) {
      const value = at(row)
      return value instanceof DateTime ? value.nanos : 0
    },
  }
}

function timesOf({ micros, nanos, presence }: TimeVector): Clock {
  return {
    micros: row => (presence === null || presence[row] === PRESENT ? micros[row]! : Number.NaN),
    nanos: row => (nanos === null ? 0 : nanos[row]!),
  }
}
