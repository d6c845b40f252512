/** A SELECT as a pipeline: what has a counterpart here, in the order in which it is computed. Pure text, no SQL parser. */
import { quoteField } from '../token.ts'

const NAME = '[\\w@.*-]+|"[^"]+"|`[^`]+`'
const CLAUSES = new RegExp(
  `^\\s*select\\s+(distinct\\s+)?([\\s\\S]+?)\\s+from\\s+(${NAME})(?:\\s+(?:as\\s+)?(?!where|group|having|order|limit)[a-z_]\\w*)?` +
    '(?:\\s+where\\s+([\\s\\S]+?))?(?:\\s+group\\s+by\\s+([\\s\\S]+?))?(?:\\s+having\\s+([\\s\\S]+?))?' +
    '(?:\\s+order\\s+by\\s+([\\s\\S]+?))?(?:\\s+limit\\s+(\\d+))?\\s*;?\\s*$',
  'i',
)
const AGGREGATES =
  /^(?:count|sum|avg|mean|min|max|stddev|stdev|var|variance|median|first|last|dc|estdc|mode|values|list|p\d\d)$/i
/** What is worth translating; also bounds the regular expressions above. */
const MAX_TEXT = 2000

export function opensWithSelect(text: string): boolean {
  return /^\s*select\s+[^|]*?\sfrom\s/is.test(text.slice(0, MAX_TEXT))
}

/** One of the things selected. */
interface Item {
  /** In our spelling. */
  readonly text: string
  readonly alias: string | null
  readonly isAggregate: boolean
  readonly isColumn: boolean
}

/** Null when something in it has no counterpart here. What is foreign inside of conditions is mended when the text is read. */
export function selectAsPipeline(text: string): string | null {
  const match = text.length > MAX_TEXT ? null : CLAUSES.exec(text)
  if (match === null || /\b(?:join|union|select|over|offset)\b/i.test(text.slice(text.search(/select/i) + 6)))
    return null
  const [, distinct, columns = '', index = '', where, groups, having, order, limit] = match
  const items = splitList(columns).map(itemOf)
  const isStar = items.length === 1 && items[0]?.text === '*'
  if (items.some(item => item.text === '*' && !isStar)) return null
  const stages = [`from ${index.replace(/^"(.*)"$/, '$1')}`]
  if (where !== undefined) stages.push(`where ${condition(where)}`)
  if (groups !== undefined || items.some(item => item.isAggregate)) {
    const grouped = groupStages(items, groups, having, order)
    if (grouped === null) return null
    stages.push(...grouped)
  } else {
    if (having !== undefined) return null
    const plain = plainStages(items, isStar, distinct !== undefined)
    stages.push(...plain.before)
    if (order !== undefined) stages.push(`sort ${sortKeys(order, items)}`)
    if (limit !== undefined) stages.push(`head ${limit}`)
    return [...stages, ...plain.after].join(' | ')
  }
  if (order !== undefined) stages.push(`sort ${sortKeys(order, items)}`)
  if (limit !== undefined) stages.push(`head ${limit}`)
  return stages.join(' | ')
}

/** At commas that stand in no bracket and no quotes. */
function splitList(text: string): string[] {
  const items: string[] = ['']
  let depth = 0
  for (const piece of text.match(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\s\S]/g) ?? []) {
    if (piece === '(') depth++
    if (piece === ')') depth--
    if (piece === ',' && depth === 0) items.push('')
    else items[items.length - 1] += piece
  }
  return items.map(item => item.trim())
}

function itemOf(written: string): Item {
  const named = /^([\s\S]+?)\s+as\s+(?:"([^"]+)"|`([^`]+)`|([A-Za-z_]\w*))$/i.exec(written)
  const short = named === null ? /^([\s\S]*\))\s+([A-Za-z_]\w*)$/.exec(written) : null
  const text = (named?.[1] ?? short?.[1] ?? written).trim()
  const alias = named?.[2] ?? named?.[3] ?? named?.[4] ?? short?.[2] ?? null
  const call = /^([A-Za-z_]\w*)\s*\(/.exec(text)?.[1]
  const isAggregate = call !== undefined && AGGREGATES.test(call) && text.endsWith(')')
  return { text: ourText(text), alias, isAggregate, isColumn: /^[\w@.]+$/.test(text) && !/^\d+$/.test(text) }
}

/** `COUNT(*)`, `count(distinct x)`, strings in single quotes. */
function ourText(text: string): string {
  return condition(text)
    .replace(/\bcount\s*\(\s*distinct\s+/gi, 'dc(')
    .replace(/\b(count)\s*\(\s*\*\s*\)/gi, 'count()')
    .replace(/\b(stddev|variance|mean)\s*\(/gi, (_, name: string) => `${OURS[name.toLowerCase()]}(`)
    .replace(/^([A-Za-z_]\w*)\(/, (_, name: string) => `${name.toLowerCase()}(`)
}

const OURS: Readonly<Record<string, string>> = { stddev: 'stdev', variance: 'var', mean: 'avg' }

function groupStages(
  items: readonly Item[],
  groups: string | undefined,
  having: string | undefined,
  order: string | undefined,
): string[] | null {
  const keys = (groups === undefined ? [] : splitList(groups)).map(written => {
    const item = /^\d+$/.test(written) ? items[Number(written) - 1] : items.find(each => each.alias === written)
    return item ?? itemOf(written)
  })
  const alias = (item: Item) => items.find(each => each.text === item.text)?.alias ?? item.alias
  const selected = items.filter(item => item.isAggregate)
  // What is neither grouped by nor an aggregate has no one value in a group.
  if (items.some(item => !item.isAggregate && !keys.some(key => key.text === item.text))) return null
  const asked = (ourText(`${having ?? ''} ${order ?? ''}`).match(/\b[a-z_]\w*\((?:[^()]|\([^()]*\))*\)/gi) ?? []).map(
    itemOf,
  )
  const more = asked.filter(call => call.isAggregate && !selected.some(item => item.text === call.text))
  const aggregates = [...selected, ...more].map(item => named(item.text, item.alias))
  if (aggregates.length === 0) return null
  const by = keys.length === 0 ? '' : ` by ${keys.map(key => named(key.text, alias(key))).join(', ')}`
  const stages = [`stats ${[...new Set(aggregates)].join(', ')}${by}`]
  if (having !== undefined) stages.push(`where ${withAliases(ourText(having), items)}`)
  return stages
}

function named(text: string, alias: string | null): string {
  return alias === null ? text : `${text} as ${quoteField(alias)}`
}

/** An aggregate that was given a name is a column of that name behind stats. */
function withAliases(text: string, items: readonly Item[]): string {
  return items.reduce(
    (written, { text: call, alias }) => (alias === null ? written : written.replaceAll(call, quoteField(alias))),
    text,
  )
}

function plainStages(
  items: readonly Item[],
  isStar: boolean,
  isDistinct: boolean,
): { readonly before: string[]; readonly after: string[] } {
  if (isStar) return { before: [], after: [] }
  const computed = items.filter(item => !item.isColumn)
  const nameOf = (item: Item) => item.alias ?? item.text
  const before =
    computed.length === 0
      ? []
      : [`extend ${computed.map(item => `${quoteField(nameOf(item))} = ${item.text}`).join(', ')}`]
  const source = (item: Item) => quoteField(item.isColumn ? item.text : nameOf(item))
  if (isDistinct) before.push(`dedup ${items.map(source).join(', ')}`)
  const renamed = items.filter(item => item.isColumn && item.alias !== null)
  const after = [`keep ${items.map(source).join(', ')}`]
  if (renamed.length > 0)
    after.push(
      `rename ${renamed.map(item => `${quoteField(item.text)} as ${quoteField(item.alias ?? '')}`).join(', ')}`,
    )
  return { before, after }
}

function sortKeys(order: string, items: readonly Item[]): string {
  return splitList(order)
    .map(written => {
      const [, key = written, direction] =
        /^([\s\S]+?)(?:\s+(asc|desc))?(?:\s+nulls\s+(?:first|last))?$/i.exec(written) ?? []
      const item = /^\d+$/.test(key) ? items[Number(key) - 1] : undefined
      const text = item === undefined ? withAliases(ourText(key), items) : quoteOrText(item)
      return `${direction?.toLowerCase() === 'desc' ? '-' : ''}${/^[\w@.]+(?:\([\w@.]*\))?$/.test(text) || text.startsWith('`') ? text : `(${text})`}`
    })
    .join(', ')
}

function quoteOrText(item: Item): string {
  return item.alias === null ? item.text : quoteField(item.alias)
}

/** `=` and single quotes are mended here; what else is foreign in it is reported when the suggestion is run. */
function condition(text: string): string {
  return text
    .replace(/'((?:[^'\\]|\\.)*)'/g, (_, body: string) => `"${body.replaceAll('"', '\\"')}"`)
    .replace(/"(?:[^"\\]|\\.)*"|<>|(?<![<>!=])=(?!=)/g, m => (m === '=' ? '==' : m === '<>' ? '!=' : m))
}
