/**
 * The bytes a query may hold. Operators that keep rows charge what they keep. One that can write to disk what it keeps asks to `hold`
 * it, and makes room when it is told to; every other fails by name beyond the budget.
 */

/** What limits a query, for the text of its error. */
export interface MemoryLimits {
  readonly budgetBytes: number
  /** Why the rest could not go to temporary files; absent: this stage does not write any. */
  readonly disk?: DiskRefusal
  /** Set where it is not the query's own budget that is used up, but what all queries may hold. */
  readonly poolBytes?: number
}

export type DiskRefusal =
  | { readonly kind: 'not allowed' }
  | { readonly kind: 'budget'; readonly budgetBytes: number }
  | { readonly kind: 'unwritable'; readonly directory: string; readonly reason: string }
  /** What it holds cannot be taken apart: one group, one transaction. */
  | { readonly kind: 'indivisible'; readonly what: string }

const ADVICE = 'narrow the time range, filter or group earlier, keep fewer fields'

export class QueryMemoryError extends Error {
  constructor(what: string, { budgetBytes, disk, poolBytes }: MemoryLimits) {
    super(
      poolBytes === undefined
        ? `${what} needs more than the ${sizeText(budgetBytes)} ${restOf(disk)}`
        : `${what} needs more than others leave of the ${sizeText(poolBytes)} all queries may use; ask again when they are done, ${ADVICE}, or raise query.global_query_pool_bytes`,
    )
    this.name = 'QueryMemoryError'
  }
}

function restOf(disk: DiskRefusal | undefined): string {
  if (disk === undefined) return `a query may use; ${ADVICE}, or raise query.memory`
  switch (disk.kind) {
    case 'not allowed':
      return `a query may use, and temporary files are not allowed (query.disk is 0); ${ADVICE}, or raise query.memory or query.disk`
    case 'budget':
      return `of memory and the ${sizeText(disk.budgetBytes)} of temporary files a query may use; ${ADVICE}, or raise query.memory or query.disk`
    case 'unwritable':
      return `a query may hold in memory, and no temporary file can be written in ${disk.directory}: ${disk.reason}; make room there or set query.spill_directory, ${ADVICE}, or raise query.memory`
    case 'indivisible':
      return `a query may use for ${disk.what}, which temporary files cannot take apart; ${ADVICE}, or raise query.memory`
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const units = ['KB', 'MB', 'GB', 'TB'] as const
  let size = bytes / 1024
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${size < 10 && !Number.isInteger(size) ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}

export interface Memory {
  readonly budgetBytes: number
  /** @throws {QueryMemoryError} naming the stage that asked */
  charge(bytes: number, what: string): void
  /** Charges without failing. False: more than the query may hold, so the holder must now write to disk what it can. */
  hold(bytes: number): boolean
  /** Whether so many more may be held, as things stand. */
  hasRoom(bytes: number): boolean
  release(bytes: number): void
}

/** An operator that holds less than this share of the budget is not told to make room: files of a few rows cost more than they give. */
const LEAST_SHARE = 1 / 16

/** What all queries of an engine hold together. */
export class MemoryPool {
  readonly sizeBytes: number
  usedBytes = 0

  constructor(sizeBytes: number) {
    this.sizeBytes = sizeBytes
  }
}

export class MemoryBudget implements Memory {
  readonly budgetBytes: number
  readonly #pool: MemoryPool | null
  #usedBytes = 0
  peakBytes = 0

  constructor(budgetBytes: number, pool: MemoryPool | null = null) {
    this.budgetBytes = budgetBytes
    this.#pool = pool
  }

  charge(bytes: number, what: string): void {
    if (!this.hold(bytes)) throw new QueryMemoryError(what, this.#limits())
  }

  hold(bytes: number): boolean {
    this.#usedBytes += bytes
    if (this.#pool !== null) this.#pool.usedBytes += bytes
    if (this.#usedBytes > this.peakBytes) this.peakBytes = this.#usedBytes
    return this.hasRoom(0)
  }

  hasRoom(bytes: number): boolean {
    return this.#usedBytes + bytes <= this.budgetBytes && !this.#isPoolFull(bytes)
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
    if (this.#pool !== null) this.#pool.usedBytes -= bytes
  }

  /** The query is over: what it held is there for others. */
  end(): void {
    this.release(this.#usedBytes)
  }

  /** What is used up, for the text of an error. */
  #limits(): MemoryLimits {
    const { budgetBytes } = this
    const isOwn = this.#usedBytes > budgetBytes || this.#pool === null
    return isOwn ? { budgetBytes } : { budgetBytes, poolBytes: this.#pool!.sizeBytes }
  }

  /** A query that holds little is not to pay for those that hold much. */
  #isPoolFull(bytes: number): boolean {
    const pool = this.#pool
    if (pool === null || this.#usedBytes + bytes <= this.budgetBytes * LEAST_SHARE) return false
    return pool.usedBytes + bytes > pool.sizeBytes
  }

  /** The same budget, as one operator charges it: the most it held at once is told to `holder`. */
  of(holder: { memoryBytes: number }): Memory {
    let used = 0
    const add = (bytes: number): boolean => {
      used += bytes
      if (used > holder.memoryBytes) holder.memoryBytes = used
      return this.hold(bytes)
    }
    return {
      budgetBytes: this.budgetBytes,
      charge: (bytes, what) => {
        if (!add(bytes)) throw new QueryMemoryError(what, this.#limits())
      },
      hold: bytes => add(bytes) || used <= this.budgetBytes * LEAST_SHARE,
      hasRoom: bytes => this.hasRoom(bytes),
      release: bytes => {
        used -= bytes
        this.release(bytes)
      },
    }
  }
}
