/**
 * The kernels of an aggregation, specialised to the shapes of the columns they read: the group of each row, then one step per aggregate,
 * in one loop over the batch; without keys the state lives in local variables. V8 stops optimising a function above 60 KiB of bytecode, so
 * very many aggregates are cut into several loops.
 */
import type { Expression, Statement } from 'estree'
import type { AggregationSpec, KernelSpec, StateColumnSpec } from '../../runtime/program.ts'
import type { AggregateFunction } from '../functions/descriptor.ts'
import type { AggregateCall } from '../logical/ops.ts'
import { printExpr } from '../logical/print.ts'
import { isPure } from '../logical/pure.ts'
import { exprsOfCall, fieldsOf, sizeOf } from '../logical/walk.ts'
import type { KernelWriter } from './expression.ts'
import { allOf, at, commented, id, js, lit, ROW } from './js.ts'
import { annotate, type KernelOptions, kernelSpec, loop } from './kernel-spec.ts'
import { numberArgument, quantityArgument } from './number-arguments.ts'

const STEP_PARAMETERS = 'columns, rowCount, selection, selectedCount, keys, groups, state, rowOrderBase'

export interface BoundAggregate {
  readonly call: AggregateCall
  readonly function: AggregateFunction
  /** Index of its first state column. */
  readonly base: number
  /** The state is that of an aggregate before it, which differs only in what it asks in the end. */
  readonly isShared?: true
}

export interface AggregateKernels
  extends Pick<AggregationSpec, 'state' | 'rowsColumn' | 'steps' | 'tally' | 'merge' | 'finish'> {
  /** Null where some aggregate needs rows. */
  readonly absorb: KernelSpec | null
}

/**
 * @param keyCount  keys that vary within a block arrive as `keys[n].codes`; a key constant in the block has codes null and is
 *                  told by the shape `const` in the key part of the shapes
 */
export function emitAggregate(
  calls: readonly AggregateCall[],
  keyCount: number,
  options: KernelOptions,
): AggregateKernels {
  const { state, bound } = withStates(calls)
  const stepping = bound.filter(b => !b.isShared)
  // Where no row can be left out, all counters of a group are one number: it is kept here, once, and added to each at the end.
  const counting = stepping.filter(b => countColumns(b.function).length > 0)
  const parts = inParts(stepping)
  // Where rows are tallied, each counter gets the tally itself.
  const isTallied = keyCount > 0 && stepping.every(b => isPlainCount(b.call))
  // One counter that is a local variable is as good as another. And WebAssembly counts rows, to tell which groups were met.
  const isMany = counting.length > (keyCount > 0 ? 0 : 1) || (keyCount > 0 && stepping.every(isMachineStep))
  const isShared = !isTallied && parts.length === 1 && isMany && counting.every(b => b.call.where === null)
  const rowsColumn = isShared ? state.push({ type: 'count', init: 0 }) - 1 : null
  return {
    state,
    rowsColumn,
    steps: parts.map((part, index) => {
      const name = index === 0 ? options.name : `${options.name}_more${index}`
      return stepKernel(part, keyCount, rowsColumn, { ...options, name })
    }),
    tally: isTallied ? tallyKernel(keyCount, options) : null,
    merge: mergeKernel(stepping, rowsColumn, options),
    finish: finishKernel(bound, rowsColumn, options),
    absorb: bound.every(b => b.function.fromStatistics !== undefined) ? absorbKernel(bound, keyCount, options) : null,
  }
}

/** Where the state of each aggregate is. Those that take the same rows into the same state have one between them. */
function withStates(calls: readonly AggregateCall[]): {
  readonly state: StateColumnSpec[]
  readonly bound: readonly BoundAggregate[]
} {
  const state: StateColumnSpec[] = []
  const bound: BoundAggregate[] = []
  for (const call of calls) {
    const { function: fn } = call
    const before = bound.find(other => hasSameState(other.call, call))
    bound.push({ call, function: fn, base: before?.base ?? state.length, ...(before && { isShared: true }) })
    if (before === undefined) state.push(...Object.values(fn.state))
  }
  return { state, bound }
}

function hasSameState(a: AggregateCall, b: AggregateCall): boolean {
  const [of, fn] = [a.function, b.function]
  if (of.state !== fn.state || of.step !== fn.step || of.rest !== fn.rest || of.merge !== fn.merge) return false
  if (fn.asksWithParameters !== true && a.parameters.join() !== b.parameters.join()) return false
  const [exprs, others] = [exprsOfCall(a), exprsOfCall(b)]
  // Expressions are told apart by their text; without their conditions, arguments and conditions would not be.
  if (exprs.length !== others.length || (a.where === null) !== (b.where === null)) return false
  return exprs.every((expr, n) => isPure(expr) && printExpr(expr) === printExpr(others[n]!))
}

/** About nodes of code: the step of an aggregate and its bookkeeping, besides its arguments. */
const STEP_NODES = 24
/** V8 optimises a loop of this much in some tens of milliseconds, and one of ten times as much not at all. */
const STEPS_NODES_MAX = 1000

function inParts(bound: readonly BoundAggregate[]): readonly (readonly BoundAggregate[])[] {
  const parts: BoundAggregate[][] = [[]]
  let size = 0
  for (const b of bound) {
    const exprs = b.call.where === null ? b.call.args : [...b.call.args, b.call.where]
    const own = exprs.reduce((sum, expr) => sum + sizeOf(expr), STEP_NODES)
    if (size > 0 && size + own > STEPS_NODES_MAX) {
      parts.push([])
      size = 0
    }
    parts.at(-1)!.push(b)
    size += own
  }
  return parts
}

/** Counters nobody reads: V8 drops them. */
function withoutCounts(writer: KernelWriter, slotOf: StateAccess): StateAccess {
  return b => {
    const slots = { ...slotOf(b) }
    for (const column of countColumns(b.function)) {
      const name = id(writer.scope.fresh('uncounted'))
      writer.before(...js`let ${name} = 0;`)
      slots[column] = name
    }
    return slots
  }
}

/** A kernel of the aggregation that reads no column of its input by name: `kernel1_stats_merge`. */
function partKernel(
  options: KernelOptions,
  suffix: string,
  parameters: string,
  write: Parameters<typeof kernelSpec>[3],
): KernelSpec {
  return kernelSpec({ ...options, name: `${options.name}_${suffix}` }, [], null, write, parameters)
}

/** Where rows are counted for all aggregates at once. */
function rowsOf(writer: KernelWriter, keyCount: number, rowsColumn: number, after: Statement[]): Expression {
  const rows = id(writer.scope.fresh('group_rows'))
  const place = js.expr`state[${lit(rowsColumn)}]`
  if (keyCount > 0) {
    writer.before(...js`const ${rows} = ${place};`)
    return at(rows, id('group'))
  }
  writer.before(...js`let ${rows} = ${place}[0];`)
  after.push(...js`${place}[0] = ${rows};`)
  return rows
}

function isMachineStep({ call, function: fn }: BoundAggregate): boolean {
  return isPlainCount(call) || (fn.isOnly !== undefined && call.where === null && call.args[0]?.kind === 'field')
}

function isPlainCount({ function: fn, args, where }: AggregateCall): boolean {
  return fn.countsRows === true && args.length === 0 && where === null
}

const TALLY_PARAMETERS = 'rowCount, selection, selectedCount, keys, slotCount, stride, lanes'

/**
 * Rows per slot, in four lanes: neighbouring rows often fall into one group, and an increment has to wait for the one before it when
 * both touch the same word. Measured on 5 groups: 2.7 ns/row against 4.4 in one lane.
 */
function tallyKernel(keyCount: number, options: KernelOptions): KernelSpec {
  return partKernel(options, 'tally', TALLY_PARAMETERS, (writer, mode) => {
    const slotAt = slotExpression(writer, keyCount)
    const rows = id(mode.selected ? 'selectedCount' : 'rowCount')
    const rowAt = (n: Expression): Expression => (mode.selected ? js.expr`selection[${n}]` : n)
    const lane = (offset: number): Statement[] => {
      const n = offset === 0 ? ROW : js.expr`${ROW} + ${lit(offset)}`
      const slot = slotAt(rowAt(n))
      return offset === 0 ? js`lanes[${slot}]++;` : js`lanes[${lit(offset)} * stride + ${slot}]++;`
    }
    const asMachine = mode.selected ? [] : addBySlot(writer, id('slotCount'), id('lanes'), [])
    const four = commented('four rows at a time, each lane with counters of its own', [0, 1, 2, 3].flatMap(lane))
    return js`${writer.prelude} ${asMachine}
        let ${ROW} = 0;
        for (; ${ROW} + 3 < ${rows}; ${ROW} += 4) { ${four} }
        for (; ${ROW} < ${rows}; ${ROW}++) { ${lane(0)} }`
  })
}

function countColumns(fn: AggregateFunction): readonly string[] {
  return Object.keys(fn.state).filter(column => fn.state[column]?.type === 'count')
}

/** Does every row of a block with these shapes count for the aggregate? */
function takesEveryRow(writer: KernelWriter, { call }: BoundAggregate): boolean {
  return (
    call.where === null &&
    call.args.every((arg, n) => {
      if (arg.kind !== 'field') return arg.kind === 'literal' && typeof arg.value === 'number'
      const { kind, hasPresence } = writer.shapeOf(arg.name)
      if (hasPresence) return false
      return call.function.parameters[n]?.type === 'number'
        ? kind === 'number'
        : kind !== 'any' && kind !== 'dict' && kind !== 'const'
    })
  )
}

function stepKernel(
  bound: readonly BoundAggregate[],
  keyCount: number,
  rowsColumn: number | null,
  options: KernelOptions,
): KernelSpec {
  const exprs = bound.flatMap(({ call }) => (call.where === null ? call.args : [...call.args, call.where]))
  const fields = new Set(fieldsOf(...exprs))
  if (bound.some(b => b.function.readsTime === true)) fields.add('_time')
  return kernelSpec(
    options,
    [...fields],
    null,
    (writer, mode) => {
      const groupStatements: Statement[] = []
      const after: Statement[] = []
      const slotOf: StateAccess = keyCount === 0 ? localState(writer, after) : arrayState(writer, 'state', id('group'))
      const isShared =
        rowsColumn !== null && bound.every(b => countColumns(b.function).length === 0 || takesEveryRow(writer, b))
      if (keyCount > 0) {
        groupStatements.push(...(mode.bySlot ? takeSlot(writer, keyCount, isShared) : lookUpGroup(writer, keyCount)))
      }
      const steps = bound.map(b =>
        writeStep(writer, b, isShared ? withoutCounts(writer, slotOf) : slotOf, options, mode.bySlot === true),
      )
      let asMachine: Statement[] = []
      if (isShared) {
        const rows = rowsOf(writer, keyCount, rowsColumn, after)
        steps.unshift(commented('rows of the group, for all aggregates at once', js`${rows}++;`))
        const plain = mode.bySlot === true && !mode.selected ? plainStepsOf(writer, bound, slotOf) : null
        if (plain !== null) asMachine = addBySlot(writer, js.expr`groups.slotCount`, laneOf(rows), plain)
      }
      const grouped = commented('the group of this row', groupStatements)
      return js`${writer.prelude} ${asMachine} ${loop(mode, [...grouped, ...steps.flat()])} ${after}`
    },
    STEP_PARAMETERS,
  )
}

/** The whole loop at once (`runtime/helpers/add-by-slot.ts`), where that pays. */
function addBySlot(
  writer: KernelWriter,
  slotCount: Expression,
  counted: Expression,
  plain: readonly Expression[],
): Statement[] {
  const added = writer.helper('addBySlot', id('rowCount'), id('keys'), slotCount, counted, ...plain)
  return commented('the loop below, as WebAssembly, where there are enough rows for it', js`if (${added}) return;`)
}

/** What becomes of which columns, where every aggregate counts rows or does no more with plain columns than that; null: one does more. */
function plainStepsOf(
  writer: KernelWriter,
  bound: readonly BoundAggregate[],
  slotOf: StateAccess,
): readonly Expression[] | null {
  const steps: Expression[] = []
  for (const b of bound) {
    if (b.function.countsRows === true) continue
    const step = b.call.where === null ? plainStep(writer, b, slotOf) : null
    if (step === null) return null
    steps.push({ type: 'ArrayExpression', elements: [...step] })
  }
  return steps
}

/** Kind, values, where they go, and what else belongs to it. */
function plainStep(writer: KernelWriter, b: BoundAggregate, slotOf: StateAccess): readonly Expression[] | null {
  const { isOnly } = b.function
  const [arg] = b.call.args
  if (isOnly === undefined || arg?.kind !== 'field') return null
  const { kind, key, hasPresence } = writer.shapeOf(arg.name)
  if (kind !== (isOnly.kind === 'distinct' ? 'dict' : 'number') || hasPresence) return null
  const slots = slotOf(b)
  const to = laneOf(slots[isOnly.to]!)
  const { value, dict } = writer.field(arg.name)
  if (dict !== undefined) return [lit(isOnly.kind), laneOf(dict.code), to, dict.dictionary]
  const values = writer.decimals(arg.name) ?? laneOf(value)
  const isKept = isOnly.kind === 'sum' && isOnly.othersLoseTo !== null && key !== 'number:i32'
  return [lit(isOnly.kind), values, to, isKept ? laneOf(slots[isOnly.othersLoseTo!]!) : lit(null)]
}

/** Of `lane[i]`, the lane. */
function laneOf(element: Expression): Expression {
  if (element.type !== 'MemberExpression') throw new Error(`${element.type} is no element of a lane`)
  return element.object as Expression
}

/** Mixed-radix number of the key codes of a row. */
function slotExpression(writer: KernelWriter, keyCount: number): (row: Expression) => Expression {
  const codes = Array.from({ length: keyCount }, (_, n) => id(writer.scope.fresh(`key${n}`)))
  for (const [n, name] of codes.entries()) writer.before(...js`const ${name} = keys[${lit(n)}].codes;`)
  const sizes = codes.slice(0, -1).map((_, n) => id(writer.scope.fresh(`size${n}`)))
  for (const [n, name] of sizes.entries()) writer.before(...js`const ${name} = keys[${lit(n)}].size;`)
  return row => {
    let slot: Expression = at(codes.at(-1)!, row)
    for (let n = keyCount - 2; n >= 0; n--) slot = js.expr`${slot} * ${sizes[n]!} + ${at(codes[n]!, row)}`
    return slot
  }
}

/** `slots[slot]` is the group of a row, found or made on first sight. */
function lookUpGroup(writer: KernelWriter, keyCount: number): Statement[] {
  const slotAt = slotExpression(writer, keyCount)
  writer.before(...js`const slots = groups.slots;`)
  return js`const slot = ${slotAt(ROW)};
    let group = slots[slot];
    if (group < 0) group = groups.add(slot);`
}

/** The slot stands for the group: there is nothing to look up, and a mark says that it was met, unless its rows are counted. */
function takeSlot(writer: KernelWriter, keyCount: number, isCounted: boolean): Statement[] {
  const slotAt = slotExpression(writer, keyCount)
  if (isCounted) return js`const group = ${slotAt(ROW)};`
  writer.before(...js`const met = groups.met;`)
  return js`const group = ${slotAt(ROW)};
    met[group] = 1;`
}

export type StateAccess = (b: BoundAggregate) => Readonly<Record<string, Expression>>

function arrayState(writer: KernelWriter, from: string, index: Expression): StateAccess {
  const known = new Map<BoundAggregate, ReturnType<StateAccess>>()
  return b => {
    const found = known.get(b)
    if (found !== undefined) return found
    const bound = Object.keys(b.function.state).map((column, n) => {
      const name = id(writer.scope.fresh(`${b.function.name}_${column}`))
      writer.before(...js`const ${name} = ${id(from)}[${lit(b.base + n)}];`)
      return [column, at(name, index)] as const
    })
    const slots = Object.fromEntries(bound)
    known.set(b, slots)
    return slots
  }
}

/** Without keys there is one group: its state is read into local variables before the loop and written back after it. */
function localState(writer: KernelWriter, after: Statement[]): StateAccess {
  return b =>
    Object.fromEntries(
      Object.keys(b.function.state).map((column, n) => {
        const name = id(writer.scope.fresh(`${b.function.name}_${column}`))
        const place = js.expr`state[${lit(b.base + n)}][0]`
        writer.before(...js`let ${name} = ${place};`)
        after.push(...js`${place} = ${name};`)
        return [column, name]
      }),
    )
}

export function writeStep(
  writer: KernelWriter,
  b: BoundAggregate,
  slotOf: StateAccess,
  options: KernelOptions,
  isShort = false,
): Statement[] {
  const slots = slotOf(b)
  const { statements } = writer.capture(() => {
    const conditions: Expression[] = []
    if (b.call.where !== null) conditions.push(writer.is(b.call.where, true))
    const body = writer.capture(() => {
      if (b.function.rest !== undefined) {
        writer.add(...stepWithRest(writer, b, b.function.rest, slots, isShort))
        return
      }
      const present: Expression[] = []
      const args = b.call.args.map((arg, n) => {
        const wantsNumber = b.function.parameters[n]?.type === 'number'
        const emitted = wantsNumber ? numberArgument(writer, arg) : writer.value(arg)
        if (emitted.valid !== null) present.push(emitted.valid)
        if (emitted.repr !== 'any') return { ...emitted, valid: null }
        if (emitted.dict !== undefined && b.function.takesNullCodes === true) return { ...emitted, valid: null }
        const value = writer.let(arg.kind === 'field' ? arg.name : 'v', emitted.value)
        present.push(js.expr`${value} != null`)
        return { ...emitted, value }
      })
      const step = writer.capture(() => {
        const statements = b.function.step(slots, args, stepContext(writer, b, isShort))
        writer.add(...statements)
      }).statements
      writer.add(...(present.length === 0 ? step : js`if (${allOf(present)}) { ${step} }`))
    }).statements
    writer.add(...(conditions.length === 0 ? body : js`if (${allOf(conditions)}) { ${body} }`))
  })
  return annotate(b.call.name, b.call.origin, options, statements)
}

/** Of an aggregate of numbers: plain ones take the step, and whatever else the row may hold takes the way beside it. */
function stepWithRest(
  writer: KernelWriter,
  b: BoundAggregate,
  restOf: NonNullable<AggregateFunction['rest']>,
  slots: Readonly<Record<string, Expression>>,
  isShort: boolean,
): Statement[] {
  const [arg] = b.call.args
  if (arg === undefined) throw new Error(`${b.function.name}() has no argument`)
  const cx = stepContext(writer, b, isShort)
  const written = (write: () => readonly Statement[]): Statement[] =>
    writer.capture(() => writer.add(...write())).statements
  const { number, rest } = quantityArgument(writer, arg, b.function.exactInts === true)
  const restSteps = rest === null ? [] : written(() => restOf(slots, { ...rest, valid: null }, cx))
  const guarded = (valid: Expression | null, steps: Statement[]): Statement[] =>
    valid === null || steps.length === 0 ? steps : js`if (${valid}) { ${steps} }`
  if (number === null) return guarded(rest?.valid ?? null, restSteps)
  const steps = written(() => b.function.step(slots, [{ ...number, valid: null }], cx))
  if (rest === null) return guarded(number.valid, steps)
  return guarded(rest.valid, js`if (${number.valid ?? lit(true)}) { ${steps} } else { ${restSteps} }`)
}

export function stepContext(
  writer: KernelWriter,
  b: BoundAggregate,
  isShort = false,
): Parameters<AggregateFunction['step']>[2] {
  const time = (part: 'micros' | 'nanos'): Expression => {
    const vector = writer.vector('_time')
    const shape = writer.shapeOf('_time')
    if (shape.kind !== 'time')
      return writer.helper(part === 'micros' ? 'microsOf' : 'nanosOf', writer.field('_time').value)
    if (part === 'nanos' && !shape.hasNanos) return lit(0)
    return js.expr`${vector}.${id(part)}[${ROW}]`
  }
  return {
    let: (hint, expression) => writer.let(hint, expression),
    helper: (name, ...args) => writer.helper(name, ...args),
    constant: value => writer.constant(value),
    before: (...statements) => writer.before(...statements),
    toAny: emitted => writer.toAny(emitted),
    checked: () => null,
    get rowOrder() {
      return js.expr`rowOrderBase + ${ROW}`
    },
    get timeMicros() {
      return time('micros')
    },
    get timeNanos() {
      return time('nanos')
    },
    isShort,
    parameters: b.call.parameters,
  }
}

function mergeKernel(bound: readonly BoundAggregate[], rowsColumn: number | null, options: KernelOptions): KernelSpec {
  return partKernel(options, 'merge', 'into, from, mapping, count', writer => {
    const into = arrayState(writer, 'into', id('g'))
    const from = arrayState(writer, 'from', id('f'))
    const steps = bound.flatMap(b => {
      const { statements } = writer.capture(() => {
        writer.add(...b.function.merge(into(b), from(b), stepContext(writer, b)))
      })
      return commented(b.call.name, statements)
    })
    if (rowsColumn !== null) {
      steps.push(...js`into[${lit(rowsColumn)}][g] += from[${lit(rowsColumn)}][f];`)
    }
    return js`${writer.prelude} for (let f = 0; f < count; f++) { const g = mapping[f]; if (g < 0) continue; ${steps} }`
  })
}

/** As the step kernel, with what statistics say in place of rows: one round per value of the keys. */
function absorbKernel(bound: readonly BoundAggregate[], keyCount: number, options: KernelOptions): KernelSpec {
  return partKernel(options, 'absorb', 'rowCount, keys, groups, state, facts', writer => {
    const group = keyCount === 0 ? js`const group = 0;` : lookUpGroup(writer, keyCount)
    const slotOf = arrayState(writer, 'state', id('group'))
    let at = 0
    const steps = bound.flatMap(b => {
      const statistics = b.function.fromStatistics!
      const kinds = statistics.facts(b.call.args.length)
      if (b.isShared) {
        at += kinds.length
        return []
      }
      const facts = kinds.map(kind => {
        const bind = (lane: 'numbers' | 'micros'): Expression => {
          const name = id(writer.scope.fresh(`${b.function.name}_${kind}_${lane}`))
          writer.before(...js`const ${name} = facts[${lit(at)}].${id(lane)};`)
          return js.expr`${name}[${ROW}]`
        }
        const fact = { number: bind('numbers'), micros: bind('micros') }
        at++
        return fact
      })
      return commented(b.call.name, [...statistics.absorb(slotOf(b), facts)])
    })
    return js`${writer.prelude} for (let ${ROW} = 0; ${ROW} < rowCount; ${ROW}++) { ${group} ${steps} }`
  })
}

function finishKernel(bound: readonly BoundAggregate[], rowsColumn: number | null, options: KernelOptions): KernelSpec {
  return partKernel(options, 'finish', 'state, count', writer => {
    const slotOf = arrayState(writer, 'state', id('g'))
    const outputs: Expression[] = []
    const rows = bound.flatMap(b => {
      const values = id(writer.scope.fresh(`${b.function.name}_result`))
      writer.before(...js`const ${values} = new Array(count);`)
      outputs.push(values)
      const { statements, result } = writer.capture(() =>
        b.function.finish(withRows(b, slotOf(b), rowsColumn), stepContext(writer, b)),
      )
      return commented(b.call.name, [...statements, ...js`${values}[g] = ${result};`])
    })
    const list: Expression = { type: 'ArrayExpression', elements: outputs }
    return js`${writer.prelude} for (let g = 0; g < count; g++) { ${rows} } return ${list};`
  })
}

/** Counters whole again: their own and the rows counted for all. */
function withRows(b: BoundAggregate, slots: Readonly<Record<string, Expression>>, rowsColumn: number | null) {
  if (rowsColumn === null) return slots
  const counts = countColumns(b.function).map(column => [
    column,
    js.expr`(${slots[column]!} + state[${lit(rowsColumn)}][g])`,
  ])
  return { ...slots, ...Object.fromEntries(counts) } as Readonly<Record<string, Expression>>
}
