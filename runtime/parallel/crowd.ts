/** Has this thread anything else to do than the query that is about to begin? Then another may run it. */

import type { PartReader } from '../../storage/index.ts'
import { isAnyoneWaiting } from '../../storage/turns.ts'
import type { Batch } from '../batch.ts'
import { type ExecuteOptions, execute, type PartSource } from '../execute.ts'
import type { Profile } from '../profile.ts'
import type { Program } from '../program.ts'
import type { QueryResult } from '../result.ts'
import { executeElsewhere, type WholeThread } from './elsewhere.ts'

/** Of fewer rows an aggregation is done before another thread has begun. */
const ROWS_MIN = 20_000
/** Who has just been sent events will be sent more. */
const INGEST_LASTS_MS = 1000

export class Crowd {
  readonly #mode: 'always' | 'crowded' | 'never'
  readonly #thread: () => WholeThread | null
  #running = 0
  #ingestedAt = Number.NEGATIVE_INFINITY

  /** @param thread  one that has the least to do; null: there is none */
  constructor(mode: 'always' | 'crowded' | 'never', thread: () => WholeThread | null) {
    this.#mode = mode
    this.#thread = thread
  }

  /** May queries be left to other threads at all? */
  get mayLeave(): boolean {
    return this.#mode !== 'never'
  }

  noteIngest(): void {
    this.#ingestedAt = performance.now()
  }

  /** Here or in another thread, which is decided when it begins. @param fieldsRead  null: all there are, more than one would copy */
  execute(
    { program, fieldsRead }: { readonly program: Program; readonly fieldsRead: readonly string[] | null },
    source: PartSource,
    run: ExecuteOptions,
    parts: readonly PartReader[],
  ): QueryResult {
    const here = (profile?: Profile): QueryResult => execute(program, source, { ...run, ...(profile && { profile }) })
    const rows = parts.reduce((sum, part) => sum + part.rowCount, 0)
    const isWorthIt = rows >= ROWS_MIN || this.#mode === 'always'
    if (program.whole == null || fieldsRead === null || run.openFile !== undefined || !isWorthIt)
      return this.#counted(here())
    const { nowMicros, memoryBytes, signal } = run
    const thread = (): WholeThread | null => (this.#isCrowded ? this.#thread() : null)
    const release = (): void => source.release()
    return this.#counted(
      executeElsewhere({ program, fieldsRead, parts, nowMicros, memoryBytes, signal, thread, here, release }),
    )
  }

  /** Asked by a query that has begun. */
  get #isCrowded(): boolean {
    if (this.#mode === 'always') return true
    return this.#running > 1 || isAnyoneWaiting() || performance.now() - this.#ingestedAt < INGEST_LASTS_MS
  }

  /** The same, counted while it runs. */
  #counted(result: QueryResult): QueryResult {
    const { shape, profile } = result
    return {
      shape,
      profile,
      batches: () => this.#counting(result),
      drain: () => result.drain(),
      preview: () => result.preview(),
      cancel: () => result.cancel(),
    }
  }

  async *#counting(result: QueryResult): AsyncGenerator<Batch> {
    this.#running++
    try {
      yield* result.batches()
    } finally {
      this.#running--
    }
  }
}
