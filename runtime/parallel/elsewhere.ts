/**
 * A query run by another thread from its scan to its answer, for a thread that has other things to do: it is sent what lies in this one's
 * memory, and sends batches. What cannot go there, or goes wrong there before it has given anything, is run here.
 */

import type { PartReader } from '../../storage/index.ts'
import { sharedMemory } from '../../storage/spare-memory.ts'
import { Turn } from '../../storage/turns.ts'
import type { Batch } from '../batch.ts'
import { CanceledError } from '../canceled.ts'
import { emptyProfile, type Profile } from '../profile.ts'
import type { Program } from '../program.ts'
import type { QueryResult } from '../result.ts'
import type { WholeReply, WholeTask } from './messages.ts'
import { receivedBatch } from './sent-batch.ts'
import { sending } from './sent-part.ts'

/** A thread that runs whole queries. */
export interface WholeThread {
  runWhole(task: WholeTask, hear: (reply: WholeReply['of']) => void): WholeRun
}

export interface WholeRun {
  more(): void
  /** Nothing is heard of it any more. */
  stop(): void
}

export interface ElsewhereOptions {
  readonly program: Program
  /** Fields the query reads. */
  readonly fieldsRead: readonly string[]
  readonly parts: readonly PartReader[]
  readonly nowMicros: number
  readonly memoryBytes: number | undefined
  readonly signal: AbortSignal | undefined
  /** Asked when the query begins; null: it is run here. */
  thread(): WholeThread | null
  /** The same query here; it lets go of the snapshot when it ends. */
  here(profile: Profile): QueryResult
  /** Lets go of the snapshot. */
  release(): void
}

export function executeElsewhere(options: ElsewhereOptions): QueryResult {
  return new RunElsewhere(options)
}

class RunElsewhere implements QueryResult {
  readonly shape: QueryResult['shape']
  readonly profile = emptyProfile()
  readonly #options: ElsewhereOptions
  #isStarted = false
  #isCanceled = false
  #wake = (): void => {}
  #local: QueryResult | null = null
  #preview: readonly Batch[] | null = null

  constructor(options: ElsewhereOptions) {
    this.#options = options
    this.shape = options.program.result
  }

  async *#here(): AsyncGenerator<Batch> {
    if (this.#isCanceled) {
      this.#options.release()
      throw new CanceledError()
    }
    Object.assign(this.profile.scan, emptyProfile().scan)
    this.#preview = null
    this.#local = this.#options.here(this.profile)
    yield* this.#local.batches()
  }

  async *batches(): AsyncGenerator<Batch> {
    const { signal } = this.#options
    if (this.#isCanceled) throw new CanceledError()
    this.#isStarted = true
    const thread = this.#options.thread()
    const task = thread === null ? null : await taskOf(this.#options)
    if (thread === null || task === null) {
      yield* this.#here()
      return
    }
    const heard: WholeReply['of'][] = []
    const run = thread.runWhole(task.task, reply => {
      // It reads no more. Of a run that is left before that nobody knows: what it was sent is collected.
      if ('done' in reply || 'failed' in reply) for (const buffer of task.memory.splice(0)) sharedMemory.give(buffer)
      heard.push(reply)
      this.#wake()
    })
    const onAbort = (): void => this.#wake()
    signal?.addEventListener('abort', onAbort)
    let hasGiven = false
    let isLeft = false
    try {
      for (;;) {
        if (this.#isCanceled || signal?.aborted === true) throw new CanceledError()
        const reply = heard.shift()
        if (reply === undefined) {
          await new Promise<void>(resolve => {
            this.#wake = resolve
          })
        } else if ('batch' in reply) {
          hasGiven = true
          yield receivedBatch(reply.batch)
          run.more()
        } else if ('scan' in reply) {
          Object.assign(this.profile.scan, reply.scan)
          this.#preview = reply.preview === null ? null : [receivedBatch(reply.preview)]
        } else if ('done' in reply) {
          takeProfile(this.profile, reply.done)
          return
        } else if (hasGiven) {
          throw new Error(`a thread failed amid its answer: ${reply.failed}`)
        } else {
          isLeft = true
          break
        }
      }
    } finally {
      run.stop()
      signal?.removeEventListener('abort', onAbort)
      if (!isLeft) this.#options.release()
    }
    yield* this.#here()
  }

  async drain(): Promise<void> {
    for await (const batch of this.batches()) for (const name of batch.names) batch.column(name)
  }

  preview(): readonly Batch[] | null {
    return this.#local === null ? this.#preview : this.#local.preview()
  }

  cancel(): void {
    this.#isCanceled = true
    this.#local?.cancel()
    this.#wake()
    if (!this.#isStarted) {
      this.#isStarted = true
      this.#options.release()
    }
  }
}

/** Null when the plan cannot be told. */
async function taskOf({
  program,
  fieldsRead,
  parts,
  nowMicros,
  memoryBytes,
}: ElsewhereOptions): Promise<{ readonly task: WholeTask; readonly memory: SharedArrayBuffer[] } | null> {
  const plan = program.whole?.() ?? null
  if (plan === null) return null
  const turn = new Turn()
  const sent: WholeTask['parts'][number][] = []
  const memory: SharedArrayBuffer[] = []
  for (const part of parts) {
    if (part.path !== null) {
      sent.push(part.path)
      continue
    }
    if (part.rowCount === 0) continue
    const steps = sending(part, fieldsRead)
    for (;;) {
      const step = steps.next()
      if (step.done === true) {
        sent.push(step.value.part)
        memory.push(...step.value.memory)
        break
      }
      if (turn.isOver) await turn.next()
    }
  }
  const { query, hash, result: shape } = program
  return { task: { plan, query, hash, shape, parts: sent, nowMicros, memoryBytes }, memory }
}

/** All that was measured there; whoever watches the run holds `into`. */
function takeProfile(into: Profile, from: Profile): void {
  const { kernels, tables, scan, conditionOrders, compile, result, counters, damaged } = into
  into.root = from.root
  into.memoryBytes = from.memoryBytes
  into.spilledBytes = from.spilledBytes
  kernels.push(...from.kernels)
  tables.push(...from.tables)
  conditionOrders.push(...from.conditionOrders)
  damaged.push(...from.damaged)
  Object.assign(scan, from.scan)
  Object.assign(compile, from.compile)
  Object.assign(result, from.result)
  for (const [name, count] of from.counters) counters.set(name, count)
}
