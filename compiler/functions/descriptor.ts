/**
 * What the language knows about a function. Parser-independent: compiler, docs, completion, views, fuzzers and the catalog
 * route read these; nothing else names a function. To add one: CONTRIBUTING.md.
 */
import type { Expression, Statement } from 'estree'
import type { HelperName } from '../../runtime/helpers/index.ts'
import type { StatisticKind } from '../../runtime/program.ts'
import type { Value, ValueType } from '../../storage/value.ts'
import type { EmitContext, Emitted } from '../codegen/emitted.ts'

export type Category =
  | 'operator'
  | 'conversion'
  | 'conditional'
  | 'string'
  | 'text'
  | 'math'
  | 'time'
  | 'hash'
  | 'network'
  | 'array'
  | 'object'
  | 'aggregate'
  | 'window'

export interface Parameter {
  readonly name: string
  readonly type: ValueType
  readonly doc: string
  readonly optional?: true
  /** The last parameter may repeat. */
  readonly variadic?: true
  /** Must be a constant (a pattern, a unit, a percentile). */
  readonly constant?: true
  /** Of a constant number: what it may be. */
  readonly within?: NumberRange
  /** Is a lambda, `x -> …`, over the members of the argument before it; `type` is what its body gives. */
  readonly lambda?: true
}

export interface NumberRange {
  readonly min: number
  readonly max: number
  readonly whole?: true
  /** The least is left out: it is above `min`. */
  readonly above?: true
}

/** `upper("a")` → `"A"`; run by the tests. `result` is JSON (datetimes and durations as they print). */
export interface ScalarExample {
  readonly expression: string
  readonly result: string
}

/** `stats avg(ms)` over NDJSON lines → NDJSON lines; run by the tests. */
export interface AggregateExample {
  readonly query: string
  readonly input: string
  readonly output: string
}

/** Refused at compile time: becomes diagnostic E202 (or the code given) at the argument. */
export interface TypeProblem {
  readonly problem: string
  readonly argument: number
  readonly suggestion?: string
}

interface Head {
  readonly name: string
  readonly category: Category
  /** Spellings of other languages that get a fix-it to this name; never aliases. */
  readonly foreign: readonly string[]
  readonly parameters: readonly Parameter[]
}

export interface ScalarFunction extends Head {
  readonly kind: 'scalar'
  /** `infix` for operators: how the printer writes a call. */
  readonly notation: 'call' | 'infix' | 'prefix'
  readonly doc: { readonly summary: string; readonly examples: readonly [ScalarExample, ...ScalarExample[]] }
  /** Result type from argument types (`any` where unknown). Conservative: refuses only what can never work. */
  type(args: readonly ValueType[]): ValueType | TypeProblem
  /** `propagate`: null when any argument is null or missing, and neither helper nor emit is asked. `observe`: they see nulls. */
  readonly nulls: 'propagate' | 'observe'
  /** `per-query` is constant within one run (`now()`); `volatile` may differ per row and is never folded, moved or tabulated. */
  readonly purity: 'pure' | 'per-query' | 'volatile'
  /** The meaning: `HELPERS[helper](…args: Value[]): Value`, total (never throws on any values; null when they do not fit). */
  readonly helper: HelperName
  /**
   * A faster way for representations it knows (numbers, times …); must agree with the helper. Null: use the helper.
   * Never asked about arguments that may be absent when `nulls` is 'propagate': the caller guards.
   */
  emit?(args: readonly Emitted[], cx: EmitContext): Emitted | null
  /**
   * For predicates over a text column and constants: `rt[textHelper](vector, …constants, selection, selectedCount)` answers a whole
   * block at once from its bytes, as a Uint8Array by row (0 false, 1 true, 2 null); rows outside the selection hold anything.
   */
  readonly textHelper?: HelperName
  /** Of one argument: all it asks is whether that is missing or null, which a column may know without its values. */
  readonly asksPresence?: PresenceQuestion
  /** Of a text and a pattern: null where the pattern does not match, so that rows without the text every match holds are not looked at. */
  readonly nullWithoutMatch?: true
  /**
   * Of a text column and constants, a whole column at once: `rt[columnHelper](vector, …constants, selection, selectedCount)` is a vector that says
   * what the helper does, for patterns that `bytePattern` reads; rows outside the selection hold anything.
   */
  readonly columnHelper?: HelperName
  /** Its result may be missing rather than null (an absent member), so a null answer is not folded to a literal. */
  readonly mayBeMissing?: true
  /** Evaluated lazily: the resolver builds the CaseExpr or CoalesceExpr instead of a call. `helper` is still its meaning. */
  readonly form?: 'if' | 'case' | 'coalesce'
  /** Its second argument is a lambda: it becomes a loop, and `helper` gets the lambda as a JavaScript function. */
  readonly loop?: MemberLoop
  /** Of a function that gives an array: the type of its members; `same` as those of the first argument, or what the lambda gives. */
  readonly members?: ValueType | 'same' | 'body'
  /** An operator that reads text as a number: beside a number, or always. Such text is counted, by field. */
  readonly readsNumbers?: 'beside-numbers' | 'always'
  /** For casts: what `int!(x)` calls; throws StrictCastError where `int(x)` is null for a present x. */
  readonly strictHelper?: HelperName
  /** Checks constant arguments at compile time: a bad regex, an unknown zone. */
  check?(args: readonly (Value | undefined)[]): TypeProblem | null
}

/** Is it there at all (null is), is it null, is it missing? */
export type PresenceQuestion = 'there' | 'null' | 'missing'

/**
 * How generated code runs a lambda: one loop over the members, the body written into it. `answer` holds `start()` before the first
 * member and is the result after the last; `each` may assign to it and `break`.
 */
export interface MemberLoop {
  /** `condition`: the body as a JavaScript condition (is it true?); `value`: as a `Value`, possibly undefined. */
  readonly body: 'condition' | 'value'
  start(): Expression
  each(answer: Expression, row: { readonly member: Expression; readonly result: Expression }): readonly Statement[]
}

/** What the merge promises: over any split and order the answer is equal / equal but for rounding / within `relativeError`. */
export type MergeLaw =
  | { readonly law: 'exact' }
  | { readonly law: 'rounding' }
  | { readonly law: 'sketch'; readonly relativeError: number }
  | { readonly law: 'none'; readonly reason: string }

/**
 * One state column, one slot per group. `object` slots hold a sketch, a set or a list made by `HELPERS[init]()`.
 * Numeric slots start at `init`. `count` slots are only ever incremented by one per row: they are 32-bit integers in the row loop
 * (an increment of a double waits 4 cycles longer: measured 4.4 against 10.7 ns/row on few groups) and carry over before they overflow.
 */
export type StateColumn =
  | { readonly type: 'count'; readonly init: 0 }
  | { readonly type: 'f64' | 'i32' | 'u32' | 'u8'; readonly init: number }
  | {
      readonly type: 'object'
      readonly init: HelperName | null
      /** Cheap enough to have one for each slot of a table, and to be merged from there. */
      readonly bySlot?: true
      /** What slots without an `init` hold when it is no `Value`: how it goes from thread to thread (runtime/parallel/state.ts). */
      readonly holds?: 'sumRest' | 'rangeRest' | 'spreadRest'
      /** It has each value it was given once: with many of them merging two takes as long as making one. */
      readonly ofValues?: true
    }

/** Names of state columns → the lvalue of the current group's slot. */
export type StateSlots = Readonly<Record<string, Expression>>

/** Where a row stands among all rows of the scan, for first/last: an expression that grows with input order. */
export interface StepContext extends EmitContext {
  readonly rowOrder: Expression
  /** Event time in microseconds of this row, and its nanoseconds (literal 0 when the block has none); for earliest/latest. */
  readonly timeMicros: Expression
  readonly timeNanos: Expression
  /** The state takes no more than 2^22 rows before it is merged into another: whole numbers of 32 bits add up below 2^53. */
  readonly isShort: boolean
  readonly parameters: readonly number[]
}

/** One fact: a count, or the bound of numbers; bounds of times are in `micros`. NaN where there is none. */
export interface FactExpressions {
  readonly number: Expression
  readonly micros: Expression
}

/**
 * What becomes of a row's value, and in which state column. A number is added to a sum, of whole numbers of 32 bits only or of others as
 * well, with what the additions round away added to another column; it is kept if there is no less, or no greater; or it is counted in a
 * sketch. The code of a dictionary is put into a set.
 */
export type PlainStep =
  | { readonly kind: 'sum'; readonly to: string; readonly othersLoseTo: string | null }
  | { readonly kind: 'least' | 'greatest' | 'sketch' | 'distinct'; readonly to: string }

export interface AggregateFunction extends Head {
  readonly kind: 'aggregate'
  readonly category: 'aggregate'
  readonly doc: { readonly summary: string; readonly examples: readonly [AggregateExample, ...AggregateExample[]] }
  /** Names beyond `name`, matched by pattern: `p95` is percentile with parameter 95. */
  readonly family?: {
    readonly pattern: RegExp
    readonly parameters: (match: RegExpMatchArray) => readonly number[]
    /** Those that people use: offered as suggestions. */
    readonly members: readonly string[]
  }
  type(args: readonly ValueType[]): ValueType | TypeProblem
  readonly merging: MergeLaw
  /** What a bin without rows has in a series that `fill` made regular, where it is not what `stats` gives for no rows. */
  readonly empty?: Value
  /** The same answer whatever order rows come in (rounding aside), so that a sort below is for nothing. */
  readonly ignoresOrder?: true
  /** Without arguments it is the number of rows of the group, in its only state column. */
  readonly countsRows?: true
  /** Beside numbers it takes these, which come to `rest`; any other type is refused at compile time where it is known. */
  readonly takes?: readonly ValueType[]
  /** Ints beyond 2^53 go to `rest` too, because it keeps them exact; otherwise they come to `step` as doubles. */
  readonly exactInts?: true
  /** Of a dictionary column it takes every code, and leaves nulls out where it looks at values. */
  readonly takesNullCodes?: true
  /** It uses `timeMicros` / `timeNanos` of the step context, so the scan must provide `_time`. */
  readonly readsTime?: true
  /** Grouped by `bin(_time, w)`, it gets w in seconds as its first parameter. */
  readonly takesBinSeconds?: true
  readonly state: Readonly<Record<string, StateColumn>>
  /** Only the answer asks for its parameters: `p50(x)` and `p99(x)` are two questions to one state. */
  readonly asksWithParameters?: true
  /** What statistics of a block suffice instead of its rows; without it, or where they do not tell, rows are read. */
  readonly fromStatistics?: {
    facts(argumentCount: number): readonly StatisticKind[]
    /** Takes the facts, in their order, into the state: as `step` would have taken all the rows they speak of. */
    absorb(state: StateSlots, facts: readonly FactExpressions[]): readonly Statement[]
  }
  /**
   * Called for rows where every argument is present (aggregates skip null and missing) and `where` is true.
   * A `number` parameter arrives as repr `number` (numeric strings coerced and counted, other types skipped);
   * an `any` parameter arrives in whatever repr the block has: handle `number` and `time` fast, the rest through toAny.
   */
  step(state: StateSlots, args: readonly Emitted[], cx: StepContext): readonly Statement[]
  /**
   * Where every row has a number, or a code, `step` over few rows (`isShort`) is nothing but this, and counting the row: so that the loop
   * over a block can be WebAssembly (`runtime/helpers/add-by-slot.ts`).
   */
  readonly isOnly?: PlainStep
  /**
   * Of an aggregate of numbers: a value that is no plain number, in repr `time`, `duration`, or `any` (any `Value`, null and missing
   * among them). It keeps what it can use and ignores the others.
   */
  rest?(state: StateSlots, value: Emitted, cx: StepContext): readonly Statement[]
  /** `from` stays as it is, and `into` keeps no object of it that a later step or merge would change: windows go on merging both. */
  merge(
    into: StateSlots,
    from: StateSlots,
    cx: EmitContext & { readonly parameters: readonly number[] },
  ): readonly Statement[]
  /**
   * The group's answer as a `Value`. It may be asked again after more steps (`streamstats`), so it leaves the state as it is and hands out
   * nothing that a later step changes.
   */
  finish(state: StateSlots, cx: EmitContext & { readonly parameters: readonly number[] }): Expression
  /** The same answers from a state that costs little to ask, where it is asked after every row (`streamstats` without a window). */
  readonly running?: Pick<AggregateFunction, 'state' | 'step' | 'finish'>
}

/** A function of `streamstats` alone: what it gives a row depends on the rows of its group before it, or after it. */
export interface WindowFunction extends Head {
  readonly kind: 'window'
  readonly category: 'window'
  readonly doc: { readonly summary: string; readonly examples: readonly [AggregateExample, ...AggregateExample[]] }
  type(args: readonly ValueType[]): ValueType | TypeProblem
  readonly meaning: WindowMeaning
}

export type WindowMeaning =
  /** An aggregate over the rows of the group up to this one: all of them, or as many of the last as the first constant says. */
  | { readonly kind: 'aggregate'; readonly function: AggregateFunction; readonly rows: 'all' | 'first constant' }
  /** The argument as it was, or will be, that many rows away in the group; 1 unless the first constant says otherwise. Nulls count. */
  | { readonly kind: 'offset'; readonly direction: 'before' | 'after' }

export type FunctionDescriptor = ScalarFunction | AggregateFunction | WindowFunction

export interface FunctionRegistry {
  readonly scalars: ReadonlyMap<string, ScalarFunction>
  readonly aggregates: ReadonlyMap<string, AggregateFunction>
  readonly windows: ReadonlyMap<string, WindowFunction>
}
