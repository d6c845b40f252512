/**
 * Random queries, as trees: every stage and every kind of expression, with names and strings that need quoting. Each tree
 * is one the parser could have made, so printing and parsing it must give it back. Spans are empty.
 */
import type {
  AstAggregate,
  AstExpr,
  AstFieldPattern,
  AstFieldRef,
  AstFrom,
  AstInput,
  AstKey,
  AstPipeline,
  AstQuery,
  AstSortKey,
  AstStage,
  AstTimePoint,
  BinaryOperator,
  CastType,
  LiteralValue,
} from '../../grammar/ast.ts'
import { formatDuration, NO_SPAN, parseDateTime, parseDuration, parseTimePoint } from '../../grammar/index.ts'

import { RANDOM_STAGES } from './ast-stages.ts'

const span = NO_SPAN

const FIELDS = ['a', 'status', 'host', 'http.status', 'ms', '_time', '@timestamp', 'level', 'k8s.pod.name']
const ODD_FIELDS = [
  'user-id',
  'in',
  'Null',
  'x y',
  'ti`ck',
  'count',
  'by',
  'as',
  'where',
  'desc',
  'like',
  'é',
  '',
  '1st',
  'limit',
]
const STRINGS = [
  '',
  'error',
  'a b',
  'web-*',
  '500',
  'true',
  'say "hi"',
  'back\\slash',
  'tab\tnew\nline',
  '😀',
  '\u0000',
  "it's",
]
export const RAW_STRINGS = ['\\d+', '(?<n>[a-z]+)', 'plain', 'say \\"x\\"', '']
const FUNCTIONS = ['lower', 'len', 'has', 'if', 'coalesce', 'count', 'bin', 'rate', 'p99', 'is_null']
export const CASTS: readonly CastType[] = ['int', 'float', 'string', 'bool', 'datetime', 'duration']
const WORDS = [
  'timeout',
  '10.0.0.1',
  'req-42',
  'count',
  'from',
  'where',
  'in',
  'head',
  'a*b',
  "can't",
  'http://x/y?z',
  '404',
  'true',
]
const GLOBS = ['time*', '*out', 't?meout', 'web-\\**']
const DATE_TIMES = ['2026-06-01T00:00:00Z', '2026-06-01T12:30:00.123456789+02:00', '2026-06-01']
const TIME_POINTS = ['-1h', 'now', '@d', '-1h@h', '+5m', '-1.5d@mon', '2026-06-01T00:00:00Z', '2026-06-01']
const OPERATORS: readonly BinaryOperator[] = [
  'or',
  'and',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '??',
  '+',
  '-',
  '*',
  '/',
  '%',
]
export const COMPARISONS: readonly BinaryOperator[] = ['==', '!=', '<', '<=', '>', '>=']

/** `random` gives numbers in [0, 1); the same numbers give the same query. */
export function randomQuery(random: () => number): AstQuery {
  const g = new AstGenerator(random)
  const lets = g.chance(0.1)
    ? [{ kind: 'let' as const, span, name: g.pick(['recent', 'x1']), nameSpan: span, pipeline: g.pipeline() }]
    : []
  return { kind: 'query', span, lets, pipeline: g.pipeline() }
}

/** One random expression, for tests of expressions alone. */
export function randomExpr(random: () => number, depth = 4): AstExpr {
  return new AstGenerator(random).expr(depth)
}

export class AstGenerator {
  readonly #random: () => number
  #nested = false

  constructor(random: () => number) {
    this.#random = random
  }

  below(n: number): number {
    return Math.min(n - 1, Math.floor(this.#random() * n))
  }

  chance(p: number): boolean {
    return this.#random() < p
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  some<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make)
  }

  fieldName(): string {
    return this.chance(0.75) ? this.pick(FIELDS) : this.pick(ODD_FIELDS)
  }

  field(): AstFieldRef {
    return { kind: 'field', span, name: this.fieldName() }
  }

  // ── Pipeline ──────────────────────────────────────────────────────────────────────────────────────────────────────

  pipeline(): AstPipeline {
    const from = this.chance(0.6) ? this.from() : null
    const search = this.chance(0.5) ? this.search(3) : null
    return { kind: 'pipeline', span, from, search, stages: this.some(0, 4, () => this.stage()) }
  }

  from(): AstFrom {
    const sources = this.some(1, 3, () => {
      const isLet = this.chance(0.1)
      const pattern = isLet ? 'recent' : this.pick(['main', 'app-*', '*', 'mv_x', 'app.v2-prod', 'odd name'])
      return { kind: 'source' as const, span, pattern, exclude: this.chance(0.2), isLet }
    })
    const ranges = this.some(0, 2, () => {
      const from = this.chance(0.8) ? this.timePoint() : null
      const to = from === null || this.chance(0.4) ? this.timePoint() : null
      return { kind: 'time-range' as const, span, from, to }
    })
    return { kind: 'from', span, sources, ranges }
  }

  timePoint(): AstTimePoint {
    return parseTimePoint(this.pick(TIME_POINTS)) ?? { kind: 'relative', span, offsetNs: 0, text: 'now', snap: null }
  }

  // ── Search terms ──────────────────────────────────────────────────────────────────────────────────────────────────

  search(depth: number): AstExpr {
    const kind = depth === 0 ? 3 : this.below(6)
    if (kind < 2) {
      const [left, right] = [this.search(depth - 1), this.search(depth - 1)]
      return { kind: 'binary', span, operator: kind === 0 ? 'or' : 'and', left, right }
    }
    if (kind === 2) return { kind: 'not', span, operand: this.search(depth - 1) }
    return this.term()
  }

  term(): AstExpr {
    const raw: AstExpr = { kind: 'field', span, name: '_raw' }
    switch (this.below(9)) {
      case 0:
        return this.call('contains', [raw, this.string(this.pick(STRINGS))])
      case 1:
        return this.call('has_glob', [raw, this.string(this.pick(GLOBS))])
      case 2:
        return this.call('glob', [this.field(), this.string(this.pick(GLOBS))])
      case 3:
        return this.call('exists', [this.field()])
      case 4:
        return { kind: 'binary', span, operator: this.pick(COMPARISONS), left: this.field(), right: this.searchValue() }
      case 5: {
        const list: AstExpr = { kind: 'array', span, elements: this.some(0, 3, () => this.searchLiteral()) }
        return { kind: 'in', span, operand: this.field(), list, negated: this.chance(0.3) }
      }
      case 6:
        return { kind: 'literal', span, value: { type: 'bool', value: true } }
      default:
        return this.call('has', [raw, this.string(this.pick(WORDS))])
    }
  }

  searchValue(): AstExpr {
    return this.chance(0.1) ? { kind: 'variable', span, name: 'v' } : this.searchLiteral()
  }

  searchLiteral(): AstExpr {
    const values: readonly LiteralValue[] = [
      { type: 'int', value: BigInt(this.below(1000) - 500) },
      { type: 'float', value: this.pick([1.5, -0.25, 1234.5]) },
      { type: 'bool', value: this.chance(0.5) },
      { type: 'null' },
      { type: 'string', value: this.pick(STRINGS), raw: false },
      { type: 'string', value: this.pick(RAW_STRINGS), raw: true },
    ]
    return { kind: 'literal', span, value: this.pick(values) }
  }

  // ── Parts of stages ───────────────────────────────────────────────────────────────────────────────────────────────

  stage(): AstStage {
    const kinds = Object.keys(RANDOM_STAGES) as AstStage['kind'][]
    return RANDOM_STAGES[this.pick(kinds)](this)
  }

  /** Rows of another pipeline; one in another is as deep as they nest here. */
  input(): AstInput {
    if (this.#nested || this.chance(0.4)) return { kind: 'let-input', span, name: this.pick(['recent', 'x1']) }
    this.#nested = true
    const pipeline = this.pipeline()
    this.#nested = false
    return { kind: 'pipeline-input', span, pipeline }
  }

  assignment(): { readonly name: string; readonly nameSpan: typeof span; readonly value: AstExpr } {
    return { name: this.fieldName(), nameSpan: span, value: this.expr(3) }
  }

  fieldPattern(): AstFieldPattern {
    if (this.chance(0.3)) return { pattern: this.pick(['*', 'http.*', '*_id', 'a*b', 'user-*']), isPattern: true, span }
    return { pattern: this.fieldName(), isPattern: false, span }
  }

  aggregates(): AstAggregate[] {
    return this.some(1, 3, () => {
      const name = this.pick(['count', 'avg', 'p95', 'dc', 'perc'])
      const where = this.chance(0.3) ? this.expr(2) : null
      return { span, name, nameSpan: span, args: this.some(0, 2, () => this.expr(2)), where, alias: this.alias() }
    })
  }

  key(): AstKey {
    return { span, value: this.chance(0.6) ? this.field() : this.expr(2), alias: this.alias() }
  }

  by(): AstKey[] {
    return this.chance(0.5) ? this.some(1, 2, () => this.key()) : []
  }

  unnamedBy(): AstKey[] {
    return this.by().map(key => ({ ...key, alias: null }))
  }

  alias(): string | null {
    return this.chance(0.4) ? this.fieldName() : null
  }

  sortKey(): AstSortKey {
    return { span, value: this.chance(0.6) ? this.field() : this.expr(2), descending: this.chance(0.5) }
  }

  // ── Expressions ───────────────────────────────────────────────────────────────────────────────────────────────────

  expr(depth: number): AstExpr {
    if (depth === 0) return this.leaf()
    const next = () => this.expr(depth - 1)
    switch (this.below(15)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return { kind: 'binary', span, operator: this.pick(OPERATORS), left: next(), right: next() }
      case 4:
        return { kind: 'not', span, operand: next() }
      case 5:
        return { kind: 'negate', span, operand: next() }
      case 6:
        return { kind: 'in', span, operand: next(), list: next(), negated: this.chance(0.4) }
      case 7:
        return { kind: 'between', span, operand: next(), low: next(), high: next(), negated: this.chance(0.4) }
      case 8:
        return { kind: 'member', span, object: next(), name: this.memberName(), optional: this.chance(0.3) }
      case 9:
        return { kind: 'index', span, object: next(), index: next() }
      case 10:
        return { kind: 'array', span, elements: this.some(0, 3, next) }
      case 11:
        return { kind: 'object', span, members: this.some(0, 3, () => ({ name: this.memberName(), value: next() })) }
      case 12:
        return this.lambdaCall(next)
      case 13: {
        const where = this.chance(0.3) ? next() : null
        return { ...this.call(this.pick(FUNCTIONS), this.some(0, 3, next)), where }
      }
      default:
        return this.leaf()
    }
  }

  memberName(): string {
    return this.pick(['b', 'in', 'x-y', 'status', 'a.b', ''])
  }

  lambdaCall(next: () => AstExpr): AstExpr {
    const lambda: AstExpr = { kind: 'lambda', span, parameter: this.pick(['x', 'user-id', 'where']), body: next() }
    return this.call(this.pick(['any', 'all', 'filter', 'map']), [this.field(), lambda])
  }

  leaf(): AstExpr {
    switch (this.below(8)) {
      case 0:
        return { kind: 'variable', span, name: this.pick(['x', 'threshold']) }
      case 1:
        return { ...this.call(this.pick(CASTS), [this.field()]), strict: this.chance(0.5) }
      case 2:
      case 3:
      case 4:
        return this.field()
      default:
        return { kind: 'literal', span, value: this.literal() }
    }
  }

  literal(): LiteralValue {
    switch (this.below(8)) {
      case 0:
        return { type: 'null' }
      case 1:
        return { type: 'bool', value: this.chance(0.5) }
      case 2:
        return { type: 'int', value: this.pick([0n, 5n, -7n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n]) }
      case 3:
        return { type: 'float', value: this.pick([0.5, 2, -3, 1e21, 1.5e-7, -0, 1e20, 5e-324]) }
      case 4:
        return { type: 'string', value: this.pick(RAW_STRINGS), raw: true }
      case 5:
        return this.durationValue()
      case 6: {
        const text = this.pick(DATE_TIMES)
        return { type: 'datetime', text, ...(parseDateTime(text) ?? { micros: 0, nanos: 0 }) }
      }
      default:
        return { type: 'string', value: this.pick(STRINGS), raw: false }
    }
  }

  durationValue(): LiteralValue {
    const text = formatDuration(this.pick([0, 1, 250e6, 60e9, 5400e9, 86400e9 * 90, -300e9, 1.5e9]))
    return { type: 'duration', ns: parseDuration(text) ?? 0, text }
  }

  duration(): AstExpr {
    return { kind: 'literal', span, value: this.durationValue() }
  }

  string(value: string): AstExpr {
    return { kind: 'literal', span, value: { type: 'string', value, raw: false } }
  }

  call(name: string, args: readonly AstExpr[]): Extract<AstExpr, { kind: 'call' }> {
    return { kind: 'call', span, name, nameSpan: span, args, where: null, strict: false }
  }
}
