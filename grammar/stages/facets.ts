import type { AstAggregate, AstExpr, AstFacets, AstFieldRef, AstInput, AstPipeline, AstStage } from '../ast.ts'
import { quoteField } from '../token.ts'
import { numberOption, parseOptions, printOptions, type StageOption } from './options.ts'
import { aggregate, callExpr, isNameToken, parseCommaList, parseFieldRef, type StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'limit', value: 'count', doc: 'How many values of each field; 10 unless told otherwise.' },
]

/** One row a value: which field, which value, in how many rows, and their share of those that have the field. */
const COLUMNS = ['field', 'value', 'count', 'share'] as const

export const facetsSyntax: StageSyntax<AstFacets> = {
  keyword: 'facets',
  form: 'facets a, b, … [limit=<n>]',
  summary:
    'The most frequent values of each of several fields, as rows of `field`, `value`, `count` and `share`: of the rows that have the field, 0 to 1.',
  opens: /^\s+[A-Za-z_@`][\w@.`]*\s*(?:,|limit\s*=|[|;]|$)/,
  options: OPTIONS,
  parse(p, keyword) {
    const before = parseOptions(p, OPTIONS)
    const fields = parseCommaList(
      p,
      () => parseFieldRef(p),
      token => isNameToken(token, 'limit'),
    )
    const options = [...before, ...parseOptions(p, OPTIONS)]
    return { kind: 'facets', span: p.spanFrom(keyword.start), fields, options }
  },
  print: ({ fields, options }) =>
    `facets ${fields.map(field => quoteField(field.name)).join(', ')}${printOptions(options)}`,
  columns: (_, before) => ({
    ...before,
    all: COLUMNS.map(name => ({ name, text: null, source: null, madeBy: 'facets' })),
    isOpen: false,
  }),
  desugarRows(stage, rows) {
    const [first, ...others] = stage.fields.map(field => countsOf(field, stage))
    const inputs = others.map((stages): AstInput => {
      const pipeline: AstPipeline = { kind: 'pipeline', span: stage.span, from: rows, search: null, stages }
      return { kind: 'pipeline-input', span: stage.span, pipeline }
    })
    const union: AstStage[] = inputs.length === 0 ? [] : [{ kind: 'union', span: stage.span, inputs }]
    return {
      stages: [...(first ?? []), ...union],
      reason: 'facets counts the values of each field and puts the most frequent ones one below the other',
    }
  },
}

/** The values of one field that are most frequent, the frequent first; of equal ones the least. */
function countsOf(field: AstFieldRef, { span, options }: AstFacets): readonly AstStage[] {
  const column = (name: string): AstFieldRef => ({ kind: 'field', span, name })
  const named = (call: AstAggregate, alias: string): AstAggregate => ({ ...call, alias })
  const isThere: AstExpr = { kind: 'not', span, operand: callExpr('is_null', [column('value')], span) }
  const share: AstExpr = { kind: 'binary', span, operator: '/', left: column('count'), right: column('total') }
  const name: AstExpr = { kind: 'literal', span, value: { type: 'string', value: field.name, raw: false } }
  return [
    {
      kind: 'stats',
      span,
      aggregates: [named(aggregate('count', [], span), 'count')],
      by: [{ span, value: field, alias: 'value' }],
    },
    { kind: 'where', span, predicate: isThere, implicit: false },
    { kind: 'eventstats', span, aggregates: [named(aggregate('sum', [column('count')], span), 'total')], by: [] },
    {
      kind: 'sort',
      span,
      keys: [
        { span, value: column('count'), descending: true },
        { span, value: column('value'), descending: false },
      ],
    },
    { kind: 'head', span, count: numberOption(options, 'limit') ?? 10 },
    {
      kind: 'extend',
      span,
      assignments: [
        { name: 'field', nameSpan: span, value: name },
        { name: 'share', nameSpan: span, value: share },
      ],
    },
    {
      kind: 'keep',
      span,
      fields: COLUMNS.map(pattern => ({ pattern, isPattern: false, span })),
      except: [],
    },
  ]
}
