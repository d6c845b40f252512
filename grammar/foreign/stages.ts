/**
 * Stages of other languages in ours: each takes the text behind the word and gives the whole stage, or null when it cannot be told. The
 * stages' descriptors name them (`foreign`). What is foreign inside of the text is mended when the suggestion is read in its turn.
 */
import { canBeRaw, printString } from '../strings.ts'
import { quoteField } from '../token.ts'

/** Fields between blanks or commas, perhaps in brackets: `(a, b)`. */
function namesIn(text: string): readonly string[] | null {
  const names = text
    .trim()
    .replace(/^\(([^()]*)\)$/, '$1')
    .split(/[\s,]+/)
    .filter(name => name !== '')
  return names.length > 0 && names.every(name => /^[\w@.*]+$/.test(name))
    ? names.map(name => (name.includes('*') ? name : quoteField(name)))
    : null
}

/** The value of `name=` in `options`, without its quotes. */
function optionIn(options: string, name: string): string | null {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,]+))`, 'i').exec(options)
  return found === null ? null : (found[1] ?? found[2] ?? null)
}

function withoutOptions(text: string): string {
  return text.replace(/(?:^|\s)\w+\s*=\s*(?:"[^"]*"|[^\s,]+)/g, ' ').trim()
}

/** SPL's `chart count over a by b`. */
export function chartAsStats(body: string): string | null {
  const [, aggregates = '', over, by] =
    /^([\s\S]*?)(?:\s+over\s+([\s\S]*?))?(?:\s+by\s+([\s\S]*))?$/i.exec(body.trim()) ?? []
  if (aggregates.trim() === '') return null
  const keys = [over, by].flatMap(each => (each === undefined ? [] : each.trim().split(/[\s,]+/)))
  return `stats ${aggregates.trim()}${keys.length === 0 ? '' : ` by ${keys.join(', ')}`}`
}

/** LogsQL's `stats by (host) count() hits, avg(ms) as mean`. */
export function groupsFirst(body: string): string | null {
  const match = /^\s*by\s*\(([^()]*(?:\([^()]*\))?[^()]*)\)\s*([\s\S]+)$/i.exec(body)
  if (match === null) return null
  const aggregates = (match[2] ?? '').replace(/\)\s+(?!as\b)([A-Za-z_]\w*)/g, ') as $1')
  return `stats ${aggregates.trim()} by ${(match[1] ?? '').trim()}`
}

/** KQL's `make-series n = count() on _time step 5m by host`. */
export function seriesAsEvery(body: string): string | null {
  const match =
    /^([\s\S]+?)\s+on\s+[\w.]+\s+(?:(?:in\s+range\s*\([^|]*\)|from\s+\S+\s+to\s+\S+)\s+)?step\s+([\w.]+)(?:\s+by\s+([\s\S]+))?$/i.exec(
      body.trim(),
    )
  if (match === null) return null
  const [, aggregates = '', step = '', keys] = match
  return `every ${step}${keys === undefined ? '' : ` by ${keys.trim()}`} stats ${aggregates.replace(/\s+default\s*=\s*\S+/gi, '')}`
}

/** SPL's `bin _time span=5m`. */
export function binAsExtend(body: string): string | null {
  const span = optionIn(body, 'span')
  const [field, ...others] = withoutOptions(body).split(/\s+/)
  if (span === null || field === undefined || field === '') return null
  const name = others[0]?.toLowerCase() === 'as' ? others[1] : field
  return others.length > 0 && name === field ? null : `extend ${name} = bin(${field}, ${span})`
}

/** SPL's `makemv delim="," tags`. */
export function makemvAsSplit(body: string): string | null {
  const delimiter = optionIn(body, 'delim') ?? ' '
  const names = namesIn(withoutOptions(body))
  return names?.length === 1 ? `extend ${names[0]} = split(${names[0]}, ${printString(delimiter)})` : null
}

/** LogsQL's `copy a as b, c as d`. */
export function copyAsExtend(body: string): string | null {
  const pairs = pairsIn(body)
  return pairs === null ? null : `extend ${pairs.map(([from, to]) => `${to} = ${from}`).join(', ')}`
}

/** LogsQL's `math a + b as c`. */
export function mathAsExtend(body: string): string | null {
  const match = /^([\s\S]+?)\s+as\s+([\w.]+)\s*$/i.exec(body)
  return match === null || /\sas\s/i.test(match[1] ?? '') ? null : `extend ${match[2]} = ${match[1]}`
}

function pairsIn(body: string): (readonly [string, string])[] | null {
  const pairs = body.split(',').map(pair => /^\s*([\w@.]+)\s+(?:as\s+)?([\w@.]+)\s*$/i.exec(pair))
  return pairs.every(pair => pair !== null) ? pairs.map(pair => [pair[1] ?? '', pair[2] ?? ''] as const) : null
}

/** LogsQL's `mv a as b`. */
export function moveAsRename(body: string): string | null {
  const pairs = pairsIn(body)
  return pairs === null ? null : `rename ${pairs.map(([from, to]) => `${from} as ${to}`).join(', ')}`
}

/** KQL's `project-rename new = old` and LogQL's `label_format new=old`. */
export function assignmentsAsRename(body: string): string | null {
  const pairs = body.split(',').map(pair => /^\s*([\w@.]+)\s*=\s*([\w@.]+)\s*$/.exec(pair))
  if (!pairs.every(pair => pair !== null)) return null
  return `rename ${pairs.map(pair => `${pair[2]} as ${pair[1]}`).join(', ')}`
}

/** KQL's `project-reorder a, b`. */
export function reorderAsKeep(body: string): string | null {
  const names = namesIn(body)
  return names === null ? null : `keep ${names.join(', ')}, *`
}

export function namesAsDrop(body: string): string | null {
  const names = namesIn(body)
  return names === null ? null : `drop ${names.join(', ')}`
}

/** `distinct host`, `uniq by (host)`. */
export function namesAsDedup(body: string): string | null {
  const names = namesIn(body.replace(/^\s*by\b/i, ''))
  return names === null ? null : `dedup ${names.join(', ')} | keep ${names.join(', ')}`
}

/** `groupby host`, `group by host`. */
export function namesAsCount(body: string): string | null {
  const names = namesIn(body.replace(/^\s*by\b/i, ''))
  return names === null ? null : `count by ${names.join(', ')}`
}

/** SPL's `spath input=payload`, LogsQL's `unpack_json from payload`. */
export function spathAsParse(body: string): string | null {
  const source = optionIn(body, 'input') ?? /^\s*from\s+([\w@.]+)\s*$/i.exec(body)?.[1] ?? null
  const isPlain = withoutOptions(body).replace(/^from\s+\S+$/i, '') === '' && optionIn(body, 'path') === null
  return isPlain ? `parse json${source === null || source === '_raw' ? '' : ` from ${quoteField(source)}`}` : null
}

export function unpackAsParse(format: string): (body: string) => string | null {
  return body => {
    const source = /^\s*from\s+([\w@.]+)\s*$/i.exec(body)?.[1]
    if (source === undefined && body.trim() !== '') return null
    return `parse ${format}${source === undefined ? '' : ` from ${quoteField(source)}`}`
  }
}

/** LogQL's `regexp "(?P<user>\w+)"`. */
export function regexpAsParse(body: string): string | null {
  const pattern = stringIn(body.trim())?.replaceAll('(?P<', '(?<')
  return pattern === undefined || !canBeRaw(pattern) ? null : `parse regex r"${pattern}"`
}

/** LogQL's `pattern "<ip> - <_>"`, LogsQL's `extract "user=<user> " from msg`. */
export function patternAsParse(body: string): string | null {
  const match = /^((?:"(?:\\.|[^"\\])*"|`[^`]*`))(?:\s+from\s+([\w@.]+))?$/s.exec(body.trim())
  const pattern = match === null ? undefined : stringIn(match[1] ?? '')
  if (pattern === undefined) return null
  return `parse pattern ${printString(pattern)}${match?.[2] === undefined ? '' : ` from ${quoteField(match[2])}`}`
}

/** ES|QL's `DISSECT msg "%{ip} %{user}"`. */
export function dissectAsParse(body: string): string | null {
  const match = /^([\w@.]+)\s+("(?:\\.|[^"\\])*")$/s.exec(body.trim())
  const pattern = stringIn(match?.[2] ?? '')
  if (match === null || pattern === undefined || /%\{[^}]*[^\w.}][^}]*\}/.test(pattern)) return null
  const ours = pattern.replace(/%\{(\w[\w.]*)?\}/g, (_, name: string | undefined) => `<${name ?? '_'}>`)
  return `parse pattern ${printString(ours)} from ${quoteField(match[1] ?? '')}`
}

/** KQL's `parse msg with "user=" user " took " ms`. */
export function withAsPattern(body: string): string | null {
  const match = /^([\w@.]+)\s+with\s+([\s\S]+)$/i.exec(body.trim())
  if (match === null) return null
  const parts = (match[2] ?? '').match(/"(?:\\.|[^"\\])*"|[A-Za-z_]\w*(?:\s*:\s*\w+)?|\*|\S/g) ?? []
  const pattern: string[] = []
  for (const part of parts) {
    const text = stringIn(part)
    if (text !== undefined) pattern.push(text)
    else if (part === '*') pattern.push('<_>')
    else if (/^[A-Za-z_]/.test(part)) pattern.push(`<${part.split(/\s*:/)[0]}>`)
    else return null
  }
  // Two fields with nothing between them would have no border.
  if (/><|^<_>$/.test(pattern.join(''))) return null
  return `parse pattern ${printString(pattern.join(''))} from ${quoteField(match[1] ?? '')}`
}

function stringIn(text: string): string | undefined {
  const raw = /^`([^`]*)`$/.exec(text)?.[1]
  return raw ?? /^"((?:\\.|[^"\\])*)"$/s.exec(text)?.[1]?.replaceAll('\\"', '"')
}

/** SPL's `regex host!="^web"` and `regex "error"`. */
export function regexAsWhere(body: string): string | null {
  const match = /^(?:([\w@.]+)\s*(!?=)\s*)?("(?:\\.|[^"\\])*")$/s.exec(body.trim())
  const pattern = stringIn(match?.[3] ?? '')
  if (match === null || pattern === undefined || !canBeRaw(pattern)) return null
  return `where ${match[2] === '!=' ? 'not ' : ''}matches(${quoteField(match[1] ?? '_raw')}, r"${pattern}")`
}

/** `grep "refused"`, `grep -i refused`. */
export function grepAsWhere(body: string): string | null {
  const match = /^\s*(-v\s+|-i\s+)?(?:"([^"]*)"|([\w.-]+))\s*$/.exec(body)
  const text = match?.[2] ?? match?.[3]
  if (text === undefined) return null
  return `where ${match?.[1]?.startsWith('-v') ? 'not ' : ''}contains(_raw, ${printString(text)})`
}

/** KQL's `top 5 by ms desc`, LogsQL's `top 5 by (host)`. `n` is what stood before the `by`. */
export function topBy(n: string, body: string): string | null {
  const names = /^\s*\(/.test(body) ? namesIn(body) : null
  if (names !== null)
    return names.length === 1 ? `top ${n} ${names[0]}` : `count by ${names.join(', ')} | sort -count() | head ${n}`
  const match = /^\s*([\s\S]+?)(?:\s+(asc|desc))?(?:\s+nulls\s+(?:first|last))?\s*$/i.exec(body)
  if (match === null || (match[1] ?? '').includes(',')) return null
  const key = match[1] ?? ''
  const sorted = /^[\w@.]+$/.test(key) ? key : `(${key})`
  return `sort ${match[2]?.toLowerCase() === 'asc' ? '' : '-'}${sorted} | head ${n}`
}
