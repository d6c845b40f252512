/** What a fuzz target is, and what it throws. */

export type Outcome = 'agreed' | 'skipped'

/** Something the program must never do, with a case file that shows it. */
export class Finding extends Error {
  readonly detail: string
  constructor(message: string, detail: string) {
    super(message)
    this.name = 'Finding'
    this.detail = detail
  }
}

export interface Target {
  readonly name: string
  readonly summary: string
  /** More skips than this share of seeds, and the target no longer tests what it says. */
  readonly skipLimit: number
  run(seed: number): Promise<Outcome>
  /** What happened in all runs so far, for a target that counts more than runs. */
  counts?(): string
}
