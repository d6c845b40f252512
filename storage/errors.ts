/** The world's errors as storage names them; mapped once at each boundary (`server/errors.ts`, `cli/`). */
import { constants } from 'node:os'

/** A part, block or chunk fails its checksum or its own description. The rest of the store keeps serving. */
export class CorruptPartError extends Error {
  readonly part: string
  readonly offset: number
  constructor(part: string, offset: number, what: string) {
    super(`part ${part} is damaged at byte ${offset}: ${what}`)
    this.name = 'CorruptPartError'
    this.part = part
    this.offset = offset
  }
}

/** The ingest buffer or the disk is full; nothing of the request was stored. */
export class BackpressureError extends Error {
  readonly retryAfterSeconds: number
  constructor(message: string, retryAfterSeconds = 1) {
    super(message)
    this.name = 'BackpressureError'
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A store was closed and could not write what it had accepted: nothing holds it any more. Whoever waited for it was told. */
export class UnwrittenEventsError extends Error {
  constructor(count: number, reason: string) {
    super(`${count} ${count === 1 ? 'event that was' : 'events that were'} accepted could not be written: ${reason}`)
    this.name = 'UnwrittenEventsError'
  }
}

/** Nothing of the batch was stored. */
export class InvalidEventError extends Error {
  /** Of the event in its batch, from 0. */
  readonly number: number
  constructor(number: number, problem: string) {
    super(`event ${number} of the batch is not one: ${problem}; give lines, objects, or both`)
    this.name = 'InvalidEventError'
    this.number = number
  }
}

export class ClosedError extends Error {
  constructor() {
    super('the store is closed')
    this.name = 'ClosedError'
  }
}

/** No space on the device, or no more than this user may have: as Node names it, and by the number LMDB gives. */
const OUT_OF_ROOM: readonly unknown[] = ['ENOSPC', 'EDQUOT', constants.errno.ENOSPC, constants.errno.EDQUOT]

export function isOutOfRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && OUT_OF_ROOM.includes(error.code)
}

/** Another process owns the data directory. */
export class LockedError extends Error {
  constructor(directory: string, owner: string) {
    super(`${directory} is in use by ${owner}; stop that process or choose another --data directory`)
    this.name = 'LockedError'
  }
}

/** A lookup table is not what a table is; the message says what to mend. */
export class LookupError extends Error {
  constructor(table: string, problem: string) {
    super(`the lookup table '${table}' cannot be used: ${problem}`)
    this.name = 'LookupError'
  }
}
