/** A random stage of each kind, as a tree. The type makes it complete: a stage that is not here is not fuzzed. */
import {
  type AstExpr,
  type AstFormat,
  type AstJoinKey,
  type AstLookupInput,
  type AstOption,
  type AstStage,
  JOIN_TYPES,
} from '../../grammar/ast.ts'
import { FORMAT_SYNTAX, NO_SPAN, PARSE_FORMATS, parseDuration } from '../../grammar/index.ts'
import { CHANGE_MODELS } from '../../grammar/stages/changepoint.ts'
import { CORRELATE_METHODS } from '../../grammar/stages/correlate.ts'
import { OUTLIER_METHODS } from '../../grammar/stages/outliers.ts'
import { SPAN_OPTIONS } from '../../grammar/stages/spans.ts'
import { type AstGenerator, CASTS, COMPARISONS, RAW_STRINGS } from './ast.ts'

const span = NO_SPAN

export const RANDOM_STAGES: {
  readonly [K in AstStage['kind']]: (g: AstGenerator) => Extract<AstStage, { readonly kind: K }>
} = {
  where(g) {
    const implicit = g.chance(0.5)
    const [left, right] = [g.expr(2), g.expr(2)]
    const test: AstExpr = { kind: 'binary', span, operator: g.pick(COMPARISONS), left, right }
    return { kind: 'where', span, predicate: implicit ? test : g.expr(3), implicit }
  },
  parse(g) {
    const into = () => ({ name: g.fieldName(), type: g.chance(0.5) ? g.pick(CASTS) : null, span })
    return {
      kind: 'parse',
      span,
      ...randomFormat(g, 2),
      from: g.chance(0.4) ? g.field() : null,
      into: g.chance(0.4) ? g.some(1, 3, into) : null,
      prefix: g.chance(0.3) ? g.pick(['p_', 'http.', 'in', 'a b']) : null,
      onError: g.chance(0.3) ? g.pick(['propagate', 'null', 'drop', 'strict'] as const) : null,
    }
  },
  extend: g => ({ kind: 'extend', span, assignments: g.some(1, 3, () => g.assignment()) }),
  keep: g => ({
    kind: 'keep',
    span,
    fields: g.some(1, 3, () => g.fieldPattern()),
    except: g.some(0, 2, () => g.fieldPattern()),
  }),
  drop: g => ({ kind: 'drop', span, fields: g.some(1, 3, () => g.fieldPattern()) }),
  rename(g) {
    const pair = () => ({ from: g.field(), to: g.fieldName(), toSpan: span })
    return { kind: 'rename', span, pairs: g.some(1, 2, pair) }
  },
  stats: g => ({ kind: 'stats', span, aggregates: g.aggregates(), by: g.by() }),
  eventstats: g => ({ kind: 'eventstats', span, aggregates: g.aggregates(), by: g.unnamedBy() }),
  streamstats: g => ({
    kind: 'streamstats',
    span,
    options: randomOptions(g, {
      window: () => countLiteral(1 + g.below(9)),
      current: () => boolLiteral(g.chance(0.5)),
    }),
    aggregates: g.aggregates(),
    by: g.unnamedBy(),
  }),
  sort: g => ({ kind: 'sort', span, keys: g.some(1, 2, () => g.sortKey()) }),
  head: g => ({ kind: 'head', span, count: g.below(100) }),
  tail: g => ({ kind: 'tail', span, count: g.below(100) }),
  dedup: g => ({ kind: 'dedup', span, count: 1 + g.below(3), fields: g.some(1, 3, () => g.field()) }),
  describe: () => ({ kind: 'describe', span }),
  sample(g) {
    const isShare = g.chance(0.5)
    const options = randomOptions(g, { seed: () => countLiteral(1 + g.below(9)) })
    return {
      kind: 'sample',
      span,
      count: isShare ? null : g.below(50),
      percent: isShare ? g.below(100) : null,
      options,
    }
  },
  fill: g => ({ kind: 'fill', span, width: g.chance(0.5) ? g.duration() : null }),
  xyseries: g => ({
    kind: 'xyseries',
    span,
    x: g.field(),
    y: g.field(),
    value: g.field(),
    options: randomOptions(g, { limit: () => countLiteral(1 + g.below(99)) }),
  }),
  rollup: g => ({
    kind: 'rollup',
    span,
    widths: g.some(1, 3, () => g.duration()),
    by: g.by(),
    aggregates: g.chance(0.5) ? g.aggregates() : [],
  }),
  sessionize: g => ({
    kind: 'sessionize',
    span,
    options: randomOptions(g, { maxpause: () => positive(g), maxspan: () => positive(g) }),
    by: randomKeys(g),
  }),
  transaction(g) {
    const options = randomOptions(g, {
      maxspan: () => positive(g),
      maxpause: () => positive(g),
      maxevents: () => countLiteral(1 + g.below(9)),
      startswith: () => g.expr(2),
      endswith: () => g.expr(2),
    })
    return { kind: 'transaction', span, keys: g.some(options.length > 0 ? 0 : 1, 2, () => g.field()), options }
  },
  trace: g => ({ kind: 'trace', span, options: randomOptions(g, { ...spanOptions(g), name: () => g.field() }) }),
  topology: g => ({
    kind: 'topology',
    span,
    options: randomOptions(g, { caller: () => g.field(), callee: () => g.field(), ...spanOptions(g) }),
  }),
  correlate: g => ({
    kind: 'correlate',
    span,
    values: g.some(2, 3, () => g.expr(1)),
    options: randomOptions(g, { method: () => wordOf(g, CORRELATE_METHODS) }),
  }),
  outliers: g => ({
    kind: 'outliers',
    span,
    options: [
      { name: 'field', nameSpan: span, value: g.expr(1) },
      ...randomOptions(g, {
        method: () => wordOf(g, OUTLIER_METHODS),
        threshold: () => countLiteral(g.below(5)),
        mark: () => ({ kind: 'literal', span, value: { type: 'bool', value: g.chance(0.5) } }),
      }),
    ],
    by: randomKeys(g),
  }),
  context: g => ({
    kind: 'context',
    span,
    count: g.below(9),
    options: randomOptions(g, { before: () => countLiteral(g.below(9)), after: () => countLiteral(g.below(9)) }),
    by: randomKeys(g),
  }),
  diff: g => ({
    kind: 'diff',
    span,
    predicate: g.expr(3),
    options: randomOptions(g, {
      limit: () => countLiteral(1 + g.below(9)),
      distinct: () => countLiteral(1 + g.below(9)),
    }),
  }),
  changepoint: g => ({
    kind: 'changepoint',
    span,
    value: g.expr(1),
    options: randomOptions(g, { model: () => wordOf(g, CHANGE_MODELS), penalty: () => countLiteral(g.below(9)) }),
    by: randomKeys(g),
  }),
  forecast: g => ({
    kind: 'forecast',
    span,
    value: g.expr(1),
    count: g.below(50),
    options: randomOptions(g, { season: () => positive(g), confidence: () => countLiteral(1 + g.below(99)) }),
    by: randomKeys(g),
  }),
  patterns: g => ({
    kind: 'patterns',
    span,
    options: randomOptions(g, { field: () => g.field(), limit: () => countLiteral(1 + g.below(99)) }),
  }),
  join: g => ({
    kind: 'join',
    span,
    type: g.chance(0.5) ? null : g.pick(JOIN_TYPES),
    on: g.some(1, 2, () => joinKey(g)),
    with: g.chance(0.2) ? lookupTable(g) : g.input(),
    as: g.chance(0.3) ? g.fieldName() : null,
  }),
  lookup: g => ({
    kind: 'lookup',
    span,
    table: lookupTable(g),
    on: g.some(1, 2, () => joinKey(g)),
    as: g.chance(0.3) ? g.fieldName() : null,
  }),
  explode: g => ({ kind: 'explode', span, field: g.field(), as: g.chance(0.5) ? g.fieldName() : null }),
  tee: g => ({ kind: 'tee', span, path: g.pick(['/tmp/rows.ndjson', '/tmp/say "hi"']), pathSpan: span }),
  use: g => ({ kind: 'use', span, name: g.pick(['errors', 'odd name', 'in']), nameSpan: span }),
  compare: g => ({ kind: 'compare', span, back: g.chance(0.7) ? g.duration() : null }),
  union: g => ({ kind: 'union', span, inputs: g.some(1, 2, () => g.input()) }),
  count: g => ({ kind: 'count', span, by: g.by() }),
  top: g => ({ kind: 'top', span, count: 1 + g.below(12), field: g.field(), by: g.by() }),
  rare: g => ({ kind: 'rare', span, count: 1 + g.below(12), field: g.field(), by: g.by() }),
  every: g => ({ kind: 'every', span, width: g.duration(), by: g.by(), aggregates: g.aggregates() }),
  rate: g => ({ kind: 'rate', span, per: g.chance(0.5) ? g.duration() : null, by: g.by() }),
  baseline: g => ({
    kind: 'baseline',
    span,
    field: g.expr(1),
    options: randomOptions(g, { window: () => countLiteral(1 + g.below(9)) }),
    by: g.unnamedBy(),
  }),
  changes: g => ({ kind: 'changes', span, field: g.expr(1), by: g.unnamedBy() }),
  latency: g => ({ kind: 'latency', span, field: g.expr(1), every: g.chance(0.5) ? g.duration() : null, by: g.by() }),
  proportion: g => ({
    kind: 'proportion',
    span,
    predicate: g.expr(2),
    name: g.fieldName(),
    every: g.chance(0.5) ? g.duration() : null,
    by: g.by(),
  }),
  impact: g => ({
    kind: 'impact',
    span,
    value: g.chance(0.7) ? (g.aggregates()[0] ?? null) : null,
    by: g.some(1, 2, () => g.key()),
  }),
  facets: g => ({
    kind: 'facets',
    span,
    fields: g.some(1, 3, () => g.field()),
    options: randomOptions(g, { limit: () => countLiteral(1 + g.below(9)) }),
  }),
  exemplars: g => ({ kind: 'exemplars', span, count: 1 + g.below(5), by: g.by() }),
  percentiles: g => ({ kind: 'percentiles', span, field: g.expr(1), by: g.by() }),
}

function spanOptions(g: AstGenerator): Readonly<Record<string, () => AstExpr>> {
  return Object.fromEntries(
    SPAN_OPTIONS.map(({ name, value }) => [name, () => (value === 'predicate' ? g.expr(2) : g.field())]),
  )
}

/** Keys of a `by` that makes no columns: expressions without a name. */
function randomKeys(g: AstGenerator): AstExpr[] {
  return g.some(0, 2, () => g.expr(1))
}

/** Some of the options a stage has, in the order given. */
export function randomOptions(g: AstGenerator, values: Readonly<Record<string, () => AstExpr>>): AstOption[] {
  return Object.entries(values).flatMap(([name, value]) =>
    g.chance(0.4) ? [{ name, nameSpan: span, value: value() }] : [],
  )
}

function joinKey(g: AstGenerator): AstJoinKey {
  const left = g.field()
  return { span, left, right: g.chance(0.6) ? left : g.field() }
}

function lookupTable(g: AstGenerator): AstLookupInput {
  return { kind: 'lookup-input', span, name: g.pick(['users', 'odd name', 'in', 'http.codes']), nameSpan: span }
}

export function countLiteral(value: number): AstExpr {
  return { kind: 'literal', span, value: { type: 'int', value: BigInt(value) } }
}

export function boolLiteral(value: boolean): AstExpr {
  return { kind: 'literal', span, value: { type: 'bool', value } }
}

/** Options are lengths of time, and a length is not negative. */
function positive(g: AstGenerator): AstExpr {
  const text = g.pick(['0s', '1ns', '1.5s', '5m', '1h30m', '90d'])
  return { kind: 'literal', span, value: { type: 'duration', ns: parseDuration(text) ?? 0, text } }
}

/** One of the words of a choice. */
export function wordOf(g: AstGenerator, words: readonly string[]): AstExpr {
  return { kind: 'field', span, name: g.pick(words) }
}

function randomFormat(g: AstGenerator, depth: number): AstFormat {
  const format = g.pick(PARSE_FORMATS.filter(name => name !== 'first_of' || depth > 0))
  if (format === 'first_of') {
    return { format, pattern: null, options: [], alternatives: g.some(1, 3, () => randomFormat(g, depth - 1)) }
  }
  const text = g.pick([...RAW_STRINGS, '<ip> - <user> [<ts>] "<path>"', '%{IP:ip} "%{WORD}"'])
  const { options, text: example } = FORMAT_SYNTAX[format]
  const option = () => ({ name: g.pick(options), value: g.pick([';', ' ', '=', '"', 'a,b']), span })
  return {
    format,
    pattern: example === null ? null : { text, span, textSpan: null },
    options: options.length === 0 ? [] : g.some(0, 2, option),
    alternatives: [],
  }
}
