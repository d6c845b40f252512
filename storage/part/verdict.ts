/**
 * Verdicts of a block from its skip index alone. Sound above all: `none` and `all` are only said when every row is known to agree;
 * whatever the language might read in a way storage does not know (strings as numbers, strings as times) is `some`.
 */
import type { CompareOperator, ScanPredicate, Verdict } from '../predicate.ts'
import { tokensOf } from '../tokens.ts'
import { DateTime, Duration, type Scalar, type Value } from '../value.ts'
import type { Dictionary } from '../vector.ts'
import type { ColumnEntry } from './block-index.ts'
import { compare, compareTimes, type Match, mayBeNumber, NO, UNSURE, YES } from './compare.ts'
import { TYPE_ARRAY, TYPE_BIGINT, TYPE_BOOL, TYPE_FLOAT, TYPE_INT, TYPE_OBJECT, TYPE_STRING } from './format.ts'
import type { Zone } from './summary.ts'
import { filterMayHaveAll, type TokenFilter } from './token-filter.ts'

/** What a verdict may ask of a block. */
export interface BlockFacts {
  readonly rowCount: number
  /** Name of the index the part belongs to: the value of the virtual field `index`. */
  readonly index: string
  /** Null when every row of the block is missing. */
  entry(field: string): ColumnEntry | null
  dictionary(id: number): Dictionary
  filter(entry: ColumnEntry): TokenFilter | null
  /** True when the part has fields below this name (`a.b` for `a`): the scan then assembles objects where the field is missing. */
  hasMembers(field: string): boolean
}

export function verdictOf(predicate: ScanPredicate, block: BlockFacts): Verdict {
  switch (predicate.kind) {
    case 'always':
      return 'all'
    case 'never':
      return 'none'
    case 'and': {
      let verdict: Verdict = 'all'
      for (const part of predicate.of) {
        const one = verdictOf(part, block)
        if (one === 'none') return 'none'
        if (one === 'some') verdict = 'some'
      }
      return verdict
    }
    case 'or': {
      let verdict: Verdict = 'none'
      for (const part of predicate.of) {
        const one = verdictOf(part, block)
        if (one === 'all') return 'all'
        if (one === 'some') verdict = 'some'
      }
      return verdict
    }
    default:
      return verdictOfField(predicate, block)
  }
}

type FieldPredicate = Extract<ScanPredicate, { field: string }>

function verdictOfField(predicate: FieldPredicate, block: BlockFacts): Verdict {
  const { field } = predicate
  const entry = block.entry(field)
  // `index` is no column but what the part says of itself; a column of that name makes it unclear which is meant.
  if (field === 'index') return entry === null ? verdictOfValue(predicate, block.index) : 'some'
  if (block.hasMembers(field)) return 'some'
  if (entry === null) return 'none'
  if (predicate.kind === 'exists') {
    // Whether a null exists is the language's to say; both readings agree on these.
    if (entry.presentCount === block.rowCount) return 'all'
    return entry.presentCount + entry.nullCount === 0 ? 'none' : 'some'
  }
  if (entry.presentCount === 0) return 'none'
  const verdict = verdictOfColumn(predicate, entry, block)
  return verdict === 'all' && (entry.presentCount < block.rowCount || predicate.kind === 'tokens') ? 'some' : verdict
}

function verdictOfValue(predicate: FieldPredicate, value: Value): Verdict {
  if (predicate.kind === 'exists') return 'all'
  const match = matchOf(predicate, value)
  if (match === NO) return 'none'
  return match === YES && predicate.kind !== 'tokens' ? 'all' : 'some'
}

type ValuePredicate = Exclude<FieldPredicate, { kind: 'exists' }>

function matchOf(predicate: ValuePredicate, value: Value): Match {
  switch (predicate.kind) {
    case 'compare':
      return compare(value, predicate.operator, predicate.value)
    case 'in': {
      let match: Match = NO
      for (const wanted of predicate.values) {
        const one = compare(value, '==', wanted)
        if (one === YES) return YES
        if (one === UNSURE) match = UNSURE
      }
      return match
    }
    case 'tokens': {
      if (typeof value !== 'string') return value === undefined || value === null ? NO : UNSURE
      const present = new Set(tokensOf(value))
      return predicate.tokens.every(token => present.has(token)) ? YES : NO
    }
  }
}

/** Of the present values only; the caller knows about the absent rows. */
function verdictOfColumn(predicate: ValuePredicate, entry: ColumnEntry, block: BlockFacts): Verdict {
  if (entry.distinct !== null) return verdictOfMatches(entry.distinct.map(value => matchOf(predicate, value)))
  if (entry.dictionary !== -1) return verdictOfCodes(predicate, entry, block.dictionary(entry.dictionary))
  switch (predicate.kind) {
    case 'compare':
      return verdictOfCompare(predicate.operator, predicate.value, entry, block)
    case 'in': {
      let verdict: Verdict = 'none'
      for (const value of predicate.values) {
        const one = verdictOfCompare('==', value, entry, block)
        if (one === 'all') return 'all'
        if (one === 'some') verdict = 'some'
      }
      return verdict
    }
    case 'tokens':
      return mayHaveTokens(predicate.tokens, entry, block) ? 'some' : 'none'
  }
}

function verdictOfMatches(matches: Iterable<number>): Verdict {
  let seen = 0
  for (const match of matches) seen |= 1 << match
  if (seen === 1 << YES) return 'all'
  return seen === 1 << NO || seen === 0 ? 'none' : 'some'
}

/** What a predicate says of each value of a dictionary, once per part and not once per block. */
const tables = new WeakMap<ScanPredicate, WeakMap<Dictionary, Uint8Array>>()

function verdictOfCodes(predicate: ValuePredicate, entry: ColumnEntry, dictionary: Dictionary): Verdict {
  let perDictionary = tables.get(predicate)
  if (perDictionary === undefined) tables.set(predicate, (perDictionary = new WeakMap()))
  let table = perDictionary.get(dictionary)
  if (table === undefined) {
    table = Uint8Array.from(dictionary.values, value => matchOf(predicate, value))
    perDictionary.set(dictionary, table)
  }
  const bitmap = entry.codeBitmap
  if (bitmap === null) return verdictOfMatches(table) === 'none' ? 'none' : 'some'
  let seen = 0
  for (let code = 0; code < table.length; code++) {
    if ((bitmap[code >>> 3] ?? 0) & (1 << (code & 7))) seen |= 1 << table[code]!
  }
  if (seen === 1 << YES) return 'all'
  return seen === 1 << NO ? 'none' : 'some'
}

function verdictOfCompare(operator: CompareOperator, value: Scalar, entry: ColumnEntry, block: BlockFacts): Verdict {
  if (!isComparable(entry.types, value)) return 'none'
  if (entry.zone !== null) {
    const verdict = verdictOfZone(operator, value, entry.zone)
    if (verdict !== null) return verdict
  }
  if (operator === '==' && entry.types === TYPE_STRING && typeof value === 'string') {
    // Equal strings have equal tokens.
    return mayHaveTokens(tokensOf(value), entry, block) ? 'some' : 'none'
  }
  return 'some'
}

const NUMERIC_TYPES = TYPE_INT | TYPE_FLOAT | TYPE_BIGINT

/** Whether a value of one of these types might compare with `value` at all; what never does is never true. */
function isComparable(types: number, value: Scalar): boolean {
  if ((types & ~(TYPE_ARRAY | TYPE_OBJECT)) === 0) return false
  if (typeof value === 'boolean') return (types & TYPE_BOOL) !== 0
  if (typeof value === 'string' && !mayBeNumber(value)) {
    return (types & ~(NUMERIC_TYPES | TYPE_BOOL | TYPE_ARRAY | TYPE_OBJECT)) !== 0
  }
  return (types & ~(TYPE_BOOL | TYPE_ARRAY | TYPE_OBJECT)) !== 0
}

/** Null when the zone cannot tell. */
function verdictOfZone(operator: CompareOperator, value: Scalar, zone: Zone): Verdict | null {
  if (zone.kind === 'number') {
    if (typeof value === 'number' || typeof value === 'bigint') {
      return verdictOfBounds(operator, (side, by) => compare(zone[side], by, value))
    }
    if (typeof value !== 'string' || !isPlainDecimal(value)) return null
    const number = Number(value)
    const verdict = verdictOfBounds(operator, (side, by) => compare(zone[side], by, number))
    return verdict === 'all' ? 'some' : verdict
  }
  if (zone.kind === 'duration') {
    if (!(value instanceof Duration)) return null
    return verdictOfBounds(operator, (side, by) => compare(zone[side], by, value.ns))
  }
  if (!(value instanceof DateTime)) return null
  return verdictOfBounds(operator, (side, by) => compareTimes(zone[side], by, value))
}

/** Strings that are read as one number by any rule, and exactly by a double. */
function isPlainDecimal(text: string): boolean {
  return text.length <= 15 && /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text)
}

function verdictOfBounds(
  operator: CompareOperator,
  is: (side: 'min' | 'max', operator: CompareOperator) => Match,
): Verdict {
  switch (operator) {
    case '==':
      if (is('min', '>') === YES || is('max', '<') === YES) return 'none'
      return is('min', '==') === YES && is('max', '==') === YES ? 'all' : 'some'
    case '!=':
      if (is('min', '==') === YES && is('max', '==') === YES) return 'none'
      return is('min', '>') === YES || is('max', '<') === YES ? 'all' : 'some'
    case '<':
    case '<=':
      if (is('min', operator) === NO) return 'none'
      return is('max', operator) === YES ? 'all' : 'some'
    case '>':
    case '>=':
      if (is('max', operator) === NO) return 'none'
      return is('min', operator) === YES ? 'all' : 'some'
  }
}

function mayHaveTokens(tokens: readonly string[], entry: ColumnEntry, block: BlockFacts): boolean {
  const filter = block.filter(entry)
  return filter === null || filterMayHaveAll(filter, tokens)
}
