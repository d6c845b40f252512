import type { AstKeep } from '../ast.ts'
import { matchesPattern, selectColumns } from '../columns.ts'
import { reorderAsKeep } from '../foreign/stages.ts'
import { quoteField } from '../token.ts'
import { parseFieldPatterns, printFieldPatterns, type StageSyntax } from './syntax.ts'

const FIELD = '(?:`[^`]*`|[\\w@.*]+)'
const FIELDS = new RegExp(`^\\s+${FIELD}(?:\\s*,\\s*${FIELD})*(?:\\s+except\\s|\\s*[|;]|\\s*$)`, 'i')

export const keepSyntax: StageSyntax<AstKeep> = {
  keyword: 'keep',
  form: 'keep a, b* | keep * except a, b',
  summary: 'Keeps these fields only, in this order.',
  opens: FIELDS,
  foreign: [
    { words: ['fields', 'table', 'project', 'select'], opens: FIELDS, rewrite: asKeep },
    { words: ['project-keep'], opens: FIELDS, rewrite: asKeep },
    { words: ['project-reorder'], opens: FIELDS, rewrite: reorderAsKeep },
  ],
  parse(p, keyword) {
    const fields = parseFieldPatterns(p, 'except')
    const except = p.acceptWord('except') === null ? [] : parseFieldPatterns(p)
    return { kind: 'keep', span: p.spanFrom(keyword.start), fields, except }
  },
  columns({ fields, except }, before) {
    const left = (name: string) =>
      !except.some(e => (e.isPattern ? matchesPattern(name, e.pattern) : e.pattern === name))
    const isOpen = before.isOpen && fields.some(field => field.isPattern)
    return { ...before, all: selectColumns(before, fields).filter(column => left(column.name)), isOpen }
  },
  print({ fields, except }) {
    return `keep ${printFieldPatterns(fields)}${except.length === 0 ? '' : ` except ${printFieldPatterns(except)}`}`
  },
}

/** `fields a b`, `table a, b`, `fields - a, b`, and KQL's `project a, b = x + 1`, which needs an extend before it. */
function asKeep(body: string): string | null {
  const [, sign = '', list = ''] = /^([+-]?)\s*([\s\S]*)$/.exec(body) ?? []
  if (/=/.test(list)) return computedKeep(list)
  const fields = list.split(/[\s,]+/).filter(f => f !== '')
  if (fields.length === 0) return null
  const written = fields.map(f => (/[*`]/.test(f) ? f : quoteField(f.replace(/^["']|["']$/g, ''))))
  return `${sign === '-' ? 'drop' : 'keep'} ${written.join(', ')}`
}

function computedKeep(list: string): string | null {
  if (/[("'[{]/.test(list)) return null
  const items = list.split(',').map(item => item.trim())
  const assignments = items.filter(item => item.includes('='))
  const names = items.map(item => item.split('=')[0]?.trim() ?? '')
  if (names.some(n => !/^[\w@.]+$/.test(n))) return null
  return `extend ${assignments.join(', ')} | keep ${names.join(', ')}`
}
