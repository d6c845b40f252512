/**
 * Exact distinct counting. Over a dictionary column the set holds codes, a byte per code once it is not small, and looks at a value
 * only when the dictionary changes; otherwise numbers and keys in a Set.
 */
import type { Value } from '../../storage/value.ts'
import type { Dictionary } from '../../storage/vector.ts'
import { keyOf } from './compare.ts'

/** Up to this many codes are kept in a Set: with many small groups a byte per code of a large dictionary would not fit in memory. */
const SMALL = 64

export interface Distinct {
  readonly keys: Set<string | number>
  dictionary: Dictionary | null
  codes: Set<number>
  seen: Uint8Array | null
}

const NOTHING = new Uint8Array(0)

function distinctNew(): Distinct {
  return { keys: new Set(), dictionary: null, codes: new Set(), seen: null }
}

function distinctAddCode(set: Distinct, dictionary: Dictionary, code: number): void {
  if (set.dictionary !== dictionary) flush(set, dictionary)
  if (set.seen !== null) {
    set.seen[code] = 1
    return
  }
  set.codes.add(code)
  if (set.codes.size <= SMALL) return
  set.seen = new Uint8Array(dictionary.values.length)
  for (const small of set.codes) set.seen[small] = 1
  set.codes.clear()
}

/** Codes of the dictionary so far become keys. */
function flush(set: Distinct, next: Dictionary | null): void {
  const { dictionary, keys } = set
  if (dictionary !== null) {
    for (const code of set.codes) keys.add(keyOf(dictionary.values[code]))
    for (const [code, seen] of (set.seen ?? NOTHING).entries()) if (seen === 1) keys.add(keyOf(dictionary.values[code]))
  }
  set.codes.clear()
  set.seen = null
  set.dictionary = next
}

function distinctMerge(into: Distinct, from: Distinct): void {
  flush(into, null)
  flush(from, null)
  for (const key of from.keys) into.keys.add(key)
}

function distinctCount(set: Distinct): number {
  // One dictionary all along, the usual case: no value was ever looked at.
  if (set.keys.size === 0 && set.dictionary !== null && set.dictionary.repeats !== true) {
    if (set.seen === null) return set.codes.size
    let count = 0
    for (let code = 0; code < set.seen.length; code++) count += set.seen[code]!
    return count
  }
  flush(set, null)
  return set.keys.size
}

export const DISTINCT_HELPERS = {
  distinctNew,
  distinctAddCode,
  distinctAddNumber: (set: Distinct, value: number): void => void set.keys.add(value),
  distinctAdd: (set: Distinct, value: Value): void => void set.keys.add(keyOf(value)),
  distinctMerge,
  distinctCount,
}
