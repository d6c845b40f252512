/** A LogQL query as a pipeline: `{app="web"} |= "error" | json | status >= 500`, and the usual ranges counted over time. */
import { canBeRaw, printString } from '../strings.ts'
import { quoteField } from '../token.ts'

/** What is worth translating. */
const MAX_TEXT = 2000
const SELECTOR = /^\{\s*[A-Za-z_]\w*\s*(?:=~|!~|!=|=)\s*["`][^}]*\}/
const METRIC =
  /^(?:(sum)\s*(?:by\s*\(([^()]*)\)\s*)?\(\s*)?(rate|count_over_time|bytes_rate|(?:sum|avg|min|max|quantile)_over_time)\s*\(\s*(?:([\d.]+)\s*,\s*)?(\{[\s\S]*?)\[\s*(\w+)\s*\]\s*\)\s*(?:by\s*\(([^()]*)\)\s*)?\)?\s*(?:by\s*\(([^()]*)\)\s*)?$/

export function opensAsLogQl(text: string): boolean {
  const start = text.slice(0, MAX_TEXT).trim()
  return SELECTOR.test(start) || (METRIC.test(start) && start.includes('{'))
}

/** Null when something in it has no counterpart here. */
export function logQlAsPipeline(text: string): string | null {
  const query = text.trim()
  if (query.length > MAX_TEXT) return null
  if (query.startsWith('{')) return selection(query)?.join(' | ') ?? null
  const [, , outer, fn = '', parameter, inner = '', range = '', between, behind] = METRIC.exec(query) ?? []
  const unwrapped = /\|\s*unwrap\s+([\w.]+)\s*$/.exec(inner.trim())?.[1] ?? null
  const stages = selection(inner.trim().replace(/\|\s*unwrap\s+[\w.]+\s*$/, ''))
  const aggregate = aggregateOf(fn, parameter, unwrapped)
  if (stages === null || aggregate === null) return null
  const keys = (outer ?? between ?? behind ?? '')
    .split(',')
    .map(key => key.trim())
    .filter(key => key !== '')
  const by = keys.length === 0 ? '' : ` by ${keys.map(quoteField).join(', ')}`
  return [...stages, `every ${range}${by} stats ${aggregate}`].join(' | ')
}

function aggregateOf(fn: string, parameter: string | undefined, field: string | null): string | null {
  if (fn === 'count_over_time') return 'count()'
  if (fn === 'rate') return field === null ? 'rate()' : null
  if (field === null) return null
  if (fn === 'quantile_over_time') {
    const percentile = Number(parameter) * 100
    return Number.isFinite(percentile) ? `perc(${quoteField(field)}, ${Math.round(percentile * 100) / 100})` : null
  }
  const name = /^(sum|avg|min|max)_over_time$/.exec(fn)?.[1]
  return name === undefined ? null : `${name}(${quoteField(field)})`
}

/** The source with its terms, then the stages. */
function selection(text: string): string[] | null {
  const selector = /^\{([^}]*)\}/.exec(text)
  if (selector === null) return null
  const terms: string[] = []
  const stages: string[] = []
  for (const [, name = '', operator = '', quoted = ''] of (selector[1] ?? '').matchAll(MATCHER)) {
    addMatcher(quoteField(name), operator, unquoted(quoted), terms, stages)
  }
  let rest = text.slice(selector[0].length).trim()
  for (let filter = FILTER.exec(rest); filter !== null; filter = FILTER.exec(rest)) {
    addFilter(filter[1] ?? '', unquoted(filter[2] ?? ''), terms, stages)
    rest = rest.slice(filter[0].length).trim()
  }
  if (rest !== '' && !rest.startsWith('|')) return null
  const source = ['from main', ...terms].join(' ')
  // What we spell otherwise is read, and mended, as a stage of ours.
  const written =
    rest === ''
      ? []
      : stagesIn(rest)
          .map(stage => stage.trim())
          .filter(stage => stage !== '')
  return [source, ...stages, ...written]
}

/** At pipes that stand in no quotes. */
function stagesIn(text: string): string[] {
  const stages: string[] = []
  for (const piece of text.match(/"(?:\\.|[^"\\])*"|`[^`]*`|[\s\S]/g) ?? []) {
    if (piece === '|') stages.push('')
    else stages[stages.length - 1] += /^`.*`$/s.test(piece) ? printString(piece.slice(1, -1)) : piece
  }
  return stages
}

const MATCHER = /([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*("(?:\\.|[^"\\])*"|`[^`]*`)/g
const FILTER = /^(\|=|\|~|!=|!~)\s*("(?:\\.|[^"\\])*"|`[^`]*`)/

function unquoted(text: string): string {
  return text.startsWith('`') ? text.slice(1, -1) : text.slice(1, -1).replace(/\\(["\\])/g, '$1')
}

/** Labels of words are search terms; patterns are conditions. */
function addMatcher(name: string, operator: string, value: string, terms: string[], stages: string[]): void {
  if (operator === '=' || operator === '!=') terms.push(`${name}${operator}${printString(value)}`)
  else if (/^[\w.-]+(?:\|[\w.-]+)+$/.test(value)) {
    terms.push(`${name} ${operator === '!~' ? 'not ' : ''}in (${value.split('|').map(printString).join(', ')})`)
  } else stages.push(`where ${operator === '!~' ? 'not ' : ''}matches(${name}, ${pattern(`^(?:${value})$`)})`)
}

function addFilter(operator: string, value: string, terms: string[], stages: string[]): void {
  if (operator === '|=' || operator === '!=') terms.push(`${operator === '!=' ? 'not ' : ''}${printString(value)}`)
  else stages.push(`where ${operator === '!~' ? 'not ' : ''}matches(_raw, ${pattern(value)})`)
}

function pattern(text: string): string {
  return canBeRaw(text) ? `r"${text}"` : printString(text)
}
