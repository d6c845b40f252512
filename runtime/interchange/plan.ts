/**
 * How a column goes into a file of another system, and comes back. Each has the one type that holds all its values exactly; what none of
 * the file's types holds goes as JSON that says its types. Which it was stands in the file's metadata, under `quern`.
 */
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { fromTypedJson, toTypedJson } from './typed-json.ts'

/** `time` is nanoseconds since the epoch and `duration` nanoseconds, both as int64. */
export type ColumnKind = 'int' | 'float' | 'bool' | 'string' | 'time' | 'micros' | 'duration' | 'json'

export interface ColumnPlan {
  readonly name: string
  readonly kind: ColumnKind
  /** What an absent value of the file is. */
  readonly absent: 'missing' | 'null'
}

/** A value as the file's column takes it: int64 as bigint. */
export type Cell = bigint | number | boolean | string | null

export const METADATA_KEY = 'quern'

const INT64_MAX = 2n ** 63n - 1n
/** Microseconds whose nanoseconds fit an int64: the years 1678 to 2261. */
const NANOS_MICROS_MAX = 9.2e15

/** What the values of a column have been so far. */
export class ColumnFacts {
  #kinds = new Set<ColumnKind>()
  #hasNull = false
  #hasMissing = false
  #count = 0

  /** @param before  rows that were seen before the column was */
  constructor(before: number) {
    this.#hasMissing = before > 0
  }

  get hasValues(): boolean {
    return this.#count > 0 || this.#hasNull
  }

  add(value: Value): void {
    if (value === undefined) this.#hasMissing = true
    else if (value === null) this.#hasNull = true
    else {
      this.#count++
      this.#kinds.add(kindOf(value))
    }
  }

  /** Kinds that occur, for those who cannot keep all of them. */
  get kinds(): ReadonlySet<ColumnKind> {
    return this.#kinds
  }

  planFor(name: string): ColumnPlan {
    if (this.#hasNull && this.#hasMissing) return { name, kind: 'json', absent: 'missing' }
    return { name, kind: oneKind(this.#kinds), absent: this.#hasNull ? 'null' : 'missing' }
  }
}

function kindOf(value: Exclude<Value, null | undefined>): ColumnKind {
  switch (typeof value) {
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'int' : 'float'
    case 'bigint':
      return 'int'
    case 'boolean':
      return 'bool'
    case 'string':
      // Lone surrogates have no UTF-8; JSON escapes them.
      return (value as string & { isWellFormed(): boolean }).isWellFormed() ? 'string' : 'json'
    default:
      if (value instanceof DateTime) return Math.abs(value.micros) < NANOS_MICROS_MAX ? 'time' : 'micros'
      if (value instanceof Duration) return Number.isInteger(value.ns) && fitsInt64(value.ns) ? 'duration' : 'json'
      return 'json'
  }
}

function fitsInt64(value: number): boolean {
  return value >= -(2 ** 63) && value < 2 ** 63
}

function oneKind(kinds: ReadonlySet<ColumnKind>): ColumnKind {
  const [first] = kinds
  if (kinds.size === 0) return 'string'
  // Times beyond the years of int64 nanoseconds are kept with their nanoseconds only as JSON.
  return kinds.size === 1 && first !== 'micros' ? first! : 'json'
}

export function cellOf(value: Value, kind: ColumnKind): Cell {
  if (kind === 'json') return value === undefined ? null : toTypedJson(value)
  if (value === undefined || value === null) return null
  if (value instanceof DateTime) return BigInt(value.micros) * 1000n + BigInt(value.nanos)
  if (value instanceof Duration) return BigInt(value.ns)
  if (typeof value === 'number') return kind === 'int' ? BigInt(value) : value
  if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'string') return value
  throw new TypeError(`a value that is no ${kind}`)
}

/** The inverse of `cellOf`. @throws {SyntaxError} when JSON that should say a value does not */
export function valueOfCell(cell: Cell | undefined, { kind, absent }: ColumnPlan): Value {
  if (cell === null || cell === undefined) return absent === 'null' ? null : undefined
  switch (kind) {
    case 'json':
      return fromTypedJson(String(cell))
    case 'int':
      return normalInt(cell)
    case 'time':
      return timeOfNanos(BigInt(cell))
    case 'micros':
      return new DateTime(Number(cell))
    case 'duration':
      return new Duration(Number(cell))
    default:
      return cell
  }
}

function normalInt(cell: Cell): number | bigint {
  const exact = BigInt(cell!)
  const number = Number(exact)
  // Unsigned integers of other systems may be larger than any here.
  return Number.isSafeInteger(number) || exact > INT64_MAX ? number : exact
}

function timeOfNanos(nanos: bigint): DateTime {
  const rest = ((nanos % 1000n) + 1000n) % 1000n
  return new DateTime(Number((nanos - rest) / 1000n), Number(rest))
}

interface Metadata {
  readonly version: 1
  readonly columns: readonly ColumnPlan[]
}

export function metadataOf(columns: readonly ColumnPlan[]): string {
  return JSON.stringify({ version: 1, columns } satisfies Metadata)
}

/** Null when the file is not of this program. */
export function plansOf(metadata: string | null | undefined): ReadonlyMap<string, ColumnPlan> | null {
  if (metadata === null || metadata === undefined) return null
  const { version, columns } = JSON.parse(metadata) as Metadata
  if (version !== 1) throw new SyntaxError(`metadata of version ${String(version)}`)
  return new Map(columns.map(column => [column.name, column]))
}
