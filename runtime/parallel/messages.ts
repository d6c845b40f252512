/** What threads say to each other. Everything here survives structured cloning. */
import type { Profile } from '../profile.ts'
import type { LaneTask } from './lanes.ts'
import type { PartialState } from './state.ts'
import type { Packed } from './values.ts'

/** Set once at the start of a thread. */
export interface ThreadData {
  readonly cacheBytes: number
}

export interface Request {
  readonly id: number
  readonly task: LaneTask
  /** Interned values the asking thread has been told of, and of which generation of them. */
  readonly known: { readonly generation: number; readonly count: number }
  /** One int32; not 0: nobody waits for the answer any more. */
  readonly canceled: SharedArrayBuffer
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
