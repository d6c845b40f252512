/**
 * Partial states of an aggregation on their way: between threads, and to disk and back. Numbers travel as the typed arrays they are; what a
 * state column keeps in objects travels by the way its kind of object declares here. Values that were interned travel as their numbers:
 * `IdTable` translates.
 */
import type { Value } from '../../storage/value.ts'
import { AGGREGATE_HELPERS, type NumberList, type OrderedList, type Tally } from '../helpers/aggregate-state.ts'
import { DISTINCT_HELPERS, type Distinct, type PackedDistinct } from '../helpers/distinct.ts'
import type { Hll } from '../helpers/hll.ts'
import type { Interner } from '../helpers/interner.ts'
import type { RangeRest, SpreadRest, SumRest } from '../helpers/quantities.ts'
import type { Sketch } from '../helpers/sketch.ts'
import type { StateColumnSpec } from '../program.ts'
import { bytesOfValue, bytesOfValues } from '../spill/size.ts'
import { type Packed, packValues, unpackValues } from './values.ts'

export type StateArray = Float64Array | Int32Array | Uint32Array | Uint8Array | unknown[]

/** What one thread found out. `keys` are interned numbers by key, by group. */
export interface PartialState {
  readonly groupCount: number
  readonly keys: readonly Uint32Array[]
  /** By state column. */
  readonly state: readonly unknown[]
  readonly rows: number
}

/** How another thread's interned numbers read here. */
export interface IdTable {
  readonly ids: Uint32Array
  readonly interner: Interner
}

interface Transfer {
  pack(objects: readonly unknown[]): unknown
  unpack(packed: unknown, table: IdTable): unknown[]
  /** Roughly what one weighs in memory. */
  bytes(object: unknown): number
  /** One that holds nothing yet. */
  readonly emptyBytes: number
}

/** Objects of plain numbers and typed arrays: cloned as they are. */
const asTheyAre = <T>(emptyBytes: number, bytes: (object: T) => number): Transfer => ({
  pack: objects => objects,
  unpack: packed => packed as T[] as unknown[],
  bytes: object => bytes(object as T),
  emptyBytes,
})

const restBytes = (rest: object | null): number => (rest === null ? 0 : 96)

const TRANSFERS: Readonly<Record<string, Transfer>> = {
  values: {
    pack: objects => packValues(objects as Value[]),
    unpack: packed => unpackValues(packed as Packed[]) as unknown[],
    bytes: value => bytesOfValue(value as Value),
    emptyBytes: 0,
  },
  sketchNew: asTheyAre<Sketch>(
    320,
    ({ positive, negative }) => 320 + positive.counts.byteLength + negative.counts.byteLength,
  ),
  hllNew: asTheyAre<Hll>(16_384 + 128, ({ registers }) => registers.length + 128),
  numberListNew: asTheyAre<NumberList>(256, ({ values }) => 128 + values.byteLength),
  listNew: {
    pack: lists => (lists as OrderedList[]).map(({ orders, values }) => ({ orders, values: packValues(values) })),
    unpack: packed =>
      (packed as { readonly orders: number[]; readonly values: Packed[] }[]).map(({ orders, values }) => ({
        orders,
        values: unpackValues(values),
      })),
    bytes: list => 160 + (list as OrderedList).orders.length * 8 + bytesOfValues((list as OrderedList).values),
    emptyBytes: 160,
  },
  tallyNew: {
    pack: tallies =>
      (tallies as Tally[]).map(tally => {
        const entries = AGGREGATE_HELPERS.tallyEntries(tally)
        return { values: packValues(entries.map(entry => entry.value)), counts: entries.map(entry => entry.count) }
      }),
    unpack: packed =>
      (packed as { readonly values: Packed[]; readonly counts: number[] }[]).map(({ values, counts }) => {
        const tally = AGGREGATE_HELPERS.tallyNew()
        for (const [index, value] of unpackValues(values).entries())
          AGGREGATE_HELPERS.tallyAddMany(tally, value, counts[index]!)
        return tally
      }),
    bytes(object) {
      const { byKey, counts } = object as Tally
      const [first] = byKey.values()
      return 320 + byKey.size * (128 + bytesOfValue(first?.value)) + counts.size * 24
    },
    emptyBytes: 320,
  },
  sumRest: asTheyAre<SumRest | null>(0, restBytes),
  spreadRest: asTheyAre<SpreadRest | null>(0, restBytes),
  rangeRest: {
    pack: rests => (rests as (RangeRest | null)[]).map(rest => rest && packValues([rest.least, rest.greatest])),
    unpack: packed =>
      (packed as (Packed[] | null)[]).map(rest => {
        if (rest === null) return null
        const [least, greatest] = unpackValues(rest)
        return { least, greatest }
      }),
    bytes: rest => restBytes(rest as RangeRest | null),
    emptyBytes: 0,
  },
  distinctNew: {
    pack: sets => (sets as Distinct[]).map(DISTINCT_HELPERS.distinctPack),
    bytes(set) {
      const { small, codes, seen } = set as Distinct
      return 256 + (small?.size ?? 0) * 24 + codes.byteLength + seen.byteLength
    },
    emptyBytes: 256,
    unpack: (packed, { ids, interner }) =>
      (packed as PackedDistinct[]).map(each => DISTINCT_HELPERS.distinctUnpack(each, interner, ids)),
  },
}

function transferOf(column: StateColumnSpec): Transfer | null {
  if (column.type !== 'object') return null
  return TRANSFERS[column.holds ?? column.init ?? 'values'] ?? null
}

/** What the objects in a state column weigh, of the first `count` groups. */
export function bytesOfState(columns: readonly StateColumnSpec[], state: readonly StateArray[], count: number): number {
  let bytes = 0
  for (const [index, column] of columns.entries()) {
    const transfer = transferOf(column)
    if (transfer === null) continue
    const objects = state[index] as unknown[]
    for (let group = 0; group < count; group++) bytes += transfer.bytes(objects[group])
  }
  return bytes
}

/** What the objects of a new group weigh. */
export function emptyBytesOf(columns: readonly StateColumnSpec[]): number {
  return columns.reduce((bytes, column) => bytes + (transferOf(column)?.emptyBytes ?? 0), 0)
}

/** Interned numbers travel in these columns. */
export function holdsIds(column: StateColumnSpec): boolean {
  return transferOf(column) === TRANSFERS.distinctNew
}

/** Can the states of these columns leave their thread? */
export function isTransferable(columns: readonly StateColumnSpec[]): boolean {
  return columns.every(column => column.type !== 'object' || transferOf(column) !== null)
}

export function packState(columns: readonly StateColumnSpec[], state: readonly StateArray[], count: number): unknown[] {
  return columns.map((column, index) => {
    const values = state[index]!
    const transfer = transferOf(column)
    return transfer === null ? values.slice(0, count) : transfer.pack(values.slice(0, count) as unknown[])
  })
}

export function unpackState(
  columns: readonly StateColumnSpec[],
  packed: readonly unknown[],
  table: IdTable,
): StateArray[] {
  return columns.map((column, index) => {
    const transfer = transferOf(column)
    return transfer === null ? (packed[index] as StateArray) : transfer.unpack(packed[index], table)
  })
}
