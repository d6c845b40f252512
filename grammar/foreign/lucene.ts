/** Search terms as Lucene, Kibana and LogsQL write them: `level:"a b"`, `status:[400 TO 499]`, `_exists_:user`, `_time:5m`. */
import type { Parser } from '../parser.ts'
import { quoteField } from '../token.ts'

interface Found {
  /** Where the foreign term ends. */
  readonly end: number
  /** What it is here; null when no search term can say it. */
  readonly text: string | null
}

const FIELD = '[A-Za-z_@][A-Za-z0-9_@.-]*'
const EXISTS = new RegExp(`^_exists_:(${FIELD})$`)
const SINCE = /^_time:(\d+(?:ms|s|m|h|d|w))$/
const NAME = new RegExp(`^(${FIELD}):$`)
const IN = new RegExp(`^(${FIELD}):in$`, 'i')

const VALUE = String.raw`(?:"(?:\\.|[^"\\])*"|[^\s"()[\]{},|]+)`
const RANGE = new RegExp(`^([[{])\\s*(${VALUE})\\s+TO\\s+(${VALUE})\\s*([\\]}])`, 'i')
const LIST = new RegExp(`^\\(\\s*(${VALUE}(?:(?:\\s+or\\s+|\\s*,\\s*)${VALUE})*)\\s*\\)`, 'i')
const QUOTED = /^"(?:\\.|[^"\\])*"/
const COMPARED = new RegExp(`^(>=?|<=?|=)\\s*(${VALUE})`)
const MATCHED = new RegExp(`^${FIELD}:!?~$`)
const PATTERN = /^(?:~\s*"(?:\\.|[^"\\])*"|\/(?:\\.|[^/\\])+\/)/
/** What is looked at of the text behind a word. */
const MAX_TERM = 1000

/** Reports the term that begins with `word` at `start`, and moves behind it. False when it is one of ours. */
export function reportLuceneTerm(p: Parser, word: string, start: number): boolean {
  if (!word.includes(':')) return false
  const found = luceneTerm(p.text, word, start)
  if (found === null) return false
  const span = { start, end: found.end }
  p.moveTo(found.end)
  p.watch?.mark(start, found.end, 'term')
  const { text } = found
  p.report({
    code: 'E307',
    message:
      text === null
        ? 'no search term says that; \'| where matches(f, r"…")\' does'
        : 'a field is compared with =, as in level=error',
    span,
    ...(text !== null && { suggestion: text, edit: { span, text } }),
  })
  return true
}

function luceneTerm(text: string, word: string, start: number): Found | null {
  const end = start + word.length
  const field = EXISTS.exec(word)?.[1]
  if (field !== undefined) return { end, text: `${quoteField(field)}=*` }
  const since = SINCE.exec(word)?.[1]
  // Only the first words of a query can become its source.
  const and = /^\s+and\b/i.exec(text.slice(end, end + 50))?.[0].length ?? 0
  if (since !== undefined)
    return { end: end + and, text: text.slice(0, start).trim() === '' ? `from main [-${since}]` : null }
  const name = NAME.exec(word)?.[1]
  if (MATCHED.test(word) && text[end] === '"')
    return { end: end + (QUOTED.exec(text.slice(end))?.[0].length ?? 0), text: null }
  const behind = text.slice(end, end + MAX_TERM)
  if (name !== undefined) return fieldTerm(quoteField(name), behind, end)
  const listed = IN.exec(word)?.[1]
  const list = listed === undefined ? null : LIST.exec(behind)
  return list === null ? null : { end: end + list[0].length, text: `${quoteField(listed ?? '')} in ${list[0]}` }
}

/** `behind` is what follows the colon. */
function fieldTerm(field: string, behind: string, at: number): Found | null {
  const quoted = QUOTED.exec(behind)?.[0]
  if (quoted !== undefined) return { end: at + quoted.length, text: `${field}=${quoted}` }
  const compared = COMPARED.exec(behind)
  if (compared !== null) return { end: at + compared[0].length, text: `${field}${compared[1]}${compared[2]}` }
  const range = RANGE.exec(behind)
  if (range !== null) {
    const [all, open, low = '', high = '', close] = range
    const bounds = [
      low === '*' ? '' : `${field}${open === '[' ? '>=' : '>'}${low}`,
      high === '*' ? '' : `${field}${close === ']' ? '<=' : '<'}${high}`,
    ].filter(bound => bound !== '')
    const both = bounds.length > 1 ? `(${bounds.join(' ')})` : (bounds[0] ?? `${field}=*`)
    return { end: at + all.length, text: both }
  }
  const list = LIST.exec(behind)
  if (list !== null) {
    const values = (list[1] ?? '').split(/\s+or\s+|\s*,\s*/i)
    return {
      end: at + list[0].length,
      text: values.length > 1 ? `${field} in (${values.join(', ')})` : `${field}=${values[0]}`,
    }
  }
  const pattern = PATTERN.exec(behind)?.[0]
  return pattern === undefined ? null : { end: at + pattern.length, text: null }
}
