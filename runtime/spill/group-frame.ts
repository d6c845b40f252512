/**
 * Groups of an aggregation as bytes: when each was first seen, its keys, and its states. Numbers are columns of a frame; what states keep in
 * objects goes through the packing between threads, and the structured clone of V8 after that.
 *
 *     u32 length · frame · varint interned values · values · per column of objects: u32 length · bytes
 */
import { deserialize, serialize } from 'node:v8'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import { readValue, writeValue } from '../../storage/part/encodings/any.ts'
import type { Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import { vectorOf } from '../column-batch.ts'
import { type PackedDistinct, packedIds } from '../helpers/distinct.ts'
import type { Interner } from '../helpers/interner.ts'
import { valueAt } from '../helpers/vectors.ts'
import { holdsIds, packState, type StateArray, unpackState } from '../parallel/state.ts'
import type { StateColumnSpec } from '../program.ts'
import { encodeFrame, Frame } from './frame.ts'

export interface Groups {
  readonly count: number
  /** When each was first seen: groups seen earlier have less. */
  readonly firstSeen: Float64Array
  /** By key, by group. */
  readonly keys: readonly (readonly Value[])[]
  /** By state column. */
  readonly state: readonly StateArray[]
}

/** @param interner  whose numbers the states hold */
export function encodeGroups(
  { count, firstSeen, keys, state }: Groups,
  columns: readonly StateColumnSpec[],
  interner: Interner,
): Uint8Array {
  const packed = packState(columns, state, count)
  const values: Value[] = []
  const local = new Map<number, number>()
  const localId = (id: number): number => {
    let own = local.get(id)
    if (own === undefined) local.set(id, (own = values.push(interner.valueOf(id)) - 1))
    return own
  }
  const extras: Vector[] = [numbers(firstSeen), ...keys.map(vectorOf)]
  const objects: Uint8Array[] = []
  for (const [index, column] of columns.entries()) {
    const values = packed[index]
    if (column.type !== 'object') extras.push(numbers(values as ArrayLike<number>))
    else if (holdsIds(column))
      objects.push(serialize((values as PackedDistinct[]).map(set => ({ ids: packedIds(set).map(localId) }))))
    else objects.push(serialize(values))
  }
  const frame = encodeFrame(count, extras)
  const sink = new ByteSink()
  sink.u32(frame.length)
  sink.bytes(frame)
  sink.varint(values.length)
  for (const value of values) writeValue(sink, value)
  for (const bytes of objects) {
    sink.u32(bytes.length)
    sink.bytes(bytes)
  }
  return sink.finish()
}

function numbers(values: ArrayLike<number>): Vector {
  return { kind: 'number', rowCount: values.length, values: Float64Array.from(values), presence: null }
}

/** @param interner  what the states are to hold numbers of */
export function decodeGroups(
  raw: Uint8Array,
  keyCount: number,
  columns: readonly StateColumnSpec[],
  interner: Interner,
): Groups {
  const source = new ByteSource(raw)
  const frame = new Frame(source.bytes(source.u32()))
  const ids = Uint32Array.from({ length: source.count(1) }, () => interner.idOf(readValue(source)))
  const { rowCount: count } = frame
  let extra = 1 + keyCount
  const packed = columns.map(column => {
    if (column.type === 'object') return deserialize(source.bytes(source.u32())) as unknown
    return lane(frame.extra(extra++))
  })
  return {
    count,
    firstSeen: lane(frame.extra(0)),
    keys: Array.from({ length: keyCount }, (_, key) => {
      const vector = frame.extra(1 + key)
      return Array.from({ length: count }, (_, group) => valueAt(vector, group))
    }),
    state: unpackState(columns, packed, { ids, interner }),
  }
}

function lane(vector: Vector): Float64Array {
  if (vector.kind !== 'number') throw new Error(`states held as ${vector.kind}`)
  return vector.values instanceof Float64Array ? vector.values : Float64Array.from(vector.values)
}

/** Some of the groups, in this order. */
export function someGroups({ firstSeen, keys, state }: Groups, chosen: Uint32Array): Groups {
  const some = <T>(values: { readonly [at: number]: T }): T[] => Array.from(chosen, group => values[group]!)
  return {
    count: chosen.length,
    firstSeen: Float64Array.from(chosen, group => firstSeen[group]!),
    keys: keys.map(some),
    state: state.map(column =>
      Array.isArray(column) ? some(column) : Float64Array.from(chosen, group => column[group]!),
    ),
  }
}
