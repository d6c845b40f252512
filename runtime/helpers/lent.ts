/**
 * Arrays that are done with when a batch is: their memory serves the next one. V8 counts the memory of arrays as it counts its heap, which is small
 * here, and collects garbage for it: a query that makes 30 MB of them has it marked once a run, by threads that the query wants for itself. Captures
 * of 2 M messages, grouped, in two threads: 142 → 129 ms with these arrays, 105 with the tables (`operators/table/spare-memory.ts`).
 */

import { ownMemory, SpareMemory } from '../../storage/spare-memory.ts'

/** Less costs V8 less than looking for it. */
const LENT_MIN = 4096

/** Of this thread, for queries: what is lent, and tables. What a large query leaves is more than most will ask for. */
export const spare = new SpareMemory(ownMemory, { bytesMin: LENT_MIN, bytesMax: 16 * 2 ** 20 })

/** For tests: memory that was taken back is overwritten, so that whoever holds it after all answers nonsense. */
export const takenBack = { isOverwritten: false }

/** Memory lent for as long as one batch is looked at. */
export class Lender {
  readonly #lent: ArrayBuffer[] = []

  /** What it holds is as it was left. */
  take(bytes: number): ArrayBuffer {
    const { buffer } = spare.take(bytes)
    this.#lent.push(buffer)
    return buffer
  }

  /** Nobody looks at what was lent any more. */
  takeBack(): void {
    for (const buffer of this.#lent.splice(0)) giveBack(buffer)
  }
}

/** Nobody looks at it any more. */
export function giveBack(buffer: ArrayBuffer): void {
  if (takenBack.isOverwritten) new Uint8Array(buffer).fill(0xee)
  spare.give(buffer)
}

let lender: Lender | null = null

const isNew = (bytes: number): boolean => lender === null || (bytes < LENT_MIN && !takenBack.isOverwritten)

/** Runs it with memory that is taken back at the end: nothing that was made of it may be held. */
export function lending<Made>(by: Lender, run: () => Made): Made {
  try {
    return borrowing(by, run)
  } finally {
    by.takeBack()
  }
}

/** Runs it with memory that the caller takes back later. @param by  null: with memory of its own */
export function borrowing<Made>(by: Lender | null, run: () => Made): Made {
  const before = lender
  lender = by
  try {
    return run()
  } finally {
    lender = before
  }
}

/*
 * An array is a view of its own each time: what is known of one (`ranges`, `blanks`) is not known of the next. Zeros, unless it says otherwise; who is
 * not lent any gets new memory.
 */

/** With what was in it before: who takes it writes all of it. */
export function lentWords(length: number): Uint32Array {
  if (isNew(4 * length)) return new Uint32Array(length)
  return new Uint32Array(lender!.take(4 * length), 0, length)
}

export function lentBytes(length: number): Uint8Array {
  if (isNew(length)) return new Uint8Array(length)
  return new Uint8Array(lender!.take(length), 0, length).fill(0)
}

export function lentNumbers(length: number): Float64Array {
  if (isNew(8 * length)) return new Float64Array(length)
  return new Float64Array(lender!.take(8 * length), 0, length).fill(0)
}

export const LENT_HELPERS = { lentBytes, lentNumbers }
