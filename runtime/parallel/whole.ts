/** Whole queries in this thread: each in turns with the others, its answer sent a batch ahead of what was asked for. */
import type { PartReader } from '../../storage/index.ts'
import { execute } from '../execute.ts'
import { MemoryPool } from '../memory.ts'
import type { OperatorSpec } from '../program.ts'
import type { QueryResult } from '../result.ts'
import type { WholeReply, WholeTask } from './messages.ts'
import { packedBatches } from './sent-batch.ts'
import { receivedPart } from './sent-part.ts'

/** Batches under way to the reader. */
const AHEAD = 2
const PROGRESS_EVERY_MS = 400
/** Of a glimpse; nobody is shown more. */
const PREVIEW_ROWS = 50

export interface WholeRooms {
  readonly poolBytes: number
  assembleWhole(plan: string, query: string): OperatorSpec
  open(path: string): PartReader
}

interface Running {
  readonly result: QueryResult
  room: number
  wake: () => void
}

/** Where replies go. */
interface Port {
  postMessage(message: WholeReply): void
}

export class WholeRuns {
  readonly #port: Port
  readonly #rooms: WholeRooms
  readonly #pool: MemoryPool
  readonly #running = new Map<number, Running>()

  constructor(port: Port, rooms: WholeRooms) {
    this.#port = port
    this.#rooms = rooms
    this.#pool = new MemoryPool(rooms.poolBytes)
  }

  start(id: number, task: WholeTask): void {
    void this.#run(id, task).then(
      () => this.#running.delete(id),
      error => {
        this.#running.delete(id)
        // The asking thread runs it itself, and meets the error where it can be told.
        this.#tell(id, { failed: error instanceof Error ? error.message : String(error) })
      },
    )
  }

  more(id: number): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    running.room++
    running.wake()
  }

  stop(id: number): void {
    const running = this.#running.get(id)
    this.#running.delete(id)
    running?.result.cancel()
    running?.wake()
  }

  async #run(id: number, { plan, query, hash, shape, parts: sent, nowMicros, memoryBytes }: WholeTask): Promise<void> {
    const root = this.#rooms.assembleWhole(plan, query)
    const parts = sent.map(part => (typeof part === 'string' ? this.#rooms.open(part) : receivedPart(part)))
    const program = { query, hash, root, result: shape, splits: [] }
    const source = { parts: () => [parts], release: () => {} }
    // What does not fit here is written to disk by the thread that asked.
    const result = execute(program, source, {
      nowMicros,
      pool: this.#pool,
      ...(memoryBytes !== undefined && { memoryBytes }),
    })
    const running: Running = { result, room: AHEAD, wake: () => {} }
    this.#running.set(id, running)
    const timer = setInterval(() => this.#tellProgress(id, result), PROGRESS_EVERY_MS)
    try {
      for await (const batch of result.batches()) {
        failOnDamage(result)
        for (const block of packedBatches(batch)) {
          while (running.room === 0) {
            await new Promise<void>(resolve => {
              running.wake = resolve
            })
            if (!this.#running.has(id)) return
          }
          running.room--
          this.#tell(id, { batch: block })
        }
      }
      failOnDamage(result)
      this.#tell(id, { done: result.profile })
    } finally {
      clearInterval(timer)
    }
  }

  #tellProgress(id: number, { profile, preview }: QueryResult): void {
    const [first] = preview() ?? []
    const [packed] = first === undefined ? [] : packedBatches(first, PREVIEW_ROWS)
    this.#tell(id, { scan: profile.scan, preview: packed ?? null })
  }

  #tell(id: number, of: WholeReply['of']): void {
    this.#port.postMessage({ id, of })
  }
}

/** The store the asking thread has puts damaged parts aside; this one could only leave them out. */
function failOnDamage({ profile }: QueryResult): void {
  if (profile.damaged.length > 0) throw new Error(profile.damaged.join('; '))
}
