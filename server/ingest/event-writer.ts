/**
 * Events of one request on their way into the engine: in batches, and a few milliseconds at a time.
 *
 * When the buffer is full, a native request is refused as a whole as long as nothing of it is stored. After that a refusal would make
 * the client send events twice, so a later batch waits for a flush instead, and what still finds no room is reported as failed.
 * The bulk protocol reports per item from the first batch on: its clients resend just those items.
 */
import { BackpressureError } from '../../storage/errors.ts'
import type { AppendReceipt, IncomingEvent } from '../../storage/index.ts'
import { EventBatch } from '../../storage/ingest/event-batch.ts'
import { Turn } from '../../storage/turns.ts'
import type { ServerContext } from '../context.ts'

export interface RefusedBatch {
  /** As given to `add`. */
  readonly positions: readonly number[]
  readonly reason: BackpressureError
}

const FLUSHES_MAX = 3
/** Storing what was read in it takes about as long again; and of the young that a collection copies, most are events of a turn. */
const READ_MS = 2

export class EventWriter {
  readonly #context: ServerContext
  readonly #batchSize: number
  readonly #whenFull: 'refuse' | 'report'
  readonly #turn = new Turn(READ_MS)
  readonly #receipts: AppendReceipt[] = []
  readonly refused: RefusedBatch[] = []
  accepted = 0
  /** For who reads lines straight into it, and says where they came from by `took`. */
  readonly batch = new EventBatch()
  #positions: number[] = []

  constructor(context: ServerContext, whenFull: 'refuse' | 'report') {
    this.#context = context
    this.#batchSize = context.config.get('ingest.max_batch_size')
    this.#whenFull = whenFull
  }

  /** Asked before every document, whether or not it will be an event: the caller then owes a `step()`. */
  get isDue(): boolean {
    return this.batch.count >= this.#batchSize || this.#turn.isOver
  }

  /** Stores what there is, and lets others have their turn if it is time. @throws as `write` */
  async step(): Promise<void> {
    await this.write()
    if (this.#turn.isOver) await this.#turn.next()
  }

  add(event: IncomingEvent, position: number): void {
    this.batch.addEvent(event)
    this.took(position)
  }

  /** The event that was added last. */
  took(position: number): void {
    this.#positions.push(position)
  }

  /** @throws {BackpressureError} when the request is to be refused as a whole. */
  async write(): Promise<void> {
    const positions = this.#positions
    if (this.batch.count === 0) return
    this.#positions = []
    try {
      // `#lastRefusal` is set whenever storing failed.
      if (!(await this.#tryStore())) this.refused.push({ positions, reason: this.#lastRefusal! })
    } finally {
      this.batch.clear()
    }
  }

  /** Settles when everything accepted is on disk. */
  async published(): Promise<void> {
    await Promise.all(this.#receipts.map(receipt => receipt.published()))
  }

  /** For protocols that cannot say which events failed: the client has to send again. @throws {BackpressureError} */
  throwIfRefused(): void {
    const first = this.refused[0]
    if (first !== undefined) throw first.reason
  }

  #lastRefusal: BackpressureError | null = null

  async #tryStore(): Promise<boolean> {
    if (this.#store()) return true
    if (this.#whenFull === 'report') return false
    if (this.accepted === 0) throw this.#lastRefusal
    // Whoever else is writing may take the room that a flush made.
    for (let tries = 0; tries < FLUSHES_MAX; tries++) {
      if (!(await this.#flushed())) return false
      if (this.#store()) return true
    }
    return false
  }

  /** False: what is buffered cannot be written now. It stays buffered, and the store has told whoever watches it. */
  #flushed(): Promise<boolean> {
    return this.#context.engine.makeRoom().then(
      () => true,
      () => false,
    )
  }

  #store(): boolean {
    const { count } = this.batch
    try {
      this.#receipts.push(this.#context.engine.ingestBatch(this.batch))
      this.accepted += count
      const { stored } = this.#context
      if (stored !== undefined) stored.events += count
      return true
    } catch (error) {
      if (!(error instanceof BackpressureError)) throw error
      this.#lastRefusal = error
      return false
    }
  }
}
