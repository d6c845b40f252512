/**
 * Waiting for what LMDB writes. When it cannot, the promise of the write says only that it failed, and what the system said comes with a
 * second promise: unless somebody listens to that too, a disk without room ends the process.
 */

/** How long what the system said may come after the failure. */
const CAUSE_MS = 1000

/** @throws what the system or LMDB said: an error whose `code` is the number of theirs. */
export async function committed(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    throw await causeOf(error)
  }
}

/** Whether an error is the system's (no room, no permission): LMDB's own numbers, which tell of its data, are negative. */
export function isOfTheSystem(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code > 0
}

async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && 'commitError' in error)) return error
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<unknown>(resolve => {
    timer = setTimeout(() => resolve(error), CAUSE_MS)
  })
  const cause = Promise.resolve(error.commitError).then(
    () => error,
    (said: unknown) => said,
  )
  return Promise.race([cause, late]).finally(() => clearTimeout(timer))
}
