/**
 * One query from being asked to its end, whoever still waits for it. While a client waits it is that client's: it ends when the client
 * goes. Once it is detached it is a job: it keeps every row, runs on alone, and is asked for by its id.
 */
import { randomBytes } from 'node:crypto'
import type { Collected, QueryRun } from '../../engine.ts'
import { CanceledError } from '../../runtime/canceled.ts'
import type { Snapshot } from '../../storage/index.ts'
import { inSlices } from '../../storage/slices.ts'
import { Turn } from '../../storage/turns.ts'
import { DateTime } from '../../storage/value.ts'
import type { ServerContext } from '../context.ts'
import { RequestError } from '../errors.ts'
import { type JobRows, ResultSink } from './job-result.ts'
import { type Progress, progressOf } from './progress.ts'
import { type Meta, metaOf, warningsOf } from './query-answer.ts'
import type { QueryRequest } from './query-request.ts'

export type TaskState = 'running' | 'done' | 'error' | 'canceled'

export class QueryTask {
  readonly id = newQueryId()
  readonly asked: QueryRequest
  readonly createdAtMs = Date.now()
  /** Settles when the query has ended, however it ended. */
  readonly finished: Promise<void>
  state: TaskState = 'running'
  completedAtMs: number | null = null
  /** What went wrong, as it is to be answered. */
  error: unknown = null
  readonly #context: ServerContext
  readonly #startedAt = performance.now()
  readonly #abort = new AbortController()
  readonly #snapshot: Snapshot
  readonly #now = new DateTime(Date.now() * 1000)
  #run: QueryRun
  #sink: ResultSink
  #isQueued = true
  #isDetached = false
  #restarts = false
  readonly #turn = new Turn()
  #finish: () => void = () => {}
  readonly #watchers = new Set<() => void>()

  /** Compiles, and begins nothing. @throws {CompileError} */
  constructor(context: ServerContext, asked: QueryRequest) {
    this.#context = context
    this.asked = asked
    this.#snapshot = context.engine.snapshot()
    try {
      this.#run = this.#compile()
    } catch (error) {
      this.#snapshot.release()
      throw error
    }
    this.#sink = new ResultSink(this.#run, asked)
    this.finished = new Promise(resolve => {
      this.#finish = resolve
    })
  }

  get run(): QueryRun {
    return this.#run
  }

  get isDetached(): boolean {
    return this.#isDetached
  }

  /** Takes its turn among the queries and runs. */
  start(): void {
    void this.#work().finally(() => this.#finish())
  }

  /** The answer is known from elsewhere: lets go of everything. */
  discard(): void {
    this.#run.cancel()
    this.#snapshot.release()
  }

  /** Nobody waits any more; from now on it is a job, and every row is kept. */
  detach(): void {
    this.#isDetached = true
    if (this.state !== 'running' || this.#sink.keepAll(this.id)) return
    // Rows that were only counted have to be seen again: over the same events, at the same instant.
    this.#restarts = true
    this.#run.cancel()
  }

  /** False: it had ended already. */
  cancel(): boolean {
    if (this.state !== 'running') return false
    this.#abort.abort(new RequestError('QUERY_CANCELED', 'the query was canceled'))
    return true
  }

  /** Called whenever the task enters another phase or ends. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  tookMs(): number {
    return performance.now() - this.#startedAt
  }

  progress(): Progress {
    const elapsedMs = (this.completedAtMs ?? Date.now()) - this.createdAtMs
    return progressOf(this.#run.profile, this.state, this.#isQueued, elapsedMs)
  }

  /** The page that was asked for. */
  async collected(): Promise<Collected> {
    return inSlices(this.#sink.collecting())
  }

  /** Of a job that is done. */
  get rows(): JobRows | null {
    return this.state === 'done' ? this.#sink.job : null
  }

  meta(): Meta {
    const warnings = warningsOf(this.#run.profile)
    const outcome = { queryId: this.id, tookMs: this.tookMs(), complete: warnings.length === 0, warnings }
    return metaOf(this.#run, this.asked, outcome)
  }

  close(): void {
    this.#sink.job?.close()
  }

  async #work(): Promise<void> {
    const { slots, config, metrics } = this.#context
    const { signal } = this.#abort
    const most = config.get('query.max_query_runtime')
    const timer = setTimeout(() => this.#abort.abort(timeoutError(most)), most)
    let release = (): void => {}
    try {
      release = await slots.acquire(signal)
      this.#isQueued = false
      this.#changed()
      while (!(await this.#collect())) {
        this.#run = this.#compile()
        this.#sink = new ResultSink(this.#run, this.asked)
        this.#sink.keepAll(this.id)
      }
      signal.throwIfAborted()
      this.state = 'done'
    } catch (error) {
      this.error = signal.aborted ? signal.reason : error
      const isCanceled = this.error instanceof RequestError && this.error.code === 'QUERY_CANCELED'
      this.state = isCanceled ? 'canceled' : 'error'
      this.#sink.job?.close()
    } finally {
      clearTimeout(timer)
      release()
      this.#run.cancel()
      this.#snapshot.release()
      this.completedAtMs = Date.now()
      const { rows, bytes } = this.#run.profile.scan
      metrics.count('quern_queries_total', 1, { outcome: this.state })
      metrics.count('quern_query_rows_scanned_total', rows)
      metrics.count('quern_query_bytes_scanned_total', bytes)
      metrics.observe('quern_query_seconds', this.tookMs() / 1000)
      this.#changed()
    }
  }

  /** False: it has to begin again. */
  async #collect(): Promise<boolean> {
    try {
      for await (const batch of this.#run.batches()) await this.#inTurns(this.#sink.pushing(batch))
      await this.#inTurns(this.#sink.finishing())
    } catch (error) {
      if (!(this.#restarts && error instanceof CanceledError)) throw error
    }
    const isWhole = !this.#restarts
    this.#restarts = false
    return isWhole
  }

  async #inTurns(steps: Iterable<void>): Promise<void> {
    for (const _ of steps) {
      if (!this.#turn.isOver) continue
      await this.#turn.next()
      if (this.#restarts || this.#abort.signal.aborted) throw new CanceledError()
    }
  }

  #compile(): QueryRun {
    const { engine, config } = this.#context
    return engine.query(this.asked.text, {
      ...this.asked.options,
      snapshot: this.#snapshot,
      now: this.#now,
      signal: this.#abort.signal,
      memoryBytes: config.get('query.memory'),
      diskBytes: config.get('query.disk'),
    })
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher()
  }
}

export function newQueryId(): string {
  return `qry_${randomBytes(8).toString('hex')}`
}

export function timeoutError(mostMs: number): RequestError {
  return new RequestError('QUERY_TIMEOUT', `the query ran longer than query.max_query_runtime (${mostMs / 1000}s)`, {
    suggestion: 'narrow the time range, or filter earlier',
  })
}
