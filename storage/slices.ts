/** Long work of this thread, a few milliseconds at a time: whoever asks for something meanwhile waits no longer than for one step. */
import { Turn } from './turns.ts'

export interface SliceOptions<Result> {
  /** Asked between two slices; what it throws ends the work, whose own clean-up then runs. */
  readonly check?: () => void
  /** Called with the result in the turn in which it is there, before anyone waiting for it can act. */
  readonly done?: (result: Result) => void
}

export async function inSlices<Result>(
  steps: Generator<void, Result>,
  { check, done }: SliceOptions<Result> = {},
): Promise<Result> {
  let isEnded = false
  try {
    const turn = new Turn()
    for (;;) {
      check?.()
      const step = steps.next()
      if (step.done) {
        isEnded = true
        done?.(step.value)
        return step.value
      }
      if (turn.isOver) await turn.next()
    }
  } finally {
    if (!isEnded) steps.return(undefined as Result)
  }
}
