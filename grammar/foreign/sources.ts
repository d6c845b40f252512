/** How SPL opens a query: `index=web`, `search index=web OR index=app earliest=-1h`. */
import type { AstFrom, AstSourceName } from '../ast.ts'
import { skipTrivia } from '../lexer.ts'
import type { Parser } from '../parser.ts'
import { parseTimePoint } from '../time-point.ts'

const INDEX = String.raw`index\s*==?\s*("?)([\w*.@-]*[\w*@])\1`
const OPENING = new RegExp(`^(?:search\\s+)?\\(?\\s*${INDEX}(?=[\\s|;)]|$)`, 'i')
const ANOTHER = new RegExp(`^\\s+or\\s+${INDEX}(?=[\\s|;)]|$)`, 'i')
const BOUND = /^\s+(earliest|latest)\s*=\s*("?)([\w.:+@-]+)\2(?=[\s|;]|$)/i
/** What is looked at of the text. */
const MAX_OPENING = 1000

/** Null when the text does not open so. */
export function parseForeignFrom(p: Parser): AstFrom | null {
  const { at } = skipTrivia(p.text, p.offset)
  const text = p.text.slice(at, at + MAX_OPENING)
  const opening = OPENING.exec(text)
  if (opening === null) return null
  const names = [opening[2] ?? '']
  let end = opening[0].length
  for (let next = ANOTHER.exec(text.slice(end)); next !== null; next = ANOTHER.exec(text.slice(end))) {
    names.push(next[2] ?? '')
    end += next[0].length
  }
  if (/^(?:search\s+)?\(/i.test(opening[0])) {
    // `(index=a OR level=b)` is more than a source.
    if (!/^\s*\)/.test(text.slice(end))) return null
    end += text.slice(end).indexOf(')') + 1
  }
  const bounds = readBounds(text, end)
  return asFrom(p, at, at + bounds.end, names, bounds.range)
}

function readBounds(text: string, start: number): { readonly end: number; readonly range: string } {
  let end = start
  const bounds = new Map<string, string>()
  for (let next = BOUND.exec(text.slice(end)); next !== null; next = BOUND.exec(text.slice(end))) {
    const point = next[3] ?? ''
    // A time we cannot read stays a search term, and is seen there.
    if (parseTimePoint(point) === null) break
    bounds.set((next[1] ?? '').toLowerCase(), point)
    end += next[0].length
  }
  const [from = '', to = ''] = [bounds.get('earliest'), bounds.get('latest')]
  if (bounds.size === 0) return { end, range: '' }
  return { end, range: to === '' ? ` [${from}]` : ` [${from}..${to}]` }
}

function asFrom(p: Parser, at: number, end: number, names: readonly string[], range: string): AstFrom {
  p.moveTo(end)
  p.watch?.mark(at, end, 'source')
  const span = p.spanFrom(at)
  const text = `from ${names.join(', ')}${range}`
  p.report({
    code: 'E307',
    message: "the index comes first, after 'from'",
    span,
    suggestion: text,
    edit: { span, text },
  })
  const source = (pattern: string): AstSourceName => ({ kind: 'source', span, pattern, exclude: false, isLet: false })
  return { kind: 'from', span, sources: names.map(source), ranges: [] }
}
