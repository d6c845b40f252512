/** One line per physical op, as explain and the profile show it. */
import { quoteField } from '../../grammar/index.ts'
import { printAggregate, printExpr, printFormatSpec, printSource, printTime, printWritten } from '../logical/print.ts'
import type { PhysicalKey, PhysicalOp } from '../physical/ops.ts'

export function labelOf(op: PhysicalOp): string {
  switch (op.kind) {
    case 'scan':
      return `scan ${printSource(op)}${op.order === 'newest-first' ? ' newest first' : ''}`
    case 'parse':
      return `parse ${printFormatSpec(op)} from ${quoteField(op.from)}`
    case 'sort': {
      const keys = op.keys.map(key => (key.descending ? `-${key.text}` : key.text)).join(', ')
      return op.limit === null ? `sort ${keys}` : `topk ${op.limit} by ${keys}`
    }
    case 'aggregate':
      return `stats ${op.aggregates.map(printAggregate).join(', ')}${by(op.keys)}`
    case 'eventstats':
      return `eventstats ${op.aggregates.map(printAggregate).join(', ')}${by(op.keys)}`
    case 'streamstats':
      return `streamstats ${op.columns.map(column => column.label).join(', ')}${by(op.keys)}`
    default:
      return printWritten(op)
  }
}

function by(keys: readonly PhysicalKey[]): string {
  return keys.length === 0 ? '' : ` by ${keys.map(key => key.text).join(', ')}`
}

const SHOWN_MAX = 160

function shortened(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX - 1)}…`
}

/** What else is worth knowing about an op; `key value` lines below it. */
export function detailsOf(op: PhysicalOp): readonly (readonly [string, string])[] {
  switch (op.kind) {
    case 'scan': {
      const time = printTime(op.time)
      if (op.nothing !== null) return [['reads nothing:', op.nothing]]
      const pushed = op.conjuncts.filter(conjunct => conjunct.isExact).map(c => printExpr(c.expr))
      const partly = op.conjuncts.filter(c => c.pushed !== null && !c.isExact).map(c => printExpr(c.expr))
      const residual = op.conjuncts.filter(conjunct => conjunct.pushed === null)
      return [
        ...(time === null ? [] : [['time', time] as const]),
        ['fields', op.fields === null ? 'all' : op.fields.map(quoteField).join(', ') || 'none'],
        ...(op.keyFilters.length > 0
          ? [['only keys of the join', op.keyFilters.map(({ field }) => quoteField(field)).join(', ')] as const]
          : []),
        ...(pushed.length > 0 ? [['pushed', pushed.join(' and ')] as const] : []),
        ...(partly.length > 0 ? [['pushed in part', partly.join(' and ')] as const] : []),
        ...residual.map(({ expr, reason }) => ['residual', `${shortened(printExpr(expr))} (${reason})`] as const),
      ]
    }
    case 'parse':
      return op.demanded === null ? [] : [['makes', op.demanded.map(quoteField).join(', ') || 'nothing that is read']]
    case 'aggregate': {
      const laws = op.aggregates.map(call => call.function.merging.law)
      const weakest = (['none', 'sketch', 'rounding'] as const).find(law => laws.includes(law)) ?? 'exact'
      const statistics = op.facts === null ? [] : [['statistics', 'of whole blocks, where they tell'] as const]
      return [['merge', weakest], ...statistics]
    }
    case 'join': {
      const held = op.type === 'semi' || op.type === 'anti' ? 'the keys of the right side' : 'the right side'
      if (op.readFirst === 'right') return [['holds', held]]
      return [
        ['reads', 'the left side first'],
        ['holds', `it, and what of ${held} can match`],
      ]
    }
    default:
      return []
  }
}
