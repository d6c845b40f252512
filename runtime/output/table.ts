/** Rows as a table for people: numbers to the right and shortened to what is read, long cells cut with an ellipsis that says so. */
import type { Value } from '../../storage/value.ts'
import { valueToText } from '../helpers/format-value.ts'

export interface TableOptions {
  /** Columns of the terminal; cells are narrowed to fit. Null: as wide as the data. */
  readonly width: number | null
}

const CELL_MIN = 8
const GAP = '  '

export function renderTable(
  names: readonly string[],
  rows: readonly (readonly Value[])[],
  options: TableOptions,
): string {
  if (names.length === 0) return ''
  const cells = rows.map(row => names.map((_, index) => cellText(row[index])))
  const isNumeric = names.map((_, index) =>
    rows.every(row => row[index] == null || typeof row[index] === 'number' || typeof row[index] === 'bigint'),
  )
  const natural = names.map((name, index) =>
    cells.reduce((width, row) => Math.max(width, displayWidth(row[index]!)), displayWidth(name)),
  )
  const widths = fit(natural, options.width)
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => pad(cut(text, widths[index]!), widths[index]!, isNumeric[index]!))
      .join(GAP)
      .trimEnd()
  return [line(names), line(widths.map(width => '─'.repeat(width))), ...cells.map(line)]
    .map(text => `${text}\n`)
    .join('')
}

/** Narrows the widest columns until the table fits. */
function fit(natural: readonly number[], width: number | null): number[] {
  const widths = [...natural]
  if (width === null) return widths
  const room = Math.max(width - GAP.length * (widths.length - 1), CELL_MIN * widths.length)
  let total = widths.reduce((sum, w) => sum + w, 0)
  while (total > room) {
    const widest = Math.max(...widths)
    if (widest <= CELL_MIN) break
    const index = widths.indexOf(widest)
    const second = Math.max(...widths.filter((_, other) => other !== index), CELL_MIN)
    const narrowed = Math.max(CELL_MIN, Math.min(widest - 1, Math.max(second, widest - (total - room))))
    total -= widest - narrowed
    widths[index] = narrowed
  }
  return widths
}

function cellText(value: Value): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return shortened(value)
  return valueToText(value).replace(/\s*[\r\n\t]\s*/g, ' ')
}

/**
 * A fraction as far as it is read: four places, or four digits of what is smaller than one. Of a table nobody copies the sixteenth digit;
 * the other formats have them all.
 */
function shortened(value: number): string {
  const text = valueToText(value)
  if (Number.isInteger(value)) return text
  const short = valueToText(Number(Math.abs(value) >= 1 ? value.toFixed(4) : value.toPrecision(4)))
  return short.length < text.length ? short : text
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  return `${[...text].slice(0, width - 1).join('')}…`
}

function pad(text: string, width: number, right: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return right ? blanks + text : text + blanks
}

function displayWidth(text: string): number {
  let width = 0
  for (const _ of text) width++
  return width
}
