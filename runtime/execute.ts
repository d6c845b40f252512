/**
 * Runs a program: scans pull blocks, one scan after the other, operators are pushed batches, results wait in a queue until the reader
 * takes them.
 * One block at a time, so a reader that stops stops the scan, cancellation is noticed between blocks, and the event loop gets its
 * turn every few milliseconds. Where the plan allows it, other threads run the same operators over their share of the blocks
 * (`runtime/parallel/`) and send the state they end up with.
 */
import { CorruptPartError } from '../storage/errors.ts'
import type { PartReader } from '../storage/index.ts'
import { mustGiveWay, Turn } from '../storage/turns.ts'
import type { Batch } from './batch.ts'
import { CanceledError } from './canceled.ts'
import { connect, type Network, type SharedContext, type Source } from './connect.ts'
import { createRuntime } from './helpers/context.ts'
import type { Interner } from './helpers/interner.ts'
import { MemoryBudget, type MemoryPool } from './memory.ts'
import type { LineFile, RunContext } from './operators/operator.ts'
import { noteDamage, type Place } from './operators/scan.ts'
import { Pace } from './pace.ts'
import type { Lanes } from './parallel/lanes.ts'
import { shareWork } from './parallel/share.ts'
import type { PartialState } from './parallel/state.ts'
import { emptyProfile, type Profile } from './profile.ts'
import { type AggregateSpec, type OperatorSpec, type Program, type ScanSpec, scansOf } from './program.ts'
import type { QueryResult } from './result.ts'
import { DEFAULT_DISK_BYTES, QuerySpill, type SpillSpace } from './spill/space.ts'
import { Stopwatch } from './stopwatch.ts'

const DEFAULT_MEMORY_BYTES = 512 * 1024 * 1024

/** Parts to read: all at once (a snapshot), or as they arrive (a pipe). */
export interface PartSource {
  /** Asked once for each scan, one scan after the other. What the source has to keep for a later scan, it charges. */
  parts(
    scan: ScanSpec,
    charge: (bytes: number) => void,
  ): Iterable<readonly PartReader[]> | AsyncIterable<readonly PartReader[]>
  release(): void
}

export interface ExecuteOptions {
  readonly nowMicros: number
  readonly signal?: AbortSignal
  readonly memoryBytes?: number
  /** What it holds is also counted there, with what other runs hold. */
  readonly pool?: MemoryPool
  /** Where operators may write what does not fit in memory; none: nowhere. */
  readonly spill?: SpillSpace
  /** Bytes of temporary files the run may have. Default 10 GiB. */
  readonly diskBytes?: number
  /** For stages that write files; without it there are none. */
  readonly openFile?: (path: string) => LineFile
  /** False: no time is measured (what measuring costs is measured that way). */
  readonly measures?: boolean
  /** Other threads to share the work with. */
  readonly lanes?: Lanes
  /** Filled in; one of its own unless given. */
  readonly profile?: Profile
}

/** Nothing runs until `batches()` is pulled. The source is released when the run ends, however it ends. */
export function execute(program: Program, source: PartSource, options: ExecuteOptions): QueryResult {
  const profile = options.profile ?? emptyProfile()
  const stopwatch = new Stopwatch(options.measures ?? true)
  let isCanceledHere = false
  const isCanceled = (): boolean => isCanceledHere || options.signal?.aborted === true
  const state: RunState = { profile, stopwatch, isCanceled, network: null }
  let isStarted = false
  const start = (): AsyncGenerator<Batch> => {
    isStarted = true
    return run(program, source, options, state)
  }
  return {
    shape: program.result,
    profile,
    cancel() {
      isCanceledHere = true
      // Nobody will come by to let go of what was never begun.
      if (!isStarted) source.release()
    },
    preview: () => previewOf(program, state.network, options),
    batches: start,
    drain: () => drain(start(), profile, stopwatch),
  }
}

/** Beyond so many groups a glimpse costs as much as the work it interrupts. */
const PREVIEW_GROUPS_MAX = 20_000

/** The groups of the lowest aggregation so far, through fresh operators for what stands above it. */
function previewOf(program: Program, network: Network | null, options: ExecuteOptions): readonly Batch[] | null {
  const spec = lowestAggregate(program.root)
  const operator = spec === null ? undefined : network?.aggregates.get(spec)
  if (spec === null || operator === undefined || operator.isSpilled) return null
  const batch = operator.groupCount > PREVIEW_GROUPS_MAX ? null : operator.batch()
  if (batch === null) return null
  const ready: Batch[] = []
  const { nowMicros, memoryBytes = DEFAULT_MEMORY_BYTES } = options
  const spill = new QuerySpill(null, 0, memoryBytes)
  const context = {
    ...contextOf(
      emptyProfile(),
      program.hash,
      nowMicros,
      { memory: new MemoryBudget(memoryBytes), spill },
      new Stopwatch(false),
    ),
    openFile: null,
  }
  const [above] = connect(withScanFor(program.root, spec), context, ready, []).sources
  above!.head.push(batch)
  above!.head.finish()
  for (let step = context.deferred.shift(); step !== undefined; step = context.deferred.shift()) while (step());
  return ready
}

/** In the pipeline that was written; beside it there may be others. */
function lowestAggregate(root: OperatorSpec): AggregateSpec | null {
  let found: AggregateSpec | null = null
  for (let spec = root; spec.op !== 'scan'; spec = spec.input) {
    if (spec.op === 'union' || spec.op === 'join') return null
    if (spec.op === 'aggregate') found = spec
  }
  return found
}

/** The operators above an aggregation, with a scan where it stood: something that can be fed. */
function withScanFor(root: OperatorSpec, aggregate: AggregateSpec): OperatorSpec {
  if (root.op === 'scan') return root
  if (root === aggregate) return scansOf(root)[0]!
  return { ...root, input: withScanFor(root.input, aggregate) } as OperatorSpec
}

interface RunState {
  readonly profile: Profile
  readonly stopwatch: Stopwatch
  readonly isCanceled: () => boolean
  /** While it runs. */
  network: Network | null
}

/** Runs to the end, and has every column of the result computed, as a reader would. */
async function drain(batches: AsyncIterable<Batch>, profile: Profile, stopwatch: Stopwatch): Promise<void> {
  for await (const batch of batches) {
    stopwatch.time(profile.result, () => {
      for (const name of batch.names) batch.column(name)
    })
  }
}

const always = (): boolean => true

async function* run(
  program: Program,
  source: PartSource,
  options: ExecuteOptions,
  state: RunState,
): AsyncGenerator<Batch> {
  const { profile, stopwatch, isCanceled } = state
  const { lanes, nowMicros, memoryBytes = DEFAULT_MEMORY_BYTES, diskBytes = DEFAULT_DISK_BYTES } = options
  const memory = new MemoryBudget(memoryBytes, options.pool ?? null)
  const spill = new QuerySpill(options.spill ?? null, diskBytes, memoryBytes)
  const context = {
    ...contextOf(profile, program.hash, nowMicros, { memory, spill }, stopwatch),
    openFile: options.openFile ?? null,
  }
  const ready: Batch[] = []
  const network = connect(program.root, context, ready, program.splits)
  state.network = network
  const turn = new Turn()
  const pace = new Pace(mustGiveWay)
  try {
    for (const { scan, head, shared: part } of network.sources) {
      // What needs no input is not given any: a head that has enough, the rest of a union behind it.
      const arriving = head.isDone ? [] : source.parts(scan.spec, bytes => memory.charge(bytes, 'holding the input'))
      read: for await (const parts of arriving) {
        const places = scan.unanswered(scan.places(parts))
        const shared =
          lanes === undefined || part === null
            ? null
            : shareWork(program, places, { of: part, lanes, profile, nowMicros, memoryBytes, isCanceled })
        try {
          // What other threads could not do is done here after all.
          for await (const mine of shared ?? [{ places, takes: always }]) {
            for (const batch of scan.batches(mine.places, mine.takes)) {
              if (isCanceled()) throw new CanceledError()
              // What reading the block took may have been a turn in itself.
              if (turn.isOver) await turn.next()
              for (const rows of batch === null ? [] : pace.parts(batch)) {
                if (isCanceled()) throw new CanceledError()
                const startedAt = performance.now()
                try {
                  scan.hand(() => head.push(rows))
                } catch (error) {
                  if (!(error instanceof CorruptPartError)) throw error
                  noteDamage(profile.damaged, error)
                  break
                }
                pace.note(rows.selectedCount, performance.now() - startedAt)
                while (ready.length > 0) yield ready.shift() as Batch
                if (head.isDone) break read
                if (turn.isOver) await turn.next()
              }
              if (head.isDone) break read
            }
          }
        } finally {
          shared?.stop()
        }
      }
      if (isCanceled()) throw new CanceledError()
      head.finish()
      while (ready.length > 0) yield ready.shift() as Batch
      // What was written to disk comes back before the next source begins: a join's right side is whole by then.
      for (let step = context.deferred.shift(); step !== undefined; step = context.deferred.shift()) {
        while (step()) {
          if (isCanceled()) throw new CanceledError()
          while (ready.length > 0) yield ready.shift() as Batch
          if (turn.isOver) await turn.next()
        }
        while (ready.length > 0) yield ready.shift() as Batch
      }
    }
    network.settle()
    profile.memoryBytes = memory.peakBytes
  } finally {
    for (const [stage, bytes] of spill.written) {
      profile.counters.set(`spilled:${stage}`, bytes)
      profile.spilledBytes += bytes
    }
    state.network = null
    memory.end()
    spill.dispose()
    source.release()
  }
}

/**
 * The part of a run that another thread does: the blocks it is given, through the operators below and including the aggregation.
 * A block a step: the thread may have those of other queries to do. Null when it was canceled.
 */
export function* executePartial(
  spec: AggregateSpec,
  hash: string,
  places: readonly Place[],
  options: {
    readonly nowMicros: number
    readonly memoryBytes: number
    readonly isCanceled: () => boolean
    /** Asked before each block, by its place in the list: is it this thread's to do? */
    readonly takes: (at: number) => boolean
  },
): Generator<void, { readonly partial: PartialState; readonly profile: Profile; readonly interner: Interner } | null> {
  const profile = emptyProfile()
  const memory = new MemoryBudget(options.memoryBytes)
  // What does not fit here is done, and written, by the thread that asked.
  const spill = new QuerySpill(null, 0, options.memoryBytes)
  const context = contextOf(profile, hash, options.nowMicros, { memory, spill }, new Stopwatch(true))
  const network = connect(spec, context, [], [{ aggregate: spec, text: sharesNothing }])
  const [{ scan, head, shared }] = network.sources as readonly [Source]
  for (const batch of scan.batches(places, options.takes)) {
    if (options.isCanceled()) return null
    if (batch !== null) scan.hand(() => head.push(batch))
    yield
  }
  network.settle()
  const { aggregate } = shared!
  const partial = aggregate.partial()
  aggregate.release()
  return { partial, profile, interner: aggregate.interner }
}

const sharesNothing = (): never => {
  throw new Error('a thread does all it is given')
}

function contextOf(
  profile: Profile,
  hash: string,
  nowMicros: number,
  { memory, spill }: { readonly memory: MemoryBudget; readonly spill: QuerySpill },
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
    spill,
    deferred: [],
    openFile: null,
    count,
  }
}
