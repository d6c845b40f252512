/** stats: group keys and aggregate calls, each with its column. Short forms (count, top, every …) expand to it. */
import type { AstAggregate, AstKey } from '../../grammar/ast.ts'
import { keyColumn, printCall, type Span, suggestName } from '../../grammar/index.ts'
import { binOrigin } from '../../runtime/helpers/time.ts'
import { Duration, type ValueType } from '../../storage/value.ts'
import type { AggregateFunction, NumberRange, Parameter, WindowFunction } from '../functions/descriptor.ts'
import { lookupAggregate } from '../functions/index.ts'
import { withArticle } from '../functions/scalar/build.ts'
import type { Expr } from '../logical/expr.ts'
import type { AggregateCall, GroupKey } from '../logical/ops.ts'
import { hasRightCount } from '../resolve/expression.ts'
import { Scope } from '../resolve/scope.ts'
import type { LowerContext, Stage } from './stage.ts'

export const stats: Stage<'stats'> = {
  kind: 'stats',
  doc: {
    summary:
      'Aggregates per group; without `by` over all rows, always one row. Null and missing keys are one group. `bin(_time, 5m)` as a key comes out as `_time`.',
    examples: [
      {
        query: 'stats count(), avg(ms) by host | sort host',
        input: '{"host":"a","ms":1}\n{"host":"a","ms":3}\n{"host":"b"}',
        output: '{"host":"a","count()":2,"avg(ms)":2}\n{"host":"b","count()":1,"avg(ms)":null}',
      },
    ],
  },
  class: 'blocks',
  order: 'loses',
  distribution: 'partial',
  lower(stage, cx) {
    const keys = stage.by.map(key => lowerKey(key, cx))
    const aggregates = stage.aggregates.flatMap(aggregate => lowerAggregate(aggregate, keys, cx) ?? [])
    const fields = new Map<string, ValueType>()
    const named: (readonly [string, ValueType, Span])[] = [
      ...keys.map((key, index) => [key.name, key.value.type, stage.by[index]!.span] as const),
      ...aggregates.map(call => [call.name, call.type, call.origin] as const),
    ]
    for (const [name, type, span] of named) {
      if (fields.has(name)) cx.report({ code: 'E106', message: `two columns would be named '${name}'; use 'as'`, span })
      fields.set(name, type)
    }
    return {
      op: { kind: 'aggregate', origin: stage.span, input: cx.input, keys, aggregates },
      scope: new Scope(fields, false),
    }
  },
}

export function lowerKey(key: AstKey, cx: LowerContext): GroupKey {
  const value = cx.exprs.expr(key.value)
  // A plain field is named as it was asked for: `by source` comes out as `source`.
  return { value, name: key.alias ?? keyColumn(key) }
}

/** `bin(_time, 5m)`: the width in nanoseconds; null for anything else. */
export function timeBinNs(expr: Expr): number | null {
  return expr.kind === 'call' && expr.args.length === 2 ? seriesWidthNs(expr) : null
}

/** The same whose bins are whole microseconds counted from 1970, which weeks are not; and of times: durations and texts have bins too. */
export function codedBinMicros(expr: Expr): number | null {
  const ns = isOfTimes(expr) ? timeBinNs(expr) : null
  return ns !== null && ns % 1000 === 0 && binOrigin(ns / 1000) === 0 ? ns / 1000 : null
}

function isOfTimes(expr: Expr): boolean {
  return expr.kind === 'call' && expr.args[0]?.type === 'datetime'
}

/** `bin(_time, 1d)`, by the clock of any zone: the width in nanoseconds, of days as they usually are. */
export function seriesWidthNs(expr: Expr): number | null {
  if (expr.kind !== 'call' || expr.function.name !== 'bin') return null
  const [field, width] = expr.args
  if (field?.kind !== 'field' || field.name !== '_time' || width?.kind !== 'literal') return null
  return width.value instanceof Duration && width.value.ns > 0 ? width.value.ns : null
}

export function lowerAggregate(ast: AstAggregate, keys: readonly GroupKey[], cx: LowerContext): AggregateCall | null {
  const found = lookupAggregate(cx.functions, ast.name)
  if (found === null) {
    reportUnknown(ast, cx)
    for (const arg of ast.args) cx.exprs.expr(arg)
    return null
  }
  const { function: fn } = found
  const given = lowerArguments(fn, ast, cx)
  if (given === null) return null
  const { args, type } = given
  const parameters = [...found.parameters, ...given.parameters]
  if (fn.takesBinSeconds === true) {
    const bin = keys.map(key => seriesWidthNs(key.value)).find(ns => ns !== null)
    if (bin !== undefined && bin !== null) parameters.unshift(bin / 1e9)
  }
  const where = ast.where === null ? null : cx.exprs.predicate(ast.where)
  const name = ast.alias ?? printCall(ast)
  return { function: fn, args, parameters, where, name, type, origin: ast.span }
}

interface Arguments {
  readonly args: readonly Expr[]
  /** Constants, in order. */
  readonly parameters: readonly number[]
  /** What the function gives for them. */
  readonly type: ValueType
}

/** Arguments counted, constants evaluated, types checked; null when they are reported as wrong. */
export function lowerArguments(
  fn: AggregateFunction | WindowFunction,
  ast: AstAggregate,
  cx: LowerContext,
): Arguments | null {
  if (!hasRightCount(fn, ast.args.length)) {
    const names = fn.parameters.map(p => (p.optional ? `[${p.name}]` : p.name)).join(', ')
    cx.report({
      code: 'E201',
      message: `${ast.name}(${names}) was given ${ast.args.length} ${ast.args.length === 1 ? 'argument' : 'arguments'}`,
      span: ast.span,
    })
    return null
  }
  const parameters: number[] = []
  const args: Expr[] = []
  for (const [index, arg] of ast.args.entries()) {
    const expr = cx.exprs.expr(arg)
    const parameter = fn.parameters[index]!
    if (parameter.constant !== true) args.push(expr)
    else if (expr.kind === 'literal' && typeof expr.value === 'number' && isWithin(expr.value, parameter.within)) {
      parameters.push(expr.value)
    } else {
      const message = `${parameter.name} of ${fn.name}() is ${rangeText(parameter)}`
      cx.report({ code: 'E206', message, span: arg.span })
    }
  }
  const type = fn.type(args.map(arg => arg.type))
  if (typeof type === 'object') {
    cx.report({ code: 'E202', message: type.problem, span: ast.args[type.argument]?.span ?? ast.span })
    return null
  }
  const taker = fn.kind === 'aggregate' ? fn : fn.meaning.kind === 'aggregate' ? fn.meaning.function : null
  const takes = taker?.takes ?? []
  for (const [index, arg] of args.entries()) {
    if (fn.parameters[index]?.type !== 'number') continue
    cx.exprs.hintStrings(arg)
    if (!NEVER_NUMBERS.has(arg.type) || takes.includes(arg.type)) continue
    cx.report({
      code: 'E202',
      message: `${fn.name}() needs ${['numbers', ...takes.map(type => `${type}s`)].join(' or ')}; this is ${withArticle(arg.type)}`,
      span: ast.args[index]!.span,
    })
  }
  return { args, parameters, type }
}

function isWithin(value: number, within: NumberRange | undefined): boolean {
  if (within === undefined) return true
  const { min, max, whole, above } = within
  if (whole === true && !Number.isInteger(value)) return false
  return (above === true ? value > min : value >= min) && value <= max
}

function rangeText({ within }: Parameter): string {
  if (within === undefined) return 'a number, written out'
  const { min, max, whole, above } = within
  const kind = whole === true ? 'a whole number' : 'a number'
  return above === true ? `${kind} above ${min}, up to ${max}` : `${kind} from ${min} to ${max}`
}

const NEVER_NUMBERS: ReadonlySet<ValueType> = new Set<ValueType>(['bool', 'datetime', 'duration', 'array', 'object'])

export function reportUnknown(ast: AstAggregate, cx: LowerContext, others: readonly WindowFunction[] = []): void {
  const { aggregates, scalars, windows } = cx.functions
  if (windows.has(ast.name)) {
    const message = `${ast.name}() looks at other rows of its group; it stands in streamstats`
    cx.report({ code: 'E204', message, span: ast.nameSpan })
    return
  }
  const names = [...aggregates.values()].flatMap(fn => (fn.family === undefined ? [fn.name] : fn.family.members))
  const foreign = [...others, ...aggregates.values()].find(fn => fn.foreign.includes(ast.name))
  const near = foreign?.name ?? suggestName(ast.name, [...names, ...others.map(fn => fn.name)])
  const isScalar = scalars.has(ast.name)
  cx.report({
    code: isScalar ? 'E204' : 'E104',
    message: isScalar ? `${ast.name}() gives a value per row; stats takes aggregates` : `no aggregate '${ast.name}'`,
    span: ast.nameSpan,
    ...(near != null && !isScalar && { suggestion: near, edit: { span: ast.nameSpan, text: near } }),
  })
}
