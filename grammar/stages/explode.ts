import type { AstExplode } from '../ast.ts'
import { madeColumns, withColumns } from '../columns.ts'
import { quoteField } from '../token.ts'
import { parseFieldRef, parseName, type StageSyntax } from './syntax.ts'

export const explodeSyntax: StageSyntax<AstExplode> = {
  keyword: 'explode',
  form: 'explode a [as x]',
  summary: 'A row for each element of an array.',
  opens: /^\s+[\w@`]/,
  foreign: [{ words: ['mvexpand', 'mv-expand', 'unnest'], opens: /^\s+[\w@`(]/, rewrite: expandAsExplode }],
  parse(p, keyword) {
    const field = parseFieldRef(p)
    const as = p.acceptWord('as') === null ? null : parseName(p, 'a name for the element').name
    return { kind: 'explode', span: p.spanFrom(keyword.start), field, as }
  },
  columns: ({ field, as }, before) => withColumns(before, madeColumns('explode', [as ?? field.name])),
  print: ({ field, as }) => `explode ${quoteField(field.name)}${as === null ? '' : ` as ${quoteField(as)}`}`,
}

/** `mvexpand tags`, Kusto's `mv-expand tag = tags to typeof(string)`, SQL's `unnest(tags)`. */
function expandAsExplode(body: string): string | null {
  const field = /^\(?\s*([\w@.]+)\s*\)?$/.exec(body)?.[1]
  if (field !== undefined) return `explode ${field}`
  const named = /^(\w+)\s*=\s*([\w@.]+)(?:\s+to\s+typeof\(\w+\))?$/.exec(body)
  return named === null ? null : `explode ${named[2]} as ${named[1]}`
}
