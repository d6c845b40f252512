/** What expression emission hands around: an ESTree expression, what it holds at run time, and when it is present. */
import type { Expression, Statement } from 'estree'
import type { Value } from '../../storage/value.ts'

/**
 * `number` a JS double, finite · `bool` a JS boolean · `string` a JS string · `time` microseconds (no nanoseconds below) ·
 * `duration` nanoseconds · `any` a `Value` of any type, where null and undefined are absent.
 */
export type Repr = 'number' | 'bool' | 'string' | 'time' | 'duration' | 'any'

export interface Emitted {
  readonly repr: Repr
  readonly value: Expression
  /** Test that the value is present; null: always. For `any` it is null: absence is in the value itself. */
  readonly valid: Expression | null
  /** Set when the value is a literal of the query, for what can be worked out once (the origin of a bin). */
  readonly constant?: Value
  /** Set of numbers that are whole and fit 32 bits. */
  readonly isInt32?: true
  /** Set when the value is `dictionary.values[code]`: what works per distinct value may use the code instead. */
  readonly dict?: { readonly dictionary: Expression; readonly code: Expression }
}

/** What a descriptor's `emit` may ask of the kernel being written. */
export interface EmitContext {
  /** A name bound, before the row's statement, to `expression`; use it when a value is needed twice. */
  let(hint: string, expression: Expression): Expression
  /** `rt.<name>(…)`; the name must exist in runtime/helpers HELPERS. */
  helper(name: string, ...args: readonly Expression[]): Expression
  /** A constant that travels beside the text (`k[3]`), so that kernels differing only in literals are one text. */
  constant(value: unknown): Expression
  /** Statements before the row loop. */
  before(...statements: readonly Statement[]): void
  /** An `Emitted` of any repr as a `Value` (boxes times, nulls when not valid). */
  toAny(emitted: Emitted): Expression
  /**
   * For arithmetic on doubles: the result, bound to a name, after a test that it is a finite number whose integers are exact.
   * When the test fails for any row the whole kernel gives up and runs again in exact mode, on `Value`s and helpers, so the
   * common case costs one comparison. Null when this kernel cannot start over or already runs in exact mode: use the helper.
   */
  checked(hint: string, result: Expression): Expression | null
}
