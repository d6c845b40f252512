/**
 * The operators of a program, connected: from what takes the rows down to the scans. Every scan is a source with the operator it
 * feeds; sources run one after the other, in the order in which what stands above needs them.
 */
import type { BlockReader, PartReader } from '../storage/index.ts'
import type { ScanPredicate } from '../storage/predicate.ts'
import type { Batch } from './batch.ts'
import { fewOf } from './column-batch.ts'
import type { MemoryBudget } from './memory.ts'
import { AggregateOperator } from './operators/aggregate.ts'
import { DropOperator, KeepOperator, RenameOperator } from './operators/columns.ts'
import { DedupOperator } from './operators/dedup.ts'
import { DescribeOperator } from './operators/describe.ts'
import { EventstatsOperator } from './operators/eventstats.ts'
import { ExtendOperator } from './operators/extend.ts'
import { FilterOperator } from './operators/filter.ts'
import { JoinOperator } from './operators/join/join.ts'
import { HeadOperator, TailOperator } from './operators/limit.ts'
import { inletOf, Measured, type Operator, type RunContext } from './operators/operator.ts'
import { ParseOperator } from './operators/parse.ts'
import { Scan } from './operators/scan.ts'
import { SortOperator } from './operators/sort.ts'
import { StreamstatsOperator } from './operators/streamstats.ts'
import { createTableOperator } from './operators/table/index.ts'
import { UnionOperator } from './operators/union.ts'
import type { OperatorProfile } from './profile.ts'
import { inputsOf, type JoinSpec, type OperatorSpec, type ScanSpec, type SplitPlan, type UnionSpec } from './program.ts'
import type { QuerySpill } from './spill/space.ts'
import type { Stopwatch } from './stopwatch.ts'

/** What all operators of a run share; each gets its own view of it. */
export interface SharedContext extends Omit<RunContext, 'operator' | 'spill' | 'defer'> {
  readonly memory: MemoryBudget
  readonly spill: QuerySpill
  /** Steps to take once every operator of a source has finished, in order; false: that was the last. */
  readonly deferred: (() => boolean)[]
}

export interface Source {
  readonly scan: Scan
  readonly head: Operator
  /** The aggregation whose work other threads may share; null: this scan is one thread's. */
  readonly shared: SharedAggregation | null
}

export interface SharedAggregation {
  readonly split: SplitPlan
  readonly aggregate: AggregateOperator
  readonly operator: OperatorProfile
}

export interface Network {
  /** What works for each aggregation of the program. */
  readonly aggregates: ReadonlyMap<OperatorSpec, AggregateOperator>
  /** In the order in which they run; each is finished before the next one begins. */
  readonly sources: readonly Source[]
  /** Fills in what scans read and learned, for the profile. */
  settle(): void
}

type MutableProfile = OperatorProfile & { readonly children: readonly MutableProfile[] }

/** An edge of the tree: the operator above, and what it wants of the scans below. */
interface Consumer {
  readonly operator: Operator
  /** What a scan below must beat to matter (`SortOperator.newestBoundary`). */
  boundary(): number | null
  /** Above the scan, with nothing between that `splits` does not know of. */
  readonly shared: SharedAggregation | null
  /** Right above the scan: takes a block from its statistics alone. */
  readonly takesWhole: ((part: PartReader, block: BlockReader) => boolean) | null
  /** Nothing holds what was made of a batch once the batch was pushed. */
  readonly holdsNothing: boolean
}

type Below = Omit<Consumer, 'operator'>

/** What goes through these goes on, or is dropped. */
const PASSING: ReadonlySet<OperatorSpec['op']> = new Set<OperatorSpec['op']>([
  'filter',
  'extend',
  'keep',
  'drop',
  'rename',
  'parse',
])

/** Below a join scans have nothing to do with what is above it. */
const SEPARATE: Below = { boundary: () => null, shared: null, takesWhole: null, holdsNothing: false }

export function connect(
  root: OperatorSpec,
  context: SharedContext,
  ready: Batch[],
  splits: readonly SplitPlan[],
): Network {
  const sources: Source[] = []
  const aggregates = new Map<OperatorSpec, AggregateOperator>()
  const scans: { readonly scan: Scan; readonly profile: MutableProfile }[] = []

  const joins = new Map<number, JoinOperator>()
  /** In another thread, which has only a part of the plan, the join is not there. */
  const keysOf = ({ keyFilters }: ScanSpec): ScanPredicate | null => {
    const known = keyFilters.flatMap(({ join, key, field }) => joins.get(join)?.keyPredicate(key, field) ?? [])
    return known.length === 0 ? null : { kind: 'and', of: known }
  }

  const build = (spec: OperatorSpec, profile: MutableProfile, above: Consumer): void => {
    const next = countingOutput(above.operator, profile)
    const own = new OperatorContext(context, profile)
    if (spec.op === 'scan') {
      const boundary = spec.order === 'newest-first' ? above.boundary : () => null
      const { takesWhole, holdsNothing } = above
      const scan = new Scan(spec, own, { boundary, takesWhole, holdsNothing, keys: () => keysOf(spec) })
      scans.push({ scan, profile })
      sources.push({ scan: measuredScan(scan, profile, context.stopwatch), head: next, shared: above.shared })
      return
    }
    const feed = (index: number, operator: Operator, below: Below): void => {
      const measured = new Measured(operator, profile, context.stopwatch)
      build(inputsOf(spec)[index]!, profile.children[index]!, consumer(measured, below))
    }
    if (spec.op === 'union') {
      const union = new UnionOperator(inputsOf(spec).length, next)
      for (const [index, input] of union.inputs.entries()) feed(index, input, { ...SEPARATE, boundary: above.boundary })
      return
    }
    if (spec.op === 'join') {
      const join = new JoinOperator(spec, own, next)
      joins.set(spec.id, join)
      const sides = [join.left, join.right]
      for (const side of spec.readFirst === 'left' ? [0, 1] : [1, 0]) feed(side, sides[side]!, SEPARATE)
      return
    }
    const operator = createOperator(spec, own, next)
    if (operator instanceof AggregateOperator) aggregates.set(spec, operator)
    const boundary = operator instanceof SortOperator ? () => operator.newestBoundary : above.boundary
    const split = splits.find(({ aggregate }) => aggregate === spec)
    const shared =
      split !== undefined && operator instanceof AggregateOperator
        ? { split, aggregate: operator, operator: profile }
        : above.shared
    const isAnswering = operator instanceof AggregateOperator && spec.op === 'aggregate' && spec.statistics !== null
    const takesWhole: Below['takesWhole'] = isAnswering ? (part, block) => operator.takeStatistics(part, block) : null
    const holdsNothing = spec.op === 'aggregate' || (PASSING.has(spec.op) && above.holdsNothing)
    feed(0, operator, { boundary, shared, takesWhole, holdsNothing })
  }

  const profile = profileTree(root)
  context.profile.root = profile
  build(root, profile, consumer(outputInto(ready), SEPARATE))
  return {
    sources,
    aggregates,
    settle() {
      for (const { scan, profile } of scans) {
        profile.rowsIn += scan.rowCount
        profile.durationNs += scan.decoding.durationNs
        profile.decodeNs += scan.decoding.durationNs
        if (scan.learnedOrder !== null) context.profile.conditionOrders.push(scan.learnedOrder)
        context.profile.scan.decodeNs += scan.decoding.durationNs
      }
    },
  }
}

function outputInto(ready: Batch[]): Operator {
  return { isDone: false, push: batch => void ready.push(fewOf(batch)), finish() {} }
}

function profileTree(spec: OperatorSpec): MutableProfile {
  const children = inputsOf(spec).map(profileTree)
  return {
    op: spec.op,
    label: spec.label,
    rowsIn: 0,
    rowsOut: 0,
    durationNs: 0,
    decodeNs: 0,
    memoryBytes: 0,
    spilledBytes: 0,
    spilledFiles: 0,
    children,
  }
}

function consumer(operator: Operator, { boundary, shared, takesWhole, holdsNothing }: Below): Consumer {
  return { operator, boundary, shared, takesWhole, holdsNothing }
}

/** An operator's own view of what all of a run share. */
class OperatorContext implements RunContext {
  readonly runtime: RunContext['runtime']
  readonly profile: RunContext['profile']
  readonly stopwatch: Stopwatch
  readonly directory: string
  readonly openFile: RunContext['openFile']
  readonly count: RunContext['count']
  readonly operator: OperatorProfile
  readonly memory: RunContext['memory']
  readonly spill: RunContext['spill']
  readonly #deferred: SharedContext['deferred']

  constructor(shared: SharedContext, operator: OperatorProfile) {
    this.runtime = shared.runtime
    this.profile = shared.profile
    this.stopwatch = shared.stopwatch
    this.directory = shared.directory
    this.openFile = shared.openFile
    this.count = shared.count
    this.operator = operator
    this.memory = shared.memory.of(operator)
    this.spill = shared.spill.of(operator)
    this.#deferred = shared.deferred
  }

  defer(steps: Generator<void>): void {
    this.#deferred.push(() => this.stopwatch.time(this.operator, () => steps.next().done !== true))
  }
}

/** What an operator gave is what went on from it. */
function countingOutput(next: Operator, profile: OperatorProfile): Operator {
  return inletOf(next, batch => {
    profile.rowsOut += batch.selectedCount
    next.push(batch)
  })
}

/** The scan's own time: from being asked for a batch until it has one. */
function measuredScan(scan: Scan, profile: OperatorProfile, stopwatch: Stopwatch): Scan {
  const batches = scan.batches.bind(scan)
  scan.batches = (places, takes) => measured(batches(places, takes), profile, stopwatch)
  return scan
}

function* measured<T>(steps: Generator<T>, profile: OperatorProfile, stopwatch: Stopwatch): Generator<T> {
  const next = () => steps.next()
  try {
    for (;;) {
      const step = stopwatch.time(profile, next)
      if (step.done === true) return
      yield step.value
    }
  } finally {
    steps.return(null)
  }
}

function createOperator(
  spec: Exclude<OperatorSpec, ScanSpec | UnionSpec | JoinSpec>,
  context: RunContext,
  next: Operator,
): Operator {
  switch (spec.op) {
    case 'filter':
      return new FilterOperator(spec.kernels, context, next)
    case 'extend':
      return new ExtendOperator(spec, context, next)
    case 'keep':
      return new KeepOperator(spec, next)
    case 'drop':
      return new DropOperator(spec.fields, next)
    case 'rename':
      return new RenameOperator(spec.pairs, next)
    case 'parse':
      return new ParseOperator(spec, context, next)
    case 'head':
      return new HeadOperator(spec.count, next)
    case 'tail':
      return new TailOperator(spec.count, next)
    case 'sort':
      return new SortOperator(spec, context, next)
    case 'dedup':
      return new DedupOperator(spec, context, next)
    case 'aggregate':
      return new AggregateOperator(spec, context, next)
    case 'eventstats':
      return new EventstatsOperator(spec, context, next)
    case 'streamstats':
      return new StreamstatsOperator(spec, context, next)
    case 'table':
      return createTableOperator(spec, context, next)
    case 'describe':
      return new DescribeOperator(context, next)
  }
}
