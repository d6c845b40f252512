/** What the cookbook is made of: real logs, and questions somebody on call asks of them. */

export interface CookbookEntry {
  readonly title: string
  /** Why one asks, and what to look at in the answer. */
  readonly why: string
  /** As it is typed, lines and all. */
  readonly query: string
}

/** One file of logs and what is asked of it. */
export interface CookbookSection {
  readonly title: string
  /** What the file is, and what a reader has to know of it. */
  readonly about: string
  /** Below the data directory. */
  readonly file: string
  /** As `--time-field`. */
  readonly timeField?: string
  /** So much that loading it takes longer than a test may: run by `npm run cookbook` and by `QUERN_LADDER=all npm test`. */
  readonly isLarge?: boolean
  readonly entries: readonly CookbookEntry[]
}
