import type { AstUnion } from '../ast.ts'
import { unionColumns } from '../columns.ts'
import { parseInput, printInput, startsInput } from './inputs.ts'
import { parseCommaList, type StageSyntax } from './syntax.ts'

export const unionSyntax: StageSyntax<AstUnion> = {
  keyword: 'union',
  form: 'union $x | [pipeline], …',
  summary: 'Adds the rows of other pipelines below these, by field name.',
  opens: /^\s*[$[]/,
  foreign: [{ words: ['append'], opens: /^\s*\[/, rewrite: appendAsUnion }],
  parse(p, keyword) {
    const inputs = parseCommaList(
      p,
      () => parseInput(p),
      token => startsInput(token),
    )
    return { kind: 'union', span: p.spanFrom(keyword.start), inputs }
  },
  columns: ({ inputs }, before, columnsOf) => unionColumns([before, ...inputs.map(columnsOf)]),
  print: ({ inputs }) => `union ${inputs.map(printInput).join(', ')}`,
}

/** SPL's `append [search index=app …]`: only when what is in the brackets is ours already. */
function appendAsUnion(body: string): string | null {
  const inner = /^\[\s*(?:search\s+)?(?:index\s*=\s*([\w*.-]+)\s*)?([^[\]]*)\]$/s.exec(body)
  if (inner === null) return null
  const source = inner[1] === undefined ? '' : `from ${inner[1]} `
  return `union [${`${source}${inner[2]}`.trim()}]`
}
