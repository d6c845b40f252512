import type { AstSample } from '../ast.ts'
import { isPunctuation } from '../parser.ts'
import { numberOption, parseOptions, printOptions, type StageOption } from './options.ts'
import type { StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'seed', value: 'count', doc: 'Another number draws another sample; the same number draws the same.' },
]

export const sampleSyntax: StageSyntax<AstSample> = {
  keyword: 'sample',
  form: 'sample <n> | <n>% [seed=<n>]',
  summary: 'Some of the rows, drawn evenly: a number of them or a share. The same query draws the same rows again.',
  opens: /^\s+\d/,
  options: OPTIONS,
  parse(p, keyword) {
    const token = p.peek()
    const { literal } = token
    if (literal?.type !== 'int' && literal?.type !== 'float') p.unexpected(['a number'], 'a number of rows or a share')
    p.take()
    const value = Number((literal as { readonly value: number | bigint }).value)
    const isShare = isPunctuation(p.peek(), '%')
    if (isShare) p.take()
    const span = p.spanFrom(token.start)
    if (isShare ? value > 100 : !Number.isSafeInteger(value)) {
      p.fail({ code: 'E206', message: 'sample takes a whole number of rows, or a share up to 100%', span })
    }
    const options = parseOptions(p, OPTIONS)
    return {
      kind: 'sample',
      span: p.spanFrom(keyword.start),
      count: isShare ? null : value,
      percent: isShare ? value : null,
      options,
    }
  },
  print: ({ count, percent, options }) => `sample ${count ?? `${percent}%`}${printOptions(options)}`,
}

export const sampleSeed = (stage: AstSample): number => numberOption(stage.options, 'seed') ?? 0
