/**
 * Threads that share the work of queries. They are started when the first query that is worth it runs, do a block of each task in turn, and
 * end when nobody has asked for a while. A thread that fails is replaced; what it was to do its caller does.
 */
import { Worker } from 'node:worker_threads'
import type { CacheBudget } from '../../storage/part/cache-budget.ts'
import type { Interner } from '../helpers/interner.ts'
import type { WholeRun, WholeThread } from './elsewhere.ts'
import { IdMirror } from './id-mirror.ts'
import { type LaneResult, type LaneRun, type Lanes, type LaneTask, NOT_RUN } from './lanes.ts'
import type { Order, Reply, Request, ThreadData, WholeReply, WholeTask } from './messages.ts'
import { WorkLedger } from './work.ts'

export interface PoolOptions {
  /** The module a thread runs. */
  readonly entry: URL
  readonly threads: number
  /** For decoded columns, of all threads and the caller. */
  readonly budget: CacheBudget
  /** Of each thread, for what queries hold that it runs whole. */
  readonly poolBytes: number
  /** Whether its threads leave the processor to the one that asks, which has others waiting for it. Default false. */
  readonly stepsBack?: boolean
  readonly rowsMin: number
  /** So many of them share a query with the one that asks; default all. The others are there for whole queries beside it. */
  readonly shares?: number
}

/**
 * A thread takes a third of a second of processor before it does anything, on its own core and on those of the engine's helpers, and what it does then its engine has not
 * compiled yet. So it is started while nobody waits, or by a query that takes longer than all that: 2 M events read for the first time, a phrase 350 ms
 * with a thread started at once and 260 without, captures 690 and 600, counts by minute and service 110 and 75.
 */
const START_AFTER_MS = 500
/** A thread costs about 30 MB: not kept for nothing. */
const IDLE_MS = 60_000
/** A thread that cannot even run is not started for every query. */
const FAILURES_MAX = 3

export class ThreadPool implements Lanes {
  readonly rowsMin: number
  readonly work: WorkLedger | null
  readonly #options: PoolOptions
  #threads: Thread[] = []
  #failures = 0

  constructor(options: PoolOptions) {
    this.#options = options
    this.rowsMin = options.rowsMin
    // From 0 rows on: whatever it costs, as tests want it.
    this.work = options.rowsMin === 0 ? null : new WorkLedger(options.shares ?? options.threads)
  }

  /** The thread with the fewest queries of its own; null when there are no threads. */
  whole(): WholeThread | null {
    this.#start()
    return this.#threads.reduce<Thread | null>(
      (least, thread) => (least === null || thread.load < least.load ? thread : least),
      null,
    )
  }

  #start(): void {
    this.#threads = this.#threads.filter(thread => !thread.isGone)
    while (this.#threads.length < this.#options.threads && this.#failures < FAILURES_MAX) {
      const share = this.#options.budget.take()
      // Those that are ending still have theirs.
      if (share === null) return
      this.#threads.push(new Thread(this.#options, share, error => this.#failed(error)))
    }
  }

  ready(): number {
    const expected = this.expected()
    const starting = this.#threads.findIndex(thread => !thread.isOnline)
    return starting === -1 ? expected : Math.min(starting, expected)
  }

  expected(): number {
    this.#start()
    return Math.min(this.#threads.length, this.#options.shares ?? this.#threads.length)
  }

  /** Queries go on with fewer threads; that they do must not stay unknown. */
  #failed(error: Error): void {
    this.#failures++
    const last = this.#failures < FAILURES_MAX ? '' : '; no other is started'
    process.emitWarning(`a thread that scans failed: ${error.message}${last}`, 'QuernWarning')
  }

  run(lane: number, task: LaneTask, interner: Interner): LaneRun {
    return this.#threads[lane]?.run(task, interner) ?? NOT_RUN
  }

  async close(): Promise<void> {
    const threads = this.#threads
    this.#threads = []
    await Promise.all(threads.map(thread => thread.end()))
  }
}

interface Waiting {
  readonly mirror: IdMirror
  settle(result: LaneResult | null): void
}

class Thread implements WholeThread {
  isOnline = false
  isGone = false
  readonly #options: PoolOptions
  readonly #share: number
  readonly #failed: (error: Error) => void
  /** Null until it is started. */
  #worker: Worker | null = null
  readonly #soon: NodeJS.Timeout
  /** What it is told when it is started. */
  readonly #requests: Request[] = []
  readonly #waiting = new Map<number, Waiting>()
  readonly #wholes = new Map<number, (reply: WholeReply['of']) => void>()
  #mirror: IdMirror | null = null
  #lastId = 0
  #idle: NodeJS.Timeout | null = null

  /** @param share  of the budget, taken */
  constructor(options: PoolOptions, share: number, failed: (error: Error) => void) {
    this.#options = options
    this.#share = share
    this.#failed = failed
    // Tests want it whatever it costs.
    this.#soon = setTimeout(() => this.#start(), options.rowsMin === 0 ? 0 : START_AFTER_MS)
    this.#soon.unref()
  }

  #start(): void {
    if (this.#worker !== null || this.isGone) return
    clearTimeout(this.#soon)
    const { entry, budget, poolBytes, stepsBack = false } = this.#options
    const workerData: ThreadData = { cache: { memory: budget.memory, share: this.#share }, poolBytes, stepsBack }
    let worker: Worker
    try {
      worker = new Worker(entry, { workerData, name: 'quern-scan' })
    } catch (error) {
      // The system has none left, say.
      this.#failed(error instanceof Error ? error : new Error(String(error)))
      void this.end()
      return
    }
    this.#worker = worker
    // A query holds the process by itself while it runs; a thread that waits does not.
    worker.unref()
    worker.on('message', (message: 'ready' | Reply | WholeReply) => {
      if (message === 'ready') this.isOnline = true
      else if ('of' in message) this.#wholes.get(message.id)?.(message.of)
      else this.#answered(message)
    })
    worker.on('error', error => {
      this.#failed(error)
      this.#gone()
    })
    worker.on('exit', () => {
      budget.release(this.#share)
      this.#gone()
    })
    for (const request of this.#requests.splice(0)) worker.postMessage(request)
    if (this.#isIdle) this.#rest()
    else this.#wake()
  }

  run(task: LaneTask, interner: Interner): LaneRun {
    if (this.isGone) return NOT_RUN
    if (this.#mirror?.interner !== interner) this.#mirror = new IdMirror(interner)
    const mirror = this.#mirror
    const canceled = new SharedArrayBuffer(4)
    const id = ++this.#lastId
    this.#wake()
    const result = new Promise<LaneResult | null>(settle => {
      this.#waiting.set(id, { mirror, settle })
    })
    const request: Request = { id, task, known: mirror.known, canceled }
    if (this.#worker === null) this.#requests.push(request)
    else this.#worker.postMessage(request)
    const cancel = (): void => {
      Atomics.store(new Int32Array(canceled), 0, 1)
      if (!this.isOnline) this.#forget(id)
    }
    return { result, cancel }
  }

  /** Of a thread that is only starting nobody waits for the answer. */
  #forget(id: number): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    const at = this.#requests.findIndex(request => request.id === id)
    if (at >= 0) this.#requests.splice(at, 1)
    waiting.settle(null)
    this.#restIfIdle()
  }

  get load(): number {
    return this.#wholes.size
  }

  runWhole(task: WholeTask, hear: (reply: WholeReply['of']) => void): WholeRun {
    const id = ++this.#lastId
    // There is nobody else to do it.
    this.#start()
    const worker = this.#worker
    if (this.isGone || worker === null) {
      queueMicrotask(() => hear({ failed: 'the thread has ended' }))
      return { more: () => {}, stop: () => {} }
    }
    const tell = (order: Order) => worker.postMessage(order)
    this.#wake()
    this.#wholes.set(id, hear)
    tell({ id, whole: task })
    return {
      more: () => tell({ id, more: true }),
      stop: () => {
        if (!this.#wholes.delete(id)) return
        tell({ id, stop: true })
        this.#restIfIdle()
      },
    }
  }

  #wake(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    // Who waits for one that is not started waits for that.
    if (this.#worker !== null) this.#worker.ref()
    else if (!this.isGone) this.#soon.ref()
  }

  get #isIdle(): boolean {
    return this.#waiting.size === 0 && this.#wholes.size === 0
  }

  #restIfIdle(): void {
    if (this.#isIdle) this.#rest()
  }

  async end(): Promise<void> {
    const wasGone = this.isGone
    this.#gone()
    if (this.#worker !== null) await this.#worker.terminate()
    else if (!wasGone) this.#options.budget.release(this.#share)
  }

  #answered(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    if (waiting === undefined) return
    this.#waiting.delete(reply.id)
    this.#restIfIdle()
    if ('failed' in reply) {
      waiting.settle(null)
      return
    }
    const { partial, profile, generation, from, values } = reply
    waiting.mirror.learn(generation, from, values)
    waiting.settle({ partial, profile, ids: waiting.mirror.ids })
  }

  #rest(): void {
    if (this.#worker !== null) this.#worker.unref()
    else this.#soon.unref()
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.end(), IDLE_MS)
    this.#idle.unref()
  }

  #gone(): void {
    this.isGone = true
    clearTimeout(this.#soon)
    if (this.#idle !== null) clearTimeout(this.#idle)
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { settle } of waiting) settle(null)
    const wholes = [...this.#wholes.values()]
    this.#wholes.clear()
    for (const hear of wholes) hear({ failed: 'the thread ended' })
  }
}
