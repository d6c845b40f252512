/** Comma-separated values as RFC 4180 has them: quotes around what holds commas, quotes or line ends; the first row names the columns. */

/** Rows of cells, as written; blank lines are no rows. @throws {SyntaxError} naming the line of a quote that never ends */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  const endRow = (): void => {
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  while (at < text.length || row.length > 0) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, at) : bareCell(text, at)
    row.push(cell)
    at = end
    if (text[at] === ',') {
      at++
      // A comma at the very end has an empty cell behind it.
      if (at === text.length) row.push('')
      else continue
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++
    at++
    endRow()
  }
  return rows
}

function bareCell(text: string, from: number): { readonly cell: string; readonly end: number } {
  CELL.lastIndex = from
  const cell = CELL.exec(text)?.[0] ?? ''
  return { cell, end: from + cell.length }
}

const CELL = /[^,\n\r]*(?:\r(?!\n)[^,\n\r]*)*/y

function quotedCell(text: string, from: number): { readonly cell: string; readonly end: number } {
  let cell = ''
  let at = from + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) {
      const line = text.slice(0, from).split('\n').length
      throw new SyntaxError(`the quote in line ${line} never ends`)
    }
    cell += text.slice(at, quote)
    at = quote + 1
    if (text[at] !== '"') break
    cell += '"'
    at++
  }
  // What stands between a closing quote and the comma belongs to the cell.
  const rest = bareCell(text, at)
  return { cell: cell + rest.cell, end: rest.end }
}
