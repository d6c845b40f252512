import type { AstTee } from '../ast.ts'
import { printString } from '../strings.ts'
import type { StageSyntax } from './syntax.ts'

export const teeSyntax: StageSyntax<AstTee> = {
  keyword: 'tee',
  form: 'tee "/absolute/file"',
  summary: 'Writes the rows to a file, as NDJSON, and passes them on; on the command line only.',
  opens: /^\s+"/,
  parse(p, keyword) {
    const token = p.peek()
    if (token.literal?.type !== 'string') p.unexpected(['a string'], 'a file in quotes, such as "/tmp/errors.ndjson",')
    p.take()
    const path = token.literal?.type === 'string' ? token.literal.value : ''
    const pathSpan = { start: token.start, end: token.end }
    return { kind: 'tee', span: p.spanFrom(keyword.start), path, pathSpan }
  },
  print: ({ path }) => `tee ${printString(path)}`,
}
