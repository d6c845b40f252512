/** Hints on stderr, after the rows: what the query or the data could be better at. They change nothing. */

export interface Hint {
  readonly code: string
  readonly message: string
  readonly suggestion?: string
}

/** One line; what to write instead, unless the message says so itself. */
export function hintLine({ code, message, suggestion }: Hint): string {
  const isSaid = suggestion === undefined || message.includes(suggestion)
  return `hint ${code}: ${message}${isSaid ? '' : `; try ${suggestion}`}`
}

export function printHints(hints: readonly Hint[]): void {
  for (const hint of hints) process.stderr.write(`${hintLine(hint)}\n`)
}
