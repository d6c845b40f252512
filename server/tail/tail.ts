/**
 * One live tail: the newest results there are, then those that come, each event in one of the two and once. A client that is slow is
 * told how many it missed; it never holds up another, nor fills the memory.
 */
import type { LiveQuery, QueryOptions } from '../../engine.ts'
import type { LiveRow } from '../../runtime/live.ts'
import type { Snapshot } from '../../storage/index.ts'
import type { ServerContext } from '../context.ts'
import { answerError, type ErrorBody } from '../errors.ts'
import { framesOf } from './frames.ts'
import { keyOf } from './hub.ts'
import type { ReplayPlace } from './replays.ts'

/** How a tail reaches its client: server-sent events or a WebSocket. */
export interface TailSink {
  /** `data` is JSON. With an id, a client that comes back with it is sent what follows. */
  send(event: TailEvent, data: string, id?: number | string): void
  /** Frames of results; absent: they are sent one by one. */
  write?(bytes: Buffer): void
  /** Bytes the client has not taken yet. */
  readonly waitingBytes: number
  onDrain(listener: () => void): void
  onClose(listener: () => void): void
  end(): void
}

export type TailEvent = 'result' | 'catchup_done' | 'heartbeat' | 'warning' | 'error' | 'end'

export interface TailRequest {
  readonly query: LiveQuery
  readonly options: QueryOptions
  /** Results of the past to begin with. */
  readonly count: number
  /** Of the last event the client has had. */
  readonly lastSequence: number | null
  /** Where in the past it was cut off. */
  readonly lastPlace: ReplayPlace | null
}

/** Results that may wait until the past has been sent. */
const HELD_BYTES_MAX = 8 * 1024 * 1024

const RESUME_GAP = '{"type":"resume_gap","message":"what was missed is no longer at hand; the newest results follow"}'

export class Tail {
  readonly #context: ServerContext
  readonly #sink: TailSink
  readonly #request: TailRequest
  readonly #abort = new AbortController()
  readonly #leave: () => void
  #stopListening = (): void => {}
  #heartbeat: NodeJS.Timeout | undefined
  /** Results that came while the past was being sent; null: it has been. */
  #held: LiveRow[] | null = []
  #heldBytes = 0
  #dropped = 0
  #sent = 0
  #isOver = false

  /** @throws {RequestError} when there are too many tails */
  static open(context: ServerContext, request: TailRequest, connect: () => TailSink): void {
    const leave = context.tails.enter()
    // From here on nothing throws into the route: what goes wrong is told through the sink.
    new Tail(context, request, connect(), leave).#start()
  }

  private constructor(context: ServerContext, request: TailRequest, sink: TailSink, leave: () => void) {
    this.#context = context
    this.#request = request
    this.#sink = sink
    this.#leave = leave
  }

  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#abort.abort()
    clearInterval(this.#heartbeat)
    this.#stopListening()
    this.#leave()
    this.#context.openTails.delete(this)
    this.#sink.end()
  }

  #start(): void {
    const context = this.#context
    const request = this.#request
    context.openTails.add(this)
    this.#sink.onClose(() => this.stop())
    this.#sink.onDrain(() => this.#tellDropped())
    try {
      const snapshot = context.tails.snapshot()
      this.#stopListening = context.tails.add(request.query, request.options, {
        first: snapshot.nextSequence,
        deliver: rows => this.#deliver(rows),
        lost: count => {
          this.#dropped += count
          this.#tellDropped()
        },
        fail: error => this.#fail(error),
      })
      void this.#begin(snapshot).finally(() => snapshot.release())
    } catch (error) {
      this.#fail(error)
    }
  }

  async #begin(snapshot: Snapshot): Promise<void> {
    try {
      const last = snapshot.nextSequence - 1
      const resumed = await this.#resume(snapshot.nextSequence)
      if (resumed !== 'resumed') await this.#catchUp(snapshot, resumed === 'gap')
      if (this.#isOver) return
      this.#sink.send('catchup_done', `{"count":${this.#sent}}`, last)
      this.#heartbeat = setInterval(() => this.#beat(), this.#context.config.get('tail.heartbeat'))
      const held = this.#held ?? []
      this.#held = null
      this.#tellDropped()
      this.#deliver(held)
      this.#endAtHead()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** What came since the client went away, if it is still remembered. */
  async #resume(nextSequence: number): Promise<'resumed' | 'new' | 'gap'> {
    const { lastSequence, lastPlace, query, options } = this.#request
    if (lastSequence === null && lastPlace === null) return 'new'
    const { tails } = this.#context
    const replay = lastPlace === null ? null : tails.replays.find(lastPlace.name, keyOf(query, options))
    const last = replay === null ? lastSequence : replay.nextSequence - 1
    const missed = last === null ? null : await tails.since(last, nextSequence)
    if (missed === null) return 'gap'
    if (replay !== null) await this.#replay(replay.texts, lastPlace!)
    for (const row of await query.rowsOf(missed)) {
      if (this.#isOver || this.#isAtHead) break
      await this.#room()
      this.#sendRow(row.text, row.sequence)
    }
    return 'resumed'
  }

  async #catchUp(snapshot: Snapshot, isAfterGap: boolean): Promise<void> {
    const { query, options, count } = this.#request
    const release = await this.#context.replays.acquire(this.#abort.signal)
    try {
      const most = Math.min(count, query.head ?? count)
      const texts = await query.newest(snapshot, most, this.#abort.signal)
      const name = this.#context.tails.replays.keep({
        key: keyOf(query, options),
        texts,
        nextSequence: snapshot.nextSequence,
      })
      // With an id, so that it is not told again to a client that is cut off before the first result.
      if (isAfterGap && !this.#isOver) this.#sink.send('warning', RESUME_GAP, `${name}.0`)
      await this.#replay(texts, { name, count: 0 })
    } finally {
      release()
    }
  }

  /** The past from a place of it on. */
  async #replay(texts: readonly string[], { name, count }: ReplayPlace): Promise<void> {
    this.#sent = count
    for (const text of texts.slice(count)) {
      if (this.#isOver) return
      await this.#room()
      this.#sendRow(text, `${name}.${this.#sent + 1}`)
    }
  }

  #deliver(rows: readonly LiveRow[]): void {
    if (this.#held !== null) {
      for (const row of rows) {
        if (this.#heldBytes > HELD_BYTES_MAX) this.#dropped++
        else {
          this.#held.push(row)
          this.#heldBytes += row.text.length
        }
      }
      return
    }
    // One that ends at a number of results counts them one by one.
    if (this.#sink.write !== undefined && this.#request.query.head === null) {
      for (const { bytes, count } of framesOf(rows)) this.#sendUnlessSlow(count, () => this.#sink.write!(bytes))
      return
    }
    for (const { text, sequence } of rows) {
      if (this.#isAtHead) break
      this.#sendUnlessSlow(1, () => this.#sink.send('result', text, sequence))
    }
    this.#endAtHead()
  }

  #sendUnlessSlow(count: number, send: () => void): void {
    if (this.#isOver) return
    if (this.#isSlow) {
      this.#dropped += count
      this.#context.metrics.count('quern_tail_events_dropped_total', count)
      return
    }
    this.#tellDropped()
    send()
    this.#noteSent(count)
  }

  #sendRow(text: string, id: number | string): void {
    this.#sink.send('result', text, id)
    this.#noteSent(1)
  }

  #noteSent(count: number): void {
    this.#sent += count
    this.#context.metrics.count('quern_tail_events_sent_total', count)
  }

  get #isSlow(): boolean {
    return this.#sink.waitingBytes > this.#context.config.get('tail.buffer_bytes')
  }

  /** Until the client has taken some of what it was sent. */
  async #room(): Promise<void> {
    while (this.#isSlow && !this.#isOver) {
      await new Promise<void>(resolve => {
        this.#sink.onDrain(resolve)
        this.#sink.onClose(resolve)
      })
    }
  }

  #tellDropped(): void {
    if (this.#dropped === 0 || this.#isSlow || this.#held !== null) return
    this.#sink.send('warning', `{"type":"events_dropped","count":${this.#dropped}}`)
    this.#dropped = 0
  }

  #beat(): void {
    this.#tellDropped()
    if (!this.#isSlow) this.#sink.send('heartbeat', `{"ts":"${new Date().toISOString()}"}`)
  }

  get #isAtHead(): boolean {
    const { head } = this.#request.query
    return head !== null && this.#sent >= head
  }

  #endAtHead(): void {
    if (!this.#isAtHead || this.#isOver) return
    this.#sink.send('end', `{"reason":"head","count":${this.#sent}}`)
    this.stop()
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    const answer = answerError(error, 'tail')
    if (answer.isUnexpected) this.#context.log.error({ err: error }, 'live tail failed')
    this.#sink.send('error', JSON.stringify(answer.error satisfies ErrorBody))
    this.stop()
  }
}
