/**
 * Runs a program: the scan pulls blocks, operators are pushed batches, results wait in a queue until the reader takes them.
 * One block at a time, so a reader that stops stops the scan, cancellation is noticed between blocks, and the event loop gets its
 * turn every few milliseconds. Where the plan allows it, other threads run the same operators over their share of the blocks
 * (`runtime/parallel/`) and send the state they end up with.
 */
import { setImmediate } from 'node:timers/promises'
import { CorruptPartError } from '../storage/errors.ts'
import type { BlockReader, PartReader } from '../storage/index.ts'
import type { Batch } from './batch.ts'
import { createRuntime } from './helpers/context.ts'
import type { Interner } from './helpers/interner.ts'
import { MemoryBudget } from './memory.ts'
import { AggregateOperator } from './operators/aggregate.ts'
import { DropOperator, KeepOperator, RenameOperator } from './operators/columns.ts'
import { DedupOperator } from './operators/dedup.ts'
import { DescribeOperator } from './operators/describe.ts'
import { EventstatsOperator } from './operators/eventstats.ts'
import { ExtendOperator } from './operators/extend.ts'
import { FilterOperator } from './operators/filter.ts'
import { HeadOperator, TailOperator } from './operators/limit.ts'
import { Measured, type Operator, type RunContext } from './operators/operator.ts'
import { ParseOperator } from './operators/parse.ts'
import { noteDamage, type Place, Scan } from './operators/scan.ts'
import { SortOperator } from './operators/sort.ts'
import { StreamstatsOperator } from './operators/streamstats.ts'
import { createTableOperator } from './operators/table/index.ts'
import type { Lanes } from './parallel/lanes.ts'
import { shareWork } from './parallel/share.ts'
import type { PartialState } from './parallel/state.ts'
import { emptyProfile, type OperatorProfile, type Profile } from './profile.ts'
import type { AggregateSpec, OperatorSpec, Program, ScanSpec } from './program.ts'
import type { QueryResult } from './result.ts'
import { Stopwatch } from './stopwatch.ts'

/** How long a run may keep the event loop to itself. */
const TURN_MS = 8
const DEFAULT_MEMORY_BYTES = 512 * 1024 * 1024

/** Parts to read: all at once (a snapshot), or as they arrive (a pipe). */
export interface PartSource {
  parts(): Iterable<readonly PartReader[]> | AsyncIterable<readonly PartReader[]>
  release(): void
}

export interface ExecuteOptions {
  readonly nowMicros: number
  readonly signal?: AbortSignal
  readonly memoryBytes?: number
  /** False: no time is measured (what measuring costs is measured that way). */
  readonly measures?: boolean
  /** Other threads to share the work with. */
  readonly lanes?: Lanes
}

/** The run was cancelled, by its caller or through its signal. */
export class CanceledError extends Error {
  constructor() {
    super('the query was canceled')
    this.name = 'CanceledError'
  }
}

/** Nothing runs until `batches()` is pulled. The source is released when the run ends, however it ends. */
export function execute(program: Program, source: PartSource, options: ExecuteOptions): QueryResult {
  const profile = emptyProfile()
  const stopwatch = new Stopwatch(options.measures ?? true)
  const canceler = new AbortController()
  const isCanceled = (): boolean => canceler.signal.aborted || options.signal?.aborted === true
  const state: RunState = { profile, stopwatch, isCanceled, aggregate: null }
  let isStarted = false
  const start = (): AsyncGenerator<Batch> => {
    isStarted = true
    return run(program, source, options, state)
  }
  return {
    shape: program.result,
    profile,
    cancel() {
      canceler.abort()
      // Nobody will come by to let go of what was never begun.
      if (!isStarted) source.release()
    },
    preview: () => previewOf(program, state.aggregate, options),
    batches: start,
    drain: () => drain(start(), profile, stopwatch),
  }
}

/** Beyond so many groups a glimpse costs as much as the work it interrupts. */
const PREVIEW_GROUPS_MAX = 20_000

/** The groups found so far, through fresh operators for what stands above the aggregation. */
function previewOf(program: Program, live: LiveAggregate | null, options: ExecuteOptions): readonly Batch[] | null {
  if (live === null || live.operator.groupCount > PREVIEW_GROUPS_MAX) return null
  const batch = live.operator.batch()
  if (batch === null) return null
  const ready: Batch[] = []
  const memory = new MemoryBudget(options.memoryBytes ?? DEFAULT_MEMORY_BYTES)
  const context = contextOf(emptyProfile(), program.hash, options.nowMicros, memory, new Stopwatch(false))
  const above = buildAbove(program.root, live.spec, context, ready)
  above.push(batch)
  above.finish()
  return ready
}

/** The operators above one spec, and a list at their end. */
function buildAbove(root: OperatorSpec, end: OperatorSpec, context: SharedContext, ready: Batch[]): Operator {
  let next: Operator = { isDone: false, push: batch => void ready.push(batch), finish() {} }
  for (let spec = root; spec !== end && spec.op !== 'scan'; spec = spec.input)
    next = createOperator(spec, ownOf(context, profileOf(spec)), next)
  return next
}

/** The lowest aggregation of a run, while there is one. */
interface LiveAggregate {
  readonly spec: AggregateSpec
  readonly operator: AggregateOperator
}

interface RunState {
  readonly profile: Profile
  readonly stopwatch: Stopwatch
  readonly isCanceled: () => boolean
  aggregate: LiveAggregate | null
}

/** Runs to the end, and has every column of the result computed, as a reader would. */
async function drain(batches: AsyncIterable<Batch>, profile: Profile, stopwatch: Stopwatch): Promise<void> {
  for await (const batch of batches) {
    stopwatch.time(profile.result, () => {
      for (const name of batch.names) batch.column(name)
    })
  }
}

async function* run(
  program: Program,
  source: PartSource,
  options: ExecuteOptions,
  state: RunState,
): AsyncGenerator<Batch> {
  const { profile, stopwatch, isCanceled } = state
  const memory = new MemoryBudget(options.memoryBytes ?? DEFAULT_MEMORY_BYTES)
  const context = contextOf(profile, program.hash, options.nowMicros, memory, stopwatch)
  const ready: Batch[] = []
  const chain = buildChain(program.root, context, ready, program.split?.aggregate ?? null)
  state.aggregate = chain.lowest
  let turnStart = performance.now()
  try {
    read: for await (const parts of source.parts()) {
      const places = chain.scan.unanswered(chain.scan.places(parts))
      const { aggregate } = chain
      const { lanes, nowMicros, memoryBytes = DEFAULT_MEMORY_BYTES } = options
      const shared =
        lanes === undefined || aggregate === null
          ? null
          : shareWork(program, places, { lanes, aggregate, profile, nowMicros, memoryBytes, isCanceled })
      try {
        // What other threads could not do is done here after all.
        for await (const mine of shared ?? [places]) {
          for (const batch of chain.scan.batches(mine)) {
            if (isCanceled()) throw new CanceledError()
            if (batch !== null) {
              try {
                chain.head.push(batch)
              } catch (error) {
                if (!(error instanceof CorruptPartError)) throw error
                noteDamage(profile.damaged, error)
              }
              while (ready.length > 0) yield ready.shift() as Batch
            }
            if (chain.head.isDone) break read
            if (performance.now() - turnStart > TURN_MS) {
              await setImmediate()
              turnStart = performance.now()
            }
          }
        }
      } finally {
        shared?.stop()
      }
    }
    if (isCanceled()) throw new CanceledError()
    chain.head.finish()
    while (ready.length > 0) yield ready.shift() as Batch
    chain.settle()
    profile.memoryBytes = memory.peakBytes
  } finally {
    state.aggregate = null
    source.release()
  }
}

/**
 * The part of a run that another thread does: the blocks it is given, through the operators below and including the aggregation.
 * Synchronous: a thread has nothing else to do. Null when it was canceled.
 */
export function executePartial(
  spec: AggregateSpec,
  hash: string,
  places: readonly Place[],
  options: { readonly nowMicros: number; readonly memoryBytes: number; readonly isCanceled: () => boolean },
): { readonly partial: PartialState; readonly profile: Profile; readonly interner: Interner } | null {
  const profile = emptyProfile()
  const memory = new MemoryBudget(options.memoryBytes)
  const context = contextOf(profile, hash, options.nowMicros, memory, new Stopwatch(true))
  const chain = buildChain(spec, context, [], spec)
  for (const batch of chain.scan.batches(places)) {
    if (options.isCanceled()) return null
    if (batch !== null) chain.head.push(batch)
  }
  chain.settle()
  const aggregate = chain.aggregate!
  return { partial: aggregate.partial(), profile, interner: aggregate.interner }
}

/** What all operators of a run share; each gets its own view of it. */
interface SharedContext extends Omit<RunContext, 'operator'> {
  readonly memory: MemoryBudget
}

function contextOf(
  profile: Profile,
  hash: string,
  nowMicros: number,
  memory: MemoryBudget,
  stopwatch: Stopwatch,
): SharedContext {
  const onTable = (site: string, values: number): void => {
    const table = profile.tables.find(each => each.site === site)
    if (table !== undefined) table.values += values
  }
  const count: RunContext['count'] = (counter, by = 1) => {
    profile.counters.set(counter, (profile.counters.get(counter) ?? 0) + by)
  }
  return {
    runtime: createRuntime(nowMicros, count, onTable),
    profile,
    stopwatch,
    directory: `query/${hash}`,
    memory,
    count,
  }
}

interface Chain {
  readonly scan: Scan
  readonly head: Operator
  /** The one whose work other threads may share. */
  readonly aggregate: AggregateOperator | null
  /** The lowest aggregation, whoever does its work. */
  readonly lowest: LiveAggregate | null
  /** Fills in `rowsOut` of the profiles: what an operator gave is what the next one got. */
  settle(): void
}

function buildChain(root: OperatorSpec, context: SharedContext, ready: Batch[], split: AggregateSpec | null): Chain {
  const result = { rows: 0 }
  const sink: Operator = {
    isDone: false,
    push(batch) {
      result.rows += batch.selectedCount
      ready.push(batch)
    },
    finish() {},
  }
  let next: Operator = sink
  let nextProfile: MutableProfile | null = null
  const links: { readonly profile: MutableProfile; readonly consumer: MutableProfile | null }[] = []
  let boundary: () => number | null = () => null
  let aggregate: AggregateOperator | null = null
  let lowest: LiveAggregate | null = null
  let takesWhole: ((part: PartReader, block: BlockReader) => boolean) | null = null
  let spec = root
  for (; spec.op !== 'scan'; spec = spec.input) {
    const profile = profileOf(spec)
    if (nextProfile === null) context.profile.root = profile
    else nextProfile.children.push(profile)
    const operator = createOperator(spec, ownOf(context, profile), next)
    if (spec === split && operator instanceof AggregateOperator) aggregate = operator
    if (spec.op === 'aggregate' && operator instanceof AggregateOperator) lowest = { spec, operator }
    if (operator instanceof SortOperator) boundary = () => operator.newestBoundary
    const isAggregate = operator instanceof AggregateOperator && spec.op === 'aggregate' && spec.statistics !== null
    takesWhole = isAggregate ? (part, block) => operator.takeStatistics(part, block) : null
    links.push({ profile, consumer: nextProfile })
    next = new Measured(operator, profile, context.stopwatch)
    nextProfile = profile
  }
  const scanProfile = profileOf(spec)
  if (nextProfile === null) context.profile.root = scanProfile
  else nextProfile.children.push(scanProfile)
  links.push({ profile: scanProfile, consumer: nextProfile })
  const scan = new Scan(
    spec,
    ownOf(context, scanProfile),
    spec.order === 'newest-first' ? boundary : () => null,
    takesWhole,
  )
  return {
    scan: measuredScan(scan, scanProfile, context.stopwatch),
    head: next,
    aggregate,
    lowest,
    settle() {
      for (const { profile, consumer } of links) profile.rowsOut = consumer === null ? result.rows : consumer.rowsIn
      scanProfile.rowsIn = context.profile.scan.rows
      context.profile.scan.decodeNs += scan.decoding.durationNs
      scanProfile.durationNs += scan.decoding.durationNs
    },
  }
}

type MutableProfile = OperatorProfile & { readonly children: OperatorProfile[] }

function profileOf(spec: OperatorSpec): MutableProfile {
  return { op: spec.op, label: spec.label, rowsIn: 0, rowsOut: 0, durationNs: 0, memoryBytes: 0, children: [] }
}

function ownOf(context: SharedContext, operator: OperatorProfile): RunContext {
  return { ...context, operator, memory: context.memory.of(operator) }
}

/** The scan's own time: from being asked for a batch until it has one. */
function measuredScan(scan: Scan, profile: OperatorProfile, stopwatch: Stopwatch): Scan {
  const batches = scan.batches.bind(scan)
  scan.batches = function* (places) {
    const iterator = batches(places)
    try {
      for (;;) {
        const step = stopwatch.time(profile, () => iterator.next())
        if (step.done === true) return
        yield step.value
      }
    } finally {
      iterator.return(null)
    }
  }
  return scan
}

function createOperator(spec: Exclude<OperatorSpec, ScanSpec>, context: RunContext, next: Operator): Operator {
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
