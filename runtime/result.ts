/** What a running query hands to its caller. */
import type { Batch } from './batch.ts'
import type { Profile } from './profile.ts'
import type { ResultShape } from './program.ts'

export interface QueryResult {
  readonly shape: ResultShape
  /** Pulls the query along: nothing runs ahead of the reader by more than one batch. Leaving the loop early cancels. */
  batches(): AsyncIterable<Batch>
  /** Instead of `batches()`: runs to the end, measures what a reader would have computed, and throws the rows away. */
  drain(): Promise<void>
  /**
   * What the result looks like so far, while an aggregation runs: of the rows this thread has read, so a glimpse and no more. Null: there is
   * nothing to show, or showing it would hold the query up.
   */
  preview(): readonly Batch[] | null
  /** Complete once `batches()` has ended. */
  readonly profile: Profile
  cancel(): void
}
