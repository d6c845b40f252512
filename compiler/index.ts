/** Text to program. Pure: the clock, the catalog and the variables arrive in the options; the same input gives the same output. */
import type { AstQuery } from '../grammar/ast.ts'
import { CompileError, type Diagnostic } from '../grammar/diagnostics.ts'
import {
  desugar,
  type Expanded,
  expandFragments,
  formatDuration,
  NO_FRAGMENTS,
  NO_SPAN,
  parse,
  print,
  printStage,
  quoteField,
  type SourceText,
  type Span,
} from '../grammar/index.ts'
import { evaluateConstant } from '../runtime/evaluate-constant.ts'
import { StrictCastError } from '../runtime/helpers/errors.ts'
import type { AggregateSpec, OperatorSpec, ResultShape } from '../runtime/program.ts'
import type { TimeRange } from '../storage/predicate.ts'
import type { Value } from '../storage/value.ts'
import { emitExtend } from './codegen/extend.ts'
import { FUNCTIONS } from './functions/index.ts'
import { MUCH_DATA_ROWS, planHints } from './hints/plan-hints.ts'
import { searchHints } from './hints/search-hints.ts'
import type { NamedField } from './hints/unseen-fields.ts'
import type { Expr } from './logical/expr.ts'
import type { LogicalOp } from './logical/ops.ts'
import { printExpr, printPlan } from './logical/print.ts'
import { readsClock } from './logical/pure.ts'
import { traitsOf } from './logical/traits.ts'
import { chainOf, fieldsOf, inputsOf } from './logical/walk.ts'
import { RULES } from './optimise/index.ts'
import { changedLines, type PassContext, type Rule } from './pass.ts'
import { choose } from './physical/choose.ts'
import { type PhysicalOp, type PhysicalScan, physicalInputs, scansIn } from './physical/ops.ts'
import { splitsOf, wholePlanOf } from './physical/split-plan.ts'
import { unpackPlan } from './physical/transfer.ts'
import { assemble } from './program/assemble.ts'
import { labelOf } from './program/labels.ts'
import type { Resolved } from './resolve/context.ts'
import { freeNames } from './resolve/free-names.ts'
import { type ResolveSetting, resolve } from './resolve/resolve.ts'
import { ALL_TIME } from './resolve/time.ts'
import { streams } from './stages/index.ts'
import type { CoreStage } from './stages/stage.ts'
import { seriesWidthNs } from './stages/stats.ts'
import type { Clock, Compiled, CompileOptions, TraceEntry } from './types.ts'

export { languageCatalog } from './language-catalog.ts'
export { RULES }

/** @throws {CompileError} with everything that is wrong with the text */
export function compile(text: string, options: CompileOptions): Compiled {
  const { source, query, diagnostics } = parse(text)
  if (diagnostics.length > 0 && !isWorthResolving(diagnostics)) fail(source, diagnostics)
  const expanded = expandFragments(query, options.fragments ?? NO_FRAGMENTS)
  const { query: core, rewrites: forms } = desugar(expanded.query)
  const rewrites = [...expanded.rewrites, ...forms]
  const trace: TraceEntry[] = []
  const record = (name: string, print: () => string | null): void => {
    if (options.trace === true) trace.push({ name, text: print() })
  }
  record('parse', () => print(query))
  record('desugar', () => (rewrites.length === 0 ? null : print(core)))

  const { resolved, hints, namedFields } = resolveAll(
    source,
    core,
    [...diagnostics, ...expanded.diagnostics],
    expanded.places,
    options,
  )
  record('resolve', () => printPlan(resolved.plan))

  const left = new Set(options.without ?? [])
  let notes: string[] = []
  const overflows: Diagnostic[] = []
  const cx = passContext(source, options, note => notes.push(note), overflows)
  let { plan } = resolved
  const applied: { name: string; summary: string }[] = []
  for (const rule of RULES) {
    if (left.has('all') || left.has(rule.name)) continue
    notes = []
    const before = plan
    const changed = rule.apply(plan, cx)
    if (options.trace === true) trace.push(ruleEntry(rule, before, changed, notes))
    if (changed === null) continue
    plan = changed
    applied.push({ name: rule.name, summary: rule.summary })
  }
  const pushdown = !left.has('all') && !left.has('pushdown')
  const physical = choose(plan, { catalog: options.catalog, pushdown })
  record('choose', () => printPhysical(physical))

  const { root, plan: node } = assemble(physical, { source, sourceMaps: options.sourceMaps === true })
  const canonical = print(query)
  const scans = scansIn(physical)
  const conjuncts = scans.flatMap(scan => scan.conjuncts)
  const events = scans.filter(scan => scan.lookup === null)
  const splits = splitsOf(physical, root, options.functions ?? FUNCTIONS)
  return {
    program: {
      query: canonical,
      hash: shortHash(canonical),
      root,
      result: shapeOf(resolved),
      splits,
      whole: wholePlanOf(physical, splits, options.functions ?? FUNCTIONS),
    },
    canonical,
    rewrites,
    namedFields,
    hints: [
      ...hints,
      ...overflows,
      ...planHints(resolved.plan, plan, scans, {
        catalog: options.catalog,
        muchDataRows: options.muchDataRows ?? MUCH_DATA_ROWS,
      }),
    ],
    hintsOfNothing: searchHints(source, query.pipeline.search),
    trace,
    plan: node,
    rules: applied,
    pushed: conjuncts.filter(c => c.pushed !== null).map(c => printExpr(c.expr)),
    residual: conjuncts.filter(c => c.pushed === null).map(c => printExpr(c.expr)),
    notByIndex: conjuncts.flatMap(({ expr, reason }) =>
      reason === null ? [] : [{ condition: printExpr(expr), reason }],
    ),
    time: timeOf(events),
    stages: core.pipeline.stages.map(stage => ({
      type: stage.kind,
      text: printStage(stage),
      streams: streams(stage as CoreStage),
    })),
    readsClock: asksClock(resolved.plan),
    fieldsRead: fieldsRead(events),
    fieldsProduced: resolved.scope.isOpen ? null : [...resolved.scope.fields.keys()],
  }
}

/** Anywhere in the plan, inputs beside it included. */
function asksClock(op: LogicalOp): boolean {
  return traitsOf(op).expressions(op).some(readsClock) || inputsOf(op).some(asksClock)
}

function fail(source: SourceText, diagnostics: readonly Diagnostic[]): never {
  const [first, ...rest] = [...diagnostics].sort((a, b) => a.span.start - b.span.start)
  throw new CompileError(source, [first!, ...rest])
}

/** After a slip of syntax the rest may still be looked at, so that all mistakes are told at once; after a limit it may not. */
function isWorthResolving(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.every(
    d => d.edit !== undefined && !d.code.startsWith('E5') && d.code !== 'E309' && d.code !== 'E302',
  )
}

function clockOf({ now }: CompileOptions): Clock {
  return typeof now === 'function' ? now : () => now
}

function resolveAll(
  source: SourceText,
  query: AstQuery,
  syntax: readonly Diagnostic[],
  places: Expanded['places'],
  options: CompileOptions,
): { readonly resolved: Resolved } & Pick<Compiled, 'hints' | 'namedFields'> {
  const problems: Diagnostic[] = [...syntax]
  const hints: Diagnostic[] = []
  const namedFields: NamedField[] = []
  const report = (diagnostic: Diagnostic): void => void problems.push(inFragment(diagnostic, places))
  const setting: ResolveSetting = {
    functions: options.functions ?? FUNCTIONS,
    catalog: options.catalog,
    variables: options.variables ?? {},
    freeNames: freeNames(query),
    report,
    hint: diagnostic => {
      const hint = inFragment(diagnostic, places)
      const isKnown = hints.some(h => h.code === hint.code && h.message === hint.message)
      if (!isKnown) hints.push(hint)
    },
    named: field => namedFields.push(field),
    writesFiles: options.writesFiles === true,
    time: options.time ?? ALL_TIME,
    now: clockOf(options),
  }
  const resolved = resolve(query, setting)
  if (problems.length > 0) fail(source, withoutEchoes([...problems, ...hints.flatMap(asTypo)]))
  return { resolved, hints, namedFields }
}

/** Of a saved fragment the query has only the name in its text: nothing in it can be mended there. */
function inFragment(diagnostic: Diagnostic, places: Expanded['places']): Diagnostic {
  const { code, message, span } = diagnostic
  const place = places.find(each => each.span.start <= span.start && span.end <= each.span.end)
  return place === undefined
    ? diagnostic
    : { code, message: `in the fragment ${quoteField(place.name)}: ${message}`, span }
}

/** In a query that is wrong anyway, a field no event has, close to one that exists, is told with the other mistakes. */
function asTypo(hint: Diagnostic): readonly Diagnostic[] {
  const { code, suggestion, span } = hint
  if (code !== 'H906' || suggestion === undefined || suggestion.includes('(')) return []
  return [{ ...hint, code: 'E101', edit: { span, text: quoteField(suggestion) } }]
}

/** One finding per place: what follows from a finding already told is not told again. */
function withoutEchoes(problems: readonly Diagnostic[]): readonly Diagnostic[] {
  const isUnknown = ({ code, span }: Diagnostic): boolean =>
    code === 'E306' && problems.some(other => other.code === 'E104' && overlaps(other.span, span))
  // What is no function lacks no parentheses.
  const told = problems.filter(problem => !isUnknown(problem))
  return told.filter((problem, index) => {
    const first = told.findIndex(other => overlaps(other.span, problem.span))
    return first === index || first < 0
  })
}

function overlaps(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end
}

function ruleEntry(rule: Rule, before: LogicalOp, after: LogicalOp | null, notes: readonly string[]): TraceEntry {
  const name = `optimise/${rule.name}`
  if (after === null) return { name, text: null }
  const text = printPlan(after)
  return { name, text, summary: rule.summary, changes: changedLines(printPlan(before), text), notes }
}

function passContext(
  source: SourceText,
  options: CompileOptions,
  note: (text: string) => void,
  overflows: Diagnostic[],
): PassContext {
  const now = clockOf(options)
  return {
    now,
    catalog: options.catalog,
    note,
    evaluate(expr: Expr): { readonly value: Value } | null {
      const kernelOptions = { name: 'constant', source, origin: NO_SPAN, sourceMaps: false }
      try {
        const kernel = emitExtend([{ name: 'value', value: expr }], kernelOptions)
        const value = evaluateConstant(
          kernel,
          () => now().micros,
          counter => {
            const message = `${printExpr(expr)} is beyond 64-bit integers and became a float`
            if (counter === 'overflow') overflows.push({ code: 'H908', message, span: expr.origin })
          },
        )
        return { value }
      } catch (error) {
        // The run will say so, if a row gets there.
        if (error instanceof StrictCastError) return null
        throw error
      }
    },
  }
}

function printPhysical(plan: PhysicalOp): string {
  const lines: string[] = []
  const visit = (op: PhysicalOp, depth: number): void => {
    lines.push('  '.repeat(depth) + labelOf(op))
    for (const input of physicalInputs(op)) visit(input, depth + 1)
  }
  visit(plan, 0)
  return lines.join('\n')
}

/** What another thread is asked to run. */
export function assembleSplit(text: string, query: string): AggregateSpec {
  const { root } = assemble(unpackPlan(text, FUNCTIONS), { source: { text: query }, sourceMaps: false })
  if (root.op !== 'aggregate') throw new Error(`a split plan ends with ${root.op}`)
  return root
}

/** The same of a whole query (`Program.whole`). */
export function assembleWhole(text: string, query: string): OperatorSpec {
  return assemble(unpackPlan(text, FUNCTIONS), { source: { text: query }, sourceMaps: false }).root
}

/** What any of the scans reads; null: all there is. */
function fieldsRead(scans: readonly PhysicalScan[]): readonly string[] | null {
  const fields = new Set<string>()
  for (const scan of scans) {
    if (scan.fields === null) return null
    for (const field of [...scan.fields, ...scan.conjuncts.flatMap(c => [...fieldsOf(c.expr)])]) fields.add(field)
  }
  return [...fields].sort()
}

/** From the earliest instant any scan reads to the latest. */
function timeOf(scans: readonly PhysicalScan[]): TimeRange {
  const bound = (values: readonly (number | null)[], choose: (...values: number[]) => number): number | null =>
    values.some(value => value === null) ? null : choose(...(values as readonly number[]))
  return {
    fromMicros: bound(
      scans.map(scan => scan.time.fromMicros),
      Math.min,
    ),
    toMicros: bound(
      scans.map(scan => scan.time.toMicros),
      Math.max,
    ),
  }
}

function shapeOf({ plan, scope }: Resolved): ResultShape {
  const chain = chainOf(plan)
  const isTable = chain.some(
    op => op.kind === 'aggregate' || op.kind === 'describe' || (op.kind === 'table' && !op.passes),
  )
  // A table whose columns only the data know.
  if (scope.isOpen && !scope.isEvents) return { kind: 'aggregate', columns: null, interval: null }
  if (!isTable || scope.isOpen) {
    const made = [...scope.fields.keys()].filter(name => name !== '_time' && name !== '_raw')
    const kept = scope.isOpen ? {} : { kept: [...scope.fields.keys()] }
    return { kind: 'events', columns: null, made, ...kept, interval: null }
  }
  const columns = [...scope.fields].map(([name, type]) => ({ name, type }))
  const interval = intervalOf(chain)
  const isChart = interval !== null && columns.some(column => column.name === '_time')
  return { kind: isChart ? 'timechart' : 'aggregate', columns, interval: isChart ? interval : null }
}

function intervalOf(chain: readonly LogicalOp[]): string | null {
  // What a stage makes of a series, its changes for one, is no series.
  const last = chain.find(op => op.kind === 'aggregate' || (op.kind === 'table' && !op.passes))
  const [first] = last?.kind === 'aggregate' ? last.keys : []
  const ns = first === undefined ? null : seriesWidthNs(first.value)
  return ns === null ? null : formatDuration(ns)
}

/** FNV-1a of the canonical text, eight hex digits: names kernel files. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
