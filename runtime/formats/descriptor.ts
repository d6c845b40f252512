/** What one parse format says of itself: the reference, the catalog, completion and the types of its fields come from here. */
import type { ValueType } from '../../storage/value.ts'
import type { FormatSpec } from '../program.ts'
import type { Extractor } from './extractor.ts'

export interface FieldDoc {
  readonly name: string
  /** `any` where a field that is not a number stays text. */
  readonly type: ValueType
  readonly doc: string
}

/** Something wrong with the arguments of a format, found before it runs. */
export interface FormatProblem {
  readonly message: string
  /** The option it is about; null: the text of regex, pattern or grok. */
  readonly option: string | null
  /** A word of it that nobody knows, where it stands in the text, and the words that are known. */
  readonly misspelt?: { readonly word: string; readonly at: number; readonly known: readonly string[] }
}

export interface FormatDescriptor {
  readonly summary: string
  /** Names and meanings of its options. */
  readonly options: Readonly<Record<string, string>>
  /** Fields it is known to make, whatever its arguments. */
  readonly fields: readonly FieldDoc[]
  /** Are there fields whose names only the arguments or the text know? In words: which. */
  readonly otherFields: string | null
  readonly example: { readonly query: string; readonly input: string; readonly output: string }
  /** What is wrong with its arguments, all of it. */
  problems?(spec: FormatSpec): readonly FormatProblem[]
  /** `spec` has no problem. */
  create(spec: FormatSpec): Extractor
}
