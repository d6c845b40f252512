/**
 * Partial states of an aggregation between threads. Numbers travel as the typed arrays they are; what a state column keeps in objects
 * travels by the way its kind of object declares here. Values that were interned travel as their numbers: `IdTable` translates.
 */
import type { Value } from '../../storage/value.ts'
import { AGGREGATE_HELPERS, type NumberList, type OrderedList, type Tally } from '../helpers/aggregate-state.ts'
import { DISTINCT_HELPERS, type Distinct } from '../helpers/distinct.ts'
import type { Hll } from '../helpers/hll.ts'
import type { Interner } from '../helpers/interner.ts'
import type { RangeRest, SpreadRest, SumRest } from '../helpers/quantities.ts'
import type { Sketch } from '../helpers/sketch.ts'
import type { StateColumnSpec } from '../program.ts'
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
}

/** Objects of plain numbers and typed arrays: cloned as they are. */
const asTheyAre = <T>(): Transfer => ({ pack: objects => objects, unpack: packed => packed as T[] as unknown[] })

const TRANSFERS: Readonly<Record<string, Transfer>> = {
  values: {
    pack: objects => packValues(objects as Value[]),
    unpack: packed => unpackValues(packed as Packed[]) as unknown[],
  },
  sketchNew: asTheyAre<Sketch>(),
  hllNew: asTheyAre<Hll>(),
  numberListNew: asTheyAre<NumberList>(),
  listNew: {
    pack: lists => (lists as OrderedList[]).map(({ orders, values }) => ({ orders, values: packValues(values) })),
    unpack: packed =>
      (packed as { readonly orders: number[]; readonly values: Packed[] }[]).map(({ orders, values }) => ({
        orders,
        values: unpackValues(values),
      })),
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
  },
  sumRest: asTheyAre<SumRest>(),
  spreadRest: asTheyAre<SpreadRest>(),
  rangeRest: {
    pack: rests => (rests as (RangeRest | null)[]).map(rest => rest && packValues([rest.least, rest.greatest])),
    unpack: packed =>
      (packed as (Packed[] | null)[]).map(rest => {
        if (rest === null) return null
        const [least, greatest] = unpackValues(rest)
        return { least, greatest }
      }),
  },
  distinctNew: {
    pack: sets => (sets as Distinct[]).map(DISTINCT_HELPERS.distinctIds),
    unpack: (packed, { ids, interner }) =>
      (packed as Uint32Array[]).map(theirs =>
        DISTINCT_HELPERS.distinctOf(
          interner,
          theirs.map(id => ids[id]!),
        ),
      ),
  },
}

function transferOf(column: StateColumnSpec): Transfer | null {
  if (column.type !== 'object') return null
  return TRANSFERS[column.holds ?? column.init ?? 'values'] ?? null
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

/** Memory that may move instead of being copied. */
export function buffersOf({ keys, state }: PartialState): ArrayBuffer[] {
  return [...keys, ...state].flatMap(column => (ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : []))
}
