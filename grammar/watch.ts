/**
 * What the parser tells whoever listens while it reads: what each word is to it, and what could stand where the text ends.
 * Completion, hover and highlighting listen, so they have no second grammar to keep in step; a stage made of the shared
 * clauses is completed without a word about it. Nobody listens to an ordinary parse, and it costs nothing then.
 */
import type { AstFrom, AstLet, AstStage } from './ast.ts'
import { skipTrivia } from './lexer.ts'
import type { Span } from './source.ts'
import type { Token } from './token.ts'

/** What a word is to the parser. */
export type WordRole =
  | 'stage'
  | 'keyword'
  | 'option'
  | 'choice'
  | 'function'
  | 'field'
  | 'source'
  | 'variable'
  | 'term'
  | 'string'
  | 'number'
  | 'duration'
  | 'time'
  | 'constant'
  | 'operator'
  | 'punctuation'

export interface Mark extends Span {
  readonly role: WordRole
}

/** What could stand in a place. */
export type Expectation =
  /** The beginning of a pipeline: `from`, a stage, search terms. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'stage' }
  /** The stage is complete: `|` may follow. */
  | { readonly kind: 'pipe' }
  | { readonly kind: 'source' }
  | { readonly kind: 'time-point' }
  | { readonly kind: 'term' }
  /** Behind a word of the search terms that may be a field. */
  | { readonly kind: 'term-operator'; readonly field: string }
  | { readonly kind: 'term-value'; readonly field: string }
  /** The beginning of an expression whose operators bind at least as tightly as `min`. */
  | { readonly kind: 'operand'; readonly min: number }
  | { readonly kind: 'operator'; readonly min: number; readonly afterComparison: boolean }
  /** A group key: an operand for which there are habits. */
  | { readonly kind: 'key' }
  | { readonly kind: 'aggregate' }
  | { readonly kind: 'field'; readonly pattern: boolean }
  /** A name that is given here, or a member nobody knows: nothing to offer. */
  | { readonly kind: 'name' }
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'symbol'; readonly text: string }
  /** `name=` */
  | { readonly kind: 'option'; readonly name: string; readonly doc: string }
  | { readonly kind: 'choice'; readonly what: string; readonly of: readonly string[] }
  /** Rows of another pipeline: a let, one in brackets, a lookup table. */
  | { readonly kind: 'rows' }
  /** The name of a lookup table. */
  | { readonly kind: 'table' }
  /** The name of saved stages. */
  | { readonly kind: 'fragment' }
  /** A format of `parse`. */
  | { readonly kind: 'format' }
  | { readonly kind: 'duration' }
  | { readonly kind: 'count' }

/** The rules by which the word in the place is cut. */
export type Lexis = 'token' | 'term' | 'value' | 'source' | 'time-point'

/** A call whose closing bracket has not been read. */
export interface OpenCall {
  readonly name: string
  readonly nameSpan: Span
  readonly argument: number
  /** Behind the `where` of an aggregate. */
  readonly inWhere: boolean
  /** The first argument, when it is a field: `has(host, …)` asks for hosts. */
  readonly subject: string | null
  readonly isAggregate: boolean
}

/** A pipeline as far as it has been read. */
export interface OpenPipeline {
  readonly from: AstFrom | null
  readonly stages: readonly AstStage[]
}

/** Something expected where the text ends, and all that was known there. `start` is where the word being written begins. */
export interface Place {
  readonly start: number
  readonly lexis: Lexis
  readonly expectation: Expectation
  readonly calls: readonly OpenCall[]
  /** The field on the other side of a comparison. */
  readonly compared: string | null
  readonly pipeline: OpenPipeline
  readonly lets: readonly AstLet[]
  /** Named within this stage already: `extend a = 1, b = …`. */
  readonly defined: readonly string[]
  readonly stage: AstStage['kind'] | null
}

/** What is known within a stage; a pipeline in brackets begins anew and gives it back. */
interface StageState {
  readonly stage: AstStage['kind'] | null
  readonly calls: OpenCall[]
  readonly compared: string | null
  readonly defined: string[]
}

const NO_PIPELINE: OpenPipeline = { from: null, stages: [] }

export class Watch {
  /** The text ends at a cursor: what has begun there goes on, so `stats ` is a stage and `from ` no search term. */
  readonly isWriting: boolean
  readonly marks: Mark[] = []
  readonly places: Place[] = []
  calls: OpenCall[] = []
  compared: string | null = null
  stage: AstStage['kind'] | null = null
  lets: readonly AstLet[] = []
  defined: string[] = []
  readonly #pipelines: { from: AstFrom | null; stages: readonly AstStage[]; outer: StageState }[] = []

  constructor(options: { readonly isWriting: boolean }) {
    this.isWriting = options.isWriting
  }

  /** The word is known for what it is; what was believed of it, and of what follows, is forgotten. */
  mark(start: number, end: number, role: WordRole): void {
    this.forget(start)
    if (end > start) this.marks.push({ start, end, role })
  }

  /** The parser goes back: what it read from there on may turn out to be something else. */
  forget(start: number): void {
    while ((this.marks.at(-1)?.start ?? -1) >= start) this.marks.pop()
  }

  /** `token` is next and was looked for from `at` on. Counts if it is the end of the text or a word that touches the end. */
  expectToken(text: string, at: number, token: Token, expectation: Expectation): void {
    const isWord = token.kind !== 'punctuation' && token.end === text.length
    if (token.kind === 'end' ? !endsInComment(text, at) : isWord) this.#expect(token.start, 'token', expectation)
  }

  /** The same for words that are cut by other rules: this one was looked for from `at` on. */
  expectWord(text: string, at: number, word: Span, lexis: Lexis, expectation: Expectation): void {
    const isThere = word.end === text.length && (word.end > word.start || !endsInComment(text, at))
    if (isThere) this.#expect(word.start, lexis, expectation)
  }

  #expect(start: number, lexis: Lexis, expectation: Expectation): void {
    const pipeline = this.#pipelines.at(-1) ?? NO_PIPELINE
    this.places.push({
      start,
      lexis,
      expectation,
      calls: [...this.calls],
      compared: this.compared,
      pipeline: { from: pipeline.from, stages: [...pipeline.stages] },
      lets: [...this.lets],
      defined: [...this.defined],
      stage: this.stage,
    })
  }

  /** `stages` is read when something is expected, and may grow until then. */
  openPipeline(stages: readonly AstStage[]): void {
    const { stage, calls, compared, defined } = this
    this.#pipelines.push({ from: null, stages, outer: { stage, calls, compared, defined } })
    this.openStage(null)
  }

  setFrom(from: AstFrom | null): void {
    const pipeline = this.#pipelines.at(-1)
    if (pipeline !== undefined) pipeline.from = from
  }

  closePipeline(): void {
    const closed = this.#pipelines.pop()
    if (closed !== undefined) Object.assign(this, closed.outer)
  }

  openStage(stage: AstStage['kind'] | null): void {
    this.stage = stage
    this.calls = []
    this.compared = null
    this.defined = []
  }

  /** Runs `parse` with the field that what it reads is compared with. */
  comparing<T>(field: string | null, parse: () => T): T {
    const outer = this.compared
    this.compared = field
    const result = parse()
    this.compared = outer
    return result
  }

  openCall(call: Pick<OpenCall, 'name' | 'nameSpan' | 'isAggregate'>): void {
    this.calls = [...this.calls, { ...call, argument: 0, inWhere: false, subject: null }]
  }

  updateCall(change: Partial<OpenCall>): void {
    const last = this.calls.at(-1)
    if (last !== undefined) this.calls = [...this.calls.slice(0, -1), { ...last, ...change }]
  }

  closeCall(): void {
    this.calls = this.calls.slice(0, -1)
  }
}

/** Whether nothing but blanks and a comment stand between `from` and the end, and the comment is still being written. */
function endsInComment(text: string, from: number): boolean {
  const gap = `${text.slice(from)}x`
  return skipTrivia(gap, 0).at === gap.length
}
