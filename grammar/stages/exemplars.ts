import type { AstExemplars, AstExpr, AstFieldRef, AstKey, AstStage } from '../ast.ts'
import { printExpr } from '../print-expr.ts'
import { parseBy, parseRowCount, printBy, type StageSyntax } from './syntax.ts'

const DEFAULT_COUNT = 3

export const exemplarsSyntax: StageSyntax<AstExemplars> = {
  keyword: 'exemplars',
  form: 'exemplars [<n>] [by <key>, …]',
  summary: 'The newest whole events, of each group when there are keys, to look at; 3 without a number.',
  opens: /^\s*(?:\d|by\b|[|;]|$)/i,
  parse(p, keyword) {
    const count = parseRowCount(p) ?? DEFAULT_COUNT
    const by = parseBy(p)
    return { kind: 'exemplars', span: p.spanFrom(keyword.start), count, by }
  },
  print: ({ count, by }) => `exemplars${count === DEFAULT_COUNT ? '' : ` ${count}`}${printBy(by)}`,
  desugar({ span, count, by }) {
    const time: AstExpr = { kind: 'field', span, name: '_time' }
    const newest: AstStage = { kind: 'sort', span, keys: [{ span, value: time, descending: true }] }
    const fields: AstFieldRef[] = by.map(key => ({ kind: 'field', span: key.span, name: groupName(key) }))
    // The events come out whole: what is only computed to group them joins them as a field.
    const computed = by.filter(key => key.value.kind !== 'field' || key.alias !== null)
    const assignments = computed.map(key => ({ name: groupName(key), nameSpan: key.span, value: key.value }))
    return {
      stages: [
        ...(computed.length === 0 ? [] : [{ kind: 'extend' as const, span, assignments }]),
        newest,
        fields.length === 0 ? { kind: 'head', span, count } : { kind: 'dedup', span, count, fields },
      ],
      reason: 'exemplars sorts the newest first and keeps the first of each group',
    }
  },
}

/** Not `_time` for a bin of it: the events keep their time. */
function groupName(key: AstKey): string {
  return key.alias ?? (key.value.kind === 'field' ? key.value.name : printExpr(key.value))
}
