/** What became of the events of one request: counts, and the first hundred failures by name. */

export interface IngestError {
  /** Which event of the request, from 0. */
  readonly index: number
  /** Which line of the body, from 1, where that is how the body is counted. */
  readonly line?: number
  readonly code: string
  readonly message: string
}

const MOST_ERRORS = 100

export class FailureTally {
  failed = 0
  readonly errors: IngestError[] = []

  add(error: IngestError, count = 1): void {
    this.failed += count
    if (this.errors.length < MOST_ERRORS) this.errors.push(error)
  }
}
