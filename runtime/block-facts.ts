/**
 * What statistics of a block say to a stats instead of its rows: a row for each value of the keys, and the facts its aggregates ask for.
 * Exact or not at all: null wherever only the rows can tell.
 */
import type { BlockReader, BlockStatistics, PartReader } from '../storage/index.ts'
import type { Value } from '../storage/value.ts'
import type { Vector } from '../storage/vector.ts'
import type { AggregateKey, StatisticFact } from './program.ts'

export interface BlockFacts {
  readonly rowCount: number
  /** Of the keys, by field. */
  readonly columns: ReadonlyMap<string, Vector>
  /** By fact, by row: counts and bounds of numbers, bounds of times; NaN where there is none. */
  readonly facts: readonly { readonly numbers: Float64Array; readonly micros: Float64Array }[]
}

export function factsOfBlock(
  keys: readonly AggregateKey[],
  facts: readonly StatisticFact[],
  part: PartReader,
  block: BlockReader,
): BlockFacts | null {
  const groups = groupsOf(keys, part, block)
  if (groups === null) return null
  const known: { numbers: Float64Array; micros: Float64Array }[] = []
  for (const fact of facts) {
    const answer = answerOf(fact, groups, part, block)
    if (answer === null) return null
    known.push(answer)
  }
  return { rowCount: groups.counts.length, columns: groups.columns, facts: known }
}

interface Groups {
  readonly columns: ReadonlyMap<string, Vector>
  /** Rows of the block by row of the facts. */
  readonly counts: readonly number[]
  /** The key that has several values in the block, and those; null: all keys are constant in it. */
  readonly varying: { readonly field: string; readonly values: readonly Value[] } | null
}

/** At most one key may have several values: how they go together only rows can tell. */
function groupsOf(keys: readonly AggregateKey[], part: PartReader, block: BlockReader): Groups | null {
  let counts: readonly number[] = [block.rowCount]
  let varying: Groups['varying'] = null
  const constants = new Map<string, Value>()
  for (const { field, binMicros } of keys) {
    if (binMicros !== null) {
      const bin = Math.floor(block.minTime.micros / binMicros)
      if (bin !== Math.floor(block.maxTime.micros / binMicros)) return null
      constants.set(field, block.minTime)
      continue
    }
    const known = valuesOf(field, part, block)
    if (known === null || (known.values.length > 1 && varying !== null)) return null
    if (known.values.length === 1) constants.set(field, known.values[0])
    else {
      varying = { field, values: known.values }
      counts = known.counts
    }
  }
  const rowCount = counts.length
  const columns = new Map<string, Vector>()
  for (const [field, value] of constants) columns.set(field, { kind: 'const', rowCount, value })
  if (varying !== null) columns.set(varying.field, { kind: 'any', rowCount, values: varying.values })
  return { columns, counts, varying }
}

/** Every value of the field in the block, null among them, and in how many rows. */
function valuesOf(
  field: string,
  part: PartReader,
  block: BlockReader,
): { readonly values: readonly Value[]; readonly counts: readonly number[] } | null {
  const statistics = statisticsOf(field, part, block)
  if (statistics === null) return null
  const absent = block.rowCount - statistics.presentCount
  if (statistics.presentCount === 0) return { values: [null], counts: [absent] }
  const { values, counts } = statistics
  if (values === null || counts === null) return null
  return absent === 0 ? { values, counts } : { values: [...values, null], counts: [...counts, absent] }
}

function answerOf(
  { kind, field, where }: StatisticFact,
  groups: Groups,
  part: PartReader,
  block: BlockReader,
): BlockFacts['facts'][number] | null {
  const rowCount = groups.counts.length
  const verdict = where === null ? 'all' : block.verdict(where)
  if (verdict === 'some') return null
  const isCount = kind === 'rows' || kind === 'present'
  const nothing = { numbers: new Float64Array(rowCount).fill(isCount ? 0 : Number.NaN), micros: NO_TIMES(rowCount) }
  if (verdict === 'none') return nothing
  if (kind === 'rows') return { ...nothing, numbers: Float64Array.from(groups.counts) }
  if (groups.varying !== null) {
    // Of a key itself its values tell: it is present wherever it is not null.
    const { field: key, values } = groups.varying
    if (kind !== 'present' || field !== key) return null
    return { ...nothing, numbers: Float64Array.from(groups.counts, (count, row) => (values[row] === null ? 0 : count)) }
  }
  const statistics = statisticsOf(field!, part, block)
  if (statistics === null) return null
  if (kind === 'present') return { ...nothing, numbers: Float64Array.of(statistics.presentCount) }
  if (statistics.presentCount === 0) return nothing
  const bound = statistics[kind]
  if (bound === null) return null
  return statistics.bounds === 'number'
    ? { ...nothing, numbers: Float64Array.of(bound) }
    : { ...nothing, micros: Float64Array.of(bound) }
}

const NO_TIMES = (rowCount: number): Float64Array => new Float64Array(rowCount).fill(Number.NaN)

const ABSENT: BlockStatistics = {
  presentCount: 0,
  nullCount: 0,
  min: null,
  max: null,
  bounds: null,
  values: [],
  counts: [],
  distinctMax: 0,
}

/** Null also for what is read from other fields: an object put together from its members, a member of an object. */
function statisticsOf(field: string, part: PartReader, block: BlockReader): BlockStatistics | null {
  switch (kindOf(field, part)) {
    case 'stored':
      return block.statistics(field)
    case 'absent':
      return ABSENT
    case 'related':
      return null
  }
}

type FieldKind = 'stored' | 'absent' | 'related'
const kinds = new WeakMap<PartReader, Map<string, FieldKind>>()

function kindOf(field: string, part: PartReader): FieldKind {
  let known = kinds.get(part)
  if (known === undefined) kinds.set(part, (known = new Map()))
  let kind = known.get(field)
  if (kind === undefined) {
    kind = 'absent'
    for (const { name } of part.fields) {
      if (name === field) kind = 'stored'
      else if (name.startsWith(`${field}.`) || field.startsWith(`${name}.`)) {
        kind = 'related'
        break
      }
    }
    known.set(field, kind)
  }
  return kind
}
