/**
 * What completion knows beyond the grammar: plain data, so a browser can fetch it once (`GET /catalog`, `GET /fields`) and complete
 * without a server. The engine fills it from its registries and the store.
 */

export interface ParameterKnowledge {
  readonly name: string
  readonly type: string
  readonly doc: string
  readonly optional?: true
  readonly variadic?: true
  readonly constant?: true
}

export interface FunctionKnowledge {
  readonly name: string
  readonly signature: string
  /** Its family: `string`, `time`; `aggregate` for aggregates. */
  readonly class: string
  readonly streaming: boolean
  readonly documentation: string
  readonly parameters: readonly ParameterKnowledge[]
  /** What it makes of null: `propagate` or `observe`. */
  readonly nulls?: string
  /** Names beyond `name`, as a regular expression, and those worth offering: `p50`, `p95`. */
  readonly family?: { readonly pattern: string; readonly members: readonly string[] }
  readonly examples: readonly ExampleKnowledge[]
}

export type ExampleKnowledge =
  | { readonly expression: string; readonly result: string }
  | { readonly query: string; readonly input: string; readonly output: string }

export interface StageKnowledge {
  readonly name: string
  readonly signature: string
  readonly documentation: string
  readonly class: string
  readonly streaming: boolean
  readonly examples: readonly ExampleKnowledge[]
}

/** A format of `parse`. */
export interface FormatKnowledge {
  readonly name: string
  readonly signature: string
  readonly documentation: string
  readonly options: readonly { readonly name: string; readonly documentation: string }[]
  /** The fields it always gives. */
  readonly fields: readonly { readonly name: string; readonly type: string }[]
}

export interface LanguageKnowledge {
  readonly stages: readonly StageKnowledge[]
  readonly functions: readonly FunctionKnowledge[]
  readonly operators: readonly FunctionKnowledge[]
  readonly aggregates: readonly FunctionKnowledge[]
  readonly windows: readonly FunctionKnowledge[]
  readonly parse_formats: readonly FormatKnowledge[]
}

export type SampleValue = string | number | boolean

export interface FieldKnowledge {
  readonly name: string
  /** `string`, `number`, …; `any` when values differ in type. */
  readonly type: string
  /** The share of events that have it, 0 to 1. */
  readonly coverage?: number
  /** Where it was seen; everywhere when absent. */
  readonly indexes?: readonly string[]
  /** Values seen, most frequent first. */
  readonly values?: readonly SampleValue[]
}

export interface NamedKnowledge {
  readonly name: string
  readonly documentation?: string
}

/** A lookup table. */
export interface TableKnowledge extends NamedKnowledge {
  readonly columns?: readonly string[]
}

export interface Knowledge {
  readonly language: LanguageKnowledge
  readonly fields: readonly FieldKnowledge[]
  readonly indexes: readonly string[]
  readonly views?: readonly NamedKnowledge[]
  readonly saved?: readonly NamedKnowledge[]
  readonly lookups?: readonly TableKnowledge[]
  /** Variables that the request will bind. */
  readonly variables?: readonly string[]
}
