/**
 * What `parse auto` takes a line for that is in no known format but is plainly a line of a logger: a time, and soon after it a
 * level in capitals. Not a format of its own, for nothing more can be said of such lines.
 */
import type { FieldDoc } from './descriptor.ts'
import { type Extractor, setSpan } from './extractor.ts'
import { fieldTable, text } from './fields.ts'
import { hasLayout, skipSpaces } from './scan.ts'
import { fractionEnd } from './times.ts'

const table = fieldTable({
  timestamp: text('as written'),
  level: text('as written: `INFO`, `WARN`, `ERROR`'),
  message: text('what follows the level'),
})
const { at } = table

export const LOG_LINE_FIELDS: readonly FieldDoc[] = table.fields

/** As they begin lines; a 0 is any digit. Longer ones first. */
const LAYOUTS = [
  '0000-00-00T00:00:00',
  '0000-00-00 00:00:00',
  '0000/00/00 00:00:00',
  '00/00/00 00:00:00',
  '000000 000000',
]
const LEVELS = new Set([
  ...['TRACE', 'DEBUG', 'INFO', 'NOTICE', 'WARN', 'WARNING', 'ERROR', 'SEVERE', 'CRITICAL', 'CRIT', 'FATAL', 'PANIC'],
  ...['VERBOSE', 'FINE', 'Info', 'Warning', 'Error', 'Debug'],
])
/** Characters after the time in which the level must begin. */
const NEAR = 64

export function createLogLine(): Extractor {
  return table.extractor((line, spans) => {
    const start = line.charCodeAt(0) === 91 ? 1 : 0
    const layout = LAYOUTS.find(each => hasLayout(line, start, each))
    if (layout === undefined) return 'no time at the start'
    const timeEnd = zoneEnd(line, fractionEnd(line, start + layout.length))
    for (let word = timeEnd; word < line.length && word < timeEnd + NEAR; word++) {
      if (!isLetter(line.charCodeAt(word))) continue
      let end = word
      while (isLetter(line.charCodeAt(end))) end++
      if (LEVELS.has(line.slice(word, end))) {
        setSpan(spans, at.timestamp, start, timeEnd)
        setSpan(spans, at.level, word, end)
        setSpan(spans, at.message, messageStart(line, end), line.length)
        return null
      }
      word = end
    }
    return 'no level after the time'
  })
}

function zoneEnd(line: string, end: number): number {
  if (line[end] === 'Z') return end + 1
  const isSigned = line[end] === '+' || line[end] === '-'
  if (!isSigned) return end
  return hasLayout(line, end + 1, '00:00') ? end + 6 : hasLayout(line, end + 1, '0000') ? end + 5 : end
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122
}

/** Behind the bracket, colon or bar that belongs to the level. */
function messageStart(line: string, end: number): number {
  const mark = line[end]
  const next = mark === ']' || mark === ':' || mark === ',' || mark === '|' ? end + 1 : end
  return skipSpaces(line, next)
}
