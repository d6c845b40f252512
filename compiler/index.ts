/** Text to program. Pure: the clock, the catalog and the variables arrive in the options; the same input gives the same output. */
import type { AstQuery } from '../grammar/ast.ts'
import { CompileError, type Diagnostic } from '../grammar/diagnostics.ts'
import {
  desugar,
  formatDuration,
  NO_SPAN,
  parse,
  print,
  printStage,
  quoteField,
  type SourceText,
} from '../grammar/index.ts'
import { evaluateConstant } from '../runtime/evaluate-constant.ts'
import { StrictCastError } from '../runtime/helpers/errors.ts'
import { isTransferable } from '../runtime/parallel/state.ts'
import type { AggregateSpec, OperatorSpec, ResultShape, SplitPlan } from '../runtime/program.ts'
import type { Value } from '../storage/value.ts'
import { emitExtend } from './codegen/kernel.ts'
import type { FunctionRegistry } from './functions/descriptor.ts'
import { FUNCTIONS } from './functions/index.ts'
import { MUCH_DATA_ROWS, planHints } from './hints/plan-hints.ts'
import type { NamedField } from './hints/unseen-fields.ts'
import type { Expr } from './logical/expr.ts'
import type { LogicalOp } from './logical/ops.ts'
import { printExpr, printPlan } from './logical/print.ts'
import { readsClock } from './logical/pure.ts'
import { traitsOf } from './logical/traits.ts'
import { chainOf, fieldsOf } from './logical/walk.ts'
import { RULES } from './optimise/index.ts'
import { changedLines, type PassContext, type Rule } from './pass.ts'
import { choose } from './physical/choose.ts'
import type { PhysicalOp, PhysicalScan } from './physical/ops.ts'
import { packPlan, unpackPlan } from './physical/transfer.ts'
import { assemble } from './program/assemble.ts'
import { labelOf } from './program/labels.ts'
import type { ResolveContext } from './resolve/context.ts'
import { freeNames } from './resolve/free-names.ts'
import { indexesOf, type Resolved, resolve } from './resolve/resolve.ts'
import { ALL_TIME } from './resolve/time.ts'
import { streams } from './stages/index.ts'
import type { CoreStage } from './stages/stage.ts'
import { seriesWidthNs } from './stages/stats.ts'
import type { Compiled, CompileOptions, TraceEntry } from './types.ts'

export { languageCatalog } from './language-catalog.ts'
export { RULES }

/** @throws {CompileError} with everything that is wrong with the text */
export function compile(text: string, options: CompileOptions): Compiled {
  const { source, query, diagnostics } = parse(text)
  if (diagnostics.length > 0 && !isWorthResolving(diagnostics)) fail(source, diagnostics)
  const { query: core, rewrites } = desugar(query)
  const trace: TraceEntry[] = []
  const record = (name: string, print: () => string | null): void => {
    if (options.trace === true) trace.push({ name, text: print() })
  }
  record('parse', () => print(query))
  record('desugar', () => (rewrites.length === 0 ? null : print(core)))

  const { resolved, hints, namedFields } = resolveAll(source, core, diagnostics, options)
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
  const scan = scanIn(physical)
  return {
    program: {
      query: canonical,
      hash: shortHash(canonical),
      root,
      result: shapeOf(resolved),
      split: splitOf(physical, root, options.functions ?? FUNCTIONS),
    },
    canonical,
    rewrites,
    namedFields,
    hints: [
      ...hints,
      ...overflows,
      ...planHints(resolved.plan, plan, scan, {
        catalog: options.catalog,
        muchDataRows: options.muchDataRows ?? MUCH_DATA_ROWS,
      }),
    ],
    trace,
    plan: node,
    rules: applied,
    pushed: scan.conjuncts.filter(c => c.pushed !== null).map(c => printExpr(c.expr)),
    residual: scan.conjuncts.filter(c => c.pushed === null).map(c => printExpr(c.expr)),
    notByIndex: scan.conjuncts.flatMap(({ expr, reason }) =>
      reason === null ? [] : [{ condition: printExpr(expr), reason }],
    ),
    time: scan.time,
    stages: core.pipeline.stages.map(stage => ({
      type: stage.kind,
      text: printStage(stage),
      streams: streams(stage as CoreStage),
    })),
    readsClock: chainOf(resolved.plan).some(op => traitsOf(op).expressions(op).some(readsClock)),
    fieldsRead: fieldsRead(scan),
    fieldsProduced: resolved.scope.isOpen ? null : [...resolved.scope.fields.keys()],
  }
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

function resolveAll(
  source: SourceText,
  query: AstQuery,
  syntax: readonly Diagnostic[],
  options: CompileOptions,
): { readonly resolved: Resolved } & Pick<Compiled, 'hints' | 'namedFields'> {
  const problems: Diagnostic[] = [...syntax]
  const hints: Diagnostic[] = []
  const namedFields: NamedField[] = []
  const report = (diagnostic: Diagnostic): void => void problems.push(diagnostic)
  const indexes = indexesOf(query, { catalog: options.catalog, report })
  const fields = options.catalog.fields(indexes)
  const cx: ResolveContext = {
    functions: options.functions ?? FUNCTIONS,
    catalog: options.catalog,
    variables: options.variables ?? {},
    freeNames: freeNames(query),
    now: options.now,
    report,
    hint: diagnostic => {
      const isKnown = hints.some(h => h.code === diagnostic.code && h.message === diagnostic.message)
      if (!isKnown) hints.push(diagnostic)
    },
    named: field => namedFields.push(field),
    knownFields: fields,
  }
  const resolved = resolve(query, indexes, options.time ?? ALL_TIME, options.now, cx)
  if (problems.length > 0) fail(source, withoutEchoes([...problems, ...hints.flatMap(asTypo)]))
  return { resolved, hints, namedFields }
}

/** In a query that is wrong anyway, a field no event has, close to one that exists, is told with the other mistakes. */
function asTypo(hint: Diagnostic): readonly Diagnostic[] {
  const { code, suggestion, span } = hint
  if (code !== 'H906' || suggestion === undefined) return []
  return [{ ...hint, code: 'E101', edit: { span, text: quoteField(suggestion) } }]
}

/** One finding per place: what follows from a finding already told is not told again. */
function withoutEchoes(problems: readonly Diagnostic[]): readonly Diagnostic[] {
  return problems.filter((problem, index) => {
    const first = problems.findIndex(
      other => other.span.start < problem.span.end && problem.span.start < other.span.end,
    )
    return first === index || first < 0
  })
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
  return {
    now: options.now,
    catalog: options.catalog,
    note,
    evaluate(expr: Expr): { readonly value: Value } | null {
      const kernelOptions = { name: 'constant', source, origin: NO_SPAN, sourceMaps: false }
      try {
        const kernel = emitExtend([{ name: 'value', value: expr }], kernelOptions)
        const value = evaluateConstant(kernel, options.now.micros, counter => {
          const message = `${printExpr(expr)} is beyond 64-bit integers and became a float`
          if (counter === 'overflow') overflows.push({ code: 'H908', message, span: expr.origin })
        })
        return { value }
      } catch (error) {
        // The run will say so, if a row gets there.
        if (error instanceof StrictCastError) return null
        throw error
      }
    },
  }
}

function printPhysical(op: PhysicalOp): string {
  const lines: string[] = []
  let node: PhysicalOp | null = op
  for (let depth = 0; node !== null; depth++) {
    lines.push('  '.repeat(depth) + labelOf(node))
    node = node.kind === 'scan' ? null : node.input
  }
  return lines.join('\n')
}

/** What another thread is asked to run. */
export function assembleSplit(text: string, query: string): AggregateSpec {
  const { root } = assemble(unpackPlan(text, FUNCTIONS), { source: { text: query }, sourceMaps: false })
  if (root.op !== 'aggregate') throw new Error(`a split plan ends with ${root.op}`)
  return root
}

/** Physical ops and specs are trees of one shape. */
function splitOf(plan: PhysicalOp, root: OperatorSpec, functions: FunctionRegistry): SplitPlan | null {
  let op = plan
  let spec = root
  let found: { readonly op: PhysicalOp; readonly spec: AggregateSpec } | null = null
  while (op.kind !== 'scan' && spec.op !== 'scan') {
    if (spec.op === 'aggregate') found = { op, spec }
    else if (!ROW_BY_ROW.has(op.kind)) found = null
    op = op.input
    spec = spec.input
  }
  if (found === null || op.kind !== 'scan' || op.order !== 'natural' || !isTransferable(found.spec.state)) return null
  const { op: subplan, spec: aggregate } = found
  let text: string | null = null
  return {
    aggregate,
    text: () => {
      text ??= packPlan(subplan, functions)
      return text
    },
  }
}

const ROW_BY_ROW: ReadonlySet<PhysicalOp['kind']> = new Set(['filter', 'extend', 'keep', 'drop', 'rename', 'parse'])

function scanIn(op: PhysicalOp): PhysicalScan {
  let node = op
  while (node.kind !== 'scan') node = node.input
  return node
}

function fieldsRead(scan: PhysicalScan): readonly string[] | null {
  if (scan.fields === null) return null
  return [...new Set([...scan.fields, ...scan.conjuncts.flatMap(c => [...fieldsOf(c.expr)])])].sort()
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
    return { kind: 'events', columns: null, made, interval: null }
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
