/**
 * Calls that other languages write and that are no function here, or one with its arguments otherwise. Where only the name differs, the
 * function's descriptor lists it (`foreign`).
 */
import type { Parser } from '../parser.ts'
import { printString } from '../strings.ts'
import { isNotNullText, isNullText } from './operators.ts'

/** Our spelling of the call from the texts of its arguments; null when it cannot be told. */
type Rewrite = (args: readonly string[]) => string | null

const UNITS: Readonly<Record<string, string>> = {
  second: '1s',
  minute: '1m',
  hour: '1h',
  day: '1d',
  week: '1w',
}

const CALLS: Readonly<Record<string, Rewrite>> = {
  ago: ([span]) => `now() - ${span}`,
  isnull: ([x]) => isNullText(`${x}`),
  isnotnull: ([x]) => isNotNullText(`${x}`),
  isempty: ([x]) => `coalesce(${x}, "") == ""`,
  isnotempty: ([x]) => `coalesce(${x}, "") != ""`,
  like: ([x, pattern]) => likeAsGlob(x, pattern),
  cidrmatch: ([range, ip]) => `cidr_match(${ip}, ${range})`,
  mvindex: ([list, index, ...more]) => (more.length > 0 ? null : `${list}[${index}]`),
  date_trunc: ([unit, time]) => {
    const span = UNITS[unit?.replace(/^["']|["']$/g, '').toLowerCase() ?? '']
    return span === undefined ? null : `bin(${time}, ${span})`
  },
  countif: ([condition]) => `count(where ${condition})`,
  count_if: ([condition]) => `count(where ${condition})`,
  dcountif: ([x, condition]) => `dc(${x}, where ${condition})`,
  sumif: ([x, condition]) => `sum(${x}, where ${condition})`,
  avgif: ([x, condition]) => `avg(${x}, where ${condition})`,
  minif: ([x, condition]) => `min(${x}, where ${condition})`,
  maxif: ([x, condition]) => `max(${x}, where ${condition})`,
}

export function isForeignCall(name: string): boolean {
  return Object.hasOwn(CALLS, name) || name === 'eval' || PERCENTILE.test(name)
}

const PERCENTILE = /^(exact)?perc(\d{1,2})$/

/** `name` has been read with its arguments, which began at `start`; reports our spelling of it. */
export function reportForeignCall(p: Parser, written: string, args: readonly string[], start: number): void {
  const name = written.toLowerCase()
  const isComplete = args.length > 0 && args.every(arg => arg !== '')
  const text = isComplete ? rewritten(p, name, args, start) : null
  const span = p.spanFrom(start)
  p.report({
    code: 'E307',
    message: text === null ? `there is no function '${written}'` : `'${written}(…)' is written otherwise here`,
    span: { start, end: start + written.length },
    ...(text !== null && text.length <= 80 && { suggestion: text }),
    ...(text !== null && { edit: { span, text } }),
  })
}

function rewritten(p: Parser, name: string, args: readonly string[], start: number): string | null {
  const percentile = PERCENTILE.exec(name)
  if (percentile !== null)
    return percentile[1] === undefined ? `p${percentile[2]}(${args[0]})` : `exactperc(${args[0]}, ${percentile[2]})`
  // `count(eval(status >= 500))` counts where it is true; `avg(eval(ms / 1000))` is the mean of the expression.
  if (name === 'eval')
    return /\bc(?:ount)?\s*\(\s*$/i.test(p.text.slice(0, start)) ? `where ${args[0]}` : (args[0] ?? null)
  return CALLS[name]?.(args) ?? null
}

function likeAsGlob(x: string | undefined, pattern: string | undefined): string | null {
  const text = /^"((?:[^"\\]|\\.)*)"$/s.exec(pattern ?? '')?.[1]
  return text === undefined ? null : `glob(${x}, ${printString(text.replaceAll('%', '*').replaceAll('_', '?'))})`
}
