/**
 * Exact distinct counting. Over a dictionary column the set holds interned numbers, one byte each once it is not small, so a row costs
 * two array accesses and no value is looked at; otherwise numbers and keys in a Set.
 */
import type { Value } from '../../storage/value.ts'
import type { Dictionary } from '../../storage/vector.ts'
import { currentInterner, type Interner } from './interner.ts'

/** Up to this many are kept in a Set: with many small groups a byte per value known anywhere would not fit in memory. */
const SMALL = 256

export interface Distinct {
  readonly interner: Interner
  dictionary: Dictionary | null
  /** Of the dictionary at hand. */
  ids: Uint32Array
  small: Set<number> | null
  seen: Uint8Array
}

const NOTHING = new Uint8Array(0)
const NO_IDS = new Uint32Array(0)

function distinctNew(interner: Interner = currentInterner()): Distinct {
  return { interner, dictionary: null, ids: NO_IDS, small: new Set(), seen: NOTHING }
}

function distinctAddCode(set: Distinct, dictionary: Dictionary, code: number): void {
  if (set.dictionary !== dictionary) {
    set.dictionary = dictionary
    set.ids = set.interner.idsOf(dictionary)
    if (set.small === null) reserve(set)
  }
  if (set.small === null) set.seen[set.ids[code]!] = 1
  else addSmall(set, set.small, set.ids[code]!)
}

function addSmall(set: Distinct, small: Set<number>, id: number): void {
  small.add(id)
  if (small.size <= SMALL) return
  reserve(set)
  for (const each of small) set.seen[each] = 1
  set.small = null
}

/** A byte for every value the interner knows by now. */
function reserve(set: Distinct): void {
  if (set.seen.length >= set.interner.size) return
  const seen = new Uint8Array(Math.max(set.interner.size, set.seen.length * 2))
  seen.set(set.seen)
  set.seen = seen
}

function distinctAdd(set: Distinct, value: Value): void {
  const id = set.interner.idOf(value)
  if (set.small !== null) {
    addSmall(set, set.small, id)
    return
  }
  if (id >= set.seen.length) reserve(set)
  set.seen[id] = 1
}

function distinctMerge(into: Distinct, from: Distinct): void {
  if (into.interner !== from.interner) {
    // A number means another value there: one of them is from before the state was written to disk, or from another thread.
    for (const id of distinctIds(from)) distinctAdd(into, from.interner.valueOf(id))
    return
  }
  const add = (id: number): void => {
    if (into.small !== null) addSmall(into, into.small, id)
    else {
      if (id >= into.seen.length) reserve(into)
      into.seen[id] = 1
    }
  }
  for (const id of from.small ?? []) add(id)
  if (from.small === null) for (let id = 0; id < from.seen.length; id++) if (from.seen[id] === 1) add(id)
}

function distinctCount(set: Distinct): number {
  if (set.small !== null) return set.small.size
  let count = 0
  for (let id = 0; id < set.seen.length; id++) count += set.seen[id]!
  return count
}

/** The interned numbers in the set. */
function distinctIds(set: Distinct): Uint32Array {
  if (set.small !== null) return Uint32Array.from(set.small)
  const ids = new Uint32Array(distinctCount(set))
  let at = 0
  for (let id = 0; id < set.seen.length; id++) if (set.seen[id] === 1) ids[at++] = id
  return ids
}

/** A set of these numbers of `interner`. */
function distinctOf(interner: Interner, ids: Uint32Array): Distinct {
  const set: Distinct = { interner, dictionary: null, ids: NO_IDS, small: null, seen: NOTHING }
  if (ids.length <= SMALL) set.small = new Set(ids)
  else {
    reserve(set)
    for (let at = 0; at < ids.length; at++) set.seen[ids[at]!] = 1
  }
  return set
}

/** Where the count is asked for after every row: a Set knows it. */
export interface RunningDistinct {
  readonly interner: Interner
  readonly ids: Set<number>
}

export const DISTINCT_HELPERS = {
  runningDistinctNew: (): RunningDistinct => ({ interner: currentInterner(), ids: new Set() }),
  runningDistinctAdd: ({ interner, ids }: RunningDistinct, value: Value): void => void ids.add(interner.idOf(value)),
  runningDistinctAddCode({ interner, ids }: RunningDistinct, dictionary: Dictionary, code: number): void {
    ids.add(interner.idsOf(dictionary)[code]!)
  },
  runningDistinctCount: ({ ids }: RunningDistinct): number => ids.size,
  distinctNew,
  distinctAddCode,
  distinctAddNumber: distinctAdd,
  distinctAdd,
  distinctMerge,
  distinctCount,
  distinctIds,
  distinctOf,
}
