/**
 * A query run by another thread from its scan to its answer, for a thread that has other things to do: it is sent what lies in this one's
 * memory, and sends batches. What cannot go there, or goes wrong there before it has given anything, is run here.
 */

import type { PartReader } from '../../storage/index.ts'
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
  runWhole(task: WholeTask, transfer: readonly ArrayBuffer[], hear: (reply: WholeReply['of']) => void): WholeRun
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
  const { program, signal } = options
  const profile = emptyProfile()
  let isStarted = false
  let isCanceled = false
  let wake = (): void => {}
  let local: QueryResult | null = null
  let preview: readonly Batch[] | null = null

  async function* here(): AsyncGenerator<Batch> {
    if (isCanceled) {
      options.release()
      throw new CanceledError()
    }
    Object.assign(profile.scan, emptyProfile().scan)
    preview = null
    local = options.here(profile)
    yield* local.batches()
  }

  async function* batches(): AsyncGenerator<Batch> {
    if (isCanceled) throw new CanceledError()
    isStarted = true
    const thread = options.thread()
    const task = thread === null ? null : await taskOf(options)
    if (thread === null || task === null) {
      yield* here()
      return
    }
    const heard: WholeReply['of'][] = []
    const run = thread.runWhole(task.task, task.transfer, reply => {
      heard.push(reply)
      wake()
    })
    const onAbort = (): void => wake()
    signal?.addEventListener('abort', onAbort)
    let hasGiven = false
    let isLeft = false
    try {
      for (;;) {
        if (isCanceled || signal?.aborted === true) throw new CanceledError()
        const reply = heard.shift()
        if (reply === undefined) {
          await new Promise<void>(resolve => {
            wake = resolve
          })
        } else if ('batch' in reply) {
          hasGiven = true
          yield receivedBatch(reply.batch)
          run.more()
        } else if ('scan' in reply) {
          Object.assign(profile.scan, reply.scan)
          preview = reply.preview === null ? null : [receivedBatch(reply.preview)]
        } else if ('done' in reply) {
          takeProfile(profile, reply.done)
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
      if (!isLeft) options.release()
    }
    yield* here()
  }

  return {
    shape: program.result,
    profile,
    batches,
    async drain() {
      for await (const batch of batches()) for (const name of batch.names) batch.column(name)
    },
    preview: () => (local === null ? preview : local.preview()),
    cancel() {
      isCanceled = true
      local?.cancel()
      wake()
      if (!isStarted) {
        isStarted = true
        options.release()
      }
    },
  }
}

/** Null when the plan cannot be told. */
async function taskOf({
  program,
  fieldsRead,
  parts,
  nowMicros,
  memoryBytes,
}: ElsewhereOptions): Promise<{ readonly task: WholeTask; readonly transfer: readonly ArrayBuffer[] } | null> {
  const plan = program.whole?.() ?? null
  if (plan === null) return null
  const turn = new Turn()
  const sent: WholeTask['parts'][number][] = []
  const transfer: ArrayBuffer[] = []
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
        transfer.push(...step.value.transfer)
        break
      }
      if (turn.isOver) await turn.next()
    }
  }
  const { query, hash, result: shape } = program
  return { task: { plan, query, hash, shape, parts: sent, nowMicros, memoryBytes }, transfer }
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
