/** `SELECT … FROM …`: the pipeline that comes close, clause by clause. */
import { quoteField } from './token.ts'

const CLAUSES =
  /^\s*select\s+(.+?)\s+from\s+([\w.*-]+)(?:\s+where\s+(.+?))?(?:\s+group\s+by\s+(.+?))?(?:\s+order\s+by\s+(.+?))?(?:\s+limit\s+(\d+))?\s*;?\s*$/is
const AGGREGATE = /^([a-z]\w*)\s*\(\s*(\*|distinct\s+[\w@.]+|[\w@.]*)\s*\)(?:\s+(?:as\s+)?([A-Za-z_]\w*))?$/i
const COLUMN = /^([\w@.]+)(?:\s+as\s+([A-Za-z_]\w*))?$/i
/** What is worth translating; also bounds the regular expressions above. */
const MAX_TEXT = 2000

export function opensWithSelect(text: string): boolean {
  return /^\s*select\s+[^|]*?\sfrom\s/is.test(text.slice(0, MAX_TEXT))
}

/** Null when something in it has no counterpart here. */
export function selectAsPipeline(text: string): string | null {
  const match = text.length > MAX_TEXT ? null : CLAUSES.exec(text)
  if (match === null) return null
  const [, columns = '', index = '', where, groups, order, limit] = match
  const stages = [`from ${index}`]
  if (where !== undefined) stages.push(`where ${condition(where)}`)
  const items = columns.split(/,(?![^(]*\))/).map(c => c.trim())
  const keys = groups?.split(',').map(g => g.trim()) ?? []
  const aggregates = items.map(item => AGGREGATE.exec(item)).filter(m => m !== null)
  const plain = items.map(item => COLUMN.exec(item)).filter(m => m !== null)
  const isStar = items.length === 1 && items[0] === '*'
  if (!isStar && aggregates.length + plain.length !== items.length) return null
  if (keys.some(k => !/^[\w@.]+$/.test(k))) return null
  if (aggregates.length > 0) {
    const by = keys.length === 0 ? '' : ` by ${keys.map(quoteField).join(', ')}`
    stages.push(`stats ${aggregates.map(printAggregate).join(', ')}${by}`)
  }
  if (order !== undefined) {
    const sorted = order.split(',').map(sortKey)
    if (sorted.some(k => k === null)) return null
    stages.push(`sort ${sorted.join(', ')}`)
  }
  if (limit !== undefined) stages.push(`head ${limit}`)
  if (aggregates.length === 0 && !isStar) {
    const renamed = plain.filter(m => m[2] !== undefined)
    stages.push(`keep ${plain.map(m => quoteField(m[1] ?? '')).join(', ')}`)
    if (renamed.length > 0) {
      stages.push(`rename ${renamed.map(m => `${quoteField(m[1] ?? '')} as ${m[2]}`).join(', ')}`)
    }
  }
  return stages.join(' | ')
}

function printAggregate([, name = '', argument = '', alias]: RegExpExecArray): string {
  const distinct = /^distinct\s+(.*)$/i.exec(argument)?.[1]
  const call = distinct === undefined ? `${name.toLowerCase()}(${argument.replace('*', '')})` : `dc(${distinct})`
  return alias === undefined ? call : `${call} as ${alias}`
}

function sortKey(written: string): string | null {
  const match = /^\s*([\w@.]+(?:\s*\(\s*[\w@.*]*\s*\))?)(?:\s+(asc|desc))?\s*$/i.exec(written)
  if (match === null) return null
  const key = (match[1] ?? '').replace(/\s*\(\s*\*?\s*\)/, '()')
  return match[2]?.toLowerCase() === 'desc' ? `-${key}` : key
}

/** `=` and single quotes are mended here; what else is foreign in it is reported when the suggestion is run. */
function condition(text: string): string {
  return text
    .replace(/'((?:[^'\\]|\\.)*)'/g, (_, body: string) => `"${body.replaceAll('"', '\\"')}"`)
    .replace(/"(?:[^"\\]|\\.)*"|<>|(?<![<>!=])=(?!=)/g, m => (m === '=' ? '==' : m === '<>' ? '!=' : m))
}
