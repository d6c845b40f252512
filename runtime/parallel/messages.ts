/** What threads say to each other. Everything here survives structured cloning. */

import type { PackedBlock } from '../../storage/build/handover.ts'
import type { FieldSummary } from '../../storage/index.ts'
import type { Profile, ScanProfile } from '../profile.ts'
import type { ResultShape } from '../program.ts'
import type { LaneTask } from './lanes.ts'
import type { PartialState } from './state.ts'
import type { Packed } from './values.ts'

/** Set once at the start of a thread. */
export interface ThreadData {
  /** `CacheBudget.memory`, and the number of its share. */
  readonly cache: { readonly memory: SharedArrayBuffer; readonly share: number }
  /** What the whole queries it runs may hold together. */
  readonly poolBytes: number
  /** Whether it leaves the processor to the thread that asks. */
  readonly stepsBack: boolean
}

export interface Request {
  readonly id: number
  readonly task: LaneTask
  /** Interned values the asking thread has been told of, and of which generation of them. */
  readonly known: { readonly generation: number; readonly count: number }
  /** One int32; not 0: nobody waits for the answer any more. */
  readonly canceled: SharedArrayBuffer
}

/** What a thread is told. */
export type Order =
  | Request
  | { readonly id: number; readonly whole: WholeTask }
  /** One more batch of the answer may come. */
  | { readonly id: number; readonly more: true }
  | { readonly id: number; readonly stop: true }

/** A query that a thread runs from its scan to its answer. */
export interface WholeTask {
  /** `Program.whole` */
  readonly plan: string
  readonly query: string
  readonly hash: string
  readonly shape: ResultShape
  /** In the order of the snapshot. */
  readonly parts: readonly (string | SentPart)[]
  readonly nowMicros: number
  readonly memoryBytes: number | undefined
}

/** A part of the asking thread's memory; times are microseconds and nanoseconds. */
export interface SentPart {
  readonly id: string
  readonly index: string
  readonly sizeBytes: number
  readonly fields: readonly FieldSummary[]
  readonly blocks: readonly {
    readonly packed: PackedBlock
    readonly min: SentTime
    readonly max: SentTime
    readonly timeSorted: boolean
  }[]
}

export type SentTime = readonly [micros: number, nanos: number]

export interface WholeReply {
  readonly id: number
  readonly of:
    | { readonly batch: PackedBlock }
    | { readonly scan: ScanProfile; readonly preview: PackedBlock | null }
    | { readonly done: Profile }
    | { readonly failed: string }
}

export type Reply =
  | {
      readonly id: number
      readonly partial: PartialState
      readonly profile: Profile
      readonly generation: number
      /** Interned values from number `from` on. */
      readonly from: number
      readonly values: readonly Packed[]
    }
  | { readonly id: number; readonly failed: string }
