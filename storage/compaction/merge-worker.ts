/** The thread that merges. It is given the processor when nobody else wants it, where the system can tell threads apart. */
import { parentPort } from 'node:worker_threads'
import { CorruptPartError } from '../errors.ts'
import { NODE_FILESYSTEM } from '../filesystem.ts'
import { stepBack } from '../nice.ts'
import { type MergeJob, mergeSteps } from './merge-job.ts'
import type { MergeReply } from './merger.ts'

/** Further back than the threads that queries and parts wait for. */
const NICENESS = 10
/** Where it could not step back: the share of the time it works. */
const SHARE = 0.5
const SLICE_MS = 20

const isNice = stepBack(NICENESS)
const pause = new Int32Array(new SharedArrayBuffer(4))

parentPort!.on('message', (job: MergeJob) => {
  parentPort!.postMessage(reply(job))
})

function reply(job: MergeJob): MergeReply {
  try {
    const steps = mergeSteps(NODE_FILESYSTEM, job)
    let sliceStart = performance.now()
    for (;;) {
      const step = steps.next()
      if (step.done) return { done: step.value }
      const worked = performance.now() - sliceStart
      if (isNice || worked < SLICE_MS) continue
      Atomics.wait(pause, 0, 0, worked * (1 / SHARE - 1))
      sliceStart = performance.now()
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    const part = error instanceof CorruptPartError ? error.part : null
    return { failed: { message: error instanceof Error ? error.message : String(error), code, part } }
  }
}
