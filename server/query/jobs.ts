/** Queries that nobody waits for: found by id while they run and for some minutes after. */
import type { Config } from '../config.ts'
import { RequestError } from '../errors.ts'
import type { QueryTask, TaskState } from './query-task.ts'

export const JOB_STATES = ['running', 'done', 'error', 'canceled'] as const satisfies readonly TaskState[]

export class Jobs {
  readonly #config: Config
  /** Oldest first. */
  readonly #tasks = new Map<string, QueryTask>()
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(config: Config) {
    this.#config = config
  }

  /** The task becomes a job. */
  add(task: QueryTask): void {
    task.detach()
    this.#tasks.set(task.id, task)
    void task.finished.then(() => {
      if (!this.#tasks.has(task.id)) return
      const timer = setTimeout(() => this.#forget(task), this.#config.get('query.job_ttl'))
      timer.unref()
      this.#timers.set(task.id, timer)
    })
    for (const each of this.#tasks.values()) {
      if (this.#tasks.size <= this.#config.get('query.max_jobs')) break
      if (each.state !== 'running') this.#forget(each)
    }
  }

  /** Newest first. */
  list(state?: TaskState): readonly QueryTask[] {
    return [...this.#tasks.values()].filter(task => state === undefined || task.state === state).reverse()
  }

  /** @throws {RequestError} NOT_FOUND */
  get(id: string): QueryTask {
    const task = this.#tasks.get(id)
    if (task !== undefined) return task
    throw new RequestError('NOT_FOUND', `there is no query job ${id}`, {
      suggestion: `a finished job is kept for ${this.#config.get('query.job_ttl') / 1000}s`,
    })
  }

  /** The server stops: what runs is canceled, what was found is let go. */
  stop(): void {
    for (const task of [...this.#tasks.values()]) {
      if (task.cancel()) void task.finished.then(() => task.close())
      this.#forget(task)
    }
  }

  #forget(task: QueryTask): void {
    clearTimeout(this.#timers.get(task.id))
    this.#timers.delete(task.id)
    this.#tasks.delete(task.id)
    if (task.state !== 'running') task.close()
  }
}
