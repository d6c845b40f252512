/**
 * Who does merges: a thread of its own, so that nobody waits for one; or this thread between other work, where the filesystem is not
 * the machine's and so cannot be given to another thread.
 */
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { entry } from '../entry.ts'
import { CorruptPartError } from '../errors.ts'
import { type Filesystem, NODE_FILESYSTEM } from '../filesystem.ts'
import type { PartDescription } from '../part/columns.ts'
import { inSlices } from '../slices.ts'
import { mustGiveWay } from '../turns.ts'
import { type MergeJob, mergeSteps } from './merge-job.ts'

export interface Merger {
  /** One at a time. @throws {CorruptPartError} naming the damaged part; {MergeCanceledError} when closed meanwhile */
  merge(job: MergeJob): Promise<PartDescription>
  /** Ends what is under way; its temporary file is removed, here or at the next start. */
  close(): Promise<void>
}

export class MergeCanceledError extends Error {
  constructor() {
    super('the merge was given up')
    this.name = 'MergeCanceledError'
  }
}

const WORKER = entry('storage/compaction/merge-worker.js')

export function createMerger(filesystem: Filesystem): Merger {
  // A bundle without the script has no thread to start.
  const hasThread = filesystem === NODE_FILESYSTEM && fs.existsSync(fileURLToPath(WORKER))
  return hasThread ? new ThreadMerger() : new InlineMerger(filesystem)
}

export class InlineMerger implements Merger {
  private readonly filesystem: Filesystem
  private isClosed = false
  private running: Promise<unknown> = Promise.resolve()

  constructor(filesystem: Filesystem) {
    this.filesystem = filesystem
  }

  merge(job: MergeJob): Promise<PartDescription> {
    const merging = this.run(job)
    this.running = merging.catch(() => {})
    return merging
  }

  private async run(job: MergeJob): Promise<PartDescription> {
    return inSlices(mergeSteps(this.filesystem, job), {
      check: () => {
        if (this.isClosed) throw new MergeCanceledError()
      },
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.running
  }
}

export type MergeReply =
  | { readonly done: PartDescription }
  | { readonly failed: { readonly message: string; readonly code: string | null; readonly part: string | null } }

/** A thread costs about 30 MB: not kept for nothing. */
const IDLE_MS = 10_000
/** Inputs this small are merged sooner than a thread starts, and in less time than a flush takes. */
const INLINE_BYTES = 256 * 1024
/** The same where somebody may ask at any moment. */
const SERVED_INLINE_BYTES = 16 * 1024

class ThreadMerger implements Merger {
  private readonly inline = new InlineMerger(NODE_FILESYSTEM)
  private worker: Worker | null = null
  private idle: NodeJS.Timeout | null = null
  private giveUp: ((error: Error) => void) | null = null
  private isClosed = false

  async merge(job: MergeJob): Promise<PartDescription> {
    if (this.isClosed) throw new MergeCanceledError()
    const inlineBytes = mustGiveWay() ? SERVED_INLINE_BYTES : INLINE_BYTES
    if (this.worker === null && job.sizeBytes < inlineBytes) return this.inline.merge(job)
    if (this.idle !== null) clearTimeout(this.idle)
    const worker = this.worker ?? this.start()
    try {
      return await new Promise<PartDescription>((resolve, reject) => {
        this.giveUp = reject
        worker.once('message', (reply: MergeReply) => {
          if ('done' in reply) resolve(reply.done)
          else reject(errorOf(reply.failed))
        })
        worker.postMessage(job)
      })
    } finally {
      this.giveUp = null
      worker.removeAllListeners('message')
      this.idle = setTimeout(() => void this.end(), IDLE_MS).unref()
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    if (this.idle !== null) clearTimeout(this.idle)
    const ended = this.end()
    this.giveUp?.(new MergeCanceledError())
    await this.inline.close()
    await ended
  }

  private start(): Worker {
    const worker = new Worker(WORKER, { name: 'quern-merge' })
    // Merging is no reason for a process to stay.
    worker.unref()
    const gone = (error: Error) => {
      if (this.worker === worker) this.worker = null
      this.giveUp?.(error)
    }
    worker.on('error', gone)
    worker.on('exit', code => gone(new Error(`the thread that merges ended with ${code}`)))
    this.worker = worker
    return worker
  }

  private async end(): Promise<void> {
    const { worker } = this
    this.worker = null
    await worker?.terminate()
  }
}

function errorOf({ message, code, part }: { message: string; code: string | null; part: string | null }): Error {
  const error = part === null ? new Error(message) : new CorruptPartError(part, 0, message)
  if (part !== null) error.message = message
  return code === null ? error : Object.assign(error, { code })
}
