/** Hints on stderr, after the rows: what the query or the data could be better at. They change nothing. */

export interface Hint {
  readonly code: string
  readonly message: string
  readonly suggestion?: string
}

/** One line; what to write instead, unless the message says so itself. */
export function hintLine({ code, message, suggestion }: Hint): string {
  const isSaid = suggestion === undefined || says(message, suggestion)
  return `hint ${code}: ${message}${isSaid ? '' : `; try ${suggestion}`}`
}

/** As words of their own: `no event has a field 'hosts'` does not say `host`. */
function says(message: string, text: string): boolean {
  return new RegExp(`(?<!\\w)${text.replace(/[^\w\s]/g, '\\$&')}(?!\\w)`).test(message)
}

export function printHints(hints: readonly Hint[]): void {
  for (const hint of hints) process.stderr.write(`${hintLine(hint)}\n`)
}
