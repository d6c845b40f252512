/**
 * The kernel of streamstats: one loop in which each row moves on the state of its group and reads its own columns from it.
 *
 * Over all rows so far a state is stepped and finished per row. Over the last n rows it would have to forget, which sums of floats cannot do
 * without error and extremes not at all; so states are only ever merged: rows of a group are cut into stretches of n, and the window of a
 * row is what the stretch so far holds and what the stretch before it holds from one place on. The first is one running state; the second is
 * made when a stretch ends, from its last row to its first, in the places its rows had. Each row costs two merges, whatever n is.
 */
import type { Expression, Identifier, Statement } from 'estree'
import type { KernelSpec, RunningSpec, StateColumnSpec } from '../../runtime/program.ts'
import type { ValueType } from '../../storage/value.ts'
import type { AggregateFunction, StateColumn } from '../functions/descriptor.ts'
import type { AggregateCall, OffsetColumn, StreamColumn } from '../logical/ops.ts'
import { exprsOfColumn, fieldsOf } from '../logical/walk.ts'
import { stepContext, writeStep } from './aggregate.ts'
import type { KernelWriter } from './expression.ts'
import { at, id, js, lit, ROW } from './js.ts'
import { annotate, type KernelOptions, kernelSpec } from './kernel-spec.ts'

const PARAMETERS = 'columns, rowCount, selection, selectedCount, groupOf, state, rowOrderBase, charge'
const GROUP = id('group')

/** Asked after every row, some aggregates have a state of their own for it. */
function asRunning(column: StreamColumn): StreamColumn {
  if (column.kind === 'offset' || column.rows !== null || column.call.function.running === undefined) return column
  const { call } = column
  return { ...column, call: { ...call, function: { ...call.function, ...call.function.running } } }
}

/** Can states of it be kept one per row of a window? Those that hold a set, a sketch or a list cannot: each would be a copy. */
export function keepsValuesOnly(fn: AggregateFunction): boolean {
  return Object.values(fn.state).every(column => column.type !== 'object' || column.init === null)
}

export function emitRunning(
  asked: readonly StreamColumn[],
  options: KernelOptions & { readonly backward: boolean; readonly isGrouped: boolean },
): RunningSpec {
  const columns = asked.map(asRunning)
  const fields = new Set(fieldsOf(...columns.flatMap(exprsOfColumn)))
  if (columns.some(c => c.kind === 'aggregate' && c.call.function.readsTime === true)) fields.add('_time')
  const layout = new StateLayout()
  const places = columns.map(column => placesOf(column, layout))
  const kernel: KernelSpec = kernelSpec(
    options,
    [...fields],
    null,
    (writer, mode) => {
      const outputs: Expression[] = []
      const stretches = new Stretches(writer)
      const row: Statement[] = []
      for (const [index, column] of columns.entries()) {
        const answers = new Answers(writer, column)
        outputs.push(answers.vector)
        const { statements } = writer.capture(() =>
          writer.add(...writeColumn(writer, column, places[index]!, answers, stretches, options)),
        )
        const origin = column.kind === 'offset' ? column.origin : column.call.origin
        row.push(...annotate(column.label, origin, options, statements))
      }
      row.push(...stretches.moveOn())
      const list: Expression = { type: 'ArrayExpression', elements: outputs }
      const group = options.isGrouped ? js.expr`groupOf[n]` : lit(0)
      const bound = js`const ${GROUP} = ${group}; ${[...stretches.bind(), ...row]}`
      const size = mode.selected ? id('selectedCount') : id('rowCount')
      const body = [...js`const ${ROW} = ${mode.selected ? js.expr`selection[n]` : id('n')};`, ...bound]
      const loop = options.backward
        ? js`for (let n = ${size} - 1; n >= 0; n--) { ${body} }`
        : js`for (let n = 0; n < ${size}; n++) { ${body} }`
      return js`${writer.prelude} ${loop} return ${list};`
    },
    PARAMETERS,
  )
  const outputs = columns.map(column => (column.kind === 'offset' ? column.name : column.call.name))
  return { outputs, kernel, state: layout.columns }
}

// ── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Types that are never a number: their column is values from the start. */
const NO_NUMBERS: ReadonlySet<ValueType> = new Set<ValueType>(['string', 'bool', 'datetime', 'array', 'object'])

/** A column being made: numbers as numbers, and anything else beside them, which mostly does not occur. */
class Answers {
  readonly vector: Expression
  readonly #writer: KernelWriter
  readonly #type: ValueType
  readonly #names: Readonly<Record<'numbers' | 'presence' | 'others' | 'count', Identifier>>

  constructor(writer: KernelWriter, column: StreamColumn) {
    const hint = column.kind === 'offset' ? 'offset' : column.call.function.name
    const named = (part: string): Identifier => id(writer.scope.fresh(`${hint}_${part}`))
    this.#writer = writer
    this.#type = column.kind === 'offset' ? column.type : column.call.type
    this.#names = { numbers: named('result'), presence: named('there'), others: named('others'), count: named('given') }
    const { numbers, presence, others, count } = this.#names
    if (NO_NUMBERS.has(this.#type)) {
      writer.before(...js`const ${others} = new Array(rowCount);`)
      this.vector = writer.helper('computedVector', others)
      return
    }
    writer.before(
      ...js`const ${numbers} = new Float64Array(rowCount); const ${presence} = new Uint8Array(rowCount).fill(1);
        let ${others} = null; let ${count} = 0;`,
    )
    this.vector = writer.helper('answerVector', numbers, presence, others, js.expr`${count} === selectedCount`)
  }

  give(answer: Expression): Statement[] {
    const { numbers, presence, others, count } = this.#names
    if (NO_NUMBERS.has(this.#type)) {
      // A list so far is as long as the group, in every row: it is paid for when it is made.
      const charge = this.#type === 'array' ? js`charge(${at(others, ROW)});` : []
      return [...js`${at(others, ROW)} = ${answer};`, ...charge]
    }
    const value = id(this.#writer.scope.fresh('answer'))
    return js`const ${value} = ${answer};
      if (typeof ${value} === "number") { ${at(numbers, ROW)} = ${value}; ${at(presence, ROW)} = 2; ${count}++; }
      else if (${value} != null) { ${others} ??= new Array(rowCount); ${at(others, ROW)} = ${value}; }`
  }
}

// ── Where states are ────────────────────────────────────────────────────────────────────────────────────────────────

/** State arrays in the order kernels know them by. */
class StateLayout {
  readonly columns: { readonly column: StateColumnSpec; readonly slots: number }[] = []
  readonly #positions = new Map<number, number>()

  add(column: StateColumnSpec, slots: number): number {
    return this.columns.push({ column, slots }) - 1
  }

  /** Of the state of a function, one after the other; counters are doubles here: nobody carries them over. */
  addAll(fn: AggregateFunction, slots: number): number {
    const base = this.columns.length
    for (const column of Object.values(fn.state)) {
      this.add(column.type === 'count' ? { type: 'f64', init: 0 } : column, slots)
    }
    return base
  }

  /** The place of the next row in its stretch of `rows`: one for all columns that look back as far. */
  position(rows: number): number {
    let index = this.#positions.get(rows)
    if (index === undefined) {
      index = this.add({ type: 'u32', init: 0 }, 1)
      this.#positions.set(rows, index)
    }
    return index
  }
}

/** Index of the first state column of a group's running state, of its ring of `rows` entries, of its place in the ring. */
interface Places {
  readonly running: number
  readonly ring: number
  readonly position: number
}

function placesOf(column: StreamColumn, layout: StateLayout): Places {
  const none = { running: -1, ring: -1, position: -1 }
  if (column.kind === 'offset') {
    const rows = Math.abs(column.distance)
    return { ...none, ring: layout.add({ type: 'object', init: null }, rows), position: layout.position(rows) }
  }
  const running = layout.addAll(column.call.function, 1)
  if (column.rows === null) return { ...none, running }
  return { running, ring: layout.addAll(column.call.function, column.rows), position: layout.position(column.rows) }
}

/** The places of a row in the stretches it lies in, bound before its columns and moved on after them. */
class Stretches {
  readonly #writer: KernelWriter
  readonly #byRows = new Map<
    number,
    { readonly array: Identifier; readonly place: Identifier; readonly slot: Identifier }
  >()

  constructor(writer: KernelWriter) {
    this.#writer = writer
  }

  /** `place`: 0 … rows - 1; `slot`: of the row in a ring of so many entries per group. */
  of(rows: number, position: number): { readonly place: Identifier; readonly slot: Identifier } {
    let found = this.#byRows.get(rows)
    if (found === undefined) {
      const { scope } = this.#writer
      const array = stateArray(this.#writer, 'places', position)
      found = { array, place: id(scope.fresh('place')), slot: id(scope.fresh('ring_slot')) }
      this.#byRows.set(rows, found)
    }
    return found
  }

  bind(): Statement[] {
    return [...this.#byRows].flatMap(
      ([rows, { array, place, slot }]) =>
        js`const ${place} = ${array}[${GROUP}]; const ${slot} = ${GROUP} * ${lit(rows)} + ${place};`,
    )
  }

  moveOn(): Statement[] {
    return [...this.#byRows].flatMap(
      ([rows, { array, place }]) => js`${array}[${GROUP}] = ${place} === ${lit(rows - 1)} ? 0 : ${place} + 1;`,
    )
  }
}

function stateArray(writer: KernelWriter, hint: string, index: number): Identifier {
  const name = id(writer.scope.fresh(hint))
  writer.before(...js`const ${name} = state[${lit(index)}];`)
  return name
}

type Slots = Readonly<Record<string, Expression>>

function stateArrays(
  writer: KernelWriter,
  fn: AggregateFunction,
  base: number,
  hint: string,
): Readonly<Record<string, Identifier>> {
  return Object.fromEntries(
    Object.keys(fn.state).map((column, n) => [column, stateArray(writer, `${fn.name}_${hint}${column}`, base + n)]),
  )
}

function slotsAt(arrays: Readonly<Record<string, Identifier>>, index: Expression): Slots {
  return Object.fromEntries(Object.entries(arrays).map(([column, array]) => [column, at(array, index)]))
}

// ── Columns ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function writeColumn(
  writer: KernelWriter,
  column: StreamColumn,
  places: Places,
  answers: Answers,
  stretches: Stretches,
  options: KernelOptions,
): Statement[] {
  if (column.kind === 'offset') return writeOffset(writer, column, places, answers, stretches)
  const { call, current } = column
  const running = stateArrays(writer, call.function, places.running, '')
  const own = slotsAt(running, GROUP)
  if (column.rows === null) {
    const step = stepInto(writer, call, own, options)
    const give = finishInto(writer, call, own, answers)
    return current ? [...step, ...give] : [...give, ...step]
  }
  const { rows } = column
  const { place, slot } = stretches.of(rows, places.position)
  const ring = stateArrays(writer, call.function, places.ring, 'ring_')
  const add = [
    ...reset(call.function, slotsAt(ring, slot)),
    ...stepInto(writer, call, slotsAt(ring, slot), options),
    ...js`if (${place} === 0) { ${reset(call.function, own)} }`,
    ...mergeInto(writer, call, own, slotsAt(ring, slot)),
  ]
  const fold = js`if (${place} === ${lit(rows - 1)}) {
    for (let j = ${slot} - 1; j > ${slot} - ${lit(rows)}; j--) {
      ${mergeInto(writer, call, slotsAt(ring, id('j')), slotsAt(ring, js.expr`j + 1`))}
    }
  }`
  // Of the stretch before, what the window still holds begins behind the row's own place; seen from before the row, at it.
  const isAlone = current ? js.expr`${place} === ${lit(rows - 1)}` : js.expr`${place} === 0`
  const rest = slotsAt(ring, current ? js.expr`${slot} + 1` : slot)
  const seen = localCopy(writer, call.function, rest, isAlone)
  const give = [
    ...seen.statements,
    ...mergeInto(writer, call, seen.slots, own),
    ...finishInto(writer, call, seen.slots, answers),
  ]
  return current ? [...add, ...give, ...fold] : [...give, ...add, ...fold]
}

function writeOffset(
  writer: KernelWriter,
  column: OffsetColumn,
  places: Places,
  answers: Answers,
  stretches: Stretches,
): Statement[] {
  const ring = stateArray(writer, 'offset_ring', places.ring)
  const { slot } = stretches.of(Math.abs(column.distance), places.position)
  const { statements, result } = writer.capture(() => writer.toAny(writer.value(column.value)))
  return [...answers.give(at(ring, slot)), ...statements, ...js`${at(ring, slot)} = ${result} ?? null;`]
}

function stepInto(writer: KernelWriter, call: AggregateCall, slots: Slots, options: KernelOptions): Statement[] {
  return writeStep(writer, { call, function: call.function, base: 0 }, () => slots, options)
}

function mergeInto(writer: KernelWriter, call: AggregateCall, into: Slots, from: Slots): Statement[] {
  const cx = stepContext(writer, { call, function: call.function, base: 0 })
  return writer.capture(() => writer.add(...call.function.merge(into, from, cx))).statements
}

function finishInto(writer: KernelWriter, call: AggregateCall, slots: Slots, answers: Answers): Statement[] {
  const cx = stepContext(writer, { call, function: call.function, base: 0 })
  const { statements, result } = writer.capture(() => call.function.finish(slots, cx))
  return [...statements, ...answers.give(result)]
}

function reset(fn: AggregateFunction, slots: Slots): Statement[] {
  return Object.entries(fn.state).flatMap(([name, column]) => js`${slots[name]!} = ${initial(column)};`)
}

/** A state in local variables: that of `from`, or a fresh one where there is none. */
function localCopy(
  writer: KernelWriter,
  fn: AggregateFunction,
  from: Slots,
  isFresh: Expression,
): { readonly statements: Statement[]; readonly slots: Slots } {
  const locals = Object.entries(fn.state).map(([name, column]) => {
    const local = id(writer.scope.fresh(`seen_${name}`))
    return { name, local, statements: js`let ${local} = ${isFresh} ? ${initial(column)} : ${from[name]!};` }
  })
  return {
    statements: locals.flatMap(local => local.statements),
    slots: Object.fromEntries(locals.map(({ name, local }) => [name, local])),
  }
}

/** What keeps values only begins with a number or with nothing. */
function initial(column: StateColumn): Expression {
  return lit(column.type === 'object' ? null : column.init)
}
