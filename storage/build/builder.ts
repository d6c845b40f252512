/**
 * Who makes part files of what was buffered: a thread of its own, so that this one goes on reading events meanwhile; or this thread, between
 * other work, where the part is small, the machine has one core, or the filesystem is not the machine's and cannot be given to a thread.
 * A block is handed over when the thread asks for one, so no more than two are in memory twice.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import { fileURLToPath } from 'node:url'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { entry } from '../entry.ts'
import { type Filesystem, NODE_FILESYSTEM } from '../filesystem.ts'
import type { Compression } from '../part/chunk.ts'
import type { BlockColumns, PartDescription, PartLineage } from '../part/columns.ts'
import { writePartSteps } from '../part/write.ts'
import { borrowCompressor, returnCompressor } from '../part/zstd.ts'
import { inSlices } from '../slices.ts'
import { sharedMemory } from '../spare-memory.ts'
import { mustGiveWay } from '../turns.ts'
import { type PackedMessage, Packer } from './handover.ts'

/** A part as it can be told to another thread: all but its blocks. */
export interface PartToBuild {
  readonly directory: string
  readonly id: string
  readonly index: string
  readonly lineage: PartLineage
  readonly fsync: boolean
  readonly compression: Compression
  /** More wait behind it. */
  readonly isHurried: boolean
}

/** What is built, and how much of it there is. */
export interface BuildInput {
  /** May be asked for more than once. */
  blocks(): Iterable<BlockColumns>
  /** As the buffer counts them. */
  readonly bytes: number
  readonly fieldCount: number
}

export interface PartBuilder {
  /** Who waits for it could do something meanwhile … */
  readonly isApart: boolean
  /** … but not while this thread owes it a block. */
  readonly isWaiting: boolean
  /**
   * One at a time.
   * @param done  called in the turn in which the part is there, before anyone waiting for it can act
   * @throws what kept the part from being written
   */
  build(part: PartToBuild, input: BuildInput, done: (description: PartDescription) => void): Promise<PartDescription>
  /** Once nothing is under way. */
  close(): Promise<void>
}

const WORKER = entry('storage/build/build-worker.js')

export function createPartBuilder(filesystem: Filesystem): PartBuilder {
  // A bundle without the script has no thread to start, and one core gains nothing by it.
  const hasThread =
    filesystem === NODE_FILESYSTEM && os.availableParallelism() > 1 && fs.existsSync(fileURLToPath(WORKER))
  return hasThread ? new ThreadBuilder() : new InlineBuilder(filesystem)
}

export class InlineBuilder implements PartBuilder {
  readonly isApart = false
  readonly isWaiting = false
  private readonly filesystem: Filesystem

  constructor(filesystem: Filesystem) {
    this.filesystem = filesystem
  }

  build(
    { directory, ...part }: PartToBuild,
    input: BuildInput,
    done: (description: PartDescription) => void,
  ): Promise<PartDescription> {
    return inSlices(writePartSteps(this.filesystem, directory, { ...part, blocks: input.blocks() }), { done })
  }

  async close(): Promise<void> {}
}

/** What the thread is sent: a part, the port its blocks come through, and a count of them that wakes it. */
export interface BuildMessage {
  readonly part: PartToBuild
  readonly blocks: MessagePort
  readonly sent: Int32Array
  /** The part before was written by the same thread, which knows its dictionaries. */
  readonly goesOn: boolean
}

/** Null: there are no more. */
export type BlockMessage = PackedMessage<SharedArrayBuffer> | null

export type BuildReply =
  | { readonly wantsBlock: true }
  /** Memory of a block that is written. */
  | { readonly returned: readonly SharedArrayBuffer[] }
  | { readonly done: PartDescription }
  | { readonly failed: { readonly message: string; readonly code: string | null } }

/** A thread costs about 30 MB: not kept for nothing. */
const IDLE_MS = 10_000
/** Parts this small are built in less time than a thread takes to start, and soon enough not to be noticed. */
const INLINE_BYTES = 8 * 1024 * 1024
/** The same where somebody may ask at any moment: weaving a column of 8,192 texts, which cannot be cut, takes 50 ms. */
const SERVED_INLINE_BYTES = 256 * 1024
/** Of more fields than this columns are made one at a time, here, rather than all of a block at once for a message. */
const FIELDS_MAX = 1000

/** The thread is gone, for whatever reason: what it should have done is still to do. */
class ThreadLostError extends Error {}

interface BuildThread {
  readonly worker: Worker
  /** It packed the part that the thread wrote last; null: that was none, or who knows what the thread got of it. */
  packer: Packer<SharedArrayBuffer> | null
}

export class ThreadBuilder implements PartBuilder {
  readonly isApart = true
  private readonly inline = new InlineBuilder(NODE_FILESYSTEM)
  private readonly inlineBytes: number | null
  private thread: BuildThread | null = null
  private idle: NodeJS.Timeout | null = null
  /** Blocks that were asked for and are not sent. */
  private owed = 0
  private lost: ((error: Error) => void) | null = null

  /** @param inlineBytes  parts smaller than that are built in this thread; null: as seems best */
  constructor(inlineBytes: number | null = null) {
    this.inlineBytes = inlineBytes
  }

  get isWaiting(): boolean {
    return this.owed > 0
  }

  async build(
    part: PartToBuild,
    input: BuildInput,
    done: (description: PartDescription) => void,
  ): Promise<PartDescription> {
    const inlineBytes = this.inlineBytes ?? (mustGiveWay() ? SERVED_INLINE_BYTES : INLINE_BYTES)
    if (input.bytes < inlineBytes || input.fieldCount > FIELDS_MAX) return this.inline.build(part, input, done)
    try {
      return await this.inThread(part, input, done)
    } catch (error) {
      // Whatever ended the thread may not end the part: if this thread fails too, its caller hears why.
      if (error instanceof ThreadLostError) return this.inline.build(part, input, done)
      throw error
    }
  }

  async close(): Promise<void> {
    if (this.idle !== null) clearTimeout(this.idle)
    const { thread } = this
    this.thread = null
    await thread?.worker.terminate()
  }

  private async inThread(
    part: PartToBuild,
    input: BuildInput,
    done: (description: PartDescription) => void,
  ): Promise<PartDescription> {
    if (this.idle !== null) clearTimeout(this.idle)
    const thread = this.thread ?? this.start()
    const { worker } = thread
    // Somebody's events wait for it.
    worker.ref()
    const { port1, port2 } = new MessageChannel()
    const sent = new Int32Array(new SharedArrayBuffer(4))
    const blocks = input.blocks()[Symbol.iterator]()
    const goesOn = thread.packer !== null
    const packer = thread.packer ?? new Packer(bytes => sharedMemory.take(bytes))
    thread.packer = null
    if (goesOn) packer.nextPart()
    const sendBlock = async (): Promise<void> => {
      const next = blocks.next()
      if (next.done) port1.postMessage(null satisfies BlockMessage)
      else {
        const message = await inSlices(packer.packSteps(next.value))
        port1.postMessage(message satisfies BlockMessage)
      }
      Atomics.add(sent, 0, 1)
      Atomics.notify(sent, 0)
      this.owed--
    }
    this.owed = 1
    try {
      const description = await new Promise<PartDescription>((resolve, reject) => {
        this.lost = reject
        const failed = (error: unknown): void => {
          // The thread may wait for a block that will not come.
          this.lost = null
          void this.close().then(() => reject(error))
        }
        // One is on its way while the thread works on another.
        let sending = sendBlock().catch(failed)
        worker.on('message', (reply: BuildReply) => {
          if ('wantsBlock' in reply) {
            this.owed++
            sending = sending.then(sendBlock).catch(failed)
          } else if ('returned' in reply) for (const buffer of reply.returned) sharedMemory.give(buffer)
          else if ('failed' in reply) reject(errorOf(reply.failed))
          else {
            try {
              done(reply.done)
              resolve(reply.done)
            } catch (error) {
              failed(error)
            }
          }
        })
        worker.postMessage({ part, blocks: port2, sent, goesOn } satisfies BuildMessage, [port2])
      })
      thread.packer = packer
      return description
    } finally {
      this.lost = null
      this.owed = 0
      port1.close()
      worker.removeAllListeners('message')
      worker.unref()
      this.idle = setTimeout(() => void this.close(), IDLE_MS).unref()
    }
  }

  private start(): BuildThread {
    const worker = new Worker(WORKER, { name: 'quern-build', workerData: borrowCompressor() })
    const { threadId } = worker
    let reason = 'the thread that builds parts ended'
    worker.on('error', error => {
      reason = error.message
    })
    // Only then does it certainly write no more.
    worker.on('exit', () => {
      returnCompressor(threadId)
      if (this.thread === thread) this.thread = null
      this.lost?.(new ThreadLostError(reason))
    })
    const thread: BuildThread = { worker, packer: null }
    this.thread = thread
    return thread
  }
}

function errorOf({ message, code }: { message: string; code: string | null }): Error {
  const error = new Error(message)
  return code === null ? error : Object.assign(error, { code })
}
