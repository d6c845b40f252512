import type { AstEvery } from '../ast.ts'
import { seriesAsEvery } from '../foreign/stages.ts'
import type { Parser } from '../parser.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import { parseAggregates, parseBy, parseWidth, printAggregates, printBy, type StageSyntax, timeBin } from './syntax.ts'

export const everySyntax: StageSyntax<AstEvery> = {
  keyword: 'every',
  form: 'every <duration> [by <key>, …] stats <aggregate>, …',
  summary: 'A time series: the aggregates of each time bin, for each group when there are keys.',
  opens: /^\s+[\d$]/,
  foreign: [
    { words: ['make-series'], opens: /^\s+\S/, rewrite: seriesAsEvery },
    { words: ['timechart'], opens: /^\s+(?:span\s*=|[a-z]\w*\s*(?:\(|by\s|$))/i, rewrite: timechart },
  ],
  parse(p, keyword) {
    const width = parseWidth(p)
    const by = parseBy(p)
    if (p.acceptWord('stats') === null) p.unexpected(["'stats'"], "'stats' and the aggregates")
    const aggregatesAt = p.peek().start
    const aggregates = parseAggregates(p)
    if (p.isWord('by') && by.length === 0) groupsFirst(p, aggregatesAt)
    return { kind: 'every', span: p.spanFrom(keyword.start), width, by, aggregates }
  },
  print({ width, by, aggregates }) {
    return `every ${printExpr(width, PRECEDENCE.postfix)}${printBy(by)} stats ${printAggregates(aggregates)}`
  },
  desugar: ({ span, width, by, aggregates }) => ({
    stages: [{ kind: 'stats', span, aggregates, by: [timeBin(width, span), ...by] }],
    reason: 'every is short for stats by a bin of _time',
  }),
}

/** As after `stats`, where one is used to writing them. */
function groupsFirst(p: Parser, aggregatesAt: number): never {
  const word = p.peek()
  const aggregates = p.text.slice(aggregatesAt, word.start).trimEnd()
  const keys = parseBy(p)
  const span = { start: word.start, end: keys.at(-1)?.span.end ?? word.end }
  const fixed = `by ${p.text.slice(keys[0]?.span.start, span.end)} stats ${aggregates}`
  const stats = p.text.lastIndexOf('stats', aggregatesAt)
  return p.fail({
    code: 'E301',
    message: "the groups of every stand before 'stats'",
    span,
    suggestion: fixed,
    edit: { span: { start: stats, end: span.end }, text: fixed },
  })
}

/** SPL's `timechart span=1m count by host`. */
function timechart(body: string): string | null {
  const options = /^((?:\w+\s*=\s*\S+\s+)*)([\s\S]*)$/.exec(body)
  const span = /\bspan\s*=\s*"?([\w.]+)/.exec(options?.[1] ?? '')?.[1] ?? '5m'
  const [, written = '', keys] = /^([\s\S]*?)(?:\s+by\s+([\s\S]*))?$/i.exec((options?.[2] ?? '').trim()) ?? []
  if (written === '') return null
  const aggregates = written.replace(
    /(^|[\s,])([A-Za-z_]\w*)(?![\w(.])(?=\s*(?:,|$|as\s))/gi,
    (_, before, name: string) => (/^as$/i.test(name) ? `${before}${name}` : `${before}${name}()`),
  )
  const by = keys === undefined ? '' : ` by ${keys.split(/[\s,]+/).join(', ')}`
  return `every ${span.replace(/min$|mins$/, 'm').replace(/sec$|secs$/, 's')}${by} stats ${fixAliases(aggregates)}`
}

/** An alias is no call. */
function fixAliases(text: string): string {
  return text.replace(/(\bas\s+\w+)\(\)/gi, '$1')
}
